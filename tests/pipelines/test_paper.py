"""The paper's systems score by T_x, the concept's terms (Eq. 5 to 9)."""

import pandas as pd
import pytest
from search_material import Canned

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.backends import bm25
from pyterrier_quantity.pipelines import QBM25, QSPLADE, QColBERT

DOCUMENTS = [
    {"docno": "car", "text": "The car brings 90 horsepower."},
    {"docno": "dear", "text": "The car costs 900 dollars."},
    {"docno": "boat", "text": "The boat costs 400 dollars."},
    {"docno": "house", "text": "A house, 100 euros."},
    {"docno": "tree", "text": "Trees grow."},
]
ASKED = pd.DataFrame([{"qid": "q", "query": "car above 200 dollars"}])


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """BM25 over the whole ranking, and the quantity index, of the five sentences."""
    folder = tmp_path_factory.mktemp("paper")
    return bm25(folder / "words", DOCUMENTS, num_results=None), QuantityIndex(folder / "q").index(DOCUMENTS)


def scores(run: pd.DataFrame) -> dict[str, float]:
    return run.set_index("docno")["score"].to_dict()


def test_only_sentences_with_a_term_of_the_concept_are_ranked(indexes):
    words, quantities = indexes
    base = scores(words.search("car"))
    expected = {"car": base["car"] / max(base.values()), "dear": base["dear"] / max(base.values()) + 200 / 900}
    assert scores(QBM25(words, quantities)(ASKED)) == pytest.approx(expected)


def test_the_whole_text_is_a_setting(indexes):
    words, quantities = indexes
    base = scores(words.search(ASKED["query"][0]))
    found = scores(QBM25(words, quantities, keep="all")(ASKED))
    assert found["boat"] == pytest.approx(base["boat"] / max(base.values()) + 200 / 400)
    assert found["boat"] > found["car"]


def test_terms_that_a_frame_brings_stay(indexes):
    words, quantities = indexes
    given = ASKED.assign(query="boat", condition=">", value=200.0, unit="dollar")
    assert scores(QBM25(words, quantities)(given)) == pytest.approx({"boat": 1 + 200 / 400})


@pytest.mark.parametrize("system", [QSPLADE, QColBERT])
def test_neural_rankers_are_asked_for_the_concept(indexes, system):
    run = system(Canned({"q": [("dear", 2.0)]}), indexes[1])(ASKED)
    assert scores(run) == pytest.approx({"dear": 1 + 200 / 900})
    assert run["query"].tolist() == ["car"]
