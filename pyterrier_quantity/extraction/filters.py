"""What is written in digits and yet is no quantity: dates, years, clock times, phone numbers, labels, identifiers."""

from __future__ import annotations

import re

from .counts import STOPS
from .data import listed, words_of
from .numerals import Number
from .reading import Reading, Source

LABELS = words_of("labels.tsv")
MONTHS = listed("months")
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_BEFORE_YEAR = listed("words before a year")
_BEFORE_OLD_YEAR = frozenset(("in", "since", "until", "circa", "c", "ca", "year", "ad"))
_BOUND_YEAR = listed("words before a count that looks like a year")

_CAPITAL = re.compile(r" (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][A-Za-z](?![A-Z]?\$?\d)")
_NAME_BEFORE = re.compile(r"(?<![\w&.])[A-Z][\w&.]*(?<!\.) \Z")
_MODEL = re.compile(r"(?<![\w'])(?:[Tt]he|[Aa]n?) (?:[A-Z][\w&]* )?([A-Z][a-z][\w&]*) \Z")
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
_NAMED_AGE = re.compile(r"[^\W\d_a-z][^\W\d_]+, \Z")
_MARKER = re.compile(r" ?\)")
_OPENED = re.compile(r"\([^)]*[^)\s][^)]*\Z")
_RANGE_END = re.compile(r"(?:-| to | or | ?± ?| ?\+/- ?)\d+(?:\.\d+)?(?![\d.,-]*\d)")
_SINGULAR_VERB = re.compile(r" (?:was|has|is)\b")
_SECTION = re.compile(r"\d{1,2}\.\d{1,2} [A-Z][a-z]+ ")
_GOES_ON = frozenset(("", "and", "or", "to", "through"))

SKIP = re.compile(
    rf"""
    \d{{1,4}}([-/.])\d{{1,2}}\1\d{{2,4}}(?![\d/]|-\d)                       # 26/08/2019, 2019-08-26
    |\d+(?:/\d+){{2,}}
    |\d{{1,3}}[°º]\ ?\d{{1,2}}(?:\.\d+)?                                  # 51° 30' 26", 161°20W
      (?:'(?:\ ?\d{{1,2}}(?:\.\d+)?(?:"|''))?|\ ?[nsew]\b)
    |401\ ?\(?k\)?(?!\w)
    |\d{{3,5}}\ (?:zip|area|postal|dialling|dialing)\ codes?\b
    |(?:24/7|50/50|9/11)(?![\d/]|\ ?\w*m?m?hg)
    |\d+(?:-\d+){{2,}}                                                 # phone and card numbers, identifiers
    |\d{{3}}-\d{{4}}(?!\d|\ ?[%$]|,\d|\ ?[a-z])                            # 555-1234
    |\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?\ ?(?:[ap]\.?\ ?m\b\.?|gmt|est\b|edt\b|utc|hrs?\b(?=\ gmt)|o'?clock)
    |\d{{1,2}}:\d\d(?::\d\d)?(?:\.\d+)?(?![\d:])                           # 17:22, 1:36.6
    |\d+(?::\d+)+(?![\d.]|\ ?%)                                            # 3:1
    |\d{{4}}\ hrs?\.?\ \(?(?:gmt|est|edt|utc|local)
    |\d{{1,4}}\ ?(?:[ap]\.m\.|[ap]m\b|o'?\ ?clock|gmt\b|\(?(?:est|edt|utc)\b)
    |(?:1[6-9]|20)\d\d\ ?[-/]\ ?(?:(?:1[6-9]|20)?\d\d)(?![\d%]|[.,]\d|\ ?(?:mg|ml|kg|mcg|kcal|m\b))  # 1986/87
    |\d{{1,4}}\ ?(?:b\.?c\.?(?:e\.?)?|a\.d\.?)(?!\w)
    |\d{{2,4}}'?s\b                                                        # 1990s
    |\d+(?:st|\ ?(?:nd|rd|th))\b
    |\d{{1,2}}(?:\ ?-\ ?\d{{1,2}})?\ (?:of\ )?{_MONTH}\b
      (?=\.?,?\ (?:1[6-9]|20)\d\d|[^a-z]*\Z|[,.;)]|\ (?:and|to|from|for|in|at|with|said)\b)
    |\d{{1,2}}\ (?:of\ )?(?!may|mar){_MONTH}\b
    """,
    re.VERBOSE,
)
"""Things to step over as a whole, matched at a digit in lower-case text."""


def is_date_part(number: Number, before: str) -> bool:
    """A day or a year right after a month's name ("Dec. 20", "July three")."""
    word = before.rstrip(".,")
    if word in ("a.d", "ad", "anno"):
        return number.plain
    return word in MONTHS and (number.value <= 31 or 1000 < number.value < 2200) and number.power == 0


def is_year(number: Number, before: str, following: str) -> bool:
    """Four plain digits that read as a year; a word of approximation before them makes them a count."""
    if not (number.plain and number.end - number.start == 4 and 1000 <= number.value <= 2200):
        return False
    if following in ("x", "×"):
        return False  # "1920 x 1080"
    if number.value < 1500:
        return before in _BEFORE_OLD_YEAR and (not following or following in STOPS)
    if before in _BEFORE_YEAR:
        return True
    return before not in _BOUND_YEAR and 1850 <= number.value <= 2050 and following not in COUNTED_PEOPLE


COUNTED_PEOPLE = listed("nouns counted in thousands")
"""Nouns that make a count of a number that looks like a year ("employs 2000 people")."""


def words_around(low: str, number: Number) -> tuple[str, str]:
    """The words before and after a number, without punctuation."""
    words = low[max(0, number.start - 20) : number.start].split()
    rest = low[number.end : number.end + 20].split()
    return (words[-1].strip("(,") if words else ""), (rest[0].strip(".,;)") if rest else "")


def read_age(source: Source, reading: Reading) -> bool:
    """Ages without a unit ("aged 18", "Maddon, 66, has", "life expectancy is 73"): set it; False if it is none."""
    number = reading.number
    if number.power or not 0 < number.value < 120:
        return False
    low, floor = source.low, number.start - 80 if number.start > 80 else 0
    stated = low.find("age", floor, number.start) >= 0 or low.find("expectanc", floor, number.start) >= 0
    if stated and _AGE_IS.search(low, floor, number.start) and not _starts_measure(source, number):
        reading.set_unit("year of age", number.end, number.end, "age", 0.7)
        return True
    if not number.plain:
        return False
    apposed = (
        number.value >= 10
        and low[number.end : number.end + 1] == ","
        and _NAMED_AGE.search(source.plain, max(0, number.start - 30), number.start)
    )
    if apposed or (stated and _AGED.search(low, max(0, number.start - 26), number.start)):
        reading.set_unit("year of age", number.end, number.end, "age", 0.8)
        return True
    return False


def has_label(low: str, number: Number) -> bool:
    """Does the word before make a name of a plain number ("Section 4", "No. 3", "Phase 2", "Day 1", "#5")?"""
    if not number.plain and number.shape != "words":
        return False
    if low[number.start - 1 : number.start] == "#":
        return True
    words = low[max(0, number.start - 20) : number.start].rstrip("#-").split()
    return bool(words) and low[number.start - 1] in " #-." and words[-1].rstrip(".#-").lstrip("([\"'") in LABELS


def _starts_measure(source: Source, number: Number) -> bool:
    """Is it the low end of a range with a unit ("dose 5-10 mg"), so that the word before is no label?"""
    high = _RANGE_END.match(source.low, number.end) if source.low[number.start - 1] == " " else None
    unit = source.registry.match_after(source.plain, high.end()) if high else None
    return unit is not None and unit.confidence >= 0.9


def name_kind(source: Source, number: Number, named_end: int) -> str:
    """Is a number without a unit a label ("label": others may follow it), part of a name ("name"), or neither ("")?

    Args:
        named_end: where the last label or date ended ("Day 1, 8 and 15").
    """
    low, plain, start = source.low, source.plain, number.start
    if has_label(low, number):
        return "" if _starts_measure(source, number) else "label"
    if number.plain:
        bracketed = number.end - start == 4 and low[start - 1 : start] == "(" and low.startswith(")", number.end)
        if bracketed and 1500 <= number.value <= 2200:
            return "name"  # "Laocoon (1766)"
        if 0 <= start - named_end <= 7 and low[named_end:start].strip(" ,-/&") in _GOES_ON:
            return "label"
        if number.value < 100 and _MARKER.match(low, number.end) and not _OPENED.search(low, max(0, start - 20), start):
            return "name"
        if number.power == 0 and _CAPITAL.match(plain, number.end) and not _shouting(plain, start):
            return "name"
    if number.power or not (number.plain or (number.shape == "words" and plain[start].isupper())):
        return ""
    name = _NAME_BEFORE.search(plain, max(0, start - 40), start)
    if name is None or _shouting(plain, start):
        return ""
    if name.start() > 0 or sum(map(str.isupper, name.group())) > 1:
        return "" if _starts_measure(source, number) else "name"  # "HbA1c 7 to 9%"
    alone = number.plain and number.value > 1 and name.group().rstrip().lower() not in STOPS
    return "name" if alone and _SINGULAR_VERB.match(low, number.end) else ""  # "Luna 16 was"


def is_model(source: Source, number: Number) -> bool:
    """Is it the number of a named thing, whatever follows: "the Slate 10 tablet offers", "an Aerolite 15 laptop"?"""
    if not number.plain or number.power or source.plain[number.end : number.end + 1] != " ":
        return False
    name = _MODEL.search(source.plain, max(0, number.start - 40), number.start)
    return name is not None and name[1].lower() not in MONTHS and not _shouting(source.plain, number.start)


def is_heading(source: Source, number: Number) -> bool:
    """The number of a section at the head of a line: "3.1 Financial risk factors"."""
    plain, start = source.plain, number.start
    if number.plain or number.power or (start and plain[start - 1] != "\n"):
        return False
    return _SECTION.match(plain, start) is not None


def _shouting(plain: str, at: int) -> bool:
    """Is the text around in capitals, so that they mean nothing?"""
    return plain[max(0, at - 60) : at + 60].isupper()
