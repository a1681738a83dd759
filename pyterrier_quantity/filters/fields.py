"""Which of a user's fields each condition of a query goes to."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.field_quantities import YEAR, named_field, resolved
from pyterrier_quantity.filters.conditions import FieldCondition, in_days, in_unit, without_reasons
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.quantity import BARE, OF_AGE, Constraint
from pyterrier_quantity.units import UnitRegistry, default_registry

Fields = Mapping[str, str | tuple[str, str | None]]
"""By attribute: the field, or the field and the unit of its values: "date" of days, "calendar year" of years."""

_WORD: Final = re.compile(r"\w+")
_AGE: Final = term_hash("age")
_BEHIND: Final = 2.0
"""How much farther an attribute is that is named behind the condition: "price below 5, weight below 3"."""


class _Field(NamedTuple):
    """A field, its unit ("-" where it has none), and the stems of its attribute's words and of its own name's."""

    name: str
    unit: str
    words: frozenset[int]
    own_words: frozenset[int]


class _Asked(NamedTuple):
    """A condition and its words; the places of each stem in the query, in order; how many words stand before the
    condition, and how many before what stands behind it."""

    constraint: Constraint
    words: str
    places: Mapping[int, Sequence[int]]
    before: int
    behind: int

    def distance(self, field: _Field) -> float:
        """How many words lie between the condition and where the field's attribute is named; infinite if it is not."""
        found = [math.inf]
        for places in filter(None, map(self.places.get, field.words)):
            before, behind = bisect_left(places, self.before), bisect_left(places, self.behind)
            found += [self.before - 1 - place for place in places[before - 1 : before]]
            found += [_BEHIND * (place - self.behind + 1) for place in places[behind : behind + 1]]
        return min(found)


def field_conditions(
    query: str | Sequence[Constraint], fields: Fields, registry: UnitRegistry | None = None
) -> list[FieldCondition]:
    """The conditions of a query on a user's fields, in the query's order.

    Args:
        query: its text, or its constraints, whose `attribute` tells fields of one kind apart.
        fields: see the package.
        registry: knows the units; with `UnitRegistry.with_rates`, currencies convert.

    Raises:
        TypeError, ValueError: if `fields` is not of that form or names an unknown unit.
        A condition without a field, or without a finite value in the field's unit, is left out with a UserWarning that
        says why, and so are its alternatives.
    """
    registry = registry or default_registry()
    known = [_field(attribute, given, registry) for attribute, given in fields.items()]
    if isinstance(query, str):
        starts, places = [found.start() for found in _WORD.finditer(query)], _places(_stems(query))
        asked = [
            _Asked(one.constraint, one.words, places, bisect_left(starts, one.start), bisect_left(starts, one.end))
            for one in plan_query(query).conditions
        ]
    else:
        asked = [_Asked(one, "", _places(_stems(" ".join(one.attribute))), 0, 0) for one in query]
    met = [(one.constraint, _condition(one, known, registry)) for one in asked]
    return [replace(found, alternative=constraint.alternative) for constraint, found in without_reasons(met)]


def _condition(asked: _Asked, known: Sequence[_Field], registry: UnitRegistry) -> FieldCondition | str:
    """The condition on the field that it goes to, or why there is none."""
    field = _chosen(asked, known, registry)
    if isinstance(field, str):
        return field
    if field.unit in (DATE_UNIT, YEAR):
        dated = in_days(asked.constraint, field.name, asked.words, field.unit == YEAR)
        return dated or f"its value is no date that the field {field.name!r} can hold"
    met = in_unit(asked.constraint, field.name, _conversion(asked.constraint.unit, field, registry) or (1.0, 0.0))
    return met or f"its value is too large for the field {field.name!r}, whose unit is {field.unit!r}"


def _field(attribute: str, given: str | tuple[str, str | None], registry: UnitRegistry) -> _Field:
    name, unit = named_field(attribute, given)
    canonical = resolved(unit, f"attribute {attribute!r}", registry) if unit and unit != YEAR else unit or BARE
    return _Field(name, canonical, *(frozenset(_stems(text.replace("_", " "))) - {0} for text in (attribute, name)))


def _stems(text: str) -> list[int]:
    return [term_hash(word) for word in _WORD.findall(text)]


def _places(stems: Sequence[int]) -> dict[int, list[int]]:
    """Where each stem stands."""
    found: dict[int, list[int]] = {}
    for place, stem in enumerate(stems):
        found.setdefault(stem, []).append(place)
    return found


def _chosen(asked: _Asked, known: Sequence[_Field], registry: UnitRegistry) -> _Field | str:
    """The field of a condition, or why there is none."""
    unit = asked.constraint.unit
    named = [field for field in known if _counts(unit, field)]
    alike = named or [field for field in known if _convertible(unit, field, registry)]
    if not alike:
        units = ", ".join(sorted({field.unit for field in known}))
        return f"{unit!r} converts to no field's unit ({units}); add the field, or rates for currencies"
    nearest = min(alike, key=asked.distance)
    if asked.distance(nearest) < math.inf:
        return nearest
    if unit == BARE:
        return "it has no unit and the query does not name an attribute"
    same = alike if len(alike) == 1 else [field for field in alike if field.unit == unit]
    if len(same) != 1:
        return f"{', '.join(field.name for field in alike)} are all possible; name the attribute in the query"
    return same[0]


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
