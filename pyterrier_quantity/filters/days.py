"""Conditions on dates, for fields that hold days, or years of the calendar as whole numbers."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Final

from pyterrier_quantity.quantity import Constraint

_DAY: Final = timedelta(days=1)


def days_of(value: float, to_the_day: bool) -> tuple[date, date]:
    """The first day of what a date names, and the first day behind it.

    Args:
        value: in years of the calendar, as extraction counts them: 3 May 2019 is 2019.334.
        to_the_day: whether the first of January, or of a month, is that day, and does not stand for the whole year, or
            month, of which no day is named.

    Raises:
        ValueError, OverflowError: if there is no such date.
    """
    year = int(value // 1)
    first = date(year, 1, 1) + round((value - year) * (366 if calendar.isleap(year) else 365)) * _DAY
    if to_the_day or first.day > 1:
        return first, first + _DAY
    if first.month == 1:
        return first, date(first.year + 1, 1, 1)
    return first, (first + 31 * _DAY).replace(day=1)


def between_days(constraint: Constraint, to_the_day: bool) -> tuple[date | None, date | None]:
    """The first day that meets a constraint, and the first behind that does not; None: no end. Of "!=" what lies
    between does not meet it; "about" takes in as much again on both sides: about 2015, 2014 to 2016.

    Raises:
        ValueError, OverflowError: if there is no such date.
    """
    low, low_end = days_of(constraint.low, to_the_day)
    high, high_end = days_of(constraint.high, to_the_day)
    if constraint.op == "~":
        return low - (low_end - low), high_end + (high_end - high)
    ends = {">": (high_end, None), ">=": (low, None), "<": (None, low), "<=": (None, high_end)}
    return ends.get(constraint.op, (low, high_end))


def years_between(low: date | None, high: date | None) -> tuple[int | None, int | None]:
    """The first and the last year that hold some of these days."""
    return (low.year if low else None), ((high - _DAY).year if high else None)
