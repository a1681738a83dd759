"""Units that are typed with a slip, and words that only look like one."""

import pytest

from pyterrier_quantity import parse_query


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("heater under 35 dolars", "dollar"),
        ("flour above 2 kilogramms", "kilogram"),
        ("rope of at least 20 metters", "metre"),
        ("tank above 50 gallonns", "gallon"),
        ("rooms under 90 dolars per night", "dollar per night"),
    ],
)
def test_a_slip_is_read_as_the_unit_and_told(query: str, unit: str) -> None:
    with pytest.warns(UserWarning, match=unit.split(" per ")[0]):
        _, [asked] = parse_query(query)
    assert asked.unit == unit


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("more than 2 litters of puppies", "litter puppy"),
        ("at least 3 galleons", "galleon"),
        ("under 30 collars", "collar"),
        ("more than 5 widgets", "widget"),
        ("stars within 20 light-years", "light-year"),
        ("battery of at least 5 kilowatt-hours", "kilowatt hour"),
        ("mosfet 60 volts", "volt"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_word_is_no_slip(query: str, unit: str) -> None:
    assert parse_query(query)[1][0].unit in (unit, unit.split()[0])
