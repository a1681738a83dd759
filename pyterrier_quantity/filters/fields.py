"""Which of a user's fields each condition of a query goes to, and its values in that field's unit."""

from __future__ import annotations

import math
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, TypeVar

import numpy as np

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.field_quantities import YEAR, named_field, resolved
from pyterrier_quantity.filters.days import between_days, years_between
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.quantity import BARE, OF_AGE, Constraint
from pyterrier_quantity.units import UnitRegistry, default_registry
from pyterrier_quantity.units.dimensions import rescaled

Fields = Mapping[str, str | tuple[str, str | None]]
"""By attribute: the field, or the field and the unit of its values: "date" of days, "calendar year" of years."""

End = float | date
"""A value of a condition."""

Condition = TypeVar("Condition")

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+")

_BEHIND: Final = 2.0
"""How much farther an attribute is that is named behind the condition: "price below 5, weight below 3"."""

_DIGITS: Final = 12
"""Of a converted value; what is behind them is rounding."""

_AGE: Final = term_hash("age")


@dataclass(frozen=True)
class FieldCondition:
    """A condition on a field, met by values from `low` to `high`, or by all others where `outside`.

    Args:
        field: the field's name.
        low, high: the ends in the field's unit, days of a field that holds days; None: open.
        low_included, high_included: whether an end itself belongs to the values between.
        outside: the condition is met by all values but those between.
        alternative: of conditions with the same number other than 0 one is enough.
    """

    field: str
    low: End | None = None
    high: End | None = None
    low_included: bool = True
    high_included: bool = True
    outside: bool = False
    alternative: int = 0


@dataclass(frozen=True)
class _Field:
    """A field, its unit ("-" where it has none), the stems of its attribute's words and of its own name's, and where
    the query has words of the attribute, ascending."""

    name: str
    unit: str
    words: frozenset[int]
    own_words: frozenset[int]
    places: tuple[int, ...]


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
        A condition without a field, or without a finite value in the field's unit, is left out with a UserWarning that
        says why, and so are its alternatives.
    """
    registry = registry or default_registry()
    words = [*_WORD.finditer(query)] if isinstance(query, str) else []
    begins, ends = [word.start() for word in words], [word.end() for word in words]
    stems = [term_hash(word[0]) for word in words]
    known = [_field(attribute, given, registry, stems) for attribute, given in fields.items()]
    if isinstance(query, str):
        asked = [(one.constraint, one.start, one.end, one.words) for one in plan_query(query).conditions]
    else:
        asked = [(constraint, 0, 0, "") for constraint in query]
    found: list[tuple[Constraint, FieldCondition | str]] = []
    for constraint, start, end, own in asked:
        before, behind = bisect_right(ends, start), bisect_left(begins, end)
        chosen = _chosen(constraint.unit, {field: _distance(field.places, before, behind) for field in known}, registry)
        if isinstance(chosen, _Field):
            dated = chosen.unit in (DATE_UNIT, YEAR)
            met = _dated(constraint, chosen, own) if dated else _in_unit_of(constraint, chosen, registry)
        found.append((constraint, met if isinstance(chosen, _Field) else chosen))
    return [replace(met, alternative=constraint.alternative) for constraint, met in without_reasons(found)]


def without_reasons(found: Sequence[tuple[Constraint, Condition | str]]) -> list[tuple[Constraint, Condition]]:
    """The conditions that there are. Where there is a reason why there is none, a UserWarning says it, and the
    alternatives are left out, too: without one of them the others would ask for too much."""
    incomplete = {0}
    for constraint, met in found:
        if isinstance(met, str):
            warnings.warn(f"no filter for {str(constraint)!r}: {met}", stacklevel=4)
            incomplete.add(constraint.alternative)
    return [
        (constraint, met)
        for constraint, met in found
        if not isinstance(met, str) and (not constraint.alternative or constraint.alternative not in incomplete)
    ]


def grouped(found: Sequence[tuple[Constraint | FieldCondition, Condition]]) -> list[list[Condition]]:
    """The conditions that must be met, each with its alternatives."""
    groups: dict[tuple[int, int], list[Condition]] = {}
    for place, (constraint, met) in enumerate(found):
        groups.setdefault((constraint.alternative, 0 if constraint.alternative else place), []).append(met)
    return list(groups.values())


def _field(attribute: str, given: str | tuple[str, str | None], registry: UnitRegistry, asked: Sequence[int]) -> _Field:
    """A field; `asked`: the stems of the query's words."""
    name, unit = named_field(attribute, given)
    canonical = resolved(unit, f"attribute {attribute!r}", registry) if unit and unit != YEAR else unit or BARE
    words, own_words = (frozenset(_stems(text.replace("_", " "))) for text in (attribute, name))
    places = tuple(place for place, stem in enumerate(asked) if stem and stem in words)
    return _Field(name, canonical, words, own_words, places)


def _stems(text: str) -> list[int]:
    return [term_hash(word) for word in _WORD.findall(text)]


def _chosen(unit: str, distances: Mapping[_Field, float], registry: UnitRegistry) -> _Field | str:
    """The field of a condition in this unit, or why there is none.

    Args:
        distances: how far from the condition each field is named.
    """
    named = [field for field in distances if _counts(unit, field)]
    alike = named or [field for field in distances if _convertible(unit, field, registry)]
    if not alike:
        units = ", ".join(sorted({field.unit for field in distances}))
        return f"{unit!r} converts to no field's unit ({units}); add the field, or rates for currencies"
    nearest = min(alike, key=distances.__getitem__)
    unnamed = distances[nearest] == math.inf
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
    if field.unit in (DATE_UNIT, YEAR):
        return unit in (BARE, DATE_UNIT)
    return unit == BARE or (field.unit != BARE and _conversion(unit, field, registry) is not None)


def _conversion(unit: str, field: _Field, registry: UnitRegistry) -> tuple[float, float] | None:
    """Factor and offset from a unit to the field's; numbers without a unit stay, and an age is a time."""
    if BARE in (unit, field.unit) or unit == field.unit:
        return 1.0, 0.0
    return registry.conversion(unit, field.unit) or registry.conversion(unit.removesuffix(OF_AGE), field.unit)


def _distance(places: Sequence[int], before: int, behind: int) -> float:
    """How many words lie between a condition and where the attribute is named; infinite if it is not.

    Args:
        before: how many words stand before the condition.
        behind: the number of the first word behind it.
    """
    earlier, later = bisect_left(places, before), bisect_left(places, behind)
    near = [before - 1 - place for place in places[earlier - 1 : earlier]]
    return min([*near, *(_BEHIND * (place - behind + 1) for place in places[later : later + 1])], default=math.inf)


def _in_unit_of(constraint: Constraint, field: _Field, registry: UnitRegistry) -> FieldCondition | str:
    """The condition in the field's unit, or why there is none."""
    conversion = _conversion(constraint.unit, field, registry) or (1.0, 0.0)
    low, high = (_converted(end, conversion) for end in (constraint.low, constraint.high))
    # Conversions round: a value that is equal in its own unit must stay so.
    slack = 0.0 if conversion == (1.0, 0.0) else TOLERANCE
    op = constraint.op
    if op == "~":
        slack, op = ROUGHLY, "range"
    below, above = low - slack * abs(low), high + slack * abs(high)
    if not (math.isfinite(below) and math.isfinite(above)):
        return f"its value is too large for the field {field.name!r}, whose unit is {field.unit!r}"
    if op in (">", ">="):
        return FieldCondition(field.name, low=low if op == ">" else below, low_included=op == ">=")
    if op in ("<", "<="):
        return FieldCondition(field.name, high=high if op == "<" else above, high_included=op == "<=")
    return FieldCondition(field.name, below, above, outside=op == "!=")


def _dated(constraint: Constraint, field: _Field, words: str) -> FieldCondition | str:
    """The condition on a field of days or years, or why there is none.

    Args:
        words: of the condition, where they are known: "3 May 2019" names a day, "May 2019" does not.
    """
    try:
        low, high = between_days(constraint, len(_NUMBER.findall(words)) > 1)
    except (ValueError, OverflowError):
        return f"its value is no date that the field {field.name!r} can hold"
    outside = constraint.op == "!="
    if field.unit == YEAR:
        return FieldCondition(field.name, *years_between(low, high), outside=outside)
    return FieldCondition(field.name, low, high, high_included=False, outside=outside)


def _converted(value: float, conversion: tuple[float, float]) -> float:
    """A value in the field's unit, without what only rounding adds: 90 minutes are more than 1.5 hours by nothing."""
    if conversion == (1.0, 0.0):
        return float(value)
    with np.errstate(over="ignore", invalid="ignore"):
        converted = rescaled(np.array([value], dtype=np.float64), *conversion)[0]
    return float(f"{converted:.{_DIGITS}g}")
