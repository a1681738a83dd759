"""What the rule-based extractor reads, and what it leaves alone."""

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
    ("text", "value", "unit"),
    [
        ("it fell 15-3/4 pct", 15.75, "percentage"),
        ("sold for 3.1 mln dlrs", 3.1e6, "dollar"),
        ("ANC of 1.5 x 10**9/L", 1.5e9, "per litre"),
        ("platelets 100,000/mm3", 100_000, "per cubic millimetre"),
        ("bilirubin 1.5 x ULN", 1.5, "upper limit of normal"),
        ("given 75 mg/m2 of it", 75, "milligram per square metre"),
        ("he is 5'11\" tall", 5 + 11 / 12, "foot"),
        ("he is 6 ft 2 in tall", 6 + 2 / 12, "foot"),
        ("at -5 °C outside", -5, "celsius"),
        ("minus 40 degrees Celsius", -40, "celsius"),
        ("half a million dollars", 500_000, "dollar"),
        ("two and a half million dollars", 2.5e6, "dollar"),
        ("a dozen workers", 12, "worker"),
        ("a 2.5-fold rise", 2.5, "count"),
        ("paid €1.2bn for it", 1.2e9, "euro"),
        ("costs 1.234.567 dollars", 1_234_567, "dollar"),
        ("costs 1.234,56 euros", 1234.56, "euro"),
        ("a dose of 1,5 mg", 1.5, "milligram"),
        ("eats 2 1/2 cups", 2.5, "cup"),
        ("it is ٣ kg", 3, "kilogram"),
        ("about $16 a barrel", 16, "dollar per barrel"),
        ("thirteen dollars and forty-five cents", 13.45, "dollar"),
        ("ran it in 3 hours, 20 minutes and 24 seconds", 3.34, "hour"),
        ("a girl 4 years 6 months old", 4.5, "year of age"),
        ("a risk of 1 in 10,000", 1e-4, "proportion"),
        ("5 cigarettes per day", 5, "cigarette per day"),
        ("10 or more cigarettes per day", 10, "cigarette per day"),
        ("Maddon, 66, has left", 66, "year of age"),
        ("over the age of 60", 60, "year of age"),
        ("a dose of 5 ± 2 mg", 5, "milligram"),
        ("5000+ employees", 5000, "employee"),
        ("$US113 trillion of debt", 113e12, "dollar"),
        ("a house at most 250,000 pounds", 250_000, "pound sterling"),
        ("a 3 bedroom flat", 3, "bedroom"),
        ("a 4 door sedan", 4, "door"),
        ("the 10 core values", 10, "core value"),
        ("he weighs 250 pounds", 250, "pound-mass"),
    ],
)
def test_reads(text: str, value: float, unit: str) -> None:
    low, high, name, _ = one(text)
    assert low == high == pytest.approx(value, rel=1e-12)
    assert name == unit


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


def test_a_bound_between_two_numbers_belongs_to_the_second() -> None:
    assert [bound for *_, bound in read("a laptop with 16 GB at most 1000 dollars")] == ["=", "<="]
    assert [bound for *_, bound in read("a laptop with 16 GB or more 14 inch screens")] == [">=", "="]


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
    (quantity,) = extract("The base iPhone 11 has just 64GB of storage.")
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
