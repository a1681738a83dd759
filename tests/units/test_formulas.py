"""Units written as formulas: what is read, what is not, and what stays doubtful."""

import re

import pytest

from pyterrier_quantity.units import default_registry

READ = """
10 cm−1 | per centimetre
20 km s −1 | kilometre per second
9.81 m s^-2 | metre per square second
3 W m⁻² K⁻¹ | watt per square metre per kelvin
8.5 W/mK | watt per metre per kelvin
85 cm 2 V −1 s −1 | square centimetre per volt per second
4 J/(kg K) | joule per kilogram per kelvin
40 μF/cm2 | microfarad per square centimetre
2.02 Ωcm2 | ohm square centimetre
10 N/mm2 | newton per square millimetre
3 kPa·s | kilopascal second
12 kcal mol-1 | kilocalorie per mole
1.46 MPam1/2 | megapascal root metre
0.3 mgPt/cm2 | milligram per square centimetre
170 kPaabs | kilopascal
25 mg/m(2) | milligram per square metre
25 mg/M2 | milligram per square metre
10 G/dL | gram per decilitre
250 μbar | microbar
16 wt% | percentage
2.4 at.% | percentage
80 ◦C | celsius
12,000 x g | standard gravity
at 300 K the | kelvin
0.1 M KOH | mole per litre
5 mM MgCl2 | millimole per litre
a meal of 500 calories | kilocalorie
roast at 180 C for an hour | celsius
"""
NO_FORMULA = """
100 B-1 bombers
12 Vs 5
200 K people
5 M users
10 F/A-18 jets
a salary of 90 K
"""


def _cases(table: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in table.strip().split("\n")]


def _number_end(text: str) -> int:
    found = re.search(r"\d+(?:[.,]\d+)*", text)
    assert found is not None
    return found.end()


@pytest.mark.parametrize(("text", "unit"), _cases(READ))
def test_formula_is_read_whole(text: str, unit: str) -> None:
    match = default_registry().match_after(text, _number_end(text))
    assert match is not None
    assert match.unit == unit
    assert match.scale == 1


@pytest.mark.parametrize("text", NO_FORMULA.strip().split("\n"))
def test_letters_that_are_no_formula_stay_unread(text: str) -> None:
    assert default_registry().match_after(text, _number_end(text)) is None


@pytest.mark.parametrize(
    ("one", "other", "factor"),
    [
        ("mS/cm", "S/m", 0.1), ("J/cm2", "J/m2", 1e4), ("nT", "T", 1e-9), ("mbar", "Pa", 100), ("kN m", "N m", 1000),
        ("W/mK", "W m-1 K-1", 1), ("cm-1", "m-1", 100), ("mM", "mol/L", 1e-3),
    ],
)  # fmt: skip
def test_formulas_convert(one: str, other: str, factor: float) -> None:
    assert default_registry().convert(1.0, one, other) == pytest.approx(factor)
