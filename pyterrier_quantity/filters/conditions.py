"""The values of a field that meet a condition: numbers in the field's unit, days, or years of the calendar."""

from __future__ import annotations

import calendar
import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, TypeVar

from dateutil.relativedelta import relativedelta

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units.dimensions import rescaled

Condition = TypeVar("Condition")

_NUMBER: Final = re.compile(r"\d+")
_DIGITS: Final = 12
"""Of a converted value; what is behind them is rounding."""


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
    low: float | date | None = None
    high: float | date | None = None
    low_included: bool = True
    high_included: bool = True
    outside: bool = False
    alternative: int = 0


def in_unit(constraint: Constraint, field: str, conversion: tuple[float, float]) -> FieldCondition | None:
    """The condition on a field of numbers; None if a value is too large for its unit.

    Args:
        conversion: factor and offset from the condition's unit to the field's.
    """
    low, high = (_converted(end, conversion) for end in (constraint.low, constraint.high))
    # Conversions round: a value that is equal in its own unit must stay so.
    slack = ROUGHLY if constraint.op == "~" else 0.0 if conversion == (1.0, 0.0) else TOLERANCE
    below, above = low - slack * abs(low), high + slack * abs(high)
    if not (math.isfinite(below) and math.isfinite(above)):
        return None
    ends = {">": (low, None), ">=": (below, None), "<": (None, high), "<=": (None, above)}
    least, most = ends.get(constraint.op, (below, above))
    return FieldCondition(field, least, most, constraint.op != ">", constraint.op != "<", constraint.op == "!=")


def _converted(value: float, conversion: tuple[float, float]) -> float:
    """A value in the field's unit, without what only rounding adds: 90 minutes are more than 1.5 hours by nothing."""
    return float(value) if conversion == (1.0, 0.0) else float(f"{rescaled(value, *conversion):.{_DIGITS}g}")


def in_days(constraint: Constraint, field: str, words: str, of_years: bool) -> FieldCondition | None:
    """The condition on a field of days, or of years; None if there is no such date. "About 2015" is 2014 to 2016.

    Args:
        words: of the condition, where they are known: "3 May 2019" names a day, "May 2019" does not.
    """
    to_the_day = len(_NUMBER.findall(words)) > 1
    try:
        (low, low_end), (high, high_end) = (_days(end, to_the_day) for end in (constraint.low, constraint.high))
        if constraint.op == "~":
            low, high_end = low - (low_end - low), high_end + (high_end - high)
    except (ValueError, OverflowError):
        return None
    ends = {">": (high_end, None), ">=": (low, None), "<": (None, low), "<=": (None, high_end)}
    first, behind = ends.get(constraint.op, (low, high_end))
    outside = constraint.op == "!="
    if of_years:
        last = behind and behind - timedelta(days=1)
        return FieldCondition(field, first and first.year, last and last.year, outside=outside)
    return FieldCondition(field, first, behind, high_included=False, outside=outside)


def _days(value: float, to_the_day: bool) -> tuple[date, date]:
    """The first day of what a date names, and the first day behind it.

    Args:
        value: in years of the calendar, as extraction counts them: 3 May 2019 is 2019.334.
        to_the_day: whether the first of January, or of a month, is that day, and does not stand for the whole year, or
            month, of which no day is named.
    """
    year = math.floor(value)
    first = date(year, 1, 1) + timedelta(days=round((value - year) * (365 + calendar.isleap(year))))
    if to_the_day or first.day > 1:
        return first, first + timedelta(days=1)
    return first, first + (relativedelta(years=1) if first.month == 1 else relativedelta(months=1))


def without_reasons(found: Sequence[tuple[Constraint, Condition | str]]) -> list[tuple[Constraint, Condition]]:
    """The conditions that there are. Where there is a reason why there is none, a UserWarning says it, and the
    alternatives are left out, too: without one of them the others would ask for too much."""
    incomplete = set()
    for constraint, met in found:
        if isinstance(met, str):
            warnings.warn(f"no filter for {str(constraint)!r}: {met}", stacklevel=4)
            incomplete.add(constraint.alternative)
    return [
        (constraint, met)
        for constraint, met in found
        if not isinstance(met, str) and constraint.alternative not in incomplete - {0}
    ]


def grouped(found: Sequence[tuple[Constraint | FieldCondition, Condition]]) -> list[list[Condition]]:
    """The conditions that must be met, each with its alternatives."""
    groups: dict[object, list[Condition]] = {}
    for place, (constraint, met) in enumerate(found):
        groups.setdefault(constraint.alternative or f"alone {place}", []).append(met)
    return list(groups.values())
