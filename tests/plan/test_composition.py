"""Conditions of queries that are made of several: open ranges, lists that are left out, packs, and what each names."""

import pytest
from composed import is_planned
from lib.composed_queries import composed_queries

from pyterrier_quantity import parse_query
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.web.query_reading import query_reading


@pytest.mark.parametrize(
    ("query", "conditions"),
    [
        ("house more than 3 and fewer than 6 bedrooms", ["> 3 bedroom", "< 6 bedroom"]),
        ("over 5 and at most 10 mg", ["> 5 milligram", "<= 10 milligram"]),
        ("at least 18 and at most 65 years old", ["18 to 65 year of age"]),
        ("laptop with neither 8 nor 16 gb", ["!= 8 gigabyte", "!= 16 gigabyte"]),
        ("laptop no 8 gb, no 16 gb", ["!= 8 gigabyte", "!= 16 gigabyte"]),
        ("perfume no 5", []),
        ("elections neither in 2016 nor in 2020", ["!= 2,016 date", "!= 2,020 date"]),
        ("neither less than 5 nor more than 10 kg", ["5 to 10 kilogram"]),
        ("not 8 or 16 gb", ["!= 8 gigabyte", "!= 16 gigabyte"]),
        ("tent for 3 to 5 people, but not 4", ["3 to 5 people", "!= 4 people"]),
        ("13 inch not 15", ["= 13 inch", "!= 15 inch"]),
        ("lens max: 40€", ["<= 40 euro"]),
        ("shoes under40€", ["< 40 euro"]),
        ("bar open till 8", []),
        ("between 1 and 2 kg or under 30 euros", ["1 to 2 kilogram", "< 30 euro"]),
        ("laptop $1500-2000", ["1,500 to 2,000 dollar"]),
        ("flat 900 to 1100 a month", ["900 to 1,100 per month"]),
        ("laptop price between 1500 and 2000", ["1,500 to 2,000"]),
        ("films between 1990 and 2000", ["1,990 to 2,000 date"]),
        ("films >= 2015", [">= 2,015 date"]),
        ("firms that paid more than 279286238", ["> 279,286,238"]),
        ("windows 10 or 11", []),
        ("rainfall between March and May 2021", ["2,021.161644 to 2,021.328767 date"]),
        ("invoices 12/2020", ["= 2,020.915301 date"]),
        ("invoices 2020-12", ["= 2,020.915301 date"]),
        ("articles 3-10 May 2021", ["2,021.334247 to 2,021.353425 date"]),
        ("hotel from 28 May to 3 June 2021", ["2,021.40274 to 2,021.419178 date"]),
        ("films 2010-12", []),
        ("films since 2010-12", [">= 2,010.915068 date"]),
        ("invoices >= 3 May 2019", [">= 2,019.334247 date"]),
        ("invoices < 05/2019", ["< 2,019.328767 date"]),
        ("photos later than May of 2019", ["> 2,019.328767 date"]),
        ("photos between 2005-10-28 and 28 October 2006", ["2,005.821918 to 2,006.821918 date"]),
        ("insurance for over 65s", ["> 65 year of age"]),
        ("0-100 in under 10s", ["< 10 second", "< 10 siemens"]),
        ("330 ml x 6", ["= 330 millilitre", "= 6 pack"]),
        ("cola 6x330ml", ["= 6 pack", "= 330 millilitre"]),
        ("at least or equal to 30 litres", [">= 30 litre"]),
        ("30 litres plus", [">= 30 litre"]),
        ("iphone 12 plus", []),
        ("ring under ,99 €", ["< 0.99 euro"]),
        ("4* hotel", ["= 4 star"]),
        ("nappies size 4 pack of 80", ["= 4", "= 80"]),
        ("gift voucher 50 pounds", ["= 50 pound-mass", "= 50 pound sterling"]),
        ("laptop unter 1.000 Euro", ["< 1,000 euro"]),
        ("dumbbell 50 lb", ["= 50 pound-mass"]),
        ("6 pack of 330 ml", ["= 6 pack", "= 330 millilitre"]),
        ("hotel neither £1,955 nor £1,958", ["!= 1,955 pound sterling", "!= 1,958 pound sterling"]),
        ("heater either 85 or 88 kW", ["= 85 kilowatt", "= 88 kilowatt"]),
        ("laptop over 13 min and under 16 min", ["> 13 minute", "< 16 minute"]),
        ("laptop under 500 euros over 10 hours battery", ["< 500 euro", "> 10 hour"]),
        ("car at least 71 watts and 35-44 inches", [">= 71 watt", "35 to 44 inch"]),
        ("phone 36 kg or more other than 90 kg", [">= 36 kilogram", "!= 90 kilogram"]),
    ],
)
def test_conditions_compose(query: str, conditions: list[str]) -> None:
    assert [str(asked) for asked in parse_query(query)[1]] == conditions


def test_conditions_of_all_wordings_combine() -> None:
    queries = composed_queries(1500)
    assert sum(map(is_planned, queries)) / len(queries) > 0.98


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("laptop 16gb ram 512gb ssd", ["ram", "ssd"]),
        ("chocolate with 70% cocoa or more", ["cocoa"]),
        ("table 100 cm wide 60 cm deep", ["wide", "deep"]),
        ("table 100 cm in width and less than 60 cm in depth", ["width", "depth"]),
        ("engine over 200 hp but less than 300 hp", ["engine", "engine"]),
    ],
)
def test_a_number_belongs_to_the_words_beside_it(query: str, names: list[str]) -> None:
    asked = parse_query(query)[1]
    assert len(asked) == len(names)
    assert [name in one.attribute for name, one in zip(names, asked, strict=True)] == [True] * len(names)
    assert all(other not in one.attribute for one, own in zip(asked, names, strict=True) for other in {*names} - {own})


@pytest.mark.parametrize(
    ("query", "word", "owner"),
    [
        ("laptop with 16 GB ram under 900 dollars", "ram", 0),
        ("mountain bike 29 inch wheels under 800 euros", "wheels", 0),
        ("pump 50 mm outlet at least 200 l/min", "outlet", 0),
        ("tv 55 inch price under 500 dollars", "price", 1),
        ("laptop 16 GB weight under 1.5 kg", "weight", 1),
        ("27 inch monitor under 300 dollars", "monitor", 1),
    ],
)
def test_a_word_between_an_equality_and_a_bound_belongs_to_one_of_them(query: str, word: str, owner: int) -> None:
    asked = parse_query(query)[1]
    assert [word in one.attribute for one in asked] == [owner == 0, owner == 1]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("unemployment rose 0.3 points", "unemployment"),
        ("attendance up sharply by 15 percent", "attendance"),
        ("drop earrings 3 cm", "drop earrings"),
    ],
)
def test_a_word_of_change_is_not_searched_for(query: str, terms: str) -> None:
    assert plan_query(query).terms() == terms


@pytest.mark.parametrize(
    ("query", "worded", "terms"),
    [
        ("articles in 2020-12", ["in 2020-12"], "articles"),
        ("shoes under40€ red", ["under40€"], "shoes red"),
        ("price < 2000 laptop", ["< 2000"], "price laptop"),
        ("laptop with neither 8 nor 16 gb ram", ["neither 8", "16 gb"], "laptop ram"),
        ("firms that paid more than 279286238 euros", ["more than 279286238 euros"], "firms that paid"),
        ("half a dozen wine glasses", ["half a dozen wine glasses"], "wine glasses"),
    ],
)
def test_places_are_those_of_the_typed_text(query: str, worded: list[str], terms: str) -> None:
    plan = plan_query(query)
    assert (plan.text, plan.terms()) == (query, terms)
    assert [query[one.start : one.end] for one in plan.conditions] == worded


@pytest.mark.parametrize(
    ("query", "unread"),
    [
        ("version above 3.5.1", ["above 3.5.1"]),
        ("hotline number over 0800 within 2 km", ["over 0800"]),
        ("flights over 17:30 and under 300 euros", ["over 17:30"]),
        ("bus after 17:30", ["after 17:30"]),
    ],
)
def test_a_bound_whose_number_cannot_be_read_is_told(query: str, unread: list[str]) -> None:
    with pytest.warns(UserWarning, match=f"{unread[0]!r} sets no condition"):
        plan = plan_query(query)
    assert [query[start:end] for start, end in plan.unread] == unread
    told = [one["words"] for one in query_reading(query)["ignored"] if one["why"] == "its number cannot be read"]
    assert told == unread


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("query", "language"), [("Laptop unter 800 Euro", "de"), ("moins de 20 euros", "fr")])
def test_no_warning_speaks_of_what_was_not_typed(query: str, language: str) -> None:
    assert plan_query(query, language=language).unread == ()


def test_a_slip_keeps_the_typed_text() -> None:
    with pytest.warns(UserWarning, match="'udner' is read as 'under'"):
        plan = plan_query("bike udner 300 euros")
    assert (plan.text, plan.terms()) == ("bike udner 300 euros", "bike")
