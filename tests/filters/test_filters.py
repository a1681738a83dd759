"""Conditions in free text as filters on a user's own fields, run by the engines themselves."""

import re

import numpy as np
import pytest

from pyterrier_quantity import filters
from pyterrier_quantity.units import default_registry

FIELDS = {
    "price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "width": ("width_cm", "cm"),
    "height": ("height_cm", "cm"), "temperature": ("celsius", "celsius"), "rating": "stars", "bedrooms": ("beds", None),
}  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), [
    ("laptop price below 200", '"price_eur" < 200.0'),
    ("laptops below 800 euros that weigh at most 4 pounds", '"price_eur" < 800.0 AND "weight_kg" <= 1.814369'),
    ("sofa with a width of at least 2 m and a height under 90 cm", '"width_cm" >= 199.99999 AND "height_cm" < 90.0'),
    ("flat with at least 3 bedrooms under €500", '"beds" >= 3.0 AND "price_eur" < 500.0'),
    ("hotel with more than 4 stars", '"stars" > 4.0'),
    ("rating between 3 and 4", '"stars" >= 3.0 AND "stars" <= 4.0'),
    ("weight exactly 5 kg", '"weight_kg" = 5.0'),
    ("price other than 5", '("price_eur" < 5.0 OR "price_eur" > 5.0)'),
    ("about 30 euros", '"price_eur" >= 27.0 AND "price_eur" <= 33.0'),
    ("warmer than 86 fahrenheit", '"celsius" > 30.0'),
    ("temperature about 50 fahrenheit", '"celsius" >= 7.222222 AND "celsius" <= 12.777778'),
    ("shelf wider than 2 m, not taller than 90 cm", '"width_cm" > 200.0 AND "height_cm" <= 90.0'),
    ("width 27 inches", '"width_cm" >= 67.8942 AND "width_cm" <= 69.2658'),
    ("width exactly 68.6 cm", '"width_cm" = 68.6'),
    ("price below 30, weight below 2", '"price_eur" < 30.0 AND "weight_kg" < 2.0'),
    ("a red sofa", "TRUE"),
])  # fmt: skip
def test_text_becomes_sql(query, expected):
    found = filters.to_sql(query, FIELDS)
    numbers = re.compile(r"-?\d+\.\d+")
    assert numbers.sub("", found) == numbers.sub("", expected)
    values = [np.array(list(map(float, numbers.findall(text)))) for text in (found, expected)]
    np.testing.assert_allclose(*values, rtol=1e-6)


@pytest.mark.parametrize(("query", "why"), [
    ("sofa below 2 m", "width_cm, height_cm are all possible; name the attribute"),
    ("a disk above 500 GB", "'gigabyte' does not convert to any field's unit"),
    ("below $500", "'dollar' does not convert to any field's unit .* rates for currencies"),
    ("below 12.5", "it has no unit|are all possible"),
    ("pillow covers 18x18 bedroom", "it has no unit"),
])  # fmt: skip
def test_a_condition_without_a_field_is_named(query, why):
    with pytest.warns(UserWarning, match=rf"no filter for .*: .*({why})"):
        assert filters.to_sql(query, FIELDS) == "TRUE"


@pytest.mark.parametrize(
    "query", ["height below 1e300 light years", "weight at least 7e293 kg", "height not 6e292 light years"]
)
def test_a_value_that_overflows_in_the_fields_unit_sets_no_condition(query):
    fields = {"height": ("h", "picometre"), "weight": ("w", "picogram")}
    with pytest.warns(UserWarning, match="no filter for .*too large for the field '[hw]', whose unit is 'pico"):
        assert filters.to_sql(query, fields) == "TRUE"
    with pytest.warns(UserWarning, match="no filter for '< 1e.305 light-year': its value is too large in the unit"):
        assert filters.to_opensearch("star below 1e305 light years, above 2 hp")["bool"]["filter"][1:] == []


def test_currencies_convert_by_given_rates():
    registry = default_registry().with_rates({"euro": 1.25})
    (found,) = filters.field_conditions("below $500", FIELDS, registry)
    assert found.choices == [{"lt": pytest.approx(400.0)}]


def test_fields_that_are_none():
    with pytest.raises(ValueError, match=r"attribute 'price': .* is not a unit"):
        filters.to_sql("below 5 euros", {"price": ("price", "3!x")})
    with pytest.raises(TypeError, match="attribute 'price': give the field's name"):
        filters.to_sql("below 5 euros", {"price": (None, "euro")})


def test_names_are_quoted():
    hostile = {"price": ('p" OR 1=1 --', "euro"), "weight": ("box.kg", "kg")}
    assert filters.to_sql("below 5 euros", hostile) == '"p"" OR 1=1 --" < 5.0'
    assert filters.to_lancedb("below 5 kg", hostile) == "`box`.`kg` < 5.0"
    assert filters.to_sql("at most 2 kg", {"weight": (r"shop.size\.weight", "kg")}) == '"shop"."size.weight" <= 2.0'
    assert filters.to_lancedb("at most 2 kg", {"weight": (r"size\.weight", "kg")}) == "`size.weight` <= 2.0"


@pytest.mark.parametrize(
    ("query", "unit", "limit"),
    [
        ("room under $200 per night", "dollar", 200.0),
        ("room under $200", "dollar/night", 200.0),
        ("room under 50 a day", "euro/week", 350.0),
        ("room under 50 a day", "euro per day", 50.0),
        ("rice below 50 cents per 100 g", "euro/kg", 5.0),
        ("pens under 50 cents", "Canadian dollar", 0.5),
    ],
)
def test_units_are_those_of_the_field(query, unit, limit, recwarn):
    assert filters.to_langchain(query, {"price": ("cost", unit)}) == {"cost": {"$lt": pytest.approx(limit)}}
    assert not recwarn.list


def test_a_bare_bound_asks_for_the_default():
    fields = {"price": ("cost", "euro"), "weight": ("kg", "kilogram")}
    assert filters.to_langchain("kettle under 40", fields, default="price") == {"cost": {"$lt": 40.0}}
    assert filters.to_langchain("kettle under 40", fields, default="kg") == {"kg": {"$lt": 40.0}}
    with pytest.raises(ValueError, match=r"'prize' is neither .* there are price, weight"):
        filters.to_langchain("kettle under 40", fields, default="prize")
