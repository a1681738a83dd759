"""Treat bounds in documents as intervals: "more than 500 hp" does not mean the value 500.

If a query asks for "more than 500", a text that states

- "more than 500" or "more than 600" certainly meets the condition;
- "up to 600" may meet the condition;
- "up to 400" or "more than 400" does not support the condition.

If bounds were ignored, "more than 500" in a text would not meet the condition, and "up to 600" would score like 600.

The module also distinguishes levels from changes: "fell 8 percent" states neither a rate of 8 percent nor a rise.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from pyterrier_quantity.constants import BOUND, CHANGE, LEVEL, OLD_VALUE
from pyterrier_quantity.english import set_of
from pyterrier_quantity.extraction.grammar.bound_wordings import DIRECTIONS, NOUNS
from pyterrier_quantity.flat_arrays import Bools, Floats, Whole
from pyterrier_quantity.quantity import BOUNDS, SIDES, Constraint
from pyterrier_quantity.score.phi import satisfied
from pyterrier_quantity.units import default_registry

_CODES: Final = np.arange(len(BOUNDS))
_UP: Final = np.isin(_CODES, [BOUNDS.index(">"), BOUNDS.index(">=")])
_DOWN: Final = np.isin(_CODES, [BOUNDS.index("<"), BOUNDS.index("<=")])
_OPEN: Final = np.isin(_CODES, [BOUNDS.index(">"), BOUNDS.index("<")])  # whether a bound excludes its own value

_WITHIN: Final = np.isin(_CODES, [BOUNDS.index("<=")])  # whether it covers lower values: "up to 150" covers 120
_NEVER: Final = np.zeros(len(BOUNDS), dtype=bool)
_SUITING: Final = ("age", "temperature", "angle")  # a bound covers values beyond it: "aged 12 and over" covers 16

_CHANGED: Final = np.isin(_CODES, [BOUNDS.index("up"), BOUNDS.index("down")])
_DIRECTIONS: Final = {"loss": "down"} | NOUNS | DIRECTIONS  # from words of a query
_PAST: Final = set_of("former formerly previous previously original originally was were")
_CLOSED: Final = {">": ">=", "<": "<="}


@lru_cache(maxsize=4096)
def asked_ends(constraint: Constraint) -> tuple[Constraint, ...]:
    """Return additional constraints to look up for ">" and "<", otherwise (). For "> 500", the value 500 is also looked
    up, because an index stores "more than 500" as 500."""
    return (replace(constraint, op="range"),) if constraint.op in _CLOSED else ()


@lru_cache(maxsize=4096)
def closed(constraint: Constraint) -> Constraint:
    """Return the constraint with ">=" instead of ">", and "<=" instead of "<"."""
    return replace(constraint, op=_CLOSED.get(constraint.op, constraint.op))


def by_interval(constraint: Constraint, bound: Whole, met: Bools, low: Floats, high: Floats) -> tuple[Bools, Floats]:
    """Find quantities that meet a constraint only if their bound is treated as an interval: "up to 150" for "= 120".

    Args:
        constraint: the constraint. Bounds are treated as intervals if the operator is "=", ">", ">=", "<" or "<=".
        bound: for each quantity, the index of its bound in `BOUNDS`.
        met: whether each quantity meets the constraint if bounds are ignored.
        low, high: the ends of each quantity, in the constraint's unit.

    Returns:
        Two arrays: whether each quantity meets the constraint only as an interval, and its weight. The weight is
            `BOUND` for these, and for bounds that may violate the constraint ("up to 600" for "> 500"), else 1.
    """
    if constraint.op == "=":
        suits = default_registry().family(constraint.unit) in _SUITING
        above, below = (_DOWN, _UP) if suits else (_WITHIN, _NEVER)
        alone = ~met & ((above[bound] & (low > constraint.high)) | (below[bound] & (high < constraint.low)))
        return alone, np.where(alone, BOUND, 1.0)
    if constraint.op not in SIDES:
        return np.zeros(len(bound), dtype=bool), np.ones(len(bound))
    along, against = (_UP, _DOWN) if constraint.op in (">", ">=") else (_DOWN, _UP)
    alone = ~met & along[bound] & _OPEN[bound]
    if alone.any():
        alone &= satisfied(closed(constraint), low, high)
    return alone, np.where(alone | (met & against[bound]), BOUND, 1.0)


@lru_cache(maxsize=4096)
def change_weights(attribute: tuple[str, ...], dated: bool = False) -> Floats:
    """Return a weight for each bound in `BOUNDS` (">", "up", ...), given the words of a query's attribute. "Up" and
    "down" mean a change ("fell 8 percent"). They have the weight `CHANGE`, or 1 if the attribute names the same
    direction ("drop in sales"). Other bounds state a level. They have the weight 1, or `LEVEL` if the attribute begins
    with a direction. An old value ("was") has the weight `OLD_VALUE`, or that of a level if the query asks for the
    past: if `dated` is true (the query has a date), or the attribute says so ("former price")."""
    named = [_DIRECTIONS.get(word.lower()) for word in attribute]
    share = np.where(_CHANGED, CHANGE, LEVEL if any(named[:1]) else 1.0)
    share[[BOUNDS.index(bound) for bound in named if bound]] = 1.0
    if not (dated or _PAST & {word.lower() for word in attribute}):
        share[BOUNDS.index("was")] *= OLD_VALUE
    return share
