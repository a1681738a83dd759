"""Queries in other languages: what they ask, and which words remain."""

import re
from collections import Counter
from pathlib import Path

import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.extraction.language import codes

CASES = [
    ("de", "Laptop unter 800 Euro mit mindestens 16 GB", "Laptop", ["< 800 euro", ">= 16 gigabyte"]),
    ("de", "Hemoglobin mindestens 9 g/dL", "Hemoglobin", [">= 9 gram per decilitre"]),
    ("de", "Windows 11 Treiber", "Windows 11 Treiber", []),
    ("fr", "ordinateur portable à moins de 800 euros", "ordinateur portable", ["< 800 euro"]),
    ("es", "hoteles entre 50 y 100 euros", "hoteles", ["50 to 100 euro"]),
    ("pt", "celular até 2.000 reais", "celular", ["<= 2,000 brazilian real"]),
    ("zh", "五公斤以下的行李箱", "行李箱", ["<= 5 kilogram"]),
    ("ja", "5万円以下のノートパソコン", "ノートパソコン", ["<= 50,000 japanese yen"]),
    ("ko", "50만 원 이하 노트북", "노트북", ["<= 500,000 south korean won"]),
    ("tr", "500 liradan ucuz ayakkabı", "ayakkabı", ["< 500 turkish lira"]),
    ("hi", "20 हज़ार रुपये से कम का फोन", "फोन", ["< 20,000 indian rupee"]),
    ("de", "Sofa 2000-3000 Euro", "Sofa", ["2,000 to 3,000 euro"]),
    ("de", "Auto bis 10.000 € unter 100 tkm", "Auto", ["<= 10,000 euro", "< 100,000 kilometre"]),
    ("zh", "2000到3000元的沙发", "沙发", ["2,000 to 3,000 chinese yuan"]),
    ("fr", "appartement 3 pièces max 900€", "appartement", ["= 3 room", "<= 900 euro"]),
    ("de", "weniger als 5 g Zucker pro 100 g", "Zucker", ["< 5 gram per 100 gram"]),
    ("de", "Häuser vor 1990 gebaut", "Häuser gebaut", ["< 1,990 date"]),
    ("fr", "voiture depuis 2015", "voiture", [">= 2,015 date"]),
    ("nl", "huizen gebouwd voor 1990", "huizen gebouwd", ["< 1,990 date"]),
    ("ja", "2010年以降の映画", "映画", [">= 2,010 date"]),
    ("de", "Laptop nicht 16 GB", "Laptop", ["!= 16 gigabyte"]),
    ("de", "Laptop weder 8 noch 16 GB", "Laptop", ["!= 8 gigabyte", "!= 16 gigabyte"]),
    ("fr", "portable ni 8 ni 16 Go", "portable", ["!= 8 gigabyte", "!= 16 gigabyte"]),
    ("ja", "8GBでも16GBでもないノートパソコン", "ノートパソコン", ["!= 8 gigabyte", "!= 16 gigabyte"]),
    ("tr", "16 GB olmayan laptop", "laptop", ["!= 16 gigabyte"]),
    ("fr", "portable pas cher 200 euros", "portable pas cher", ["= 200 euro"]),
    ("it", "portatile 8 o 16 GB", "portatile", ["= 8 gigabyte", "= 16 gigabyte"]),
    ("it", "telefono 100-200 euro", "telefono", ["100 to 200 euro"]),
    ("pt", "maior lago", "lago", []),
    ("de", "Häuser vor 2019-05-03", "Häuser", ["< 2,019.334247 date"]),
    ("de", "Fotos zwischen Mai 1985 und Mai 1987", "Fotos", ["1,985.328767 to 1,987.328767 date"]),
    ("it", "foto tra maggio 1985 e maggio 1987", "foto", ["1,985.328767 to 1,987.328767 date"]),
    ("nl", "rugzak min 53 liter", "rugzak", [">= 53 litre"]),
]


@pytest.mark.parametrize(("code", "text", "terms", "constraints"), CASES)
def test_a_query(code, text, terms, constraints):
    remain, asked = ptq.parse_query(text, language=code)
    assert (remain, [str(one) for one in asked]) == (terms, constraints)


PAGE = Path(__file__).parents[2] / "docs/reference/languages.md"
TYPED = [
    (section[1], *row)
    for section in re.finditer(r"## \w+ \(`(\w+)`\)\n(.*?)(?=\n##|\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for row in re.findall(r"^\| (?!query |---)(.+?) \| (.+?) \|$", section[2], re.MULTILINE)
]


def test_each_language_has_ten_queries_on_the_page():
    assert Counter(code for code, *_ in TYPED) == dict.fromkeys((code for code in codes() if code != "en"), 10)


@pytest.mark.parametrize(("code", "text", "conditions"), TYPED)
def test_a_query_as_people_type_it(code, text, conditions):
    assert "; ".join(map(str, ptq.parse_query(text, language=code)[1])) == conditions


def test_the_extractors_language_is_that_of_the_query():
    german = ptq.RuleExtractor(concepts=False, language="de")
    assert ptq.parse_query("Laptop unter 800 Euro", german) == ptq.parse_query("Laptop unter 800 Euro", language="de")
    with pytest.raises(ValueError, match="the extractor reads 'de', the query is to be read in 'fr'"):
        ptq.parse_query("Laptop", german, language="fr")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("semana", "week"),
        ("Grado Celsius", "celsius"),
        ("円", "japanese yen"),
        ("metros", "metro"),
        ("Dólar", "dollar"),
    ],
)
def test_a_unit_given_by_hand_in_any_language(name, unit):
    assert ptq.units.default_registry().resolve(name) == unit
