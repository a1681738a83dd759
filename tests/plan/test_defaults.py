"""The owner of a collection says what bare bounds ask for, and what currencies are worth."""

import pandas as pd
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import main

SHOP = [
    ("fast", "Kettle, boils in 5 minutes, very fast", 90),
    ("steel", "Kettle, 1.7 litres, 35 decibels, steel", 75),
    ("glass", "Kettle, glass, blue light", 29),
    ("toaster", "Toaster, 4 slots", 25),
    ("timer", "Kettle with timer, 60 minutes", 38),
    ("red", "Kettle in red, 3000 W", 41),
    ("bag", "Kettle bag, 30 cm", 55),
]
FRAME = [{"docno": docno, "text": text, "cost": cost} for docno, text, cost in SHOP]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    home = tmp_path_factory.mktemp("shop")
    fields = ptq.FieldQuantities({"price": ("cost", "€")})
    index = ptq.QuantityIndex(home / "shop").index(fields.transform_iter(FRAME))
    return index, ptq.backends.bm25(home / "shop.words", FRAME)


def asked(query: str, **given) -> list[str]:
    parsed = ptq.QuantityQueryParser(**given).transform(pd.DataFrame([{"qid": "1", "query": query}]))
    return [f"{one} {' '.join(one.attribute)}".strip() for one in parsed["constraints"][0]]


@pytest.mark.parametrize(
    ("query", "default", "constraints"),
    [
        ("kettle under 40", "price", ["< 40 price"]),
        ("kettle under 40", "€", ["< 40 euro kettle"]),
        ("kettles from 20 to 40", "euro", ["20 to 40 euro kettles"]),
        ("costs less than 40", "price", ["< 40 price"]),
        ("kettle under 40 minutes", "price", ["< 40 minute kettle"]),
        ("rating above 4", "price", ["> 4 rating"]),
        ("academic reputation below 14", "price", ["< 14 reputation academic"]),
        ("kettle", "price", []),
    ],
)
def test_bare_bounds_ask_for_the_default(query, default, constraints):
    assert asked(query, default=default) == constraints


@pytest.mark.parametrize(
    ("query", "constraints", "alternatives"),
    [
        ("under 44 dollars", ["< 44 dollar", "< 40 euro"], {1}),
        ("under 11 euros per night", ["< 11 euro per night", "< 12.1 dollar per night"], {1}),
        ("under 10 yen", ["< 10 japanese yen"], {0}),
        ("not 44 dollars", ["!= 44 dollar"], {0}),
    ],
)
def test_amounts_ask_in_every_currency_with_a_rate(query, constraints, alternatives):
    parser = ptq.QuantityQueryParser(rates={"euro": 1.1})
    found = parser.transform(pd.DataFrame([{"qid": "1", "query": query}]))["constraints"][0]
    assert (list(map(str, found)), {one.alternative for one in found}) == (constraints, alternatives)


def test_a_shop_answers_by_its_price(shop):
    index, words = shop
    plain, by_price = (ptq.quantity_aware(words, index, **given) for given in ({}, {"default": "price"}))
    assert plain.search("kettle under 40")["docno"][0] == "steel"
    assert set(by_price.search("kettle under 40")["docno"][:2]) == {"glass", "timer"}


def test_rates_convert_what_an_index_states(shop):
    index, words = shop
    given = {"constraints": [ptq.Constraint("<", 40, 40, "dollar")]}
    topics = pd.DataFrame([{"qid": "1", "query": "kettle", **given}])
    assert not len(index.retriever().transform(topics))
    rated = ptq.QuantityIndex(index.path, rates={"euro": 1.25})
    assert set(rated.retriever().transform(topics)["docno"]) == {"glass", "toaster"}
    results = ptq.quantity_aware(words, index, rates={"€": 1.25}).transform(topics)
    assert results["docno"].iloc[0] == "glass"
    assert str(ptq.explain(results)["quantity"].iloc[0]) == "29 euro"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda index, words: ptq.QuantityQueryParser(default="?!"), "neither a field's name nor a unit"),
        (lambda index, words: ptq.QuantityQueryParser(rates={"eurro": 1}), "'eurro' is not a currency.* euro"),
        (lambda index, words: ptq.QuantityIndex("x", rates={"euro": -1}), "rate of 'euro' is -1"),
        (
            lambda index, words: ptq.quantity_aware(words, index, parser=ptq.QuantityQueryParser(), default="euro"),
            "goes to the parser",
        ),
        (
            lambda index, words: ptq.quantity_aware(words, index, default="prize").search("pot"),
            "'prize'.* euro, minute",
        ),
        (lambda index, words: ptq.quantity_aware(words, index, default="yen").search("pot"), "'yen'.* euro, minute"),
    ],
)
def test_bad_input_names_what_exists(shop, make, message):
    with pytest.raises(ValueError, match=message):
        make(*shop)


def test_commands_take_both(shop, capsys):
    index, _ = shop
    assert not main(["search", str(index.path), "kettle under 40", "--default", "price", "--quiet", "--top", "2"])
    assert {line.split()[2] for line in capsys.readouterr().out.splitlines()} == {"glass", "timer"}
    assert not main(["search", str(index.path), "kettle under 40 dollars", "--rates", "euro=1.25", "--quiet"])
    assert capsys.readouterr().out.split()[2] == "glass"
    assert not main(["parse", "pot under 40 dollars", "--default", "price", "--rates", "euro=1.25"])
    assert "condition  < 32 euro" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["search", str(index.path), "pot", "--rates", "euro"])
    assert "CURRENCY=DOLLARS" in capsys.readouterr().err
