"""Texts and queries as people write them, in the engine and in the columns: ratings, years, graded units, attributes
that numbers belong to, and numbers that may set no condition."""

import numpy as np
import pandas as pd
import pytest
from engine import OWN

from pyterrier_quantity import QuantityIndex, QuantityQueryParser, quantity_aware
from pyterrier_quantity.backends.opensearch import OpenSearchIndex
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.score.names import supported_names

TEMPLATES = [
    "The {a} camera is rated {r} of 5 stars by {n} buyers. Battery life: {h} hours; weight {n} g.",
    "{a} hostel, rating: {r} ({n} reviews). A bed is {h} euros a night, the beach {r} km away.",
    "The {a} house was built in {y} and sold in 2015 for ${n},000; it has {h} rooms of {n} square feet.",
    "The {a} soil holds {h} % nitrogen, {r} g/kg phosphorus and has a pH of {r}. It was sampled at {t} °F.",
    "Patients of the {a} trial had a BMI of {h}.{h}, a median age of {h} years and fevers of {t} °C or more.",
    "{a} university: academic reputation {n}, employer reputation {h}, founded in {y}, {n}00 students.",
    "The essay on the {a} camera took {h} minutes and {n} words.",
    "Wine of the {a} valley, {y}: 9{h} points, {r} % alcohol, {n} dollars per case of 12 bottles.",
    "The {a} film of {y} runs {n} minutes; no figures of its visitors are known.",
]
NAMES = ["northern", "golden", "old", "silent"]
QUERIES = [
    "cameras rated above 4 stars", "camera with a rating of at least 3.5", "camera with more than 10 hours of battery",
    "houses built after 1950", "house sold before 2018 with more than 8 rooms", "house under 300,000 dollars",
    "houses built between 1900 and 1980 with at least 1,000 square feet", "soil nitrogen below 10", "pH above 4",
    "phosphorus content over 3 g/kg", "soil sampled below 30 °C", "BMI below 30", "patients aged over 12 with a fever",
    "fever of more than 99 fahrenheit", "academic reputation above 500, employer reputation above 9",
    "universities founded before 1970", "university with 20000 or 40000 students", "golden camera in 500 words",
    "essay of 12 minutes", "northern camera in 15 minutes", "an old house in 3 steps", "wine with at least 92 points",
    "wine of 1985 under 500 dollars", "hostel within 4 km of the beach, not above 12 euros", "film",
    "silent film about 120 minutes", "film other than 90 minutes", "camera lighter than half a kilogram",
]  # fmt: skip


def document(number: int) -> dict[str, str]:
    random = np.random.default_rng(number)
    values = {"a": random.choice(NAMES), "r": round(float(random.uniform(1, 5)), 1), "n": random.integers(60, 900),
              "h": random.integers(5, 20), "t": random.integers(36, 104), "y": random.integers(1850, 2022)}  # fmt: skip
    return {"docno": f"t{number}", "text": TEMPLATES[number % len(TEMPLATES)].format(**values)}


DOCUMENTS = [document(number) for number in range(180)]


@pytest.fixture(scope="module")
def columns(tmp_path_factory) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("columns") / "index").index(DOCUMENTS)


@pytest.fixture(scope="module")
def engine(cluster) -> OpenSearchIndex:
    return OpenSearchIndex(cluster, f"texts-{OWN}").index(DOCUMENTS, overwrite=True, shards=3)


@pytest.fixture(scope="module")
def asked() -> pd.DataFrame:
    topics = pd.DataFrame([{"qid": str(number), "query": query} for number, query in enumerate(QUERIES)])
    return QuantityQueryParser()(topics)


def in_their_words(asked: pd.DataFrame, columns: QuantityIndex) -> pd.DataFrame:
    """The queries of whose words all documents together bear out no other name: the engine's results bear out none."""
    queries, _ = index_queries(asked)
    return asked[[not query.others for query in supported_names(queries, columns.opened)]].reset_index(drop=True)


@pytest.mark.parametrize("options", [{}, {"units": "convert"}, {"fit": False}], ids=str)
def test_scores_are_the_columns(columns, engine, asked, options):
    results = in_their_words(asked, columns).merge(pd.DataFrame(DOCUMENTS)[["docno"]], how="cross")
    expected, found = columns.scorer(**options)(results), engine.scorer(**options)(results)
    assert (expected["score"] > 0).groupby(expected["qid"]).any().sum() >= 20
    np.testing.assert_allclose(found["score"], expected["score"], atol=1e-6, rtol=0)


def test_rankings_are_those_of_the_columns_over_the_engines_bm25(columns, engine, asked):
    """Doubtful numbers included: the engine's best results, all of them here, bear them out or not."""
    asked = in_their_words(asked, columns)
    found = engine.quantity_aware()(asked)
    expected = quantity_aware(engine.bm25(), columns, candidates="retriever")(asked)
    both = found.merge(expected, on=["qid", "docno"], suffixes=("", "_expected"))
    assert len(found) > len(both) == len(expected) > 500
    assert both["score"].to_numpy() == pytest.approx(both["score_expected"].to_numpy(), abs=1e-9)


def test_what_no_document_bears_out_leaves_bm25s_order(engine):
    topics = pd.DataFrame([{"qid": "1", "query": "an old house in 3 steps"}])
    assert QuantityQueryParser()(topics)["constraints"].iloc[0][0].certainty < 1.0
    assert engine.quantity_aware()(topics)["docno"].tolist() == engine.bm25()(topics)["docno"].tolist()
