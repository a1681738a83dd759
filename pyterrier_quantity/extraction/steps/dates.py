"""Find years and dates as quantities: "founded in 1954", "before 3 May 2019", "1975 to 1979"."""

import re
from collections import deque
from collections.abc import Iterator
from datetime import date
from itertools import islice

from pyterrier_quantity.english import any_of, one_of, rows_of, wordings
from pyterrier_quantity.english.periods import DATE, YEAR, Period, find_periods, year_of, years_of
from pyterrier_quantity.extraction.grammar.bound_wordings import Cue
from pyterrier_quantity.extraction.grammar.bound_wordings import before as bound_before
from pyterrier_quantity.extraction.grammar.formats import SCALE_BEFORE
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE

DATE_UNIT = "date"
"""The unit of dates. The value of a date is a decimal year: 2019.334 for 3 May 2019."""

_FOUND = re.compile(
    rf"(?<![\w.,/$€£¥#+-])(?P<low>{DATE})(?:(?P<to> to | and |-| - | until | through )(?P<high>{DATE}))?"
    r"(?![\w%°$€£+]|[.,/]\d| ?(?:%|°|percent|dollars|euros|pounds)|-\d)"
)
_HAS_YEAR = re.compile(YEAR)  # pattern that matches years, for a quick test: a text without a year has no dates
# A dictionary from a phrase before a date to its bound and kind: "before" -> ("<", "time").
_CUES = {wording: (bound, kind) for bound, kind, wordings in rows_of("dates.tsv") for wording in wordings.split("|")}
_OF_TIME = tuple(wording for wording, (_, kind) in _CUES.items() if kind == "time")  # phrases such as "before"
_CUE = re.compile(
    r"(?:(?P<between>\bbetween )|\b(?P<cue>"
    rf"{'|'.join(sorted(map(re.escape, _CUES), key=len, reverse=True))}) (?:the )?(?:year |start of"
    r" |end of |early |late )?)\Z"
)
# The text after a date that states a bound: "built in 1980 or later".
_BEHIND = re.compile(r" (?:(?:or|and) (?:later|newer|(?P<early>earlier|older))|(?:and )?onwards?)\b(?! than)")
_BEGINNINGS = any_of("""
    founded foundation established released born built constructed construction published created started
    launched introduced opened died inception dated completed finished erected rebuilt restored renovated refurbished
    consecrated inaugurated commissioned manufactured painted composed closed demolished abolished widened
    """)
_BEGUN = re.compile(rf"{_BEGINNINGS}|est\.?|year of [a-z]+").pattern
_DATED = re.compile(  # words, except prepositions of time, after which a number of four digits is a year
    rf"(?:\b(?:{_BEGUN}|{one_of('seasons and other words before a year')}|first [a-z]+):? |[(©]\s?|,"
    r" )\Z"
)
_EARLY = re.compile(  # a year before 1500, such as 476 in "founded in 476", if a word marks it as a year
    rf"\b(?:(?:{_BEGUN}):?|from(?= (?:before|after|prior))) (?:(?:{'|'.join(_OF_TIME)}|until|in|about"
    r"|around|between) (?:the )?(?:year )?)?(?P<low>[1-9]\d\d|1[0-4]\d\d)(?:(?P<to> to | and |-)"
    r"(?P<high>[1-9]\d\d|1\d{3}))?(?![\w%°$€£+]|[.,/]\d|-\d)"
)
# Years with an era: "44 BC", "AD 104", "200 BC to 100 AD". In lower case, "ad" is an advertisement.
_ERA = re.compile(r"\d ?(?:(?i:b\.?c)|A\.?D\b|CE\b)|\bA\.?D\.? \d")
_IN_ERA = r"(?:A\.?D\.? )?[1-9]\d{0,4}(?: ?(?:(?i:b\.?c\.?(?:e\.?)?)|A\.?D\.?|CE)(?!\w))?"
_IN_ERAS = re.compile(
    rf"(?<![\w.,/$€£¥#+-])(?P<low>{_IN_ERA})(?:(?P<to> to | and |-| - | until )(?P<high>{_IN_ERA}))?(?![\w%])"
)
_JOINED = re.compile("(?: and|(?P<to> to| until| through| ?-)) ?(?:the )?")
_LISTED = re.compile(r",?(?: (?:and|but|n?or))? ")  # text between two years of a list: "in 2011 or 2012"
_LABEL = re.compile(
    rf"\byears?:? (?:(?:{one_of('words of exactness', 'words of equality')}|is|=|of|not|other than|except|n?either) )"
    r"{0,2}\Z"
)
_TO = frozenset(("-", " - ", *wordings("words of a goal", " ")))
_MAY_BE_EARLY = re.compile(r" (?:[1-9]\d\d|1[0-4]\d\d)(?!\d)")  # years before 1500, for a quick test

_SINCE = {">": "<", ">=": "<=", "<": ">", "<=": ">="}  # "more than 2 years ago" is before the day 2 years ago
_MOST = 8  # the maximum number of mentions in one date


def find_dates(text: Text, mentions: list[Mention], today: date | None = None) -> list[Mention]:
    """Add a mention for each date and period in the text. A date replaces the numbers that are part of the date.

    Args:
        today: the reference date for "last year" and "2 years ago" (default: such phrases are skipped).
    """
    found: list[Mention] = []
    kept: list[Mention] = []
    waiting = deque(mentions)
    for when in sorted(_all_dates(text, today), key=lambda one: (one.start, -one.end)):
        if found and when.start < found[-1].end:
            continue
        while waiting and waiting[0].end <= when.start:
            kept.append(waiting.popleft())
        overlapping = [other for other in islice(waiting, _MOST) if other.start < when.end]
        timed = text.lower[when.cue_start : when.cue_end].strip() in _OF_TIME
        if all(_gives_way(other, when, timed) for other in overlapping):
            if when.source == "ago" and overlapping and overlapping[0].bound in _SINCE:
                when.bound = _SINCE[overlapping[0].bound]
                when.cue_start, when.cue_end = overlapping[0].cue_start, overlapping[0].cue_end
            for _ in overlapping:
                waiting.popleft()
            found.append(when)
    return sorted([*kept, *waiting, *found], key=lambda mention: mention.start)


def _gives_way(other: Mention, when: Mention, timed: bool) -> bool:
    """Return whether the date `when` replaces an overlapping mention (`other`), such as 3 in "3 May 2019". `timed`
    states whether a time word such as "before" precedes the date."""
    if when.source == "date":
        return other.unit == BARE or (timed and other.source in ("shared", "echo"))
    return when.start <= other.start and other.end <= when.end


def _all_dates(text: Text, today: date | None) -> Iterator[Mention]:
    lower = text.lower
    if _HAS_YEAR.search(lower):
        last = 0
        for match in _FOUND.finditer(lower):
            bound = bound_before(lower, match.start())
            begin = bound.start if bound else match.start()
            known = _LABEL.search(lower, begin - 30 if begin > 30 else 0, begin) is not None
            known |= 0 < last <= begin and _LISTED.fullmatch(lower, last, begin) is not None
            for one in _dated(lower, match, bound, known):
                last = one.end
                yield one
    if _MAY_BE_EARLY.search(lower):
        for match in _EARLY.finditer(lower):
            yield from _dated(lower, match)
    if _ERA.search(text.plain):
        for match in _IN_ERAS.finditer(text.plain):
            yield from _in_eras(lower, match)
    yield from _in_periods(lower, sorted(find_periods(lower, today)))


def _in_eras(lower: str, match: re.Match[str]) -> Iterator[Mention]:
    """Yield a mention for the years in a match of `_IN_ERAS`, if the match states an era: 44 BC has the value -44."""
    written = [end for end in match.group("low", "high") if end]
    eras = [re.sub(r"[\W\d]", "", end.lower()) for end in written]
    values = [float(re.sub(r"\D", "", end)) * (-1 if (own or eras[-1]).startswith("b") else 1)
              for end, own in zip(written, eras, strict=True)]  # fmt: skip
    if not any(eras) or values[0] > values[-1]:
        return
    cue = _CUE.search(lower, match.start() - 40 if match.start() > 40 else 0, match.start())
    mention = _mention(lower, cue, (values[0], values[-1]), match.span())
    if cue is not None and cue["cue"] not in (None, "from") and len(values) < 2:
        mention.bound = _CUES[cue["cue"]][0]
    yield mention


def _in_periods(lower: str, periods: list[Period]) -> Iterator[Mention]:
    """Yield a mention for each period ("last May"), or one mention for two periods that form a range."""
    for place, period in enumerate(periods):
        cue = _CUE.search(lower, period.start - 40, period.start)
        for following in periods[place + 1 : place + 2]:
            joined = _JOINED.fullmatch(lower, period.end, following.start)
            if joined and cue and (cue["between"] is not None or joined["to"]) and following.last >= period.first:
                period = period._replace(end=following.end, last=following.last)
        mention = _mention(lower, cue, (years_of(period.first), years_of(period.last)), period[:2])
        mention.source = "ago" if period.back else "period"
        if cue is not None and cue["cue"] and cue["cue"] != "from":
            mention.bound = _CUES[cue["cue"]][0]
        if mention.bound != "=":
            mention.low = mention.high = mention.low if mention.bound in ("<", ">=") else mention.high
        yield mention


def _dated(lower: str, match: re.Match[str], bound: Cue | None = None, known: bool = False) -> Iterator[Mention]:
    """Yield a mention for each date in a match of `_FOUND`. `known` states whether the text before the match (a label
    such as "model year", or a date) shows that it is a date. `bound` is the bound directly before it, or None."""
    start, end = match.span("low")
    cue = _CUE.search(lower, start - 40, start)
    month = not match["low"].replace(".", "").isdecimal()
    following = _BEHIND.match(lower, end)
    spans = match["to"] in _TO and "1900" < match["low"] < match["high"] <= "2100"  # "films 1990-1995"
    if not (month or cue or following or spans or known) and _DATED.search(lower, start - 24, start) is None:
        return
    low = year_of(match["low"])
    between = cue is not None and cue["between"] is not None
    if low is None or (between and (not match["high"] or SCALE_BEFORE.search(lower, start - 40, start))):
        return  # "between 2000 and 4000 lumens", "a rating between 1500 and 1800"
    ranged = match["high"] and (between or match["to"] not in wordings("words of addition", " "))
    high = (year_of(match["high"]) if ranged else None) or low
    if ranged and high >= low:
        end = match.end("high")
    mention = _mention(lower, cue, (low, max(low, high)), (start, end))
    if cue is not None:
        single = mention.low == mention.high
        mention.bound = _CUES[cue["cue"]][0] if cue["cue"] and single else "="
    elif known and bound is not None and mention.low == mention.high:
        mention.bound, mention.cue_start, mention.cue_end = bound.bound, bound.start, start
    if following is not None and not ranged:
        mention.bound = "<=" if following["early"] else ">="
        mention.after_start, mention.after_end = following.span()
    yield mention
    if match["high"] and not ranged and (other := year_of(match["high"])):
        yield _mention(lower, None, (other, other), match.span("high"))  # "in 2011 and 2012"


def _mention(lower: str, cue: re.Match[str] | None, values: tuple[float, float], span: tuple[int, int]) -> Mention:
    start, end = span
    mention = Mention(Number(values[0], start, end), start)
    mention.high = values[1]
    mention.set_unit(DATE_UNIT, end, end, "date", 0.9)
    if cue is not None:
        mention.cue_start, mention.cue_end = cue.start(), start
    return mention
