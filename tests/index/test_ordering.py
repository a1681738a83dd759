"""Documents in the order of the value that a query asks for."""

from pathlib import Path

import pandas as pd
import pytest

from pyterrier_quantity import QuantityIndex, explain, quantity_aware
from pyterrier_quantity.backends import bm25

TEXTS = {
    "glass": "Electric kettle of glass, 24.99 euros, 1.2 kg",
    "travel": "Electric travel kettle, 18 euros, 600 g",
    "plain": "Electric kettle, 9.99 euros, 1.1 kg",
    "steel": "Electric kettle of steel, 39 euros, 1 lb",
    "window": "Electric kettle in the shop window",
    "stove": "Kettle for the stove, 7 euros, 800 g",
    "lid": "Electric kettle lid, 6 euros, 200 g",
    "cloth": "Cloth for an electric kettle, 5 euros, 150 g",
    "ubin": "Lake Ubin has a depth of 871 m and lies at 300 m",
    "tarn": "Lake Tarn lies at a height of 2,900 m, its depth is 44 m",
    "oria": "Lake Oria is 410 km long and has a depth of 150 m",
}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    path: Path = tmp_path_factory.mktemp("ordering")
    frame = [{"docno": docno, "text": text} for docno, text in TEXTS.items()]
    return QuantityIndex(path / "quantities").index(frame), bm25(path / "words", frame)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("cheapest electric kettle", ["plain", "travel", "glass", "steel"]),
        ("most expensive electric kettle", ["steel", "glass", "travel", "plain"]),
        ("lightest electric kettle", ["steel", "travel", "plain", "glass"]),
        ("cheapest electric kettle over 10 euros", ["travel", "glass", "steel"]),
        ("cheapest electric kettle under 1 kg", ["travel", "steel"]),
        ("deepest lake", ["ubin", "oria", "tarn"]),
        ("top 2 lakes by depth", ["ubin", "oria", "tarn"]),
        ("largest lake by depth", ["ubin", "oria", "tarn"]),
    ],
)
def test_documents_that_fit_come_in_order(indexes, query: str, first: list[str]) -> None:
    quantities, words = indexes
    run = quantity_aware(words, quantities).search(query)
    assert run["docno"].tolist()[: len(first)] == first
    assert run["score"].is_monotonic_decreasing
    assert run["score"].is_unique or run["score"].iloc[: len(first)].is_unique


def test_results_keep_their_order_if_none_meets_the_condition(indexes) -> None:
    quantities, words = indexes
    query = "electric kettle over 900 euros"
    found = [quantity_aware(words, quantities).search(text)["docno"].tolist() for text in (f"cheapest {query}", query)]
    assert len(found[0]) > 3
    assert found[0] == found[1]


def test_explanations_say_the_place(indexes) -> None:
    quantities, words = indexes
    pipeline = quantity_aware(words, quantities)
    queries = pd.DataFrame({"qid": ["1", "2"], "query": ["cheapest electric kettle", "lightest kettle over 10 euros"]})
    told = explain(pipeline(queries), quantities)
    first = told[told["qid"] == "1"]
    assert first["order"].tolist()[:2] == ["first of 4 by price", "second of 4 by price"]
    assert first["constraint"].tolist() == [None] * len(first)
    assert "first of 3 by weight" in told[told["qid"] == "2"]["order"].tolist()
