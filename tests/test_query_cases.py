"""Queries as people type them, with the conditions written down before the parser read them: `data/queries.tsv`."""

import re
from pathlib import Path

import pytest

from pyterrier_quantity import parse_query
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import UnknownUnitError, default_registry

REGISTRY = default_registry()
DAYS = {"3 May 2019": 2019 + 122 / 365}


def cases(name: str) -> list[list[str]]:
    lines = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


CASES = cases("queries.tsv")

Condition = tuple[str, float, float, str]


def condition(written: str) -> Condition:
    """One condition of the file: "> 5 kilogram", "5..10 kilogram"."""
    for day, value in DAYS.items():
        written = written.replace(day, repr(value))
    found = re.fullmatch(r"(?:([<>=!~]+) )?(-?[\d.]+?)(?:\.\.(-?[\d.]+))? (.+)", written.strip())
    assert found is not None, written
    op, low, high, unit = found.groups()
    return op or "range", float(low), float(high or low), canonical(unit)


def canonical(unit: str) -> str:
    try:
        return REGISTRY.resolve(unit)
    except UnknownUnitError:
        return unit


def groups(constraints: list[Constraint]) -> list[list[Condition]]:
    """The constraints, alternatives together."""
    found: dict[object, list[Condition]] = {}
    for at, asked in enumerate(constraints):
        key = ("any", asked.alternative) if asked.alternative else at
        found.setdefault(key, []).append((asked.op, asked.low, asked.high, asked.unit))
    return list(found.values())


def is_same(one: Condition, other: Condition) -> bool:
    units = one[3] == other[3] or REGISTRY.conversion(one[3], other[3]) == (1.0, 0.0)
    persons = {one[3], other[3]} <= {"person", "people"}
    return one[0] == other[0] and one[1:3] == pytest.approx(other[1:3], rel=1e-4) and (units or persons)


def is_right(query: str, cell: str) -> bool:
    wanted = [[condition(one) for one in part.split("|")] for part in cell.split(";") if part.strip()]
    got = groups(parse_query(query)[1])
    return len(wanted) == len(got) and all(
        len(one) == len(other) and all(map(is_same, one, other)) for one, other in zip(wanted, got, strict=True)
    )


def test_nine_of_ten_queries_are_read_as_they_were_meant() -> None:
    wrong = [query for query, cell in CASES if not is_right(query, cell)]
    assert len(CASES) > 300
    assert len(wrong) <= len(CASES) / 10, "\n".join(wrong)


def test_queries_of_shops_and_workshops_are_read_as_they_were_meant() -> None:
    asked = cases("shops.tsv")
    wrong = [query for query, cell in asked if not is_right(query, cell)]
    assert len(wrong) <= len(asked) / 14, "\n".join(wrong)


def test_rules_of_the_plan_fire_where_they_serve_and_nowhere_else() -> None:
    table = (Path(__file__).parent / "data" / "query_rules.tsv").read_text(encoding="utf-8").split("\n## ")[1:]
    rules = [[row.split("\t") for row in rule.splitlines()[1:]] for rule in table]
    kinds = [[row[0].lstrip("~") for row in rows] for rows in rules]
    assert all(found.count("+") >= 3 and found.count("-") >= 3 for found in kinds)
    otherwise = [row[1] for rows in rules for row in rows if is_right(row[1], row[2]) is row[0].startswith("~")]
    assert not otherwise, "\n".join(otherwise)


@pytest.mark.parametrize(
    ("query", "attributes"),
    [
        ("universities with Academic Reputation below 14", [("Reputation", "Academic")]),
        ("a BMI below 27 and an HbA1c level lower than 6", [("BMI",), ("HbA1c",)]),
        ("leagues with a Revenue (USD) less than 5 million", [("Revenue",)]),
        ("film with runtime shorter than 124 minutes", [("runtime",)]),
        ("above 5 kg", [()]),
    ],
)
def test_a_number_belongs_to_the_words_before_it(query: str, attributes: list[tuple[str, ...]]) -> None:
    assert [asked.attribute for asked in parse_query(query)[1]] == attributes


def test_a_case_that_is_told_sets_no_condition() -> None:
    told = (
        "A 58-year-old woman presents to the ER with chest pain that began two days earlier. The pain radiates to the "
        "back and ended half an hour ago. She has hypertension, a BMI of 31 and takes 5 mg of lisinopril. Her blood "
        "pressure is 140/90 mmHg and her pulse is 87 per minute, and she denies smoking and any family history."
    )
    assert parse_query(told) == (told, [])


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("founded in 1886, a league", [(1886, 1886)]),
        ("between 1954 and 1960", [(1954, 1960)]),
        ("La Liga (Spain, est. 2004)", [(2004, 2004)]),
        ("stone bridge, completed 1816, listed", [(1816, 1816)]),
        ("portrait, painted 1880, oil", [(1880, 1880)]),
        ("plant commissioned 1972", [(1972, 1972)]),
        ("they completed 1816 tests and closed 1500 shops", []),
        ("after 3 May 2019", [(DAYS["3 May 2019"],) * 2]),
        ("It employs 2000 people", []),
        ("between 2000 and 4000 lumens", []),
        ("for $1999", []),
        ("32 February 2001", []),
    ],
)
def test_dates_are_quantities_of_their_own_kind(text: str, dates: list[tuple[float, float]]) -> None:
    from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor

    found = [q for q in RuleExtractor(dates=True).extract(text) if q.unit == DATE_UNIT]
    assert [(q.low, q.high) for q in found] == [pytest.approx(pair) for pair in dates]
    assert all(q.unit != DATE_UNIT for q in RuleExtractor().extract(text))
