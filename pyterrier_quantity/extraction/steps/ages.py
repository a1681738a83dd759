"""Ages without a unit: "aged 18", "Maddon, 66, has left", "life expectancy is 73"."""

from __future__ import annotations

import re

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_AGED = re.compile(
    r"\bage[sd]?(?: of| is)?[: ]{0,2}(?:[<>=≥≤/]{1,3} ?|at least |over |under |above |below |between )?\Z"
)
_AGE_IS = re.compile(
    r"\b(?:life expectanc(?:y|ies)|(?:average|mean|median|minimum|maximum|retirement|pension|drinking|voting|legal) age"
    r"|ages? of (?:the |her |his |their |its |all )?[a-z]+)\b(?: \((?:sd|range|years?)\))?(?: [a-z]+){0,6}?"
    r" (?:is|was|are|were|be|of|at|reached|to|from|exceeds|exceeded)"
    r"(?: (?:about|around|only|just|nearly|almost|approximately|over|under|above|below|now|still|at least|at most))*"
    r" (?:the |between )?\Z"
)
_PERSONS = listed("persons that have an age")
_NAMED_AGE = re.compile(r"[^\W\d_a-z][^\W\d_]+, \Z")


def read_ages(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Make years of age of the bare numbers that the words around them call an age."""
    for mention in mentions:
        if not mention.source and not mention.number.power and 0 <= mention.number.value < 120:
            confidence = _stated_age(text, mention)
            if confidence:
                end = mention.number.end
                mention.set_unit("year of age", end, end, "age", confidence)
    return mentions


def _stated_age(text: Text, mention: Mention) -> float:
    """How surely the number is an age; 0 if nothing says so."""
    number = mention.number
    lower, floor = text.lower, max(0, number.start - 80)
    stated = lower.find("age", floor, number.start) >= 0 or lower.find("expectanc", floor, number.start) >= 0
    if stated and _AGE_IS.search(lower, floor, number.start) and not text.starts_measure(number):
        return 0.7
    if not (number.plain or number.shape == "words"):
        return 0
    person = number.before == "of" and not _PERSONS.isdisjoint(lower[floor : number.start].split()[-2:-1])
    if person or (stated and _AGED.search(lower, max(0, number.start - 26), number.start)):
        return 0 if text.starts_measure(number) else 0.8
    apposed = number.value >= 10 and lower[number.end : number.end + 1] == ","
    return 0.8 if apposed and _NAMED_AGE.search(text.plain, max(0, number.start - 30), number.start) else 0
