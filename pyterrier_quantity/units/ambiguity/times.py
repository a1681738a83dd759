"""Doubtful words of time: seconds, days, ages, and what only dates a quantity."""

from __future__ import annotations

import re

from pyterrier_quantity.english import listed
from pyterrier_quantity.units.ambiguity.site import Site, Verdict, plain
from pyterrier_quantity.units.tokens import AGO

_AFTER_ORDINAL = listed("nouns after the ordinal second")


def second(site: Site) -> Verdict:
    if site.word.lower() == "seconds":
        return site.unit, 1.0
    if site.text[site.end : site.end + 1] == "-" or site.next_word().lower() in _AFTER_ORDINAL:
        return None
    if site.text[site.start - 1] == "-":
        return site.unit, 1.0
    return site.unit, 0.8


_NO_SECONDS = re.compile(
    r"(?<![\d.,])\d\d\d?0['’]?$|/\d+$|\d['’]$|\b(?:the|mid|late|early|high|low|upper|their|his|her)[ -]\d0$"
)


def seconds(site: Site) -> Verdict:
    """The symbol s, and no decade ("the 1980s", "in their 50s")."""
    if site.clings() or site.label_before() or (site.glued and _NO_SECONDS.search(site.before)):
        return None
    if site.glued:
        return site.unit, 0.6
    return None if site.next_word()[:1].isupper() else (site.unit, 0.8)


_CAR = re.compile(r"(?<![.!?] )\b[A-Z][\w-]* (?:[A-Z] )?\d{3}$")


def day(site: Site) -> Verdict:
    if site.glued and _CAR.search(site.before):
        return None  # "BMW 320d"
    if site.number() in ("2", "3", "4") and (site.glued or site.text[site.start - 1] == "-"):
        return None
    return plain(0.6, 0.6)(site)


AGES = frozenset(("year", "month", "week", "day"))
_ONE = re.compile(r"(?:^|[^\d.,])1$|\b(?:one|an?)$|/\d+$", re.IGNORECASE)
_AGE_AFTER = re.compile(r"\s(?:or|and)\s(?:older|younger)\b", re.IGNORECASE)
_AGE_BEFORE = re.compile(
    r"\bage[ds]?\b(?:\s|[<>=≤≥:(-]|\d|of|at|least|most|over|under|between|from|to|and|or(?: more| fewer| less)?"
    r"|is|was|than|older|younger)*$",
    re.IGNORECASE,
)


def is_past(text: str, number_end: int, start: int, end: int) -> bool:
    """Whether "week ago" behind a larger number is only its date: "132,000 head versus 129,000 week ago"."""
    if text[start - 1] in "-\u2010\u2011" or text[end - 1] in "sS" or not AGO.match(text, end):
        return False
    return not _ONE.search(text[max(0, number_end - 8) : number_end])


def is_age(text: str, number_end: int, end: int) -> bool:
    """Whether years, months, weeks or days tell an age: "aged 45 years", "18 years or older"."""
    if _AGE_AFTER.match(text, end):
        return True
    head = text[max(0, number_end - 40) : number_end]
    return "age" in head.lower() and _AGE_BEFORE.search(head) is not None
