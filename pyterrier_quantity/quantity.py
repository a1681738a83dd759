"""Define a `Quantity` in a text ("12 kg"), and a `Constraint` that a query sets ("under 15 kg")."""

import sys
from dataclasses import dataclass, field
from typing import Final

_LARGEST: Final = sys.float_info.max

BARE: Final = "-"
"""The `unit` of a number without a unit. A constraint with this unit accepts quantities in any unit."""

OF_AGE: Final = " of age"
"""The suffix of a time unit that measures an age: "year of age"."""

BOUNDS: Final = ("=", "~", "<", "<=", ">", ">=", "up", "down", "was")
"""The bounds that a quantity in a text can have. An index stores each bound as its position in this tuple."""

SIDES: Final = frozenset((">", ">=", "<", "<="))
"""The members of `BOUNDS` and `OPERATORS` that set only a lower or an upper limit."""

OPERATORS: Final = ("=", "!=", "<", "<=", ">", ">=", "range", "~")
"""The operators of a constraint; `~` means "approximately"."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a text: in "12 kg", `low` and `high` are 12.0, and `unit` is "kilogram".

    Args:
        low, high: the two ends of a range, which are equal for a single value. "5 million" is 5000000.0.
        unit: the canonical unit name ("kilometre per hour", "dollar", "percentage"), the counted noun in the singular
            ("employee"), or "-" for a number without a unit.
        bound: one of `BOUNDS`; "up" and "down" mean that the value is a change ("up 5 pct"). "was", which
            only indexes set, means that the text states a newer value ("was $95, now $210").
        start, end: the character span of the number and its unit in the text.
        concept: the nouns that name what the quantity measures, or empty if unknown.
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
        low, high: the two ends of a range, both included. They are equal for a single value.
        unit: the canonical unit name; "-" accepts any unit.
        weight: the weight relative to the query's other constraints.
        attribute: the query words that name what the number measures ("Reputation", "Academic"), the word nearest to
            the number first. In documents, numbers next to these words score higher. Ignored by `==`.
        alternative: a group number that alternatives share ("16 GB or 32 GB"): a document has to meet only one
            constraint of the group. 0 for a constraint without alternatives. Ignored by `==`.
        certainty: the probability that the number is meant as a condition. If it is below 1, rankers lower the weight
            of the constraint, unless the retrieved documents state such quantities. Ignored by `==`.

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
    """Return whether the unit of `one` belongs only to `one`, and not also to `asked`, a constraint without a unit:
    True for the bedrooms in "3 bedroom house under 300k", False for the kilograms in "5 or 10 kg"."""
    return one.unit != BARE and not (asked.alternative and one.alternative == asked.alternative)


def _check_ends(item: Quantity | Constraint, what: str) -> None:
    for name in ("low", "high"):
        value = getattr(item, name)
        if not -_LARGEST <= value <= _LARGEST:
            shown = f"an integer of {value.bit_length()} bits" if isinstance(value, int) else repr(value)
            raise ValueError(f"{what}: values must be finite floats, got {name}={shown}")
    if item.low > item.high:
        raise ValueError(f"{what}: low={item.low!r} is greater than high={item.high!r}; swap them")


def _readable(prefix: str, item: Quantity | Constraint) -> str:
    ends = f"{item.low:,.10g}" if item.low == item.high else f"{item.low:,.10g} to {item.high:,.10g}"
    return prefix + ends + ("" if item.unit == BARE else f" {item.unit}")
