"""Compute how near a document's value is to the query's value ("phi" in Almasian et al. 2024), with NumPy.

Every function maps (constraint, low[], high[]) to scores in [0, 1]. `low` and `high` are the ends of the documents'
quantities in the constraint's unit. For bounds, ranges and negations, the score is exactly 0 if the condition is
violated, and positive if the condition is met. For "=" and "~", the score is 1 if the condition is met and falls with
the distance. The function `paper` (Eq. 4) also returns 0 where Eq. 4 is undefined.

Sources: Eq. 3 and 4 and appendix A.2 of Almasian et al. 2024; Elasticsearch's decay functions. Eq. 4 is used as the
paper's text describes it, since the printed equation swaps the conditions of its two bounds.
"""

import calendar
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache, partial
from itertools import accumulate
from typing import Final, Protocol

import numpy as np

from pyterrier_quantity.constants import EQUAL_DECAY, LEAST_MET, ROUGHLY, ROUNDING, TOLERANCE
from pyterrier_quantity.english.periods import day_of
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.flat_arrays import Bools, Floats, Ints
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units.dimensions import changes_values, rescaled


class Phi(Protocol):
    """A proximity function: (constraint, low ends, high ends) -> scores in [0, 1]. Scorers accept any such function."""

    def __call__(self, constraint: Constraint, low: Floats, high: Floats) -> Floats: ...


def satisfied(constraint: Constraint, low: Floats, high: Floats) -> Bools:
    """Return whether each value, or range from `low` to `high`, meets the constraint. The range 10 to 20 meets "> 15"
    (by one end), "= 12" (contained), "18 to 30" (overlap), and "!= 12". June 2015 is in 2015, not after 2015."""
    op, constraint = constraint.op, to_the_last_day(constraint)
    if op == ">":
        return high > _more(constraint.high)
    if op == ">=":
        return high >= _less(constraint.low)
    if op == "<":
        return low < _less(constraint.high)
    if op == "<=":
        return low <= _more(constraint.high)
    if op == "!=":
        return (low < _less(constraint.low)) | (high > _more(constraint.high))
    slack = roughly(constraint)
    return ~((high < _less(constraint.low - slack)) | (low > _more(constraint.high + slack)))


def converted(
    ends: Sequence[Floats], factor: Floats, offset: Floats, constraints: Sequence[Constraint], owner: Ints
) -> list[Floats]:
    """Convert the ends of quantities to the units of their constraints. A converted end that meets "=" up to rounding
    becomes the value of the constraint: for "= 27 inch", 68.6 cm (27.008 inches) becomes 27.

    Args:
        ends: the low ends and the high ends.
        factor, offset: the conversion of each quantity.
        owner: for each quantity, the index of its constraint in `constraints`.
    """
    asked, slack = np.array([(one.low, rounding(one)) for one in constraints]).reshape(-1, 2)[owner].T
    slack = np.where(changes_values(factor, offset), slack, -1.0)
    values = [rescaled(end, factor, offset) for end in ends]
    return [np.where(np.abs(value - asked) <= slack, asked, value) for value in values]


def rounding(constraint: Constraint) -> float:
    """Return the distance up to which converted values meet "=": half a unit of the last digit that is not 0, but at
    most the share `ROUNDING` of the value (27 -> 0.27, 68.6 -> 0.05). Return 0 for other operators."""
    if constraint.op != "=":
        return 0.0
    last_digit = int(Decimal(str(float(constraint.low))).normalize().as_tuple().exponent)
    return min(0.5 * 10.0**last_digit, ROUNDING * abs(constraint.low))


_MONTH: Final = 31 / 365


def roughly(constraint: Constraint) -> float:
    """Return the distance up to which values meet an approximate constraint: a share of its number ("about 5") or, for
    dates, a year ("about 2015") or month ("about May 2015"). Return 0 for other operators."""
    if constraint.op != "~" or constraint.unit != DATE_UNIT:
        return ROUGHLY * abs(constraint.low) if constraint.op == "~" else 0.0
    return 1.0 if constraint.low == int(constraint.low) else _MONTH


def to_the_last_day(constraint: Constraint) -> Constraint:
    """Return the constraint with the last day of its year or month as upper limit: "until 2015" includes June 2015, and
    "in June 2015" includes 3 June. "1 June 2015" is treated as June 2015, since queries seldom mean only that day."""
    if constraint.unit != DATE_UNIT or constraint.op in (">=", "<"):
        return constraint
    return replace(constraint, high=_last_day(constraint.high))


@lru_cache(maxsize=1024)
def _last_day(date: float) -> float:
    year, first = day_of(date)
    ends = [0, *accumulate(calendar.monthrange(year, month)[1] for month in range(1, 13))]
    if first not in ends[:-1]:
        return date
    last = ends[ends.index(first) + 1] if first else ends[-1]
    return year + (last - 1) / ends[-1]


def _less(value: float) -> float:
    return value - TOLERANCE * abs(value)


def _more(value: float) -> float:
    return value + TOLERANCE * abs(value)


def binary(constraint: Constraint, low: Floats, high: Floats) -> Floats:
    """Return 1 for each range `low` to `high` that meets the constraint, otherwise 0. Single values have equal ends."""
    return satisfied(constraint, low, high).astype(np.float64)


def closest(constraint: Constraint, low: Floats, high: Floats) -> Floats:
    """Return a score in [0, 1] for each range `low` to `high`. Nearer values score higher (Eq. 4 of the paper).

    For "> 500", the value 500 scores 0, 501 almost 1, and 1000 scores 0.5. Negative values are mirrored: "< -5" scores
    -6 as "> 5" scores 6. If the signs of value and query value differ, the score is `LEAST_MET` if the constraint is
    met, otherwise 0. For "=", the score decays with the relative distance, which does not depend on the unit.
    """
    op = constraint.op
    if op in ("=", "~"):
        return np.exp(-EQUAL_DECAY * np.clip(_relative(constraint, low, high, roughly(constraint)), 0.0, 1e3))
    if op in (">", ">="):
        score = _ratio(constraint.low, _value(constraint, low, high))
    elif op in ("<", "<="):
        score = _ratio(-constraint.high, -_value(constraint, low, high))
    elif op == "range":
        score = np.ones(len(low))
    else:
        score = 1.0 / (1.0 + _relative(constraint, low, high))
    return np.where(satisfied(constraint, low, high), np.minimum(np.maximum(score, LEAST_MET), 1.0), 0.0)


def _value(constraint: Constraint, low: Floats, high: Floats) -> Floats:
    """Return the value to compare with a bound, for each range from `low` to `high`. It is the end nearer to the bound
    if this end meets the bound, otherwise the other end."""
    if constraint.op in (">", ">="):
        return np.where(satisfied(constraint, low, low), low, high)
    return np.where(satisfied(constraint, high, high), high, low)


def _ratio(asked: float, value: Floats) -> Floats:
    with np.errstate(all="ignore"):
        ratio = asked / value if asked > 0 else value / asked if asked < 0 else np.zeros(len(value))
    return np.where(np.isfinite(ratio), ratio, 0.0)


def _distance(constraint: Constraint, low: Floats, high: Floats) -> Floats:
    asked = to_the_last_day(constraint)
    with np.errstate(over="ignore"):
        return np.maximum(np.maximum(low - asked.high, asked.low - high), 0.0)


def _relative(constraint: Constraint, low: Floats, high: Floats, slack: float = 0.0) -> Floats:
    scale = max(abs(constraint.low), abs(constraint.high)) or 1.0
    with np.errstate(over="ignore"):
        return (_distance(constraint, low, high) - slack) / scale


def _by_value(constraint: Constraint, low: Floats, high: Floats, smallest_first: bool) -> Floats:
    """Return scores that are higher for larger values, or for smaller values if `smallest_first` is true. Ranges that
    violate the condition score 0."""
    value = low if smallest_first else high
    if smallest_first and constraint.op in (">", ">=", "range"):
        value = np.maximum(value, constraint.low)
    elif not smallest_first and constraint.op in ("<", "<=", "range"):
        value = np.minimum(value, constraint.high)
    magnitude = np.log1p(np.abs(value)) / np.log1p(np.finfo(np.float64).max)
    order = 0.5 + 0.5 * np.sign(value) * magnitude
    score = 1.0 - order if smallest_first else order
    return np.where(satisfied(constraint, low, high), np.clip(score, LEAST_MET, 1.0), 0.0)


@dataclass(frozen=True)
class Decay:
    """A function that scores values by their distance from the query's value, like Elasticsearch's decay functions.

    Args:
        shape: "linear", "exp" or "gauss".
        scale: the distance from `offset`, in the constraint's unit, at which the score has fallen to `decay`. None
            means the magnitude of the query's value.
        offset: the distance up to which the score is 1.
        decay: the score at the distance `offset + scale`.

    For a bound, values on the wrong side score 0. On the right side, the score decays with the distance from the bound.
    For "=" and "~", the score decays on both sides.

    Raises:
        ValueError: if the shape is unknown, or if the scale, the offset or the decay is out of range.
    """

    shape: str = "exp"
    scale: float | None = None
    offset: float = 0.0
    decay: float = 0.5

    def __post_init__(self) -> None:
        if self.shape not in ("linear", "exp", "gauss"):
            raise ValueError(f"Decay: unknown shape {self.shape!r}; one of linear, exp, gauss")
        if self.scale is not None and not 0 < self.scale < np.inf:
            raise ValueError(f"Decay: scale must be positive and finite, got {self.scale!r}")
        if not 0 <= self.offset < np.inf or not 0 < self.decay < 1:
            raise ValueError(f"Decay: offset must be >= 0 and decay in (0, 1), got {self.offset!r}, {self.decay!r}")

    def __call__(self, constraint: Constraint, low: Floats, high: Floats) -> Floats:
        scale = self.scale or max(abs(constraint.low), abs(constraint.high)) or 1.0
        with np.errstate(over="ignore"):
            beyond = np.maximum(self._from_bound(constraint, low, high) - self.offset, 0.0) / scale
        if self.shape == "linear":
            score = np.maximum(1.0 - (1.0 - self.decay) * beyond, 0.0)
        elif self.shape == "exp":
            score = np.exp(np.log(self.decay) * beyond)
        else:
            score = np.exp(np.log(self.decay) * np.square(np.minimum(beyond, 1e150)))
        if constraint.op in ("=", "~"):
            return score
        return np.where(satisfied(constraint, low, high), np.maximum(score, LEAST_MET), 0.0)

    @staticmethod
    def _from_bound(constraint: Constraint, low: Floats, high: Floats) -> Floats:
        with np.errstate(over="ignore"):
            if constraint.op in (">", ">="):
                return np.maximum(_value(constraint, low, high) - constraint.low, 0.0)
            if constraint.op in ("<", "<="):
                return np.maximum(constraint.high - _value(constraint, low, high), 0.0)
            return _distance(constraint, low, high)


def paper(constraint: Constraint, low: Floats, high: Floats) -> Floats:
    """Return the scores of Eq. 4 in Almasian et al. 2024, or 0 where the equation's ratio is undefined (zero, negative
    or mixed signs). Where the paper's equation and text differ, the text is followed. The paper does not define all
    operators: ">=" is scored like ">", "<=" like "<", and "!=" and ranges by `binary`."""
    op = constraint.op
    if op in ("=", "~"):
        return np.exp(-_distance(constraint, low, high))
    if op in ("range", "!="):
        return binary(constraint, low, high)
    value = _value(constraint, low, high)
    score = _ratio(constraint.low, value) if op in (">", ">=") else _ratio(-constraint.high, -value)
    defined = satisfied(constraint, low, high) & (value > 0) & (constraint.low > 0)
    return np.where(defined, np.clip(score, 0.0, 1.0), 0.0)


PHI: Final[dict[str, Phi]] = {
    "closest": closest,
    "ascending": partial(_by_value, smallest_first=True),
    "descending": partial(_by_value, smallest_first=False),
    "binary": binary,
    "linear": Decay("linear"),
    "exp": Decay("exp"),
    "gauss": Decay("gauss"),
    "paper": paper,
}


def get_phi(phi: str | Phi) -> Phi:
    """Return the function that scores how near values are to a constraint: `phi` itself, or the function of this name
    in `PHI`. Raise a ValueError if the name is unknown."""
    if callable(phi):
        return phi
    if not isinstance(phi, str) or phi not in PHI:
        raise ValueError(f"unknown phi {phi!r}; one of {', '.join(PHI)}, or a function (constraint, low, high)")
    return PHI[phi]
