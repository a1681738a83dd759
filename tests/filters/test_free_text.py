"""Conditions as people type them, each with the rows that it must find, written before it was tried: the same in every
engine."""

import warnings

import numpy as np
import pytest
from filter_engines import ENGINES, Row, names_of

from pyterrier_quantity import filters

FIELDS = {
    "price": ("usd", "dollar"), "memory": ("ram", "gigabyte"), "weight": ("kg", "kilogram"),
    "screen": ("inches", "inch"), "battery": ("hours", "hour"), "discount": ("discount", "percent"),
    "age": ("age", "year"), "rating": "stars", "bedrooms": "beds", "temperature": ("celsius", "celsius"),
    "distance": ("km", "kilometre"), "speed": ("kmh", "km/h"), "area": ("sqm", "square metre"),
}  # fmt: skip
VALUES = {
    "usd": [20, 40, 45, 50, 55, 60, 99.99, 100, 150, 200, 300, 330, 500, 800, 999, 1000, 1500, 150_000, 200_000],
    "ram": [0.5, 0.512, 8, 16, 32, 64], "kg": [0.4, 0.5, 1, 1.3, 1.4, 2, 3, 10, 11], "inches": [12, 13, 14, 15, 16],
    "hours": [1, 1.5, 2, 10], "discount": [5, 10, 15, 20, 29, 30, 50], "age": [1, 1.5, 3, 5, 6, 12, 40],
    "stars": [2, 3, 3.5, 4, 5], "beds": [1, 2, 3, 4], "celsius": [-5, 0, 19, 20, 21, 30], "km": [0.4, 0.5, 1, 8, 9],
    "kmh": [100, 160, 161, 250], "sqm": [40, 50, 92, 93, 120],
}  # fmt: skip
QUERIES = {
    "laptops under 1000 dollars with at least 16 GB": lambda usd, ram: usd < 1000 and ram >= 16,
    "cheaper than 50 dollars or 60 dollars": lambda usd: usd < 60,
    "under 500 dollars or at least 20 percent discount": lambda usd, discount: usd < 500 or discount >= 20,
    "patients aged over 12": lambda age: age > 12,
    "discount not more than 15%": lambda discount: discount <= 15,
    "not cheaper than 300 dollars": lambda usd: usd >= 300,
    "a phone that does not cost more than 40 dollars": lambda usd: usd <= 40,
    "boxes that don't weigh more than 1000 g": lambda kg: kg <= 1,
    "laptop with memory other than 16 GB": lambda ram: ram < 16 or ram > 16,
    "price not between 100 and 200 dollars": lambda usd: usd < 100 or usd > 200,
    "16 GB or 32 GB of memory": lambda ram: ram in (16, 32),
    "either under 1 kg or over 10 kg": lambda kg: kg < 1 or kg > 10,
    "weighs less than 3 pounds": lambda kg: kg < 1.36,
    "battery life of 90 minutes or more": lambda hours: hours >= 1.5,
    "rated above 3.5": lambda stars: stars > 3.5,
    "flat with 2 or 3 bedrooms under 200k dollars": lambda beds, usd: beds in (2, 3) and usd < 200_000,
    "bedrooms: 3+, price < 1500": lambda beds, usd: beds >= 3 and usd < 1500,
    "warmer than 68 °F": lambda celsius: celsius > 20,
    "temperature below 32 fahrenheit": lambda celsius: celsius < 0,
    "distance within 5 miles": lambda km: km <= 8.04,
    "no more than 2 kg and no less than 1 kg": lambda kg: 1 <= kg <= 2,
    "around 300 dollars": lambda usd: 270 <= usd <= 330,
    "exactly 512 MB of memory": lambda ram: ram == 0.512,
    "costs a maximum of $99.99": lambda usd: usd <= 99.99,
    "less than 30 % discount and more than 10 %": lambda discount: 10 < discount < 30,
    "distance at most 500 m, price at least 20 dollars": lambda km, usd: km <= 0.5 and usd >= 20,
    "a red sofa": lambda: True,
}  # fmt: skip


def table() -> list[Row]:
    random = np.random.default_rng(3)
    rows = []
    for number in range(300):
        row = {name: float(random.choice(VALUES[name])) for name in names_of(FIELDS)}
        rows.append({"number": number} | {name: value for name, value in row.items() if random.random() < 0.9})
    return rows


def meets(row: Row, condition) -> bool:
    """Evaluate a condition in Python. A missing value meets no condition."""
    wanted = condition.__code__.co_varnames
    return bool(condition(*(row.get(name, float("nan")) for name in wanted)))


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_every_engine_finds_the_rows(engine, tmp_path, request):
    rows = table()
    search = ENGINES[engine](rows, FIELDS, tmp_path, request)
    for query, condition in QUERIES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            found = search(query)
        expected = {row["number"] for row in rows if meets(row, condition)}
        assert found == expected, query
        assert 0 < len(expected) < len(rows) or query == "a red sofa", query


def test_an_alternative_without_a_field_takes_the_others_with_it():
    with pytest.warns(UserWarning, match="no filter for '> 3 volt'"):
        assert filters.to_sql("under 1 kg or over 3 volts, at least 16 GB", FIELDS) == '"ram" >= 16.0'


def test_alternatives_in_every_language():
    asked = "16 GB or 32 GB of memory"
    assert filters.to_sql(asked, FIELDS) == '("ram" = 16.0 OR "ram" = 32.0)'
    either = [{"range": {"ram": {"gte": end, "lte": end}}} for end in (16.0, 32.0)]
    wanted = {"bool": {"filter": [{"bool": {"should": either, "minimum_should_match": 1}}]}}
    assert filters.to_opensearch(asked, FIELDS) == wanted
    nested = filters.to_opensearch(asked)["bool"]["filter"]
    assert len(nested) == 1
    assert [set(each) for each in nested[0]["bool"]["should"]] == [{"nested"}, {"nested"}]


def test_of_convertible_units_the_fields_own_is_meant():
    assert filters.to_sql("longer than 5 years", FIELDS) == '"age" > 5.0'
    with pytest.warns(UserWarning, match="inches, km are all possible"):
        assert filters.to_sql("within 5 miles", FIELDS) == "TRUE"


def test_converted_values_hold_no_rounding():
    assert filters.to_sql("battery over 90 minutes", FIELDS) == '"hours" > 1.5'
    assert filters.to_sql("warmer than 86 °F", FIELDS) == '"celsius" > 30.0'
    assert filters.to_sql("colder than 32 °F", FIELDS) == '"celsius" < 0.0'
