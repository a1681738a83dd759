"""Units are found by the words of their names: what is found is what looking at every name would find."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, Quantity, QuantityIndex, QuantityQueryParser
from pyterrier_quantity.constants import USUAL_KIND, UnitWeights
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.index.unit_names import UnitNames
from pyterrier_quantity.units import default_registry

REGISTRY = default_registry()


@settings(max_examples=25)
@given(st.sets(st.text(max_size=6)), st.text(max_size=3))
def test_names_by_rows_and_rows_by_names(names, prefix):
    ordered = sorted(names)
    found = UnitNames.of(ordered)
    assert list(found) == found[:] == ordered
    assert [found.find(name) for name in ordered] == list(range(len(ordered)))
    assert found.find("nothing of the kind") == -1
    begin, end = found.beginning_with(prefix)
    assert ordered[begin:end] == [name for name in ordered if name.startswith(prefix)]
    with pytest.raises(IndexError):
        found[len(ordered)]


def test_few_of_many_names_are_read(tmp_path, monkeypatch):
    """A query over an index that counts 5,000 things reads the names that it needs."""
    things = [[Quantity(float(n), float(n), f"thing{n}"), Quantity(5.0, 5.0, "gram")] for n in range(5_000)]
    index = QuantityIndex(tmp_path / "i").index(
        {"docno": f"d{n}", "quantities": quantities} for n, quantities in enumerate(things)
    )
    read = []
    whole = UnitNames._raw
    monkeypatch.setattr(UnitNames, "_raw", lambda names, row: read.append(row) or whole(names, row))
    for unit, best in (("thing7", "d7"), ("thing7 per day", "d7"), ("kilogram", None), ("-", None)):
        topics = pd.DataFrame([{"qid": "1", "query": "thing7", "constraints": [Constraint("<", 7.5, 7.5, unit)]}])
        found = index.retriever()(topics)
        assert len(found) > 0
        assert best in (None, found["docno"].iloc[0])
    assert len(read) < 250


@pytest.mark.parametrize(
    ("asked", "stated", "weight", "factor"),
    [
        ("ounce", "troy ounce", UnitWeights().convertible, 1.0971428571429),
        ("case", "case per 1000", UnitWeights().more, 1.0),
        ("case per 1000", "case per 100000", UnitWeights().convertible, 0.01),
        ("blorp", "blorp per hour", UnitWeights().period, 1.0),
        ("week", "day of age", UnitWeights().part, 1 / 7),
        ("per day", "euro per week", UnitWeights().period, 1 / 7),
        ("staff", "employee", UnitWeights().meant, 1.0),
        ("bird", "sparrow", UnitWeights().meant, 1.0),
        ("people", "patient", UnitWeights().meant, 1.0),
        ("participant", "pregnant woman", UnitWeights().people, 1.0),
        ("hertz", "count per second", UnitWeights().convertible, 1.0),
        ("worker", "part-time worker", UnitWeights().meant, 1.0),
        ("bedroom", "bed", UnitWeights().meant, 1.0),
        ("part-time worker", "worker", UnitWeights().noun, 1.0),
        ("car", "unit", UnitWeights().bare, 1.0),
        ("pack", "bottle", UnitWeights().noun, 1.0),
        ("beat per minute", "per minute", UnitWeights().part, 1.0),
        ("request per minute", "per second", UnitWeights().part, 60.0),
        ("per square kilometre", "sheep per square kilometre", UnitWeights().part, 1.0),
        ("numbered floor", "numbered storey", UnitWeights().meant, 1.0),
        ("egg", "pack", UnitWeights().noun, 1.0),
        ("pack", "-", UnitWeights().bare, 1.0),
        ("degree", "celsius", UnitWeights().part, 1.0),
        ("sparrow", "bird", 0.0, 1.0),
        ("doctor", "patient", 0.0, 1.0),
        ("car per hour", "taxi", UnitWeights().part, 1.0),
        ("taxi per hour", "car", 0.0, 1.0),
        ("people per square kilometre", "inhabitant per hectare", UnitWeights().convertible, 100.0),
        ("inhabitant per square kilometre", "people per square kilometre", UnitWeights().convertible, 1.0),
        ("kilocalorie per serving", "kilojoule per portion", UnitWeights().convertible, 1 / 4.184),
        ("passenger per year", "air traveller per day", UnitWeights().convertible, 365.25),
        ("per 100000", "per 1000 inhabitant", UnitWeights().convertible, 100.0),
        ("per 100000", "murder per 100000 people", UnitWeights().part, 1.0),
        ("murder per 100000 resident", "per 100000", UnitWeights().part, 1.0),
        ("case per 1000 people", "case per 1000 patient", 0.0, 1.0),
        ("per 1000", "per 1000 kilometre", 0.0, 1.0),
        ("joule per serving", "joule per kilogram", 0.0, 1.0),
        ("gram", "ounce per shoe", UnitWeights().more * UnitWeights().convertible, 28.349523125),
        ("metre", "kilometre per hour", 0.0, 1.0),
        ("minute", "hour per week", UnitWeights().period * UnitWeights().convertible, 60.0),
    ],
)
def test_near_units_count_in_part(asked: str, stated: str, weight: float, factor: float) -> None:
    match = UnitVocabulary([stated], REGISTRY).match(asked, (), UnitWeights())
    counted = match.in_full(1)
    assert counted.weight.sum() == pytest.approx(weight)
    assert (counted.factor == pytest.approx(factor)) if weight else not len(counted.factor)


@pytest.mark.parametrize(("usual", "weight"), [(0, 1.0), (USUAL_KIND, 0.8), (1e9, 0.6)])
def test_another_unit_weighs_more_if_few_quantities_are_of_its_kind(usual: float, weight: float) -> None:
    vocabulary = UnitVocabulary(["gram"], REGISTRY, count=lambda unit: {"mass": usual}[unit])
    match = vocabulary.match("kilogram", (), UnitWeights(convertible=0.6))
    assert match.weight[0] == pytest.approx(weight)


@pytest.mark.parametrize(
    ("asked", "stated", "word", "weight"),
    [
        ("-", "apple tree", "tree", 1.0),
        ("-", "apple tree", "pear", UnitWeights().unasked),
        ("-", "percentage", "pear", UnitWeights().ratio),
        ("-", "date", "date", 0.0),
        ("-", "euro", "price", 1.0),
        ("-", "pound-mass", "weight", 1.0),
        ("-", "page", "price", UnitWeights().unasked),
        ("-", "litre", "capacity", 1.0),
        ("-", "spectator", "capacity", 1.0),
        ("-", "millimetre", "diameter", 1.0),
        ("-", "year", "expectancy", 1.0),
        ("-", "year", "age", 1.0),
        ("-", "resident", "population", 1.0),
        ("-", "beat per minute", "rate", 1.0),
        ("-", "litre", "population", UnitWeights().unasked),
        ("-", "tourist", "population", UnitWeights().unasked),
        ("-", "year", "capacity", UnitWeights().unasked),
        ("apple", "orange tree", "tree", UnitWeights().noun),
        ("apple", "apple per tree", "tree", 1.0),
        ("apple", "apple per tree", "pear", UnitWeights().more),
    ],
)
def test_the_querys_words_name_what_is_counted(asked: str, stated: str, word: str, weight: float) -> None:
    match = UnitVocabulary([stated], REGISTRY).match(asked, [term_hash(word)], UnitWeights())
    assert match.in_full(1).weight.sum() == pytest.approx(weight)


def test_a_measure_leaves_out_the_units_of_others() -> None:
    match = UnitVocabulary(["euro", "minute", "page"], REGISTRY).match("-", [term_hash("price")], UnitWeights())
    full = match.in_full(3)
    assert dict(zip(full.rows.tolist(), full.weight.tolist(), strict=True)) == {0: 1.0, 2: UnitWeights().unasked}


@pytest.mark.parametrize(
    ("query", "met", "not_met"),
    [
        ("over 200 staff", "The firm has 250 employees.", "The firm has 90 employees and 300 desks."),
        ("more than 20 lorries", "It runs 34 trucks.", "It runs 12 trucks and 30 trailers."),
        ("more than 100 birds", "The zoo has 130 parrots.", "The zoo has 40 parrots and 130 fish."),
        ("at least 4 bedrooms", "A house with 5 beds.", "A house with 3 beds and 6 floors."),
        ("monitor of 27 inches", "A monitor of 68.6 cm.", "A monitor of 70 cm at 27 Hz."),
        ("waist of 34 inches", "Jeans, waist 86 cm.", "Jeans, waist 91 cm, length 34 cm."),
        ("dumbbell of 5 kg", "A dumbbell of 11 lb.", "A dumbbell of 12 lb."),
        ("density below 10 people per km2", "A density of 3.2 inhabitants per km2.", "A density of 25 people per km2."),
        ("murders below 1 per 100,000", "Murders: 0.2 per 100,000 people.", "Murders: 6.4 per 100,000."),
        ("under 300 calories per serving", "Soup, 980 kJ per portion.", "Soup, 1,900 kJ per portion."),
        ("over 30 apartments", "The tower has 44 units.", "The tower has 12 units and 40 lifts."),
    ],
)
def test_an_index_finds_counted_things_by_meaning(tmp_path, query, met, not_met) -> None:
    texts = [{"docno": "not", "text": not_met}, {"docno": "met", "text": met}]
    index = QuantityIndex(tmp_path / "i").index(texts)
    topics = QuantityQueryParser().transform(pd.DataFrame([{"qid": "1", "query": query}]))
    assert index.retriever()(topics)["docno"].iloc[0] == "met"
    kept = (index.retriever() >> index.filter())(topics)["docno"].tolist()
    assert kept == ["met"]
