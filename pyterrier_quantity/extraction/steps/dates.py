"""Find years and dates as quantities of their own kind: "founded in 1954", "before 3 May 2019", "1975 to 1979"."""

from __future__ import annotations

import calendar
import re
from collections import deque
from datetime import datetime
from itertools import islice

from dateutil import parser as dates

from pyterrier_quantity.english import rows_of
from pyterrier_quantity.extraction.grammar.formats import MONTH
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE

DATE_UNIT = "date"
"""The unit of dates, counted in years of the calendar: 3 May 2019 is 2019.334."""

_MONTH = MONTH + r"\.?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:{_DAY}(?: of)? {_MONTH},? {_YEAR}|{_MONTH} {_DAY},? {_YEAR}|{_MONTH},? {_YEAR}"
    rf"|{_YEAR}-[01]\d-[0-3]\d|{_YEAR})"
)
_FOUND = re.compile(
    rf"(?<![\w.,/$€£¥#+-])(?P<low>{_DATE})(?:(?P<to> to | and |-| - | until | through )(?P<high>{_DATE}))?"
    r"(?![\w%°$€£+]|[.,/]\d| ?(?:%|°|percent|dollars|euros|pounds)|-\d)"
)
_CUES = {wording: (bound, kind) for bound, kind, wordings in rows_of("dates.tsv") for wording in wordings.split("|")}
"""What stands before a date, with its bound and its kind."""
_OF_TIME = tuple(wording for wording, (_, kind) in _CUES.items() if kind == "time")
"""Those after which a number takes no unit from another one."""
_CUE = re.compile(
    rf"(?:(?P<between>\bbetween )|\b(?P<cue>{'|'.join(sorted(map(re.escape, _CUES), key=len, reverse=True))})"
    r" (?:the )?(?:year |start of |end of |early |late )?)\Z"
)
_BEHIND = re.compile(r" (?:(?:or|and) (?:later|newer|(?P<early>earlier|older))|(?:and )?onwards?)\b(?! than)")
"""What stands behind one: "built in 1980 or later"."""
_BEGUN = (
    "founded|foundation|established|est\\.?|released|born|built|constructed|construction|published|created|started"
    "|launched|introduced|opened|died|inception|dated|year of [a-z]+"
)
_DATED = re.compile(
    rf"(?:\b(?:{_BEGUN}|year|years|spring|summer|autumn|fall|winter|copyright|season|first [a-z]+):? |[(©]\s?|, )\Z"
)
"""What makes a year of four digits without a word of time before them."""
_EARLY = re.compile(
    rf"\b(?:(?:{_BEGUN}):?|from(?= (?:before|after|prior))) "
    rf"(?:(?:{'|'.join(_OF_TIME)}|until|in|about|around|between) (?:the )?(?:year )?)?"
    r"(?P<low>[1-9]\d\d|1[0-4]\d\d)(?:(?P<to> to | and |-)(?P<high>[1-9]\d\d|1\d{3}))?"
    r"(?![\w%°$€£+]|[.,/]\d|-\d)"
)
"""Years before 1500, which are any number elsewhere."""
_MAY_BE_EARLY = re.compile(r" (?:[1-9]\d\d|1[0-4]\d\d)(?!\d)")
"""What each of them has: most texts have none, and are not searched for the words before it."""

_MOST = 8
"""How many numbers a date may hold."""


def find_dates(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Add a mention for each date; a bare number that is a date's gives way, any other quantity stays."""
    lower = text.lower
    found: list[Mention] = []
    kept: list[Mention] = []
    waiting = deque(mentions)
    matches = list(_FOUND.finditer(lower))
    if _MAY_BE_EARLY.search(lower):
        matches = sorted([*matches, *_EARLY.finditer(lower)], key=lambda match: match.start("low"))
    for match in matches:
        date = _dated(lower, match)
        if date is None or (found and date.start < found[-1].end):
            continue
        while waiting and waiting[0].end <= date.start:
            kept.append(waiting.popleft())
        beside = [other for other in islice(waiting, _MOST) if other.start < date.end]
        timed = lower[date.cue_start : date.cue_end].strip() in _OF_TIME
        if all(other.unit == BARE or (timed and other.source in ("shared", "echo")) for other in beside):
            for _ in beside:
                waiting.popleft()
            found.append(date)
    return sorted([*kept, *waiting, *found], key=lambda mention: mention.start)


def _dated(lower: str, match: re.Match[str]) -> Mention | None:
    start, end = match.span("low")
    cue = _CUE.search(lower, max(0, start - 40), start)
    month = match["low"][:1].isalpha() or " " in match["low"] or "-" in match["low"]
    behind = _BEHIND.match(lower, end)
    if not month and (cue or behind) is None and _DATED.search(lower, max(0, start - 24), start) is None:
        return None
    low = _years(match["low"])
    if low is None:
        return None
    between = cue is not None and cue["between"] is not None
    if between and not match["high"]:
        return None  # "between 2000 and 4000 lumens"
    ranged = match["high"] and (match["to"] != " and " or between)
    high = (_years(match["high"]) if ranged else None) or low
    if ranged and high >= low:
        end = match.end("high")
    mention = Mention(Number(low, start, end), start)
    mention.high = max(low, high)
    mention.number_end = mention.end = mention.after_start = mention.after_end = end
    mention.set_unit(DATE_UNIT, end, end, "date", 0.9)
    if cue is not None:
        mention.cue_start, mention.cue_end = cue.start(), start
        single = mention.low == mention.high
        mention.bound = _CUES[cue["cue"]][0] if cue["cue"] and single else "="
    if behind is not None and not ranged:
        mention.bound = "<=" if behind["early"] else ">="
        mention.after_start, mention.after_end = behind.span()
    return mention


def _years(written: str) -> float | None:
    """A date as years of the calendar; None if there is no such day."""
    if written.isdecimal():
        return float(written)
    try:
        day = dates.parse(written.replace(" of ", " "), default=datetime(2000, 1, 1))
    except (ValueError, OverflowError):
        return None
    days = 366 if calendar.isleap(day.year) else 365
    return day.year + (day.timetuple().tm_yday - 1) / days
