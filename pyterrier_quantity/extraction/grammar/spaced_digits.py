"""Digits with blanks inside: thousands ("1 234 567", "10, 000"), and what OCR and tokenisers tear ("$ 5 . 2 mln")."""

from __future__ import annotations

import re

_GROUPS = re.compile(
    r"(?:, ?\d{3}){1,4}(?![\d,]{0,9}\d)(?:\.\d{1,9})?"
    r"|(?: \d{3}){1,4}(?:[.,]\d{1,2}(?!\d)|\.\d{1,9})?(?![\d/]|[.,]\d|-\d)"
)
_CONVENTION = re.compile(r"\d, 000(?!\d)")
"""The convention of a text whose thousands have a blank behind the comma ("10, 000"); "75, 600 and 830" is a list."""

_TORN = re.compile(
    r"(?P<groups> , ?\d{3}(?: ?, ?\d{3}){0,4}(?![\d,]))?(?P<point> ?\. ?(?P<decimals>\d{1,15})(?![\d.]|,\d|:\d))?"
)
_MEASURED = re.compile(
    r" ?(?:%|°|(?:per ?cent|pct|mln|bln|million|billion|trillion|mm ?hg|[kmcµn]?g|[kmcµn]?m|[kmdµ]?l|mmol)(?!\w))"
)
"""What shows that the digits before it are one number; a sentence may end with a number, and one may begin with it."""
_SIGN = re.compile(r"[$€£¥] ?\Z")
LONGEST_GROUP = 3
"""More digits do not begin such a number."""


def read(lower: str, start: int, stop: int, grouped: bool = True) -> tuple[float, int] | None:
    """The number that three digits or fewer from `start` to `stop` begin, if it goes on behind a blank: value, end."""
    more = _GROUPS.match(lower, stop) if lower[start] != "0" else None
    if more and not grouped and len(more.group()) == 4:
        more = None
    if more and " " in more.group()[:2] and _sole(lower, start, more):
        return _value(lower[start : more.end()]), more.end()
    return _torn(lower, start, stop)


def _sole(lower: str, start: int, groups: re.Match[str]) -> bool:
    """Whether digits grouped by blanks are one number ("1 234 567 dollars"), no row of a table."""
    before, behind = lower[max(0, start - 4) : start], lower[groups.end() : groups.end() + 4]
    row = before.rstrip(" ")[-1:].isdigit() or behind.lstrip(" ")[:1].isdigit()
    if lower[groups.start()] == ",":
        return _CONVENTION.search(lower, max(0, start - 200), groups.end() + 200) is not None
    longest = 11 if groups.start() - start == 3 else 12
    return groups.end() - groups.start() <= longest and not row


def _value(written: str) -> float:
    """The value of groups of three digits with one kind of separator, and decimals behind another."""
    whole, comma, decimals = written.rpartition(",")
    if comma and len(decimals) < 3 and "," not in whole:
        written = f"{whole}.{decimals}"
    return float(re.sub("[ ,]", "", written))


def _torn(lower: str, start: int, stop: int) -> tuple[float, int] | None:
    """ "$ 5 . 2 million", "0 .05", "3 . 5 mg", "$ 1 , 234"; never "it ended 2-0. 12 players", "in May . 5 men"."""
    torn = _TORN.match(lower, stop)
    if torn is None or torn.end() == stop or lower[start - 1 : start] in ("-", ".", ",", ":", "/"):
        return None
    sign = _SIGN.search(lower, max(0, start - 2), start)
    groups, point = torn["groups"] or "", torn["point"] or ""
    if groups and not ("000" in groups or (sign and (len(groups) > 6 or sign.group().endswith(" ")))):
        return None
    if point:
        decimals = torn["decimals"]
        measured = _MEASURED.match(lower, torn.end()) is not None
        zero = lower[start:stop] == "0" and (decimals[0] == "0" or point[0] == " ")
        cents = sign is not None and point[0] == " " and len(decimals) == 2
        if not (zero or cents or (measured and (sign or (point.startswith(" . ") and len(decimals) < 3)))):
            return None
    return float(re.sub("[ ,]", "", lower[start : torn.end()])), torn.end()
