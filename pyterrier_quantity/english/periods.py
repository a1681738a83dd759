"""Find English dates and periods ("3 May 2019", "the 1990s"), and periods relative to today ("last 6 months")."""

import calendar
import math
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Final, NamedTuple

from dateutil import parser
from dateutil.relativedelta import MO, relativedelta

from pyterrier_quantity.english import NUMBERS, any_of, listed, one_of, wordings, words

_ONES: Final = words("first second third fourth fifth sixth seventh eighth ninth")
_TEENS: Final = words("""
    tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    """)
_ORDINAL_TENS: Final = words("twent thirt fort fift sixt sevent eight ninet")
_ORDINALS: Final = dict(zip((*_ONES, *_TEENS), range(1, 20), strict=True)) | {
    f"{ten}{below}": 10 * tens + value
    for tens, ten in enumerate(_ORDINAL_TENS, start=2)
    for value, below in enumerate(("ieth", *(f"y-{unit}" for unit in _ONES)))
}
ORDINAL: Final = rf"(?:[1-9]\d?(?:st|nd|rd|th)|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"


def ordinal_value(ordinal: str) -> int:
    """Return the value of a lower-case ordinal that `ORDINAL` matches: "16th" -> 16."""
    digits = re.match(r"\d+", ordinal)
    return int(digits[0]) if digits else _ORDINALS[ordinal]


class Period(NamedTuple):
    """A period in a text: its character span, first and last day, and whether it ends with "ago" ("2 years ago")."""

    start: int
    end: int
    first: date
    last: date
    back: bool = False


YEAR: Final = r"(?:1[5-9]|20)\d\d"
DATE: Final = re.compile(
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {one_of('months')}\.?,? {YEAR}|{one_of('months')}\.? \d{{1,2}}"
    rf"(?:st|nd|rd|th)?,? {YEAR}|{one_of('months')}\.?,?(?: of)? {YEAR}|{YEAR}-[01]\d-[0-3]\d|\d{{1,2}}/\d{{1,2}}/"
    rf"{YEAR}|\d{{1,2}}\.\d{{1,2}}\.{YEAR}|(?:1[0-2]|0?[1-9])/{YEAR}|{YEAR})"
).pattern
"""A regular expression that matches a day with its year ("3 May 2019"), a month with its year, or a year."""

_DAY: Final = relativedelta(days=1)
_STEPS: Final = {
    "hour": relativedelta(hours=1),
    "day": _DAY,
    "week": relativedelta(weeks=1),
    "fortnight": relativedelta(weeks=2),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
    "decade": relativedelta(years=10),
    "century": relativedelta(years=100),
    "centurie": relativedelta(years=100),  # in "centuries"
}
_DAYS: Final = {word: place for place, word in enumerate(wordings("days other than today"), start=-1)}
_MONTHS: Final = wordings("months")[:12]
_WEEKDAYS: Final = words("monday tuesday wednesday thursday friday saturday sunday")
_COUNTS: Final = {
    **NUMBERS,
    **dict.fromkeys(("a couple of", "couple of"), 2),
    **dict.fromkeys(wordings("indefinite articles"), 1),
}
_TENS: Final = {word: 20 + 10 * place for place, word in enumerate(wordings("decades from the twenties"))}
_PARTS: Final = dict(zip((*wordings("parts of a decade"), None), ((0, 3), (4, 6), (7, 9), (0, 9)), strict=True))
_THIRDS: Final = dict(zip(_PARTS, ((0, 33), (34, 66), (67, 99), (0, 99)), strict=True))
_ORDER: Final = dict(zip(wordings("places of a part of a year"), (1, 2, 3, 4, 0, 0), strict=True))
_SIDES: Final = {
    **dict.fromkeys(wordings("words before a past period"), -1),
    **dict.fromkeys(wordings("words before a coming period"), 1),
}
_ABSOLUTE: Final = re.compile(
    rf"\b(?:(?:(?P<part>{one_of('parts of a decade')})[ -])?(?P<long>(?:1[5-9]|20)\d0)'?s|the (?:"
    rf"(?P<share>{one_of('parts of a decade')})[ -])?(?:'?(?P<short>[2-9]0)'?s|(?P<word>"
    rf"{one_of('decades from the twenties')}))|(?:(?P<size>[qh])(?P<number>[1-4])|(?P<order>"
    rf"{one_of('places of a part of a year')}) (?P<name>quarter|half))[ /]?(?:of )?(?:fiscal )?"
    rf"(?P<year>{YEAR})|(?:(?P<third>{one_of('parts of a decade')})[ -])?(?P<century>{ORDINAL})[ -]century(?! bc))\b"
)
_COUNT = "|".join((r"\d{1,3}", *sorted(_COUNTS, key=len, reverse=True)))
_RELATIVE: Final = re.compile(
    rf"\b(?:(?P<side>{one_of('words before a past period')}|{one_of('words before a coming period')})"
    rf" (?P<count>{_COUNT})[ -](?P<units>{'|'.join(_STEPS)})s?|(?P<ago>{_COUNT}) (?P<back>"
    rf"{'|'.join(_STEPS)})s? ago|(?P<day>{one_of('days other than today')})|(?P<the>the )?(?P<which>"
    rf"{one_of('words before a past period')}|{one_of('words before a coming period')}|"
    rf"{one_of('words of the present period')}) (?P<unit>week|month|quarter|year|decade|century)(?![- ]of\b"
    "|-)|(?P<cue>since|until|till|before|after|by|in|on|during|last|this|next) (?P<named>"
    rf"{'|'.join((*_MONTHS, *_WEEKDAYS))})(?!,? (?:of )?\d| on\b))\b"
)
_IN_NINETIES = any_of("""
    temperature degree heat weather high low score grade average mark pulse rate pressure saturation percentile
    percent speed iq reading price bpm mph
    """)
_MEASURED: Final = re.compile(rf"\b{_IN_NINETIES}s?\b")
_LAST: Final = {"last"}
_NEAR: Final = 40


_CALENDAR = words("0s 0's quarter half ties q1 q2 q3 q4 h1 h2 century")


def find_periods(lower: str, today: date | None) -> Iterator[Period]:
    """Yield the periods in a lower-case text: "the 1990s" and, if `today` is given, periods such as "last week"."""
    if any(hint in lower for hint in _CALENDAR):
        for found in _ABSOLUTE.finditer(lower):
            short = found["short"] or found["word"]
            if not (short and _MEASURED.search(lower, found.start() - _NEAR, found.end() + _NEAR)):
                yield Period(*found.span(), *_absolute(found))
    if today is None:
        return
    for found in _RELATIVE.finditer(lower):
        read = next(reader for name, reader in _READERS.items() if found[name])
        try:
            first, last = read(found, today)
        except (ValueError, OverflowError):
            continue  # before the calendar begins
        start = found.start("named" if found["cue"] and found["cue"] not in {"last", "this", "next"} else 0)
        yield Period(start, found.end(), first, last, found["back"] is not None)


def _absolute(found: re.Match[str]) -> tuple[date, date]:
    if found["century"]:
        before = 100 * (ordinal_value(found["century"]) - 1)
        first, last = _THIRDS[found["third"]]
        return date(max(1, before + first), 1, 1), date(before + last, 12, 31)
    if found["year"]:
        half = found["size"] == "h" or found["name"] in listed("words for a half")
        months = 6 if half else 3
        place = int(found["number"] or _ORDER[found["order"]] or 12 // months)
        start = date(int(found["year"]), 1, 1) + relativedelta(months=(place - 1) * months)
        return _from(start, relativedelta(months=months))
    if found["long"] and found["long"].endswith("00") and found["long"] < "2000" and not found["part"]:
        return _from(date(int(found["long"]), 1, 1), _STEPS["century"])
    decade = int(found["long"] or 1900 + (_TENS.get(found["word"]) or int(found["short"])))
    first, last = _PARTS[found["part"] or found["share"]]
    return date(decade + first, 1, 1), date(decade + last, 12, 31)


def _counted(found: re.Match[str], today: date) -> tuple[date, date]:
    other = _moved(today, found["count"], found["units"], _SIDES[found["side"]])
    return min(other, today), max(other, today)


def _current(found: re.Match[str], today: date) -> tuple[date, date]:
    """Return the first and last day of a period relative to `today`, such as "last week" (Monday to Sunday)."""
    unit, which = found["unit"], found["which"]
    if which == "past" or (found["the"] and which in _LAST and unit != "quarter"):
        return today - _STEPS[unit], today
    firsts = {
        "week": today + relativedelta(weekday=MO(-1)),
        "month": today.replace(day=1),
        "quarter": today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1),
        "year": today.replace(month=1, day=1),
        "decade": date(today.year // 10 * 10, 1, 1),
        "century": date(today.year // 100 * 100, 1, 1),
    }
    return _from(firsts[unit] + _STEPS[unit] * _SIDES.get(which, 0), _STEPS[unit])


def _named(found: re.Match[str], today: date) -> tuple[date, date]:
    """Return the first and last day of a named month or weekday. The word before the name shows which one is meant: the
    previous one ("since Monday", "in March") or the next one ("by Friday", "next May")."""
    name, cue = found["named"], found["cue"]
    is_month = name in _MONTHS
    step = _STEPS["year" if is_month else "week"]
    if is_month:
        first = today.replace(month=_MONTHS.index(name) + 1, day=1)
    else:
        first = today + relativedelta(weekday=MO(-1)) + _DAY * _WEEKDAYS.index(name)
    long = _STEPS["month"] if is_month else _DAY
    if cue in {"until", "till", "by", "next"}:
        first += step * (first + long <= today if cue not in _SIDES else first <= today)
    elif cue not in listed("words of the present period"):
        first -= step * (first + long > today if cue in _LAST else first > today)
    return _from(first, long)


def _from(first: date, long: relativedelta) -> tuple[date, date]:
    return first, first + long - _DAY


def _moved(today: date, count: str, unit: str, side: int) -> date:
    number = int(count) if count.isdecimal() else _COUNTS[count]
    step = relativedelta(days=-(-number // 24)) if unit == "hour" else _STEPS[unit] * number
    return today + step * side


_READERS: Final[dict[str, Callable[[re.Match[str], date], tuple[date, date]]]] = {
    "units": _counted,
    "back": lambda found, today: (_moved(today, found["ago"], found["back"], -1),) * 2,
    "day": lambda found, today: (today + _DAY * _DAYS[found["day"]],) * 2,
    "which": _current,
    "named": _named,
}


def year_of(written: str) -> float | None:
    """Return a written date as a decimal year: "3 May 2019" -> 2019.334. Return None if the day does not exist, or if
    day and month cannot be distinguished ("5/12/2019")."""
    if written.isdecimal():
        return float(written)
    first, slash, rest = written.partition("/")
    if slash and max(int(first), int(rest.partition("/")[0])) <= 12 and not rest.startswith(f"{first}/"):
        return None
    try:
        return years_of(parser.parse(written, dayfirst="." in written, default=datetime(2000, 1, 1)))
    except (ValueError, OverflowError):
        return None


def years_of(day: date) -> float:
    """Return a day as a decimal year: 3 May 2019 -> 2019.334."""
    return day.year + (day.timetuple().tm_yday - 1) / (366 if calendar.isleap(day.year) else 365)


def day_of(years: float) -> tuple[int, int]:
    """Return the year and the day of the year (from 0) of a date in decimal years: 2019.334 -> (2019, 122)."""
    year = math.floor(years)
    return year, round((years - year) * (365 + calendar.isleap(year)))
