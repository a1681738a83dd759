"""Numbers as other places write them: what the mark before three digits means, and prices that end in a dash."""

import pytest

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.plan import parse_query


def readings(text: str) -> list[tuple[float, float, str]]:
    return [(found.low, found.high, found.unit) for found in RuleExtractor(concepts=False).extract(text)]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("laptop unter 1.000 Euro", 1000, "euro"),
        ("The house was sold for 250.000 euros.", 250_000, "euro"),
        ("BMW 64.900 €", 64_900, "euro"),
        ("BMW 64.900,- €", 64_900, "euro"),
        ("nur 499,- €", 499, "euro"),
        ("lunch at 12.- CHF", 12, "swiss franc"),
        ("a loss of -1.500 €", -1500, "euro"),
        ("aluguel de 1.500 reais", 1500, "brazilian real"),
        ("a load of 1 234,5 kg", 1234.5, "kilogram"),
        ("power bank with 5.000 mAh", 5000, "milliampere-hour"),
        ("a vacuum cleaner of 2.400 W", 2400, "watt"),
        ("the plot has 1.500 m²", 1500, "square metre"),
    ],
)
def test_a_currency_or_a_unit_tells_what_the_point_means(text, value, unit):
    assert readings(text) == [(value, value, unit)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a pump of 1.250 kg with 3,5 kW", (1250, 1250, "kilogram")),
        ("take 1.500 ml of water and 2,5 l of milk", (1500, 1500, "millilitre")),
        ("after 4.300 m the road rises by 7,5 %", (4300, 4300, "metre")),
        ("1,459 € a litre, which is 1.200,00 € a year", (1.459, 1.459, "euro per litre")),
        ("flats of 800 - 1.200 €", (800, 1200, "euro")),
        ("flats between 1.000 and 1.500 Euro", (1000, 1500, "euro")),
        # elsewhere a point stands before decimals
        ("The parcel weighs 1.250 kg and costs €12.50.", (1.25, 1.25, "kilogram")),
        ("Petrol cost 1.459 euros on Monday.", (1.459, 1.459, "euro")),
        ("Petrol was €1.459 against £1,250 a year", (1.459, 1.459, "euro")),
        ("the euro rose to 1.125 dollars", (1.125, 1.125, "dollar")),
        ("a beam of 1.500 kg", (1.5, 1.5, "kilogram")),
        ("2.375 g of salt at 37.5 °C", (2.375, 2.375, "gram")),
        ("The 2,5 mg group had 10,000 patients", (2.5, 2.5, "milligram")),
        ("turnover of 12.345 million euros", (12_345_000, 12_345_000, "euro")),
        ("odds ratio 1.250 (1.100-1.420)", (1.25, 1.25, "-")),
    ],
)
def test_the_other_numbers_of_a_text_tell(text, first):
    assert readings(text)[0] == first


def test_a_comma_before_three_digits_groups_in_english_text():
    assert readings("The 2,5 mg group had 10,000 patients")[1] == (10_000, 10_000, "patient")


def test_a_query_asks_for_the_whole_price():
    (asked,) = parse_query("laptop unter 1.000 Euro")[1]
    assert (asked.low, asked.unit) == (1000, "euro")
