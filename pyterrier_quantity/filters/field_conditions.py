"""Conditions on fields of numbers, days or years, or on the nested quantities of an `OpenSearchIndex`."""

from __future__ import annotations

import calendar
import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from dateutil.relativedelta import relativedelta

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.quantity import BARE, Constraint, keeps_unit
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

Kind = TypeVar("Kind")

_NUMBER: Final = re.compile(r"\d+")
_MONTH: Final = re.compile(r"\d\d?/\d{4}|\d{4}-\d\d?")
"""A month in digits, which is not a day."""
DIGITS: Final = 12
"""Number of significant digits of a converted value; further digits are rounding errors."""
_SLACK: Final = {"gt": TOLERANCE, "gte": -TOLERANCE, "lt": -TOLERANCE, "lte": TOLERANCE}


@dataclass(frozen=True)
class FieldCondition:
    """A condition on a field.

    Args:
        field: the field's name.
        choices: each choice maps "gt", "gte", "lt" or "lte" to a number in the field's unit, or to a day. A value meets
            the condition if all comparisons of one choice hold.
        alternative: the number of the condition's group, of which one condition must be met; 0 for no group.
    """

    field: str
    choices: Sequence[Mapping[str, float | date]]
    alternative: int = 0


def comparisons(op: str, low: Kind, high: Kind) -> list[dict[str, Kind]]:
    """Return an operator's comparisons with the two ends of a condition, as in `FieldCondition.choices`."""
    one_sided = {">": {"gt": low}, ">=": {"gte": low}, "<": {"lt": high}, "<=": {"lte": high}}
    return [{"lt": low}, {"gt": high}] if op == "!=" else [one_sided.get(op, {"gte": low, "lte": high})]


def in_unit(constraint: Constraint, field: str, unit: str, conversion: tuple[float, float]) -> FieldCondition:
    """Return the condition on a field that holds numbers in a unit.

    Args:
        conversion: the factor and offset from the constraint's unit to the field's.

    Raises:
        ValueError: if a value is too large after conversion.
    """
    op, low, high, slack = constraint.op, float(constraint.low), float(constraint.high), 0.0
    if conversion != (1.0, 0.0):
        # Conversions round: 90 minutes must not be more than 1.5 hours, and equal values must stay equal.
        low, high = (float(f"{rescaled(end, *conversion):.{DIGITS}g}") for end in (low, high))
        slack = 0.0 if op in ("<", ">") else TOLERANCE
    slack = ROUGHLY if op == "~" else slack
    low, high = low - slack * abs(low), high + slack * abs(high)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"its value is too large for the field {field!r}, whose unit is {unit!r}")
    return FieldCondition(field, comparisons(op, low, high))


def in_days(constraint: Constraint, field: str, words: str, of_years: bool) -> FieldCondition:
    """Return a date constraint as a condition on a field of days, or of years. "About 2015" becomes 2014 to 2016.

    Args:
        words: the condition's words, if known. "3 May 2019" means one day, "May 2019" the whole month.

    Raises:
        ValueError: if the date does not exist.
    """
    to_the_day = len(_NUMBER.findall(words)) > 1 and not _MONTH.fullmatch(words)
    try:
        low, high = (_days(end, to_the_day) for end in (constraint.low, constraint.high))
        if constraint.op == "~":
            low, high = (low[0] - (low[1] - low[0]), low[1]), (high[0], high[1] + (high[1] - high[0]))
    except (ValueError, OverflowError):
        raise ValueError(f"its value is not a date that the field {field!r} can hold") from None
    choices: list[dict[str, float | date]] = []
    for choice in comparisons(constraint.op, low, high):
        days = {"gte" if sign[0] == "g" else "lt": period[sign in ("gt", "lte")] for sign, period in choice.items()}
        years = {sign: day.year + (sign == "lt" and day.timetuple().tm_yday > 1) for sign, day in days.items()}
        choices.append({**(years if of_years else days)})  # a year meets the condition if a part of it does
    return FieldCondition(field, choices)


def _days(value: float, to_the_day: bool) -> tuple[date, date]:
    """Return the first day of a date (a day, month or year) and the first day after it.

    Args:
        value: the date in calendar years, as the extraction returns it: 3 May 2019 is 2019.334.
        to_the_day: whether 1 January, or the first of a month, means that day and not the whole year or month.
    """
    year = math.floor(value)
    first = date(year, 1, 1) + timedelta(days=round((value - year) * (365 + calendar.isleap(year))))
    if to_the_day or first.day > 1:
        return first, first + timedelta(days=1)
    return first, first + (relativedelta(years=1) if first.month == 1 else relativedelta(months=1))


def each_met(asked: Iterable[tuple[Constraint, Callable[[], Kind]]]) -> list[tuple[Constraint, Kind]]:
    """Return each constraint with the condition that its function returns. A ValueError of the function becomes a
    UserWarning. The constraint's alternatives are then left out too, since they alone would be too strict."""
    found, incomplete = [], set()
    for constraint, meeting in asked:
        try:
            found.append((constraint, meeting()))
        except ValueError as error:
            warnings.warn(f"no filter for {str(constraint)!r}: {error}", stacklevel=4)
            incomplete.add(constraint.alternative)
    return [pair for pair in found if pair[0].alternative not in incomplete - {0}]


def grouped(found: Sequence[tuple[Constraint | FieldCondition, Kind]]) -> list[list[Kind]]:
    """Group conditions with their alternatives. One condition of each group must be met."""
    groups: dict[object, list[Kind]] = {}
    for place, (constraint, met) in enumerate(found):
        groups.setdefault(constraint.alternative or f"alone {place}", []).append(met)
    return list(groups.values())


def nested_conditions(constraints: Sequence[Constraint]) -> list[dict[str, Any]]:
    """Return a query for each constraint, or group of alternatives, that documents must meet.

    Args:
        constraints: constraints with canonical units. Quantities in other units of the same family are found too, since
            values are compared in the family's reference unit.

    A constraint whose value overflows in the reference unit is left out with its alternatives, with a UserWarning.
    """
    return [any_of(group) for group in grouped(each_met((one, partial(_met, one, constraints)) for one in constraints))]


def _met(constraint: Constraint, constraints: Sequence[Constraint]) -> dict[str, Any]:
    """Express `score.phi.satisfied` as ranges over the two ends of a quantity. A constraint without a unit is not met
    in the units of the other constraints."""
    registry, op, bare = default_registry(), constraint.op, constraint.unit == BARE
    factor, offset = registry.to_reference(constraint.unit)
    roughly = ROUGHLY * abs(constraint.low) if op == "~" else 0.0

    def beside(sign: str, value: float) -> dict[str, Any]:
        end = f"{'' if bare else 'reference_'}{'high' if sign in ('gt', 'gte') else 'low'}"
        value = (value + _SLACK[sign] * abs(value)) * factor + offset
        if not math.isfinite(value):
            raise ValueError("its value is too large in the unit that quantities are compared in")
        return {"range": {f"quantities.{end}": {sign: value}}}

    choices = comparisons(op, constraint.low - roughly, constraint.high + roughly)
    met = [beside(sign, value) for choice in choices for sign, value in choice.items()]
    family = {"term": {"quantities.family": registry.family(constraint.unit)}}
    asked = sorted({str(registry.family(one.unit)) for one in constraints if keeps_unit(one, constraint)})
    kept = {"bool": {"must_not": [{"term": {"quantities.unit": DATE_UNIT}}, {"terms": {"quantities.family": asked}}]}}
    every = [kept if bare else family, *(met if len(choices) == 1 else [any_of(met)])]
    return {"nested": {"path": "quantities", "query": {"bool": {"filter": every}}}}


def any_of(queries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a query that matches if at least one of these queries matches."""
    return queries[0] if len(queries) == 1 else {"bool": {"should": list(queries), "minimum_should_match": 1}}
