"""The order that a query asks for, and what asks for none."""

import pytest

from pyterrier_quantity import QueryText
from pyterrier_quantity.plan import plan_query


@pytest.mark.parametrize(
    ("query", "attribute", "descending", "terms"),
    [
        ("cheapest electric kettle", "price", False, "electric kettle"),
        ("most powerful vacuum cleaner", "power", True, "vacuum cleaner"),
        ("least expensive phone", "price", False, "phone"),
        ("which lake is deepest", "depth", True, "lake"),
        ("headphones with longest battery life", "life", True, "headphones battery life"),
        ("highest unemployment rate in europe", "rate", True, "unemployment rate in europe"),
        ("lowest January temperature", "temperature", False, "January temperature"),
        ("player with the fewest fouls", "fouls", False, "player fouls"),
        ("top 3 lakes by depth", "depth", True, "lakes"),
        ("phones ranked by battery life, highest first", "life", True, None),
        ("lightest suitcase under 50 euros", "weight", False, "suitcase"),
        ("highest resolution monitor", "resolution", True, "resolution monitor"),
        ("cereal with the least sugar", "sugar", False, "cereal sugar"),
        ("longest usb c cable", "length", True, "usb c cable"),
        ("highest mountain in africa", "height", True, "mountain in africa"),
        ("largest lake in africa by area", "area", True, "lake in africa"),
        ("biggest cities by population in europe", "population", True, "cities in europe"),
        ("smallest tents by packed length under 2 kg", "length", False, "tents"),
        ("cheapest flights by train station", "price", False, "flights by train station"),
        ("largest lake by far", "size", True, "lake by far"),
        ("stadiums by capacity over 60000", "capacity", True, "stadiums"),
        ("hotels in rome by price under 90 euros", "price", False, "hotels in rome"),
        ("lakes in africa by area", "area", True, "lakes in africa"),
        ("phones sorted by price under 500 euros", "price", False, "phones"),
        ("jobs by salary highest first", "salary", True, "jobs"),
        ("car fuel consumption lowest", "consumption", False, "car fuel consumption"),
        ("vacuum cleaner price low to high", "price", False, "vacuum cleaner price"),
        ("tent under 5 kg cheapest first", "price", False, "tent"),
        ("top 3 suitcases by price 22 - 31l", "price", False, "suitcases"),
        ("top 3 laptops by price either 8 or 16 gb", "price", False, "laptops"),
        ("flat under $900 per month by price ascending", "price", False, "flat"),
    ],
)
def test_an_order_is_read(query: str, attribute: str, descending: bool, terms: str | None) -> None:
    plan = plan_query(query)
    assert plan.order is not None
    assert (plan.order.attribute[0], plan.order.descending) == (attribute, descending)
    assert terms is None or plan.terms() == terms
    assert plan.terms(QueryText.ALL) == query


@pytest.mark.parametrize(
    "query",
    [
        "best laptop", "most beautiful city in Italy", "my oldest son likes chess", "fastest way to cook rice",
        "send it by Friday at the latest", "houses with most of the windows open", "laptop with at least 16 gb",
        "apples sold by weight", "beer with alcohol by volume over 5 %", "deaths by age", "books by king",
        "cars damaged by speed",
    ],
)  # fmt: skip
def test_other_words_ask_for_none(query: str) -> None:
    assert plan_query(query).order is None


@pytest.mark.parametrize(("query", "count"), [("the 5 lightest suitcases", 5), ("top three lakes by depth", 3)])
def test_how_many_are_asked_for_sets_no_condition(query: str, count: int) -> None:
    plan = plan_query(query)
    assert plan.order is not None
    assert (plan.order.count, plan.conditions) == (count, ())


@pytest.mark.parametrize(
    ("code", "query", "attribute", "descending", "terms"),
    [
        ("de", "der tiefste See in Europa", "tiefe", True, "See in Europa"),
        ("de", "leichtester Koffer unter 50 Euro", "gewicht", False, "Koffer"),
        ("fr", "hôtel le moins cher à Rome", "prix", False, "hôtel à Rome"),
        ("es", "portátil más barato", "precio", False, "portátil"),
        ("it", "il lago più profondo", "profondità", True, "lago"),
        ("pt", "carro mais rápido", "velocidade", True, "carro"),
        ("nl", "goedkoopste fiets", "prijs", False, "fiets"),
        ("sv", "billigaste cykel", "pris", False, "cykel"),
        ("tr", "en ucuz telefon", "fiyat", False, "telefon"),
        ("hi", "सबसे सस्ता फोन", "कीमत", False, "फोन"),
        ("ja", "最も安いホテル", "価格", False, "ホテル"),
        ("ko", "가장 싼 노트북", "가격", False, "노트북"),
        ("zh", "最深的湖", "深度", True, "湖"),
    ],
)
def test_orders_in_other_languages(code: str, query: str, attribute: str, descending: bool, terms: str) -> None:
    plan = plan_query(query, language=code)
    assert plan.order is not None
    assert (plan.order.attribute[0], plan.order.descending, plan.terms()) == (attribute, descending, terms)


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("de", "Wasserkocher mit höchstens 2 Litern"),
        ("de", "bester Laptop"),
        ("es", "portátil más barato que 500 euros"),
        ("fr", "hôtel moins cher que 100 euros"),
    ],
)
def test_what_compares_in_other_languages_asks_for_none(code: str, query: str) -> None:
    assert plan_query(query, language=code).order is None
