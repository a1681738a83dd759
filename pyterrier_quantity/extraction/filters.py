"""What is written in digits and yet is no quantity: dates, years, clock times, phone numbers, labels, identifiers."""

from __future__ import annotations

import re

from .data import words_of
from .numbers import Number

LABELS = words_of("labels.tsv")
MONTHS = frozenset(
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"]
)
_MONTH = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_BEFORE_YEAR = frozenset(
    ["in", "since", "by", "until", "till", "from", "during", "early", "late", "mid", "fiscal", "calendar", "year", "years", "before", "after", "for", "of", "to", "the", "end", "and", "through", "between", "circa", "ca", "spring", "summer", "autumn", "fall", "winter", "by"]
)
_BOUND_YEAR = frozenset(["about", "than", "least", "around", "nearly", "approximately", "over", "only", "some", "almost", "most", "roughly", "under"])

SKIP = re.compile(
    rf"""
    \d{{1,4}}([-/.])\d{{1,2}}\1\d{{2,4}}(?![\d/]|-\d)                       # 26/08/2019, 2019-08-26
    |\d+(?:-\d+){{2,}}                                                 # phone and card numbers, identifiers
    |\d{{3}}-\d{{4}}(?!\d|\ ?[%$]|,\d|\ [a-z])                             # 555-1234
    |\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?\ ?(?:[ap]\.?\ ?m\b\.?|gmt|est\b|edt\b|utc|hrs?\b(?=\ gmt)|o'?clock)
    |\d{{1,2}}:\d\d(?::\d\d)?(?:\.\d+)?(?![\d:])                           # 17:22, 1:36.6
    |\d+(?::\d+)+(?![\d.]|\ ?%)                                            # 3:1
    |\d{{1,4}}\ ?(?:[ap]\.m\.|[ap]m\b|o'?\ ?clock|gmt\b|\(?(?:est|edt|utc)\b)
    |(?:1[6-9]|20)\d\d\ ?[-/]\ ?(?:(?:1[6-9]|20)?\d\d)(?![\d%]|[.,]\d|\ ?(?:mg|ml|kg|mcg|kcal|m\b))  # 1986/87
    |\d{{2,4}}'?s\b                                                        # 1990s
    |\d+(?:st|nd|rd|th)\b
    |\d{{1,2}}(?:\ ?-\ ?\d{{1,2}})?\ (?:of\ )?{_MONTH}\b(?=\.?,?\ (?:1[6-9]|20)\d\d|[^a-z]*\Z|[,.;)]|\ (?:and|to|from|for|in|at|with|said)\b)
    |\d{{1,2}}\ (?:of\ )?(?!may|mar){_MONTH}\b
    """,
    re.VERBOSE,
)
"""Things to step over as a whole, matched at a digit in lower-case text."""


def is_date_part(number: Number, before: str) -> bool:
    """A day or a year right after a month's name ("Dec. 20", "July three")."""
    word = before.rstrip(".,")
    return word in MONTHS and (number.value <= 31 or 1000 < number.value < 2200) and number.power == 0


def is_year(number: Number, before: str, following: str) -> bool:
    """Four plain digits that read as a year; a word of approximation before them makes them a count."""
    if not (number.plain and number.end - number.start == 4 and 1500 <= number.value <= 2100):
        return False
    if before in _BEFORE_YEAR:
        return True
    return before not in _BOUND_YEAR and 1850 <= number.value <= 2050 and following not in COUNTED_PEOPLE


COUNTED_PEOPLE = frozenset(
    ["people", "workers", "employees", "persons", "patients", "men", "women", "children", "jobs", "students", "participants", "subjects", "adults", "units", "copies", "members", "shares", "tonnes", "troops", "soldiers", "homes", "houses", "cars", "vehicles", "calories"]
)
"""Nouns that make a count of a number that looks like a year ("employs 2000 people")."""


def is_label(before: str, gap: str) -> bool:
    """Does the word before (with its punctuation) make a name of the number ("Section 4", "No. 3", "Phase 2")?"""
    if not gap.strip(" #.-"):
        word = before.rstrip(".#-:") if gap[:1] != ":" else before
        return word in LABELS
    return False
