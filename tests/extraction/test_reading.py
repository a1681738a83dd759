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
    ("text", "low", "high", "unit"),
    [
        ("5-10 mg daily", 5, 10, "milligram per day"),
        ("5 mg to 10 mg", 5, 10, "milligram"),
        ("between 15 and 18 dollars a barrel", 15, 18, "dollar per barrel"),
        ("from $800,000 to $1.3 million", 800_000, 1.3e6, "dollar"),
        ("a rise of 5% to 10%", 5, 10, "percentage"),
        ("aged 18 to 34", 18, 34, "year of age"),
        ("between $5 and $10 million", 5e6, 10e6, "dollar"),
        ("it fell to 3-1/2 to three pct", 3, 3.5, "percentage"),
        ("between the ages of 30 and 70", 30, 70, "year of age"),
    ],
)
def test_ranges(text: str, low: float, high: float, unit: str) -> None:
    assert one(text)[:3] == (low, high, unit)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rose 64.06 points to 4,577.10", [(64.06, "point"), (4577.10, "point")]),
        ("between 1 hour and 30 minutes", [(1, "hour"), (30, "minute")]),
        ("visits at 4 weeks, 3 days", [(4, "week"), (3, "day")]),
        ("lowers copper 0.75 cent to 66 cents", [(0.75, "cent"), (66, "cent")]),
        ("5, 10 and 20 mg", [(5, "milligram"), (10, "milligram"), (20, "milligram")]),
        ("280 million of the 1.5 billion shekels", [(280e6, "shekel"), (1.5e9, "shekel")]),
        ("rose to 3.66 mln tonnes from 3.46 mln", [(3.66e6, "metric ton"), (3.46e6, "metric ton")]),
        ("a blood pressure of 140/90 mmHg", [(140, "millimetre of mercury"), (90, "millimetre of mercury")]),
        ("5 x 10 mg of it", [(5, "-"), (10, "milligram")]),
        ("row 1: 270 315 212 213 in all", [(270, "-"), (315, "-"), (212, "-"), (213, "-")]),
        (
            "output of 8.4 mln bpd, down 8.7 pct from 9.2 mln",
            [(8.4e6, "barrel per day"), (8.7, "percentage"), (9.2e6, "barrel per day")],
        ),
        ("on day -6, 100 mg/kg", [(100, "milligram per kilogram")]),
        ("Porsche 911 under 100,000 euros", [(100_000, "euro")]),
        ("more than 40 and less than 10", [(40, "-"), (10, "-")]),
        ("50 µl PB6 buffer", [(50, "microlitre")]),
    ],
)
def test_several(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(low, unit) for low, _, unit, _ in read(text)] == [(pytest.approx(v), u) for v, u in expected]


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


@pytest.mark.parametrize(
    "text",
    [
        "on Dec 20 2019", "on 28 March 1987", "on March 28, 1987", "in 1986/87", "during 1985-86", "the 1990s",
        "on 2019-08-26", "by 26/08/2019", "since 1986", "Sept. 20-24", "on July three",
        "at 2:55 p.m.", "at 11 a.m.", "at 17:22", "at 1.05am", "at 1500 gmt",
        "call 555-123-4567", "call 1111-22223333-4444", "see 192.168.0.1", "version 1.2.3",
        "Section 4", "Figure 12", "Phase 3", "Type 2 diabetes", "No. 5", "Day 1", "Days 1, 8 and 15",
        "NCT01535040", "WR-V2", "Q3 2019", "COVID-19", "the S&P 500 rose", "the FTSE 100", "iPhone 11",
        "the 787 Dreamliner", "in the mid-teens", "tens of thousands of them", "it doubled", "the 20th time",
        "tied at 89-89", "the 747-400", "a 3-for-2 split", "at 1530 hrs EDT", "in 44 BC", "5-fluorouracil",
        "open 24/7", "half-year figures", "in the half-year to June", "results of the first half year",
        "The Slate 10 tablet offers much", "an Aerolite 15 laptop weighs little", "the Novex 12 phone sells well",
        "401k plans", "his 401(k)",
        "the first of many", "no one knows", "one another", "sales in the third quarter", "the former Model 3",
    ],
)  # fmt: skip
def test_leaves_alone(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("WTI price above 19.50 usd/bbl", (19.5, "dollar per barrel", ">")),
        ("BMW above 530hp", (530, "horsepower", ">")),
        ("bovine kill exceeding 130k head", (130_000, "head", ">")),
        ("cigarettes smoked: over 8 cigarettes daily", (8, "cigarette per day", ">")),
        ("sweetener output exceeding 10m tonnes", (1e7, "metric ton", ">")),
    ],
)
def test_queries(query: str, expected: tuple[float, str, str]) -> None:
    low, _, unit, bound = one(query)
    assert (low, unit, bound) == expected


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
