"""The unit registry on examples: matching in text, families, conversion."""

import math
import pickle

import numpy as np
import pytest

from pyterrier_quantity.units import UnitRegistry, default_registry, singular
from pyterrier_quantity.units.model import Remembered

R = default_registry()


def after(text):
    """The unit after the first `|` of the text (the bar marks the number's end and is taken out)."""
    whole, position = text.replace("|", "", 1), text.index("|")
    match = R.match_after(whole, position)
    return (match.unit, whole[match.start : match.end]) if match else None


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        ("a 20|-mile road", "mile", "mile"),
        ("5\u2009|\u2009mg", "milligram", "mg"),
        ("rose to 3.1 mln| dlrs", "dollar", "dlrs"),
        ("18| cts a share", "cent per share", "cts a share"),
        ("UP 0.2| PCT IN MAY", "percentage", "PCT"),
        ("410| dlrs an ounce", "dollar per ounce", "dlrs an ounce"),
        ("at 17| dollars per barrel per day", "dollar per barrel per day", "dollars per barrel per day"),
        ("eGFR 60| mL/min/1.73 m2", "millilitre per minute per 1.73 square metre", "mL/min/1.73 m2"),
        ("75| mg/m² daily", "milligram per square metre per day", "mg/m² daily"),
        ("5| mL min⁻¹ kg⁻¹", "millilitre per kilogram per minute", "mL min⁻¹ kg⁻¹"),
        ("9.8| m s-2", "metre per square second", "m s-2"),
        ("100,000|/mm3", "per cubic millimetre", "/mm3"),
        ("1500| cells/mm3", "cell per cubic millimetre", "cells/mm3"),
        ("9|/L in blood", "per litre", "/L"),
        ("1.5| x ULN", "upper limit of normal", "x ULN"),
        ("2.5| times the institutional upper limit of normal", "upper limit of normal", None),
        ("60,000| sq. ft.", "square foot", "sq. ft"),
        ("37|℃", "celsius", "℃"),
        ("37| degrees Celsius", "celsius", "degrees Celsius"),
        ("98.6| degrees f", "fahrenheit", "degrees f"),
        ("85|°", "degree", "°"),
        ("an 18|-year-old", "year of age", "year-old"),
        ("5| Canadian dlrs", "canadian dollar", "Canadian dlrs"),
        ("30 mln| H.K. dlrs", "hong kong dollar", "H.K. dlrs"),
        ("700|p per share", "penny per share", "p per share"),
        ("12|kWh", "kilowatt hour", "kWh"),
        ("3000| mAh", "milliampere-hour", "mAh"),
        ("332| lb-ft of torque", "foot pound-force", "lb-ft"),
        ("30| mpg", "mile per gallon", "mpg"),
        ("23.50| per share", "per share", "per share"),
        ("12.5| per 100,000 people", "per 100000 people", "per 100,000 people"),
        ("3.6| cases per million people", "case per 1000000 people", "cases per million people"),
        ("2.99| dlrs per thousand cubic feet", "dollar per 1000 cubic foot", None),
        ("3| dlrs per fully diluted common share", "dollar per share", None),
        ("80| dlrs per Cyclops share", "dollar", None),
        ("5| additional tonnes", "metric ton", "tonnes"),
        ("weighs 20| (kg)", "kilogram", "(kg)"),
        ("3|x/week", "count per week", "x/week"),
        ("2.5|-fold", "count", "fold"),
        ("100|元", "chinese yuan", "元"),
        ("kg: 10| kg/22 lb", "kilogram", "kg"),
        # the words around, or the numbers, decide; no denominator is in "a year ago"
        ("a bid of 10 mln| pounds", "pound sterling", None),
        ("a price of 65 cents; 5| pounds of copper", "pound-mass", None),
        ("heat to 180|C in the oven", "celsius", None),
        ("a 2.5| F capacitor, capacitance", "farad", None),
        ("wind speed 20| kt", "knot", None),
        ("copper output of 20| kt", "kilotonne", None),
        ("a 5| bp deletion in the gene", "base pair", None),
        ("rates rose 25| bp", "basis point", None),
        ("he is 6'2|\" tall", "inch", None),
        ("he is 6|'2\" tall", "foot", None),
        ("ran it in 2h 10|m", "minute", None),
        ("the 100| m final, a sprint", "metre", None),
        ("aged 18 to 65| years", "year of age", None),
        ("patients 18| years or older", "year of age", None),
        ("at the stage of 3| years", "year", None),
        ("sold 600 mln| pounds of resin", "pound-mass", None),
        ("12| TRY per kg", "turkish lira per kilogram", None),
        ("a 1200|-nits display", "nit", None),
        ("one| week ago", "week", None),
        ("two 550| mega-watt generators", "megawatt", None),
        ("GFR of 30| ml / min / 1.73m", "millilitre per minute per 1.73 square metre", None),
        ("5| mg per dose", "milligram", None),
        ("132,000| head of cattle", "head", None),
        ("18| cts a year ago", "cent", None),
        ("10| dlrs a year earlier", "dollar", None),
        ("5| dlrs a day after the bid", "dollar", None),
        ("9 mln| dlrs a month later", "dollar", None),
    ],
)
def test_units_after_numbers(text, unit, words):
    found = after(text)
    assert found is not None
    assert found == (unit, found[1] if words is None else words)


@pytest.mark.parametrize(
    "text",
    [
        "at 5| in the morning", "the number 5| is prime", "5| as of today", "May 5| may rain", "the 1980|s",
        "the number three| U.S. carmaker", "type 2|F disease", "1201| L Street", "Tc-99|m scan",
        "an FA final: 3| Cup winners", "M-1-|A", "one| of them", "the 52| TOP OFFICERS", "4| A. Smith",
        "Chapter 11| C", "B-2|/B", "22|q11", "team 7| won the cup", "2| colon polyps", "5| French banks", "12|:30",
        "the 7-1/4|s of 2010", "87| grain crop", "5|. Dollars", "5| stones",
        "100| us banks", "9:00|pm", "ATP synthase 2|A", "trisomy 18|p", "grade 4| CHF", "two| heads of state",
        "18 months|, 5 days", "a 5|G phone",
    ],
)  # fmt: skip
def test_prose_is_no_unit(text):
    assert after(text) is None


@pytest.mark.parametrize(
    ("text", "unit", "sign"),
    [
        ("cost $|5", "dollar", "$"), ("cost US$| 5", "dollar", "US$"), ("A$|5", "australian dollar", "A$"),
        ("€ |5", "euro", "€"), ("£|5m", "pound sterling", "£"), ("Rs |500", "rupee", "Rs"),
        ("c $ |5", "canadian dollar", "c $"), ("DM|5", "german mark", "DM"), ("Y=|100 million", "japanese yen", "Y="),
        ("RM |5", "malaysian ringgit", "RM"), ("nzd$|15", "new zealand dollar", "nzd$"),
        ("stg |5", "pound sterling", "stg"), ("INR |500", "indian rupee", "INR"),
    ],
)  # fmt: skip
def test_signs_before_numbers(text, unit, sign):
    whole, position = text.replace("|", "", 1), text.index("|")
    match = R.match_before(whole, position)
    assert match is not None
    assert (match.unit, whole[match.start : match.end]) == (unit, sign)


@pytest.mark.parametrize("text", ["of |5", "(|5", "", "|", "AUSD|5", "INR |2.5", "Y|2K", "R|2-D2", "5 |5"])
def test_no_sign_before(text):
    position = text.find("|")
    assert R.match_before(text.replace("|", "", 1), max(position, 0)) is None


@pytest.mark.parametrize(
    ("text", "numerator", "unit"),
    [
        (" a barrel", "dollar", "dollar per barrel"),
        ("/day", "cigarette", "cigarette per day"),
        (" a day", "cigarette", "cigarette per day"),
        (" per head of cattle", "dollar", "dollar per head"),
        (" a year ago", "dollar", None),
        (" and more", "dollar", None),
        (" each year", "car", "car per year"),
        (" per 1,000 births", "death", "death per 1000 birth"),
        (" a cut above", "dollar", None),
    ],
)
def test_denominators_alone(text, numerator, unit):
    match = R.match_per(text, 0, numerator)
    assert (match.unit if match else None) == unit


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        ("mile per hour", "kilometre per hour", 100, 160.9344),
        ("celsius", "fahrenheit", 100, 212),
        ("fahrenheit", "celsius", -40, -40),
        ("cent per pound-mass", "dollar per metric ton", 100, 2204.6226218488),
        ("per cubic millimetre", "per litre", 100_000, 1e11),
        ("cell per cubic millimetre", "per litre", 1500, 1.5e9),
        ("millilitre per minute per 1.73 square metre", "millilitre per minute", 45, 45),
        ("proportion", "percentage", 0.25, 25),
        ("barrel per day", "gallon per day", 1, 42),
        ("milligram per 100 millilitre", "gram per litre", 100, 1),
        ("dollar per 1000 cubic foot", "dollar per cubic foot", 2.5, 0.0025),
        ("1000000 dollar", "dollar", 3, 3e6),
        ("kilogram metre per square second", "newton", 5, 5),
        ("square metre ampere", "square centimetre ampere", 1, 1e4),
        ("megabit per second", "gigabit per second", 100, 0.1),
        ("people per square mile", "person per square kilometre", 1, 0.386102158542),
    ],
)
def test_conversion(source, target, value, expected):
    assert R.convert(value, source, target) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert R.family(source) == R.family(target)
    assert R.convert(np.array([value, value]), source, target) == pytest.approx([expected] * 2, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("euro", "dollar"), ("metre", "kilogram"), ("-", "metre"), ("newton metre", "joule"),
        ("milligram per kilogram", "percentage"), ("year of age", "year"), ("percentage point", "percentage"),
    ],
)  # fmt: skip
def test_what_does_not_convert(source, target):
    assert R.conversion(source, target) is None
    with pytest.raises(ValueError, match="does not convert"):
        R.convert(1.0, source, target)


def test_rates_make_currencies_convert_in_a_copy():
    rated = R.with_rates({"euro": 1.1, "£": 1.25})
    assert rated.convert(100, "euro", "dollar") == pytest.approx(110)
    assert rated.convert(500, "penny per share", "cent per share") == pytest.approx(625)
    assert rated.convert(100, "euro", "pound sterling") == pytest.approx(88)
    assert R.conversion("euro", "dollar") is None
    assert rated.match_after("5 mg", 1).unit == "milligram"


@pytest.mark.parametrize(
    "rates", [{"euro": 0.0}, {"euro": -1.0}, {"euro": math.nan}, {"metre": 2.0}, {"nonsense": 2.0}]
)
def test_impossible_rates(rates):
    with pytest.raises(ValueError, match="rate"):
        R.with_rates(rates)


PLURALS = """cigarettes cigarette, children child, companies company, series series, boxes box, women woman, buses bus,
houses house, analyses analysis, classes class, bonuses bonus, news news, feet foot, glass glass, virus virus,
watches watch, fishermen fisherman, movies movie, gas gas, Americans American, TDs TD, knives knife,
criteria criterion, specimen specimen, shoes shoe, heroes hero, dishes dish, causes cause"""


@pytest.mark.parametrize(("plural", "single"), [pair.split() for pair in PLURALS.split(",")])
def test_singular(plural, single):
    assert singular(plural) == single
    assert singular(single) == single


def test_a_registry_survives_pickling():
    own = UnitRegistry()
    own.add("furble", surfaces=["furble"])
    twin = pickle.loads(pickle.dumps(own))
    assert twin.match_after("5 furbles per day", 1).unit == "furble per day"
    assert twin.resolve("mg/m2") == "milligram per square metre"


@pytest.mark.parametrize(
    "code",
    "USD EUR GBP JPY CNY CHF CAD AUD NZD HKD SGD SEK NOK DKK INR BRL MXN ZAR RUB KRW TRY CUP XDR DEM ITL".split(),
)
def test_currency_codes(code):
    unit = R.resolve(code)
    assert R.family(unit).startswith("currency:")
    assert R.match_after(f"120 {code} each", 3).unit == unit


@pytest.mark.parametrize(
    ("unit", "written"),
    [
        ("newton metre", "Nm|N m|N·m|newton metres|newton-metres"),
        ("kilowatt hour", "kWh|kW h|kilowatt hours|kilowatt-hours"),
        ("pascal second", "Pa s|Pa·s|pascal seconds"),
        ("kilogram square metre", "kg m2|kg·m²|kilogram square metres"),
        ("metric ton kilometre", "tonne-kilometres|tonne kilometres"),
        ("watt per metre per kelvin", "W/mK|W/(m K)|W/(K·m)|watts per metre kelvin|watts per kelvin metre|W m⁻¹ K⁻¹"),
        ("metre per square second", "m/s2|m s⁻²|metres per second squared|metres per second per second"),
        ("milligram per kilogram per day", "mg/kg/day|mg/day/kg|mg per day per kg|milligrams per kilogram a day"),
        ("dollar per barrel per day", "dollars per day per barrel|$/barrel/day"),
    ],
)
def test_symbols_and_words_in_any_order_are_one_unit(unit: str, written: str) -> None:
    read = {one: (found := R.match_after(f"5 {one}", 1)) and (found.unit, found.end) for one in written.split("|")}
    assert read == {one: (unit, len(one) + 2) for one in read}
    assert {R.resolve(one) for one in read} == {unit}


@pytest.mark.parametrize("text", ["5| kg metre stick", "5| amp second-hand", "3| bar minimum", "5| minute miles"])
def test_units_that_do_not_multiply(text: str) -> None:
    found = after(text)
    assert found is not None
    assert " " not in found[0]


def test_long_texts_do_not_fill_the_memory() -> None:
    remembered = Remembered(len)
    assert (remembered["kg"], remembered["k" * 1_000], list(remembered)) == (2, 1_000, ["kg"])
