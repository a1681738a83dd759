"""What a text states as a bound is an interval: "more than 500 hp" is no value of 500.

Under "more than 500", a text that states

- "more than 500" or "more than 600" meets the condition for certain;
- "up to 600" may meet it;
- "up to 400", or "more than 400", says nothing for it.

By its value alone, the first would not meet it, and the third would meet it as well as any.

A change is not a level: "fell 8 percent" states no rate of 8 percent, nor that something rose so much.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from pyterrier_quantity.constants import BOUND, CHANGE, LEVEL
from pyterrier_quantity.extraction.grammar.bound_wordings import DIRECTIONS
from pyterrier_quantity.flat_arrays import Bools, Floats, Whole
from pyterrier_quantity.quantity import BOUNDS, SIDES, Constraint
from pyterrier_quantity.score.phi import satisfied

_CODES: Final = np.arange(len(BOUNDS))
_UP: Final = np.isin(_CODES, [BOUNDS.index(">"), BOUNDS.index(">=")])
_DOWN: Final = np.isin(_CODES, [BOUNDS.index("<"), BOUNDS.index("<=")])
_OPEN: Final = np.isin(_CODES, [BOUNDS.index(">"), BOUNDS.index("<")])
"""Of each bound that a text can state, as an index stores it."""

_CHANGED: Final = np.isin(_CODES, [BOUNDS.index("up"), BOUNDS.index("down")])
_CLOSED: Final = {">": ">=", "<": "<="}


@lru_cache(maxsize=4096)
def asked_ends(constraint: Constraint) -> tuple[Constraint, ...]:
    """What finds the quantities that meet a constraint by their bound alone: they have the asked value itself."""
    return (replace(constraint, op="range"),) if constraint.op in _CLOSED else ()


@lru_cache(maxsize=4096)
def closed(constraint: Constraint) -> Constraint:
    """The condition that the asked value itself meets, too."""
    return replace(constraint, op=_CLOSED.get(constraint.op, constraint.op))


def by_bound(constraint: Constraint, bound: Whole, met: Bools, low: Floats, high: Floats) -> tuple[Bools, Floats]:
    """Which quantities meet a constraint by a stated bound alone, and how much each one counts for what it states.

    Args:
        constraint: only bounds from one side are concerned; under others all quantities count by their values.
        bound: of each quantity, the position of its bound in `BOUNDS`.
        met: whether their values meet the constraint.
        low, high: their ends, in the constraint's unit.

    Returns:
        Whether a quantity meets the constraint though its value does not; and 1, or `BOUND`.
    """
    if constraint.op not in SIDES:
        return np.zeros(len(bound), dtype=bool), np.ones(len(bound))
    along, against = (_UP, _DOWN) if constraint.op in (">", ">=") else (_DOWN, _UP)
    alone = ~met & along[bound] & _OPEN[bound]
    if alone.any():
        alone &= satisfied(closed(constraint), low, high)
    return alone, np.where(alone | (met & against[bound]), BOUND, 1.0)


@lru_cache(maxsize=4096)
def by_kind(attribute: tuple[str, ...]) -> Floats:
    """Return how much a quantity counts for stating a level or a change, for each bound that a text can state.

    A constraint allows a change if its attribute names one ("drop in sales of 5 %"), and asks for one if that word is
    next to the number ("prices up 8 percent", "output fell more than 5 %"): "drop earrings 3 cm" asks for a level.
    """
    named = [DIRECTIONS.get(word.lower()) for word in attribute]
    share = np.where(_CHANGED, CHANGE, LEVEL if any(named[:1]) else 1.0)
    share[[BOUNDS.index(bound) for bound in named if bound]] = 1.0
    return share
