"""Convert constraints to conditions on document fields, or to queries on the quantities in an `OpenSearchIndex`."""

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from dateutil.relativedelta import relativedelta

from pyterrier_quantity.constants import TOLERANCE
from pyterrier_quantity.english.periods import day_of
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.quantity import BARE, Constraint, keeps_unit
from pyterrier_quantity.score.phi import roughly, rounding, to_the_last_day
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import changes_values, rescaled

Kind = TypeVar("Kind")

_NUMBER: Final = re.compile(r"\d+")
_MONTH: Final = re.compile(r"\d\d?/\d{4}|\d{4}-\d\d?")  # month in digits: "05/2019", "2019-05"
DIGITS: Final = 12
"""The number of significant digits of a converted value. More digits are rounding errors."""
_SLACK: Final = {"gt": TOLERANCE, "gte": -TOLERANCE, "lt": -TOLERANCE, "lte": TOLERANCE}


@dataclass(frozen=True)
class FieldCondition:
    """A condition on the value of a field.

    Args:
        field: the field's name.
        choices: dictionaries that map "gt", "gte", "lt" or "lte" to a number in the field's unit, or to a day. A value
            meets the condition if all comparisons of one dictionary hold.
        alternative: 0, or the number of a group of conditions joined by "or". One condition of the group must be met.
    """

    field: str
    choices: Sequence[Mapping[str, float | date]]
    alternative: int = 0


def comparisons(op: str, low: Kind, high: Kind) -> list[dict[str, Kind]]:
    """Convert an operator and its two limits to comparisons: (">", 5, 5) -> [{"gt": 5}]. If the list has two items, a
    value has to meet only one of the two: ("!=", 5, 5) -> [{"lt": 5}, {"gt": 5}]."""
    one_sided = {">": {"gt": low}, ">=": {"gte": low}, "<": {"lt": high}, "<=": {"lte": high}}
    return [{"lt": low}, {"gt": high}] if op == "!=" else [one_sided.get(op, {"gte": low, "lte": high})]


def in_unit(constraint: Constraint, field: str, unit: str, conversion: tuple[float, float]) -> FieldCondition:
    """Convert a constraint to a condition on a numeric field: "< 2 kilogram" -> {"lt": 2000.0} for a field in grams.
    `unit` is the field's unit. `conversion` is the pair (factor, offset) that converts values from the constraint's
    unit to the field's unit. Raise a ValueError if a value is too large after conversion."""
    op, slack, other = constraint.op, 0.0, changes_values(*conversion)
    around = roughly(constraint) + rounding(constraint) * other
    low, high = constraint.low - around, constraint.high + around
    if other:
        # Without rounding, 90 minutes might become slightly more than 1.5 hours.
        low, high = (float(f"{rescaled(end, *conversion):.{DIGITS}g}") for end in (low, high))
        slack = 0.0 if op in ("<", ">") else TOLERANCE
    low, high = low - slack * abs(low), high + slack * abs(high)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"its value is too large for the field {field!r}, whose unit is {unit!r}")
    return FieldCondition(field, comparisons(op, low, high))


def in_days(constraint: Constraint, field: str, words: str, of_years: bool) -> FieldCondition:
    """Convert a date constraint to a condition on a field with dates, or years if `of_years` is true: "about 2015" ->
    from 2014 to 2016. The text of the date (`words`) shows whether a day ("1 May 2019") or a month ("May 2019") is
    meant. Raise a ValueError if the date does not exist."""
    is_period = constraint.low < constraint.high or _MONTH.fullmatch(words) is not None
    to_the_day = len(_NUMBER.findall(words)) > 1 and not is_period
    try:
        low, high = (_days(end, to_the_day, constraint.op == "~") for end in (constraint.low, constraint.high))
    except (ValueError, OverflowError):
        raise ValueError(f"its value is not a date that the field {field!r} can hold") from None
    choices: list[dict[str, float | date]] = []
    for choice in comparisons(constraint.op, low, high):
        days = {"gte" if sign[0] == "g" else "lt": period[sign in ("gt", "lte")] for sign, period in choice.items()}
        years = {sign: day.year + (sign == "lt" and day.timetuple().tm_yday > 1) for sign, day in days.items()}
        choices.append({**(years if of_years else days)})  # a year meets the condition if one of its days does
    return FieldCondition(field, choices)


def _days(value: float, to_the_day: bool, around: bool) -> tuple[date, date]:
    """Return the first day of a period (a day, month or year), and the first day after it. `value` is the first day in
    decimal years: 2019.334 is 3 May 2019. If `to_the_day` is true, 2019.0 is 1 January 2019, not the whole year. If
    `around` is true, include the period before and the period after."""
    year, days = day_of(value)
    first = date(year, 1, 1) + timedelta(days)
    of_year = relativedelta(years=1) if first.month == 1 else relativedelta(months=1)
    period = relativedelta(days=1) if to_the_day or first.day > 1 else of_year
    return first - around * period, first + (1 + around) * period


def each_met(asked: Iterable[tuple[Constraint, Callable[[], Kind]]]) -> list[tuple[Constraint, Kind]]:
    """Return pairs (constraint, result), given pairs (constraint, function). The result is what the function returns.
    If a function raises a ValueError, a warning is issued, and the constraint is left out. All constraints joined to it
    by "or" are left out too: if "5 kg" fails, a filter for "5 or 10 kg" must not allow only 10 kg."""
    found, incomplete = [], set()
    for constraint, meeting in asked:
        try:
            found.append((constraint, meeting()))
        except ValueError as error:
            warnings.warn(f"no filter for {str(constraint)!r}: {error}", stacklevel=4)
            incomplete.add(constraint.alternative)
    return [pair for pair in found if pair[0].alternative not in incomplete - {0}]


def grouped(found: Sequence[tuple[Constraint | FieldCondition, Kind]]) -> list[list[Kind]]:
    """Return the items of pairs (condition, item) in groups. The items of conditions joined by "or" form one group: for
    "a or b, c", [(a, 1), (b, 2), (c, 3)] -> [[1, 2], [3]]."""
    groups: dict[object, list[Kind]] = {}
    for place, (constraint, met) in enumerate(found):
        groups.setdefault(constraint.alternative or f"alone {place}", []).append(met)
    return list(groups.values())


def nested_conditions(constraints: Sequence[Constraint]) -> list[dict[str, Any]]:
    """Return OpenSearch queries on the quantities in an `OpenSearchIndex`, given constraints with canonical units. Each
    query stands for one constraint, or for several joined by "or" ("5 or 10 kg"). Quantities in other units are
    converted if possible. If a value becomes infinite after conversion, its constraint, and all constraints joined to
    it by "or", are left out with a UserWarning."""
    return [any_of(group) for group in grouped(each_met((one, partial(_met, one, constraints)) for one in constraints))]


def _met(constraint: Constraint, constraints: Sequence[Constraint]) -> dict[str, Any]:
    """Return an OpenSearch query for the documents with a quantity that meets a constraint. Quantities in the units of
    the query's other `constraints` do not meet a constraint without a unit."""
    registry, bare, asked = default_registry(), constraint.unit == BARE, to_the_last_day(constraint)
    factor, offset = registry.to_reference(constraint.unit)

    def field_condition(sign: str, value: float) -> dict[str, Any]:
        end = f"{'' if bare else 'reference_'}{'high' if sign in ('gt', 'gte') else 'low'}"
        value = (value + _SLACK[sign] * abs(value)) * factor + offset
        if not math.isfinite(value):
            raise ValueError("its value is too large in the unit in which quantities are compared")
        return {"range": {f"quantities.{end}": {sign: value}}}

    choices = comparisons(asked.op, asked.low - roughly(asked), asked.high + roughly(asked))
    met = [field_condition(sign, value) for choice in choices for sign, value in choice.items()]
    family = {"term": {"quantities.family": registry.family(constraint.unit)}}
    others = sorted({str(registry.family(one.unit)) for one in constraints if keeps_unit(one, constraint)})
    kept = {"bool": {"must_not": [{"term": {"quantities.unit": DATE_UNIT}}, {"terms": {"quantities.family": others}}]}}
    every = [kept if bare else family, *(met if len(choices) == 1 else [any_of(met)])]
    return {"nested": {"path": "quantities", "query": {"bool": {"filter": every}}}}


def any_of(queries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return an OpenSearch query that matches if at least one of the given queries matches."""
    return queries[0] if len(queries) == 1 else {"bool": {"should": list(queries), "minimum_should_match": 1}}
