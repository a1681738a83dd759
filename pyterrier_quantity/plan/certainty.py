"""How sure it is that a number of a query sets a condition, by the signs of the text that it stands in."""

from __future__ import annotations

import math
from operator import mul
from typing import Final

from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.plan.signs import Signs
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import default_registry

LEAST: Final = 0.25
"""Below this certainty a number sets no condition."""

SURE: Final = 0.93
"""From this certainty on nothing is in doubt, or, of everyday numbers, hardly anything."""

_NEARLY: Final = 0.996
"""So sure that some evidence in the results bears it out. Of .993 to .999 on five collections, numbers that ask for
nothing do more harm from .998 on, and at .993 conditions in long queries count less."""

_WEIGHTS: Final = Signs(
    bounded=2.89,
    joined=1.5,
    asking=-1.0,
    asking_words=-0.7,
    telling_words=-1.37,
    persons=-0.85,
    past=-0.57,
    aged=-0.92,
    passed=-0.9,
    manner=-0.8,
    textual=-3.73,
    subject=-2.92,
    adverbial=-1.56,
    topical=-3.8,
    definite=-1.5,
    formal=-2.5,
    sought=2.1,
    apart=-2.2,
)
_BIAS: Final = 2.48
"""By logistic regression over topics of collections, queries of many domains, and wordings of many kinds of text whose
numbers set none; `experiments/certainty.py` repeats it and compares these weights with what is learned now. By hand:
`persons`, `past` and `definite`, of which the material has few, and `joined`, since short queries state values so;
`sought` and `apart` were learned beside the others as they were, `apart` with requests that follow their conditions."""

_COMMON: Final = {BARE: 1.0, DATE_UNIT: 1.5}
_EVERYDAY: Final = ("time", "age", "person")
"""Families of units."""


def certainty(signs: Signs, unit: str) -> float:
    """How likely a number with these signs sets a condition, in (0, 1]; what is nearly sure is sure."""
    found = likelihood(signs)
    if found < SURE:
        return found
    return _NEARLY if everyday(unit) else 1.0


def likelihood(signs: Signs) -> float:
    """The likelihood that the regression gives to a number with these signs, in (0, 1)."""
    return 1.0 / (1.0 + math.exp(-_BIAS - sum(map(mul, _WEIGHTS, signs))))


def everyday(unit: str) -> float:
    """How little a number in a unit says: 0 for measures, rates and money; 0.5 for how many there are
    of a thing; 1 for bare numbers, times, ages and persons; 1.5 for dates."""
    if unit in _COMMON:
        return _COMMON[unit]
    family = default_registry().family(unit)
    if " per " in unit:
        return 0.0
    return 1.0 if family in _EVERYDAY else 0.5 if family in (unit, None) else 0.0
