"""Units are found by the words of their names: what is found is what looking at every name would find."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, Quantity, QuantityIndex, QuantityQueryParser
from pyterrier_quantity.constants import UNITS, UnitWeights
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.english.wordnet import things_meant
from pyterrier_quantity.index.columns_builder import in_order
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.index.unit_names import UnitNames, words_of
from pyterrier_quantity.units import default_registry

REGISTRY = default_registry()
NAMES = (
    "-|kilogram|gram|tonne|apple|apple tree|5 apple|apple per day|apple per week|apple per tree per "
    "day|dollar|euro|dollar per apple|dollar per apple tree|dollar per barrel|dollar per barrel per day|kilometre"
    " per hour|metre per second|year|year of age|percentage|proportion|date|per 100000 people|tree|joule|kilowatt"
    " hour|cell per litre|per litre|naïve bayes|a-6e aircraft|square metre|1e10 dollar|share|share per "
    "apple|ounce|troy ounce|dollar per ounce|dollar per troy ounce|person"
).split("|")
TERMS = [term_hash(word) for name in NAMES for word in re.findall(r"\w+", name) if term_hash(word)]
WEIGHTS = [*UNITS.values(), UnitWeights(noun=0.4, more=0.0, people=0.0), UnitWeights(more=0.2, noun=0.0, unasked=0.0)]


def expected(names: list[str], unit: str, terms: set[int], weights: UnitWeights) -> dict[str, tuple[float, ...]]:
    """What each name counts, by looking at all of them."""
    return {name: best for name in names if (best := _counts(name, unit, terms, weights)) and best[0]}


def _counts(name: str, unit: str, terms: set[int], weights: UnitWeights) -> tuple[float, ...] | None:
    if name == unit:
        return (weights.number if unit == "-" else 1.0), 1.0, 0.0
    numerator = {term_hash(word) for word in re.findall(r"\w+", name.split(" per ")[0])}
    naming = weights.noun or weights.more
    named = bool(naming and is_count(name) and name != "-" and numerator & terms)
    if unit == "-":
        ratio = (REGISTRY.family(name) or "").startswith("ratio")
        others = 0.0 if name == "date" or not weights.unasked else weights.ratio if ratio else weights.unasked
        return (1.0 if named and others else others), 1.0, 0.0
    if weights.convertible and (conversion := REGISTRY.conversion(name, unit)):
        return weights.convertible, *conversion
    if is_count(unit) and name == "-" and weights.bare:
        return weights.bare, 1.0, 0.0
    if is_count(unit) and name == "person" and weights.people:
        return weights.people, 1.0, 0.0
    if (meant := _meant(name, unit)) and weights.meant:
        return (weights.meant if meant == "same" else weights.noun), 1.0, 0.0
    if is_count(unit) and named:
        return weights.noun, 1.0, 0.0
    return _counts_partly(name, unit, terms, weights)


def _counts_partly(name: str, unit: str, terms: set[int], weights: UnitWeights) -> tuple[float, ...] | None:
    naming = weights.noun or weights.more
    if unit.startswith("per ") and weights.part and " per " in name:
        above, _, below = name.partition(" per ")
        if not is_count(name) and (conversion := REGISTRY.conversion(f"per {below}", unit)):
            return (weights.period if above in ("dollar", "euro") else weights.more), *conversion
    parts = REGISTRY.parts(unit)
    shorter = [" per ".join(parts[:kept]) for kept in range(len(parts) - 1, 0, -1)]
    ages = [unit[: -len(" of age")]] if unit.endswith(" of age") else [f"{unit} of age"] if unit == "year" else []
    for other in [*shorter, *ages] if weights.part else []:
        if conversion := ((1.0, 0.0) if name == other else REGISTRY.conversion(name, other)):
            return weights.part, *conversion
    if weights.more and name.startswith(f"{unit} per "):
        further = {term_hash(word) for word in re.findall(r"\w+", name[len(unit) :])} - {0}
        in_a_time = REGISTRY.family(name.removeprefix(f"{unit} per ")) == "time"
        share = weights.period if in_a_time else weights.more
        return (1.0 if naming and further <= terms else share), 1.0, 0.0
    return None


def _meant(name: str, unit: str) -> str:
    """Whether a name counts what a unit counts ("same"), or something that may be it ("more")."""
    (asked, below), (noun, other) = (one.split(" per ", 1) if " per " in one else (one, "") for one in (unit, name))
    asked = "person" if REGISTRY.family(unit) == "person" else asked
    if not (is_count(name) and below == other and (is_count(unit) or asked == "person")):
        return ""
    head, stated = asked.split(" ")[-1], noun.split(" ")[-1]
    if head != stated:
        return "same" if stated in things_meant(head) else ""
    return "same" if set(asked.split()) <= set(noun.split()) else "more"


@settings(max_examples=80, deadline=None)
@given(
    st.sets(st.sampled_from(NAMES)),
    st.sampled_from([*NAMES, "mile per hour", "ounce", "apple per year"]),
    st.lists(st.sampled_from(TERMS), max_size=4),
    st.sampled_from(WEIGHTS),
)
def test_matches_are_those_of_all_names(names, unit, terms, weights):
    ordered = sorted(names)
    found = UnitVocabulary(ordered, REGISTRY).match(unit, terms, weights).in_full(len(ordered))
    counts = np.stack([found.weight, found.factor, found.offset]).T.tolist()
    given_back = {ordered[row]: tuple(values) for row, values in zip(found.rows.tolist(), counts, strict=True)}
    assert given_back == expected(ordered, unit, set(terms), weights)


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


def test_rows_by_words():
    ordered = sorted(NAMES)
    found = UnitNames.of(ordered)
    assert {ordered[row] for row in found.with_term(term_hash("trees"))} == {
        "tree",
        "apple tree",
        "apple per tree per day",
        "dollar per apple tree",
    }
    assert [ordered[row] for row in found.with_words(words_of("barrel day"))] == ["dollar per barrel per day"]
    assert found.with_words(words_of("zebra")).tolist() == []
    assert found.held(words_of("dollar per zebra"))[ordered.index("dollar per barrel per day")] == 2


def test_a_column_follows_its_names():
    unit, names = in_order(np.array([0, 2, 1, 0]), ["kilogram", "-", "apple"])
    assert names == ["-", "apple", "kilogram"]
    assert unit.tolist() == [2, 1, 0, 2]


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
        ("case per 1000", "case", UnitWeights().part, 1.0),
        ("case per 1000", "case per 100000", UnitWeights().convertible, 0.01),
        ("blorp", "blorp per hour", UnitWeights().period, 1.0),
        ("week", "day of age", UnitWeights().part, 1 / 7),
        ("month of age", "month", UnitWeights().part, 1.0),
        ("per day", "euro per week", UnitWeights().period, 1 / 7),
        ("per day", "gram per hour", UnitWeights().more, 24.0),
        ("staff", "employee", UnitWeights().meant, 1.0),
        ("truck", "lorry", UnitWeights().meant, 1.0),
        ("bird", "sparrow", UnitWeights().meant, 1.0),
        ("people", "patient", UnitWeights().meant, 1.0),
        ("worker", "part-time worker", UnitWeights().meant, 1.0),
        ("car per hour", "taxi per hour", UnitWeights().meant, 1.0),
        ("bedroom", "bed", UnitWeights().meant, 1.0),
        ("part-time worker", "worker", UnitWeights().noun, 1.0),
        ("car", "unit", UnitWeights().bare, 1.0),
        ("employee", "unit", 0.0, 1.0),
        ("car", "generating unit", 0.0, 1.0),
        ("sparrow", "bird", 0.0, 1.0),
        ("lorry", "lorry driver", 0.0, 1.0),
        ("car per hour", "taxi", 0.0, 1.0),
    ],
)
def test_near_units_count_in_part(asked: str, stated: str, weight: float, factor: float) -> None:
    match = UnitVocabulary([stated], REGISTRY).match(asked, (), UnitWeights())
    counted = match.in_full(1)
    assert counted.weight.sum() == pytest.approx(weight)
    assert (counted.factor == pytest.approx(factor)) if weight else not len(counted.factor)


@pytest.mark.parametrize(
    ("query", "met", "not_met"),
    [
        ("over 200 staff", "The firm has 250 employees.", "The firm has 90 employees and 300 desks."),
        ("more than 20 lorries", "It runs 34 trucks.", "It runs 12 trucks and 30 trailers."),
        ("more than 100 birds", "The zoo has 130 parrots.", "The zoo has 40 parrots and 130 fish."),
        ("at least 4 bedrooms", "A house with 5 beds.", "A house with 3 beds and 6 floors."),
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
