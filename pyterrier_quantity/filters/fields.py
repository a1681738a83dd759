"""Which of a user's fields each condition of a query goes to, and its values in that field's unit."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.field_quantities import named_field, resolved
from pyterrier_quantity.index.context_words import term_hash
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.quantity import BARE, OF_AGE, Constraint
from pyterrier_quantity.units import UnitRegistry, default_registry
from pyterrier_quantity.units.dimensions import rescaled

Fields = Mapping[str, str | tuple[str, str | None]]
"""By attribute: the field, or the field and the unit of its values."""

_BEHIND: Final = 2.0
"""How much farther an attribute is that is named behind the condition: "price below 5, weight below 3"."""


_DIGITS: Final = 12
"""Of a converted value; what is behind them is rounding."""

_AGE: Final = term_hash("age")


@dataclass(frozen=True)
class FieldCondition:
    """A condition on a numeric field, met by values from `low` to `high`, or by all others where `outside`.

    Args:
        field: the field's name.
        low, high: the ends in the field's unit; None: open.
        low_included, high_included: whether an end itself meets the condition.
        outside: the condition is met by what lies below `low` or above `high`, the ends themselves left out.
        alternative: of conditions with the same number other than 0 one is enough.
    """

    field: str
    low: float | None = None
    high: float | None = None
    low_included: bool = True
    high_included: bool = True
    outside: bool = False
    alternative: int = 0


@dataclass(frozen=True)
class _Field:
    """A field, its unit ("-" where it has none), and the stems of its attribute's words and of its own name's."""

    name: str
    unit: str
    words: frozenset[int]
    own_words: frozenset[int]


class _QueryWords:
    """The stems of a query, and where each field is named among them."""

    def __init__(self, query: str) -> None:
        words = list(re.finditer(r"\w+", query))
        self._starts = [word.start() for word in words]
        self._stems = [term_hash(word[0]) for word in words]
        self._named: dict[_Field, list[int]] = {}

    def distance(self, field: _Field, start: int, end: int) -> float:
        """How many words lie between a condition and where its field is named; infinite if it is not."""
        if field not in self._named:
            self._named[field] = [n for n, stem in enumerate(self._stems) if stem and stem in field.words]
        named, first, behind = self._named[field], bisect_left(self._starts, start), bisect_left(self._starts, end)
        last, following = bisect_left(named, first) - 1, bisect_left(named, behind)
        before = first - 1 - named[last] if last >= 0 else float("inf")
        after = named[following] - behind if following < len(named) else float("inf")
        return min(before, _BEHIND * (after + 1))


@dataclass(frozen=True)
class _Worded:
    """A constraint, and the characters of the query that word it; None: no query is given."""

    constraint: Constraint
    words: _QueryWords | None = None
    start: int = 0
    end: int = 0

    def distance(self, field: _Field) -> float:
        """How many words lie between the condition and where the field is named; infinite if it is not."""
        return self.words.distance(field, self.start, self.end) if self.words else float("inf")


def field_conditions(
    query: str | Sequence[Constraint], fields: Fields, registry: UnitRegistry | None = None
) -> list[FieldCondition]:
    """The conditions of a query on a user's fields, in the query's order.

    Args:
        query: its text, or its constraints; these have no words by which fields of one kind could be told apart.
        fields: see the package.
        registry: knows the units; with `UnitRegistry.with_rates`, currencies convert.

    Raises:
        TypeError, ValueError: if `fields` is not of that form or names an unknown unit.
        A condition without a field is left out with a UserWarning that says why, and so are its alternatives.
    """
    registry = registry or default_registry()
    known = [_field(attribute, given, registry) for attribute, given in fields.items()]
    found, incomplete = [], {0}
    for worded in _worded(query):
        chosen = _chosen(worded, known, registry)
        if isinstance(chosen, str):
            incomplete.add(worded.constraint.alternative)
            warnings.warn(f"no filter for {str(worded.constraint)!r}: {chosen}", stacklevel=3)
        else:
            met = _in_unit_of(worded.constraint, chosen, registry)
            found.append(replace(met, alternative=worded.constraint.alternative))
    # Without one of the alternatives the others would ask for too much.
    return [each for each in found if not each.alternative or each.alternative not in incomplete]


def _field(attribute: str, given: str | tuple[str, str | None], registry: UnitRegistry) -> _Field:
    name, unit = named_field(attribute, given)
    canonical = resolved(unit, f"attribute {attribute!r}", registry) if unit else BARE
    return _Field(name, canonical, *(frozenset(_stems(words.replace("_", " "))) for words in (attribute, name)))


def _worded(query: str | Sequence[Constraint]) -> Iterator[_Worded]:
    if not isinstance(query, str):
        yield from (_Worded(constraint) for constraint in query)
        return
    words = _QueryWords(query)
    for one in plan_query(query).conditions:
        yield _Worded(one.constraint, words, one.start, one.end)


def _stems(text: str) -> list[int]:
    return [term_hash(word) for word in re.findall(r"\w+", text)]


def _chosen(worded: _Worded, fields: Sequence[_Field], registry: UnitRegistry) -> _Field | str:
    """The condition's field, or why there is none."""
    unit = worded.constraint.unit
    named = [field for field in fields if _counts(unit, field)]
    alike = named or [field for field in fields if _convertible(unit, field, registry)]
    if not alike:
        units = ", ".join(sorted({field.unit for field in fields}))
        return f"{unit!r} converts to no field's unit ({units}); add the field, or rates for currencies"
    distances = {field: worded.distance(field) for field in alike}
    nearest = min(alike, key=distances.__getitem__)
    unnamed = distances[nearest] == float("inf")
    if unit == BARE and not named and unnamed:
        return "it has no unit and the query does not name an attribute"
    if len(alike) > 1 and unnamed:
        same = [field for field in alike if field.unit == unit]
        if len(same) != 1:
            return f"{', '.join(field.name for field in alike)} are all possible; name the attribute in the query"
        return same[0]
    return nearest


def _counts(unit: str, field: _Field) -> bool:
    """Whether the field holds what the condition counts, and has no unit ("at least 3 bedrooms"), or holds ages."""
    if unit == BARE:
        return False
    if field.unit != BARE:
        return unit.endswith(OF_AGE) and _AGE in field.words
    counted = set(_stems(unit))
    return any(words and words <= counted for words in (field.words, field.own_words))


def _convertible(unit: str, field: _Field, registry: UnitRegistry) -> bool:
    return unit == BARE or (field.unit != BARE and _conversion(unit, field, registry) is not None)


def _conversion(unit: str, field: _Field, registry: UnitRegistry) -> tuple[float, float] | None:
    """Factor and offset from a unit to the field's; numbers without a unit stay, and an age is a time."""
    if BARE in (unit, field.unit) or unit == field.unit:
        return 1.0, 0.0
    return registry.conversion(unit, field.unit) or registry.conversion(unit.removesuffix(OF_AGE), field.unit)


def _in_unit_of(constraint: Constraint, field: _Field, registry: UnitRegistry) -> FieldCondition:
    conversion = _conversion(constraint.unit, field, registry) or (1.0, 0.0)
    low, high = (_converted(end, conversion) for end in (constraint.low, constraint.high))
    # Conversions round: a value that is equal in its own unit must stay so.
    slack = 0.0 if conversion == (1.0, 0.0) else TOLERANCE
    op = constraint.op
    if op == "~":
        slack, op = ROUGHLY, "range"
    below, above = low - slack * abs(low), high + slack * abs(high)
    if op in (">", ">="):
        return FieldCondition(field.name, low=low if op == ">" else below, low_included=op == ">=")
    if op in ("<", "<="):
        return FieldCondition(field.name, high=high if op == "<" else above, high_included=op == "<=")
    return FieldCondition(field.name, below, above, outside=op == "!=")


def _converted(value: float, conversion: tuple[float, float]) -> float:
    """A value in the field's unit, without what only rounding adds: 90 minutes are more than 1.5 hours by nothing."""
    if conversion == (1.0, 0.0):
        return float(value)
    return float(f"{rescaled(np.array([value], dtype=np.float64), *conversion)[0]:.{_DIGITS}g}")
