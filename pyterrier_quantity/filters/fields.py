"""Assign each condition of a query to one of your fields: "under 800 euros" to the field `price_eur`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from pyterrier_quantity.english.adjectives import COMPARED, MEASURED
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.filters.field_conditions import FieldCondition, each_met, in_days, in_unit
from pyterrier_quantity.plan import Defaults, plan_query, unit_named
from pyterrier_quantity.plan.conditions import Condition
from pyterrier_quantity.quantity import BARE, OF_AGE, Constraint
from pyterrier_quantity.transformers.field_quantities import YEAR, named_field, resolved
from pyterrier_quantity.units import UnitRegistry, default_registry

Fields = Mapping[str, str | tuple[str, str | None]]
"""The field, or (field, unit), for each attribute: {"price": ("price_eur", "euro"), "rating": "stars"}."""

_WORD: Final = re.compile(r"\w+")
_AGE: Final = term_hash("age")


class _Field(NamedTuple):
    """A field's name and unit ("-" for no unit). `words` and `own_words` are the hashed stems of the words in the
    field's attribute ("price") and in its name ("price_eur")."""

    name: str
    unit: str
    words: frozenset[int]
    own_words: frozenset[int]

    def distance(self, attribute: Sequence[str]) -> float:
        """Return the index of the first query word in `attribute` that names this field ("price"), or infinity."""
        stems = _stems(" ".join(attribute))
        return next((place for place, stem in enumerate(stems) if stem in self.words), math.inf)

    def counts(self, unit: str) -> bool:
        """Return whether the field contains counts of the noun `unit` ("bedroom"), or ages if `unit` measures age."""
        if self.unit != BARE:
            return unit.endswith(OF_AGE) and _AGE in self.words
        counted = set(_stems(unit))
        return any(words and words <= counted for words in (self.words, self.own_words))

    def conversion(self, unit: str, registry: UnitRegistry) -> tuple[float, float] | None:
        """Return (factor, offset) to convert a unit to the field's unit, or None. The unit "-" fits every field."""
        if unit in (BARE, self.unit) or (self.unit == YEAR and unit == DATE_UNIT):
            return 1.0, 0.0
        if self.unit in (DATE_UNIT, YEAR):
            return None
        own = self.with_own_cents(unit)
        return registry.conversion(own, self.unit) or registry.conversion(unit.removesuffix(OF_AGE), self.unit)

    def with_own_cents(self, unit: str) -> str:
        """Replace "cent" with the cent of the field's currency: "cent" -> "euro cent" for a field in euros."""
        country = self.unit.partition(" per ")[0].removesuffix("dollar").strip()
        return f"{country} {unit}".strip() if unit.partition(" ")[0] == "cent" else unit

    def in_part(self, unit: str, registry: UnitRegistry) -> tuple[float, float] | None:
        """Return (factor, offset) to convert `unit` to the field's unit if one of the two is a part of the other, such
        as "dollar" and "dollar per night". Otherwise return None."""
        above, per, below = f" {self.with_own_cents(unit)}".partition(" per ")
        own_above, own_per, own_below = self.unit.partition(" per ")
        if not above and own_per:
            return registry.conversion(f"per {below}", f"per {own_below}")
        return registry.conversion(above.strip(), own_above) if bool(per) != bool(own_per) else None


def field_conditions(
    query: str | Sequence[Constraint],
    fields: Fields,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> list[FieldCondition]:
    """Return the conditions of a query on your fields, in the order of the query.

    A condition is left out with a UserWarning if no field fits, or if its value in the field's unit is not finite.
    Conditions joined to it by "or" are also left out.

    Args:
        query: the query's text, or a list of `Constraint`, whose `attribute` selects one of several fields that fit.
        fields: a dictionary that maps each attribute to a field, or to (field, unit).
        registry: the unit registry. `UnitRegistry.with_rates` returns one that converts currencies.
        language: the language of the query's text: any value that `RuleExtractor` accepts.
        default: the attribute or unit to assume for a number if the query states neither, as in "under 40".

    Raises:
        TypeError, ValueError: if `fields` is malformed or contains an unknown unit, or if `default` is unknown.
    """
    registry, known = registry or default_registry(), known_fields(fields, registry)
    if default and default not in fields and not unit_named(default):
        raise ValueError(f"default {default!r} is neither an attribute nor a unit; there are {', '.join(fields)}")
    if isinstance(query, str):
        plan = Defaults(default).applied(plan_query(query, language=language))
        asked = [(_with_compared(one, plan.text), one.words) for one in plan.conditions]
    else:
        asked = [(constraint, "") for constraint in query]
    met = each_met((one, partial(_condition, one, words, known, registry)) for one, words in asked)
    return [replace(found, alternative=constraint.alternative) for constraint, found in met]


def _with_compared(condition: Condition, text: str) -> Constraint:
    """Return the constraint of a condition in a query. If the query contains a comparative, as in "wider than 2 m", add
    its noun ("width") to the attribute of the constraint. `text` is the query."""
    constraint, bound = condition.constraint, text[condition.start : condition.number].lower().split()
    nouns = [noun for word in bound if word in COMPARED for noun in MEASURED[COMPARED[word]].nouns]
    return replace(constraint, attribute=(*constraint.attribute, *nouns))


def known_fields(fields: Fields, registry: UnitRegistry | None) -> list[_Field]:
    """Convert the fields given by the user to a list of `_Field`. For errors, see `field_conditions`."""
    return [_field(attribute, given, registry or default_registry()) for attribute, given in fields.items()]


def _condition(constraint: Constraint, words: str, known: Sequence[_Field], registry: UnitRegistry) -> FieldCondition:
    """Convert a constraint to a condition on the field that fits best, chosen from `known`. `words` is the text of the
    number and unit. Raise a ValueError if no field fits."""
    field = _chosen(constraint, known, registry)
    if field.unit in (DATE_UNIT, YEAR):
        return in_days(constraint, field.name, words, field.unit == YEAR)
    unit = constraint.unit
    conversion = field.conversion(unit, registry) or field.in_part(unit, registry) or (1.0, 0.0)
    return in_unit(constraint, field.name, field.unit, conversion)


def _field(attribute: str, given: str | tuple[str, str | None], registry: UnitRegistry) -> _Field:
    name, unit = named_field(attribute, given)
    own = resolved(unit, f"attribute {attribute!r}", registry, warn=True) if unit and unit != YEAR else unit or BARE
    return _Field(name, own, *(frozenset(_stems(text.replace("_", " "))) - {0} for text in (attribute, name)))


def _stems(text: str) -> list[int]:
    return [term_hash(word) for word in _WORD.findall(text)]


def _chosen(constraint: Constraint, known: Sequence[_Field], registry: UnitRegistry) -> _Field:
    unit = constraint.unit
    alike = [field for field in known if field.counts(unit)]
    alike = alike or [field for field in known if field.conversion(unit, registry)]
    alike = alike or [field for field in known if field.in_part(unit, registry)]
    if not alike:
        units = ", ".join(sorted({field.unit for field in known}))
        own, *others = (registry.family(one.split(" per ")[0]) or "" for one in (unit, *(each.unit for each in known)))
        rates = own.startswith("currency:") and any(one.startswith("currency:") and one != own for one in others)
        remedy = ", or rates for currencies" if rates else ""
        raise ValueError(f"{unit!r} does not convert to any field's unit ({units}); add the field{remedy}")
    nearest = min(alike, key=lambda field: field.distance(constraint.attribute))
    if nearest.distance(constraint.attribute) < math.inf:
        return nearest
    if unit == BARE:
        raise ValueError("it has no unit and the query does not name an attribute")
    same = [field for field in alike if field.unit == unit] or alike
    if len(same) != 1:
        names = ", ".join(field.name for field in alike)
        raise ValueError(f"{names} are all possible; name the attribute in the query")
    return same[0]
