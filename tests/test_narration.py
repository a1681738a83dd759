"""Numbers of a query that tell of who asks or of a case set no condition; what is wanted does."""

from __future__ import annotations

import pytest

from pyterrier_quantity import parse_query


def asked(query: str) -> list[tuple[str, float, str]]:
    return [(one.op, one.low, one.unit) for one in parse_query(query)[1]]


@pytest.mark.parametrize(
    "query",
    [
        "I am 34 years old and curious about copper prices",
        "As a 52-year-old teacher I like books about tin",
        "My daughter is 7 and has homework about whales",
        "my 8-year-old asked about volcanoes",
        "We have been members for 12 years; opening hours",
        "wheat exports (I read about them in 2016)",
        "since I last looked in 2014: cocoa stocks",
        "He walks 5 km a day, what shoes",
        "A 61-year-old woman asks about flu",
        "A man of 58 years came by. He worked 30 years in a mill. We spoke of him at home and then about zinc.",
    ],
)
def test_what_is_told_sets_no_condition(query: str) -> None:
    assert asked(query) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("I need a laptop with 16 GB RAM", [("=", 16.0, "gigabyte")]),
        ("I am 34 years old and looking for flats under 900 euros", [("<", 900.0, "euro")]),
        ("I have 500 euros for a phone", [("=", 500.0, "euro")]),
        ("We are looking for a car with 300 hp", [("=", 300.0, "horsepower")]),
        ("I have a car of 300 hp; I want one of 400 hp", [("=", 400.0, "horsepower")]),
        ("gift for a 5-year-old", [("=", 5.0, "year of age")]),
        ("Who is exactly 69 years old", [("=", 69.0, "year of age")]),
        ("A laptop for school. 16 GB of RAM. Weighs 1.2 kg.", [("=", 16.0, "gigabyte"), ("=", 1.2, "kilogram")]),
        ("I need a laptop for my studies. It should have 16 GB RAM. It must cost less than 1000 euros and last a day.",
         [("=", 16.0, "gigabyte"), ("<", 1000.0, "euro")]),
    ],
)  # fmt: skip
def test_what_is_wanted_is_a_condition(query: str, expected: list[tuple[str, float, str]]) -> None:
    assert asked(query) == expected
