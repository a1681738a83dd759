"""How sure it is that a number of a query sets a condition, by the signs of the text that it stands in."""

from __future__ import annotations

import math
from operator import mul
from typing import Final

from pyterrier_quantity.constants import (
    EVERYDAY_COUNT,
    EVERYDAY_FAMILIES,
    EVERYDAY_UNITS,
    NEARLY_SURE,
    SIGN_BIAS,
    SIGN_WEIGHTS,
    SURE,
)
from pyterrier_quantity.plan.signs import Signs
from pyterrier_quantity.units import default_registry

_WEIGHTS: Final = Signs(**SIGN_WEIGHTS)


def certainty(signs: Signs, unit: str) -> float:
    """How likely a number with these signs sets a condition, in (0, 1]; what is nearly sure is sure."""
    found = likelihood(signs)
    if found < SURE:
        return found
    return NEARLY_SURE if everyday(unit) else 1.0


def likelihood(signs: Signs) -> float:
    """The likelihood that the regression gives to a number with these signs, in (0, 1)."""
    return 1.0 / (1.0 + math.exp(-SIGN_BIAS - sum(map(mul, _WEIGHTS, signs))))


def everyday(unit: str) -> float:
    """How little a number in a unit says, from 0 for measures, rates and money to 1.5 for dates."""
    if unit in EVERYDAY_UNITS:
        return EVERYDAY_UNITS[unit]
    family = default_registry().family(unit)
    if " per " in unit:
        return 0.0
    if family in EVERYDAY_FAMILIES:
        return EVERYDAY_FAMILIES[family]
    return EVERYDAY_COUNT if family in (unit, None) else 0.0
