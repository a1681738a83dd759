"""Stated bounds, read as intervals: "more than 500 hp" does not state the value 500.

Under the condition "more than 500", a text that states

- "more than 500" or "more than 600" certainly meets it;
- "up to 600" may meet it;
- "up to 400" or "more than 400" does not support it.

Read as values, the first would fail, and the third would match as well as any.

A change is not a level: "fell 8 percent" states neither a rate of 8 percent nor a rise of 8 percent.
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
"""Whether each bound in `BOUNDS`, indexed by its stored code, excludes its value."""

_WITHIN: Final = np.isin(_CODES, [BOUNDS.index("<=")])
"""Names every value below it: "up to 150 guests" has room for 120, where "more than 40 died" does not state 100."""

_CHANGED: Final = np.isin(_CODES, [BOUNDS.index("up"), BOUNDS.index("down")])
_CLOSED: Final = {">": ">=", "<": "<="}


@lru_cache(maxsize=4096)
def asked_ends(constraint: Constraint) -> tuple[Constraint, ...]:
    """Return constraints that find quantities which meet this one only by their bound: they state exactly the asked
    value."""
    return (replace(constraint, op="range"),) if constraint.op in _CLOSED else ()


@lru_cache(maxsize=4096)
def closed(constraint: Constraint) -> Constraint:
    """Return the constraint with its bound closed, so that the asked value itself meets it."""
    return replace(constraint, op=_CLOSED.get(constraint.op, constraint.op))


def by_bound(constraint: Constraint, bound: Whole, met: Bools, low: Floats, high: Floats) -> tuple[Bools, Floats]:
    """Find the quantities that meet a constraint only by a stated bound, and weight all quantities by their bounds.

    Args:
        constraint: the constraint; only one-sided bounds and "=" are affected, under all others each quantity counts
            as a value.
        bound: the index of each quantity's bound in `BOUNDS`.
        met: whether each quantity's value meets the constraint.
        low, high: the ends of each quantity, in the constraint's unit.

    Returns:
        Whether each quantity meets the constraint although its value does not, and its weight: 1 or `BOUND`.
    """
    if constraint.op == "=":
        alone = ~met & _WITHIN[bound] & (low > constraint.high)
        return alone, np.where(alone, BOUND, 1.0)
    if constraint.op not in SIDES:
        return np.zeros(len(bound), dtype=bool), np.ones(len(bound))
    along, against = (_UP, _DOWN) if constraint.op in (">", ">=") else (_DOWN, _UP)
    alone = ~met & along[bound] & _OPEN[bound]
    if alone.any():
        alone &= satisfied(closed(constraint), low, high)
    return alone, np.where(alone | (met & against[bound]), BOUND, 1.0)


@lru_cache(maxsize=4096)
def by_kind(attribute: tuple[str, ...]) -> Floats:
    """Return the weight of a quantity as a level or a change, for each bound in `BOUNDS`. A constraint allows a
    change if its attribute names one ("drop in sales of 5 %"). It asks for a change if that word is next to the
    number ("prices up 8 percent", "output fell more than 5 %"). "Drop earrings 3 cm" asks for a level."""
    named = [DIRECTIONS.get(word.lower()) for word in attribute]
    share = np.where(_CHANGED, CHANGE, LEVEL if any(named[:1]) else 1.0)
    share[[BOUNDS.index(bound) for bound in named if bound]] = 1.0
    return share
