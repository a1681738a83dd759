"""Digits with blanks inside: thousands ("1 234 567", "10, 000")."""

from __future__ import annotations

import re

_GROUPS = re.compile(
    r"(?:, ?\d{3}){1,4}(?![\d,]{0,9}\d)(?:\.\d{1,9})?"
    r"|(?: \d{3}){1,4}(?:[.,]\d{1,2}(?!\d)|\.\d{1,9})?(?![\d/]|[.,]\d|-\d)"
)
_CONVENTION = re.compile(r"\d, 000(?!\d)")
"""The convention of a text whose thousands have a blank behind the comma ("10, 000"); "75, 600 and 830" is a list."""

LONGEST_GROUP = 3
"""More digits do not begin such a number."""


def read(lower: str, start: int, stop: int, grouped: bool = True) -> tuple[float, int] | None:
    """The number that three digits or fewer from `start` to `stop` begin, if it goes on behind a blank: value, end."""
    more = _GROUPS.match(lower, stop) if lower[start] != "0" else None
    if more and not grouped and len(more.group()) == 4:
        more = None
    if more and " " in more.group()[:2] and _sole(lower, start, more):
        return _value(lower[start : more.end()]), more.end()
    return None


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
