"""The order that a query asks for, over a user's own fields."""

import sqlite3
from typing import Any

import pytest

from pyterrier_quantity.filters import field_order, order_by, to_sql

FIELDS = {"price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "built": ("year", "calendar year")}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cheapest laptop", ("price_eur", False)),
        ("most expensive laptop", ("price_eur", True)),
        ("heaviest laptop under 900 euros", ("weight_kg", True)),
        ("laptops sorted by weight", ("weight_kg", False)),
        ("newest laptop", ("year", True)),
        ("laptop under 900 euros", None),
    ],
)
def test_the_field_of_an_order(query: str, expected: tuple[str, bool] | None) -> None:
    assert field_order(query, FIELDS) == expected


def test_an_order_without_a_field_is_told() -> None:
    with pytest.warns(UserWarning, match="no field for the order 'by depth'"):
        assert field_order("deepest lake", FIELDS) is None


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("sql", '"price_eur" ASC'),
        ("vespa", "price_eur asc"),
        ("typesense", "price_eur:asc"),
        ("solr", "price_eur asc"),
        ("opensearch", [{"price_eur": {"order": "asc"}}]),
    ],
)
def test_each_engine_writes_it(engine: str, expected: Any) -> None:
    assert order_by(engine, "cheapest laptop", FIELDS) == expected
    assert order_by(engine, "laptop", FIELDS) is None


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(ValueError, match="unknown engine 'lotus'; one of sql, vespa"):
        order_by("lotus", "cheapest laptop", FIELDS)


def test_a_database_orders_by_it() -> None:
    rows = [("a", 500, 2.0), ("b", 300, 1.5), ("c", 900, 1.0), ("d", 200, 4.0)]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE laptops (name, price_eur, weight_kg)")
    base.executemany("INSERT INTO laptops VALUES (?, ?, ?)", rows)
    query = "cheapest laptop under 3 kg"
    where, order = to_sql(query, FIELDS), order_by("sql", query, FIELDS)
    found = base.execute(f"SELECT name FROM laptops WHERE {where} ORDER BY {order}")
    assert [name for (name,) in found] == ["b", "a", "c"]


def test_a_query_in_another_language() -> None:
    assert to_sql("Laptop unter 800 Euro", FIELDS, language="de") == '"price_eur" < 800.0'
