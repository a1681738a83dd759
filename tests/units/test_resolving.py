"""The names that units are given by hand, and those of what texts count."""

import pytest

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.units import UnknownUnitError, default_registry

R = default_registry()


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("percent", "percentage"),
        ("mg/m2", "milligram per square metre"),
        ("%", "percentage"),
        ("-", "-"),
        ("", "-"),
        ("milliliter per minute", "millilitre per minute"),
        ("usd/bbl", "dollar per barrel"),
        ("pence per share", "penny per share"),
        ("dollar per tonne", "dollar per metric ton"),
        ("cent per pound", "cent per pound-mass"),
        ("W/m2", "watt per square metre"),
        ("x ULN", "upper limit of normal"),
        ("million dollars", "1000000 dollar"),
        ("bcf", "1000000000 cubic foot"),
        ("U.S. dollars per metric tonne", None),
        ("/mm3", "per cubic millimetre"),
        ("per 100,000 people", "per 100000 people"),
        ("30 kg", "30 kilogram"),
        ("year of age", "year of age"),
        ("Megawatts", "megawatt"),
        (" miles ", "mile"),
        ("proportion per per mille", "proportion per per mille"),
        ("ppm/%", "part per million per percentage"),
        ("bae 146 jet", "bae 146 jet"),
        ("a-6e aircraft", "a-6e aircraft"),
        ("a-rated bond", "a-rated bond"),
        ("per 100000 newborn", "per 100000 newborn"),
        ("per 1000 child per year", "per 1000 child per year"),
    ],
)
def test_resolve(name, unit):
    resolved = R.resolve(name)
    assert resolved == (unit or "dollar per metric ton")
    assert R.resolve(resolved) == resolved


@pytest.mark.parametrize("name", ["12", "!!", "mln", "²", "10^9/L", "x" * 200, "…"])
def test_what_cannot_be_a_unit(name):
    with pytest.raises(UnknownUnitError, match="similar: "):
        R.resolve(name)


@pytest.mark.parametrize(
    ("noun", "name"),
    [
        ("employee", "employee"), ("toe", "toes"), ("bus", "bus"), ("mark", "german mark"), ("share", "share"),
        ("time", "count"), ("ct", "cent"),
    ],
)  # fmt: skip
def test_a_counted_noun_is_no_symbol_of_a_unit(noun, name):
    assert R.counted(noun) == name
    assert R.resolve(name) == name


@pytest.mark.parametrize(
    "text",
    [
        "100 per 1e grains per 9Ppm", "00 per 2 per dollars", "401 per pcm", "401 per 2 pcm", "5 m per 4bnNZD",
        "5 m per 99bnNZD", "5 kg per 99999 million kg", "5 kg per 999999999999 million kg",
        "7 g per 2kEUR",
    ],
)  # fmt: skip
def test_large_constants_below_the_stroke_are_read_again(text):
    for said in (text, f"{text} per part per billion"):
        for quantity in RuleExtractor().extract(said):
            assert R.resolve(quantity.unit) == quantity.unit
