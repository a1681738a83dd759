"""Ranking where words say which number is meant, where one of several will do, and where something is denied."""

from dataclasses import replace

import pandas as pd
import pytest

from pyterrier_quantity import QuantityIndex, parse_query
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.index.context_words import query_terms

DOCUMENTS = {
    "met": "The patient is 44 years old with a BMI of 23.5. The glucose level is 140.",
    "other": "The patient is 20 years old with a BMI of 31.2. The glucose level is 25.",
    "far": "The tower is 26 metres high and stands in Spain since 1920.",
    "ram": "A laptop with 32 GB of memory, sold since 2021.",
    "small": "A laptop with 8 GB of memory, sold since 2015.",
    "healthy": "The woman of 50 years does not have heart disease and has hypertension.",
    "ill": "The woman of 50 years has heart disease and does not have hypertension.",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> QuantityIndex:
    path = tmp_path_factory.mktemp("attributes") / "index"
    return QuantityIndex(path).index({"docno": docno, "text": text} for docno, text in DOCUMENTS.items())


def results(query: str) -> pd.DataFrame:
    """R with the conditions of a query as typed, no doubt that they are some: see `index/test_belief`."""
    constraints = [replace(constraint, certainty=1.0) for constraint in parse_query(query)[1]]
    asked = {"qid": "1", "query": query, "constraints": constraints, "score": 0.0}
    return pd.DataFrame([{**asked, "docno": docno} for docno in DOCUMENTS])


def scores(index: QuantityIndex, query: str) -> dict[str, float]:
    found = index.scorer()(results(query))
    return dict(zip(found["docno"], found["score"], strict=True))


def test_the_number_beside_the_attribute_decides(index) -> None:
    found = scores(index, "patients with a BMI below 26")
    assert found["met"] > 1.5 * found["other"]
    assert found["met"] > 2 * found["far"]


def test_one_of_the_alternatives_is_enough(index) -> None:
    found = scores(index, "laptop with 16 GB or 32 GB memory")
    assert found["ram"] > found["small"]
    assert found["ram"] == pytest.approx(scores(index, "laptop with 32 GB memory")["ram"], rel=0.2)
    kept = index.filter()(results("laptop with 16 GB or 32 GB memory"))
    assert kept["docno"].tolist() == ["ram"]


def test_dates_meet_dates_alone(index) -> None:
    found = scores(index, "laptops sold after 2018")
    assert found["ram"] > 0 == found["small"] == found["met"]


def test_what_is_denied_is_another_word(index) -> None:
    assert query_terms("does not have heart disease") != query_terms("has heart disease")
    assert query_terms("not more than tin") == (term_hash("tin"),)
    found = scores(index, "a woman above 40 years that does not have heart disease and has hypertension")
    assert found["healthy"] > found["ill"] > 0
