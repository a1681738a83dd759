"""Quantities that the rule-based extractor finds, and numbers that it ignores."""

import math

import pytest

from pyterrier_quantity import parse_query
from pyterrier_quantity.extraction import RuleExtractor, extract
from pyterrier_quantity.index.queries import query_constraints
from pyterrier_quantity.units import default_registry


def read(text: str) -> list[tuple[float, float, str, str]]:
    return [(q.low, q.high, q.unit, q.bound) for q in extract(text)]


def one(text: str) -> tuple[float, float, str, str]:
    found = read(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("wording", "bound"),
    [
        ("more than 5 mg", ">"), ("over 5 mg", ">"), ("exceeding 5 mg", ">"), ("in excess of 5 mg", ">"),
        ("older than 5 years", ">"), ("worse than 5 pct", ">"), ("longer than 5 miles", ">"),
        ("less than 5 mg", "<"), ("under 5 mg", "<"), ("cheaper than $5", "<"), ("shorter than 5 minutes", "<"),
        ("faster than 5 seconds", "<"), ("slower than 5 hours", ">"), ("faster than 5 mph", ">"),
        ("sub-300 kg", "<"), ("below 5 mg", "<"),
        ("at least 5 mg", ">="), ("no less than 5 mg", ">="), ("no lower than 5 mg", ">="), (">= 5 mg", ">="),
        ("≥5 mg", ">="), (">/= 5 mg", ">="), ("5 mg or more", ">="), ("5 or more mg", ">="), ("5 mg and above", ">="),
        ("5+ mg", ">="), ("minimum of 5 mg", ">="), ("at or above 5 mg", ">="), ("not below 5 mg", ">="),
        ("up to 5 mg", "<="), ("at most 5 mg", "<="), ("no more than 5 mg", "<="), ("not exceeding 5 mg", "<="),
        ("=< 5 mg", "<="), ("5 mg or less", "<="), ("maximum of 5 mg", "<="), ("at or below 5 mg", "<="),
        ("about 5 mg", "~"), ("some 5 mg", "~"), ("nearly 5 mg", "~"), ("~5 mg", "~"), ("around 5 mg", "~"),
        ("exactly 5 mg", "="), ("of 5 mg", "="),
        ("up 5 pct", "up"), ("rose 5 pct", "up"), ("rose by about 5 pct", "up"), ("rose by more than 5 pct", ">"),
        ("given IV over 5 minutes", "="), ("lasting over 5 minutes", ">"), ("women over age 50", ">"),
        ("age >= 18", ">="),
        ("cut the rate by 5 pct", "down"), ("not be higher than 5 pct", "<="), ("raised 5 dollars", "="),
        ("down 5 pct", "down"), ("fell to 5 pct", "="), ("an increase of 5 pct", "up"), ("lost 5 players", "="),
    ],
)  # fmt: skip
def test_bounds(wording: str, bound: str) -> None:
    for text in (wording, f"Sales were {wording}."):
        assert one(text)[3] == bound


def test_spans_cover_number_and_unit() -> None:
    text = "It rose more than 3.1 mln dlrs, or $5 a share."
    assert [text[q.start : q.end] for q in extract(text)] == ["3.1 mln dlrs", "$5 a share"]


def test_reading_shows_the_parts() -> None:
    text = "a car with no more than 200 hp or so"
    (reading,) = RuleExtractor().read(text)
    assert text[reading.number_start : reading.number_end] == "200"
    assert text[reading.unit_start : reading.unit_end] == "hp"
    assert text[reading.cue_start : reading.cue_end].strip() == "no more than"


def test_concepts() -> None:
    (quantity,) = extract("The base iPhone 11 has a storage of just 64GB.")
    assert set(quantity.concept) == {"base", "iPhone", "11", "storage"}
    assert RuleExtractor(concepts=False).extract("The car has 200 hp.")[0].concept == ()


def test_unknown_concept_level() -> None:
    with pytest.raises(TypeError, match="concepts must be"):
        RuleExtractor(concepts="deep")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [None, 5, b"5 mg", ["5 mg"]])
def test_a_non_string_is_named(bad: object) -> None:
    with pytest.raises(TypeError, match=type(bad).__name__):
        extract(bad)  # type: ignore[arg-type]


def test_beyond_float_range() -> None:
    found = extract("9" * 400 + " dollars and 1e999 dollars and 10^999 dollars and 5 dollars")
    assert all(math.isfinite(q.low) for q in found)
    assert 5 in [q.low for q in found]


@pytest.mark.parametrize("text", [
    "The 2 A Boreas 6 locomotive delivers 6,400 kW.", "the 4/5 A Focale M2 body costs 900 euros", "more than 5−²ft",
    "-½ 5−²years",
])  # fmt: skip
def test_what_can_be_no_unit_is_none(text: str) -> None:
    units = {quantity.unit for quantity in extract(text)}
    assert all(default_registry().resolve(unit) == unit for unit in units)
    _, constraints = parse_query(text)
    assert query_constraints({"qid": "1", "constraints": constraints}) == constraints
