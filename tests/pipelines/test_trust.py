"""A ranker that is trusted: its scores stand for the words around a quantity."""

from functools import partial

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from neural_material import MINILM, SPLADE
from search_material import Canned

import pyterrier_quantity as ptq
from pyterrier_quantity import QuantityIndex, QuantityQueryParser, quantity_aware
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, Splade
from pyterrier_quantity.pipelines.ranker_kind import is_neural

reranking = partial(ptq.quantity_aware, candidates="retriever")

ASKED = pd.DataFrame([{"qid": "1", "query": "car above 500 hp"}])
CARS = [
    {"docno": "same", "text": "A car of 510 hp."},
    {"docno": "other", "text": "This sedan has 510 hp."},
    {"docno": "far", "text": "The pump of the mill has 510 hp."},
    {"docno": "weak", "text": "A sedan of 90 hp."},
]
"""Documents with the query's word, with another word for it, and about another thing, and one with a lower value."""
FOUND = {"1": [("other", 9.0), ("same", 8.9), ("weak", 8.5), ("far", 6.0)]}


@pytest.fixture(scope="module")
def cars(tmp_path_factory) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("trust") / "cars").index(CARS)


def scores(run: pd.DataFrame) -> pd.Series:
    return run.set_index("docno")["score"]


def test_what_the_ranker_vouches_for_needs_no_words(cars):
    by_words = scores(reranking(Canned(FOUND), cars, norm="minmax")(ASKED))
    trusted = scores(reranking(Canned(FOUND), cars, trust=0.9)(ASKED))
    gain = trusted - by_words
    assert gain["other"] > 1
    assert gain[["weak", "far"]].abs().max() < 1e-9  # does not meet the condition; least of the ranker's results
    assert trusted["other"] > trusted["far"] > trusted["weak"] - 2
    assert by_words["other"] - by_words["far"] == pytest.approx(1.0)


@pytest.mark.parametrize("trust", [0.5, 1.0])
def test_the_score_is_the_larger_of_both(cars, trust):
    asked = QuantityQueryParser()(ASKED)
    results = Canned(FOUND, keep=tuple(asked.columns))(asked)
    share = (results["score"] - 6.0) / 3.0
    by_words, by_value = (cars.scorer(fit=fit)(results)["score"] for fit in (True, False))
    expected = share + 8.0 * np.maximum(by_words, by_value * trust * np.sqrt(share))
    actual = reranking(Canned(FOUND), cars, trust=trust)(ASKED)
    np.testing.assert_allclose(scores(actual)[results["docno"]], expected, atol=1e-9)


VECTORS = {"other": 0.1, "same": 0.5, "weak": 0.2, "far": 0.6}


@pytest.mark.parametrize("unknown", [(), ("other",)])
def test_vectors_vouch_where_the_results_tell_their_score(cars, unknown):
    asked = QuantityQueryParser()(ASKED)
    results = Canned(FOUND, keep=tuple(asked.columns))(asked)
    by_words, by_value = (cars.scorer(fit=fit)(results)["score"] for fit in (True, False))
    vectors = results["docno"].map({name: v for name, v in VECTORS.items() if name not in unknown})
    lowest, highest = vectors.min(), vectors.max()
    vouched = 0.9 * np.sqrt((vectors.fillna(lowest) - lowest) / (highest - lowest))
    expected = (results["score"] - 6.0) / 3.0 + 8.0 * np.maximum(by_words, by_value * vouched)
    ranker = Canned(FOUND) >> pt.apply.generic(
        lambda found: found.assign(dense_score=found["docno"].map(dict(zip(results["docno"], vectors, strict=True))))
    )
    actual = reranking(ranker, cars, trust=0.9)(ASKED)
    np.testing.assert_allclose(scores(actual)[results["docno"]], expected, atol=1e-9)


def test_what_only_the_index_found_starts_at_the_lowest_score(cars):
    some = {"1": [("far", 6.0), ("weak", 5.5)]}
    both = scores(quantity_aware(Canned(some), cars, trust=0.9, candidates="union")(ASKED))
    alone = scores(reranking(Canned(some), cars, trust=0.9)(ASKED))
    assert set(both.index) == {"far", "weak", "same", "other"}
    pd.testing.assert_series_equal(both[alone.index].sort_index(), alone.sort_index(), check_index_type=False)


def test_a_scorers_word_counts_for_what_only_the_index_found(cars):
    class Scores(pt.Transformer):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return inp.assign(score=inp["docno"].map({"same": 8.9, "other": 9.0}))

    some = {"1": [("weak", 8.5), ("far", 6.0)]}
    both = quantity_aware(Canned(some), cars, trust=0.9, candidates="union", scorer=Scores())(ASKED)
    whole = reranking(Canned(FOUND), cars, trust=0.9)(ASKED)
    pd.testing.assert_series_equal(scores(both).sort_index(), scores(whole).sort_index(), check_index_type=False)


def test_without_a_constraint_the_order_stays(cars):
    out = reranking(Canned({"2": FOUND["1"]}), cars, trust=1.0)(pd.DataFrame([{"qid": "2", "query": "sedan"}]))
    assert out["docno"].tolist() == ["other", "same", "weak", "far"]


def test_neural_rankers_are_trusted_and_others_are_not(cars, tmp_path):
    late = ColBERTIndex(tmp_path / "none")
    for ranker in (
        late.retriever(ColBERT("a model")),
        Splade("a model").query_encoder() >> Canned(FOUND),
        Canned(FOUND) % 10 >> late.scorer(ColBERT("a model")),
    ):
        assert is_neural(ranker)
    words = ptq.backends.pisa_bm25(tmp_path / "pisa", CARS)
    for ranker in (Canned(FOUND), QuantityQueryParser() >> words, cars.retriever()):
        assert not is_neural(ranker)


class OwnReranker(pt.Transformer):
    """R -> R by a model that somebody else loaded."""

    def __init__(self, model):
        self.model = model

    def transform(self, inp):
        return inp


def test_neural_rankers_of_other_packages_are_known(tmp_path):
    import pyterrier_dr
    import pyterrier_splade
    import sentence_transformers

    splade = pyterrier_splade.Splade(SPLADE, device="cpu")
    single = pyterrier_dr.SBertBiEncoder(MINILM, device="cpu")
    sentences = sentence_transformers.SentenceTransformer(MINILM, device="cpu")
    for ranker in (
        splade.query_encoder() >> Canned(FOUND),
        splade.scorer(),
        single.query_encoder() >> pyterrier_dr.FlexIndex(str(tmp_path / "vectors")).np_retriever(),
        Canned(FOUND) % 10 >> single.text_scorer(),
        Canned(FOUND) >> OwnReranker(sentences),
        Canned(FOUND) >> OwnReranker(sentences[0]),
        Canned(FOUND) >> pt.apply.generic(sentences.encode),
        pt.apply.generic(lambda q: q, transform_outputs=lambda names: [*names, "query_vec"]) >> Canned(FOUND),
    ):
        assert is_neural(ranker), ranker
    assert not is_neural(Canned(FOUND) >> OwnReranker("a name"))


def test_bad_trust(cars):
    for trust in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match=r"trust must be in \[0, 1\]"):
            reranking(Canned(FOUND), cars, trust=trust)
