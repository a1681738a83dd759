"""Facets: the ranges of values of an attribute."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_quantity import QuantityIndex, filters
from pyterrier_quantity.filters import Facet, facets, stated_values


def test_round_ends_near_the_quantiles():
    prices = np.random.default_rng(5).lognormal(6, 1, 5000)
    found = facets(prices, 5)
    assert [facet.low for facet in found] == [None, 200, 300, 500, 1000]
    assert found[-1].high is None
    assert sum(facet.count for facet in found) == 5000
    assert all(600 <= facet.count <= 1400 for facet in found)
    assert [str(facet) for facet in found][:2] == ["below 200", "200 to 300"]
    assert str(found[-1]) == "1000 and more"


def test_quantiles_split_evenly():
    found = facets(range(100), 4, by="quantiles")
    assert [facet.count for facet in found] == [25] * 4
    assert [facet.high for facet in found] == [24.75, 49.5, 74.25, None]


@pytest.mark.parametrize(("values", "expected"), [
    ([], []),
    ([5, 5, 5], [Facet(None, None, 3)]),
    ([1, 1, 1, 1, 2], [Facet(None, None, 5)]),
    ([float("nan"), 3, 4], [Facet(None, 3.5, 1), Facet(3.5, None, 1)]),
    ([-40, -10, 10, 40], [Facet(None, 0, 2), Facet(0, None, 2)]),
    (pd.Series([120, None, 180], dtype="Int64"), [Facet(None, 150, 1), Facet(150, None, 1)]),
])  # fmt: skip
def test_few_values(values, expected):
    assert facets(values, 2) == expected


def test_the_range_of_a_single_value_asks_for_nothing():
    every, fields = facets([30, 30])[0].condition("usd"), {"price": ("usd", "dollar")}
    nothing = {"sql": "TRUE", "solr": "*:*", "vespa": "true", "typesense": "", "langchain": {}}
    nothing["opensearch"] = {"match_all": {}}
    assert {name: getattr(filters, f"to_{name}")([every], fields) for name in nothing} == nothing
    assert filters.to_sql([every, Facet(1, None, 5).condition("kg")], fields) == '"kg" >= 1'


def test_every_value_lies_in_the_range_that_counts_it():
    random = np.random.default_rng(11)
    for _ in range(100):
        values = np.round(random.normal(0, 10.0 ** random.integers(-6, 9), random.integers(1, 60)), 3)
        for by in ("round", "quantiles"):
            found = facets(values, int(random.integers(1, 9)), by)
            for facet in found:
                low, high = (
                    (-np.inf if facet.low is None else facet.low),
                    (np.inf if facet.high is None else facet.high),
                )
                assert facet.count == ((values >= low) & (values < high)).sum()
            assert sum(facet.count for facet in found) == len(values)


def test_facets_are_filters():
    found = facets([10, 20, 30, 40], 2)
    fields = {"price": ("usd", "dollar")}
    assert [filters.to_sql([facet.condition("usd")], fields) for facet in found] == ['"usd" < 25.0', '"usd" >= 25.0']
    assert filters.to_typesense([Facet(1, 2, 5).condition("usd")], fields) == "usd:>=1 && usd:<2"


def test_what_is_no_choice_is_named():
    with pytest.raises(ValueError, match="by 'round' or 'quantiles'; got 5 and 'even'"):
        facets([1], by="even")
    with pytest.raises(ValueError, match="at least 1"):
        facets([1], 0)


@pytest.fixture(scope="module")
def phones(tmp_path_factory):
    texts = ["It has a weight of 200 g and a battery of 4000 mAh.",
             "The weight is 0.25 kilograms. The box weighs 1 kg.",
             "A storage of 64 GB, a weight of 180 to 220 g.", "Its price: 300 dollars. A price of $500.",
             "It has a weight of 900 g, but it is gone."]  # fmt: skip
    index = QuantityIndex(tmp_path_factory.mktemp("facets") / "phones.quantity")
    index.index([{"docno": f"d{n}", "text": text} for n, text in enumerate(texts[:3])])
    index.add([{"docno": f"d{n}", "text": text} for n, text in enumerate(texts[3:], 3)])
    return index.delete(["d4"])


def test_values_of_an_attribute_in_an_index(phones):
    assert sorted(stated_values(phones, "weight", "g")) == [200, 200, 250]
    assert sorted(stated_values(phones, "", "kg")) == pytest.approx([0.2, 0.2, 0.25, 1.0])
    assert sorted(stated_values(phones, "price", "dollar")) == [300, 500]
    assert len(stated_values(phones, "colour", "kg")) == 0
    assert len(stated_values(phones, "", "volt")) == 0
    with pytest.raises(ValueError, match=r"stated_values: .*3!x"):
        stated_values(phones, "", "3!x")


def test_an_index_without_words_says_so(tmp_path):
    from pyterrier_quantity import Quantity

    index = QuantityIndex(tmp_path / "bare.quantity").indexer(concepts=False)
    bare = QuantityIndex(tmp_path / "bare.quantity")
    index.index([{"docno": "1", "quantities": [Quantity(5, 5, "kilogram")]}])
    assert stated_values(bare, "", "g").tolist() == [5000]
    with pytest.raises(ValueError, match="keeps no words"):
        stated_values(bare, "weight", "g")
