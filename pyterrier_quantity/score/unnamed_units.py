"""Guess the unit of a condition without a unit: "laptop under 1500" asks for dollars, not for inches.

Quantities of several units may meet such a condition. The weight of a unit depends on

- magnitude: the 18 inches of a laptop are far from 1500, so inches are probably not meant;
- precision: a precise number rarely occurs by chance, so "flat 195,000" asks for 195,000 in any unit.
"""

import numpy as np

from pyterrier_quantity.constants import FAR_OFF, FAR_OFF_UNIT, PRECISE_DIGITS, PRECISE_UNIT
from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.quantity import BARE, SIDES
from pyterrier_quantity.score.phi import satisfied
from pyterrier_quantity.score.query import Queries
from pyterrier_quantity.score.unit import Stated


def weigh_likely_units(stated: Stated, constraint: Ints, queries: Queries) -> None:
    """Change unit weights in place, for constraints without a unit: "18 inches" has a low weight for "under 1500".

    Args:
        stated: the quantities, ordered by constraint.
        constraint: for each quantity, the index of its constraint.
    """
    for number, asked in enumerate(queries.constraints):
        if asked.unit != BARE:
            continue
        own = slice(*constraint.searchsorted([number, number + 1]).tolist())
        low, high, unit = stated.low[own], stated.high[own], stated.unit[own]
        if asked.op in SIDES or asked.op == "range":
            far = ((asked.low > FAR_OFF * high) | (asked.high < low / FAR_OFF)) & (low > 0)
            unit[far] *= FAR_OFF_UNIT
        elif asked.op == "=" and len(f"{asked.low:.12g}".replace(".", "").strip("0")) >= PRECISE_DIGITS:
            met = satisfied(asked, low, high) & (unit > 0)
            unit[met] = np.maximum(unit[met], PRECISE_UNIT)
