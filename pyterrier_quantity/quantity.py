"""The two value objects: `Quantity`, found in a text, and `Constraint`, set by a query.

This module imports no other module of the package.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Final

_LARGEST: Final = sys.float_info.max

BARE: Final = "-"
"""The unit of a number without a unit. In a constraint, it accepts any unit."""

OF_AGE: Final = " of age"
"""The suffix of time units that measure an age: "year of age"."""

BOUNDS: Final = ("=", "~", "<", "<=", ">", ">=", "up", "down")
"""The bounds that a quantity in a text can have. An index stores each bound as its position in this tuple."""

SIDES: Final = frozenset((">", ">=", "<", "<="))
"""One-sided bounds, in texts and queries."""

OPERATORS: Final = ("=", "!=", "<", "<=", ">", ">=", "range", "~")
"""The operators of a constraint; `~` means "approximately"."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a text: in "12 kg", `low` and `high` are 12.0, and `unit` is "kilogram".

    Args:
        low, high: the value, with scale words multiplied out; equal for a single value, the two ends of a range.
        unit: the canonical unit name ("kilometre per hour", "dollar", "percentage"), the counted noun in the singular
            ("employee"), or "-" for a number without a unit.
        bound: one of `BOUNDS`; "up" and "down" mark a change ("up 5 pct").
        start, end: the character span in the text, including number and unit.
        concept: the nouns that the quantity is about; empty if unknown.
        confidence: the probability that the quantity was extracted correctly, in (0, 1].

    Raises:
        ValueError: if a value is not finite, low > high, or the bound is unknown.
    """

    low: float
    high: float
    unit: str = BARE
    bound: str = "="
    start: int = 0
    end: int = 0
    concept: tuple[str, ...] = ()
    confidence: float = 1.0

    def __post_init__(self) -> None:
        if not -_LARGEST <= self.low <= self.high <= _LARGEST:
            _check_ends(self, "Quantity")
        if self.bound not in BOUNDS:
            raise ValueError(f"Quantity: unknown bound {self.bound!r}; one of {', '.join(BOUNDS)}")

    def __str__(self) -> str:
        return _readable("" if self.bound == "=" else f"{self.bound} ", self)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A numerical condition set by a query: "under 5 kg" -> Constraint("<", 5.0, 5.0, "kilogram").

    Args:
        op: one of `OPERATORS`.
        low, high: the value; the two ends of a "range", both included, or of a negated range.
        unit: the canonical unit name; "-" accepts any unit.
        weight: the weight relative to the query's other constraints.
        attribute: the query words that name what the number measures ("Reputation", "Academic"), those nearest to the
            number first. Document numbers next to them are preferred. Ignored by `==`.
        alternative: the number of a group of alternatives ("16 GB or 32 GB"), one of which is enough; 0 for no group.
            Ignored by `==`.
        certainty: the probability that the number is meant as a condition. Below 1, rankers reduce its weight unless
            their results support it. Ignored by `==`.

    Raises:
        ValueError: if a value is not finite, low > high, the operator is unknown, the weight is negative, or the
            certainty is not in (0, 1].
    """

    op: str
    low: float
    high: float
    unit: str = BARE
    weight: float = 1.0
    attribute: tuple[str, ...] = field(default=(), compare=False)
    alternative: int = field(default=0, compare=False)
    certainty: float = field(default=1.0, compare=False)

    def __post_init__(self) -> None:
        if self.op not in OPERATORS:
            raise ValueError(f"Constraint: unknown op {self.op!r}; one of {', '.join(OPERATORS)}")
        _check_ends(self, "Constraint")
        if not 0 <= self.weight <= _LARGEST:
            raise ValueError(f"Constraint: weight must be finite and not negative, got {self.weight!r}")
        if not 0 < self.certainty <= 1:
            raise ValueError(f"Constraint: certainty must be in (0, 1], got {self.certainty!r}")

    def __str__(self) -> str:
        return _readable("" if self.op == "range" else f"{self.op} ", self)


def keeps_unit(one: Constraint, asked: Constraint) -> bool:
    """Return whether a constraint names a unit that another one of its query, without a unit, cannot mean: the rooms of
    "3 bedroom house under 300k" are not its price. Alternatives may mean the same unit."""
    return one.unit != BARE and not (asked.alternative and one.alternative == asked.alternative)


def _check_ends(item: Quantity | Constraint, what: str) -> None:
    for name in ("low", "high"):
        value = getattr(item, name)
        if not -_LARGEST <= value <= _LARGEST:
            raise ValueError(f"{what}: values must be finite floats, got {name}={_shown(value)}")
    if item.low > item.high:
        raise ValueError(f"{what}: low={item.low!r} is greater than high={item.high!r}; swap them")


def _shown(value: float) -> str:
    """Format a value for an error message. Python refuses to print integers with thousands of digits."""
    return f"an integer of {value.bit_length()} bits" if isinstance(value, int) else repr(value)


def _readable(prefix: str, item: Quantity | Constraint) -> str:
    ends = f"{item.low:,.10g}" if item.low == item.high else f"{item.low:,.10g} to {item.high:,.10g}"
    return prefix + ends + ("" if item.unit == BARE else f" {item.unit}")
