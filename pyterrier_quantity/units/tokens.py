"""Patterns for the tokens of a unit phrase ("square", "foot"), and for the exponent or denominator after a unit."""

import re

from pyterrier_quantity.english import SCALE, meanings, one_of, wordings

BLANKS = " \t\r\n\u00a0\u2007\u2009\u200a\u202f"
BLANK = f"[{BLANKS}]"
_NOT_LETTER = r"\W\d_\u00aa\u00ba\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u215f"
LETTER = rf"[^{_NOT_LETTER}]"
WORD = rf"{LETTER}{{1,40}}"
_HYPHEN = r"\-\u2010\u2011"

FIRST = re.compile(rf"(?:{BLANK}-{BLANK}(?=[a-z])|{BLANK}{{1,2}}|[{_HYPHEN}]|)({WORD}|[^\w\s]|\u00ba)")
"""A pattern whose group 1 is the first word or sign of a unit phrase after a number: "square" in " square feet"."""

NEXT = re.compile(rf"(?:{BLANK}{{1,2}}|[{_HYPHEN}.]{BLANK}?|)({WORD}|\d{{1,4}}|[^\w\s.{_HYPHEN}]|\u00ba)")
"""A pattern whose group 1 is the next word or sign of a unit phrase, after a dot, a hyphen or spaces."""

BEHIND_LENGTHS = meanings("behind a length")
"""A dictionary from words after a unit of length to a power: "squared" -> "square"."""
POWER = re.compile(
    rf"(?:\^|\*\*|{BLANK}(?=[23](?:{BLANK}?[(),;]|\.?$|{BLANK}of\b)))?([23])(?!\d|[.,]\d)"
    rf"|([\u00b2\u00b3])|{BLANK}({'|'.join(BEHIND_LENGTHS)})\b",
    re.IGNORECASE,
)
"""The exponent after a unit of length: "m2", "m^2", "m**2", "m²", "metres squared"."""

_TWO_ENDS = re.compile(rf"({LETTER}{{1,3}})-(?:\d[\d.,]{{0,10}})?\d{BLANK}?({LETTER}{{1,3}})(?!\w)")
# Metric prefixes of a unit at one end of a range. Without "a", since "s-1 as" is an exponent and a word.
_PREFIXES = frozenset("GMTckmnpdu\u00b5\u03bc")


def ranges_on(text: str, start: int) -> bool:
    """Return whether a hyphen and a number with a similar unit follow the symbol at `start`: true for "500g-2kg"."""
    ends = _TWO_ENDS.match(text, start)
    return ends is not None and similar(*ends.groups())


def similar(first: str, second: str) -> bool:
    """Return whether two symbols are equal, or differ by a metric prefix: true for "g" and "kg"."""
    shorter, longer = sorted((first, second), key=len)
    return longer == shorter or (longer[1:] == shorter and longer[0] in _PREFIXES)


ADVERBS, BEHIND_PRICES = meanings("as an adverb"), meanings("behind a price")
BEHIND_PRICES |= {f"{'.'.join(short)}.": unit for short, unit in BEHIND_PRICES.items() if short.isalpha()}
"""Dictionaries from words after an amount to a denominator: `ADVERBS` ("daily" -> "day") follow any unit, and
`BEHIND_PRICES` ("p.a." -> "year") follow only money."""

TAIL = re.compile(
    rf"{BLANK}?(?P<slash>[/\u2215\u2044]){BLANK}?"
    rf"|(?:{BLANK}{{1,2}}|-)(?P<per>(?i:{one_of('words of division')}))(?:{BLANK}{{1,2}}|-)"
    rf"|{BLANK}(?P<also>{one_of('words of addition')}){BLANK}"
    rf"(?={one_of('times that divide a unit')}\b(?!-|{BLANK}[a-z]+s\b))"
    rf"|(?:{BLANK}{{1,2}}|-)(?P<article>(?i:an?|{one_of('words for each one')}))(?:{BLANK}{{1,2}}|-)"
    rf"|{BLANK}{{1,2}}(?P<adverb>(?i:{'|'.join(ADVERBS)}))(?!\w)"
    rf"|{BLANK}{{0,2}}(?P<price>{'|'.join(map(re.escape, sorted(BEHIND_PRICES, key=len, reverse=True)))})(?!\w)"
)
"""The beginning of a denominator after a unit: "/", " per ", " a ", " daily"."""

DIVIDERS = frozenset((*BLANKS, *"/\u2215\u2044-p"))
"""The characters with which a denominator may begin, for a quick test before the pattern `TAIL`."""
_DIVIDING = wordings("words of division") + wordings("words for each one") + wordings("words of addition")
_DIVIDER_HEADS = frozenset(word[:2] for word in (*_DIVIDING, "an", *ADVERBS, *BEHIND_PRICES))


def may_divide(text: str, end: int) -> bool:
    """Return whether a denominator, such as "/kg", may follow a unit that ends at offset `end` (a quick test)."""
    if text[end : end + 1] != " ":
        return text[end : end + 1] in DIVIDERS
    head = text[end + 1 : end + 3].lower()
    return head in _DIVIDER_HEADS or not head.isalpha()


CONSTANT = re.compile(
    rf"(?P<digits>\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:{BLANK}\d{{3}})+(?!\d)|\d{{1,12}}(?:\.\d{{1,6}})?)(?:{BLANK}?(?P<scale>{SCALE}|k)\b)?-?{BLANK}?"
    rf"|(?P<word>{SCALE}){BLANK}"
)
"""A number inside a denominator: "/1.73 m2", "per 100,000 people", "per thousand cubic feet"."""

AGO = re.compile(rf"{BLANK}{{1,2}}{one_of('words that date a duration').replace(' ', BLANK)}\b", re.IGNORECASE)
"""Words after "a year" that make the phrase a date and not a denominator: "18 cts a year ago"."""

ADVERB_ENDS = re.compile(rf"{BLANK}{{0,2}}(?:$|[^\w\s]|{one_of('words that begin something else')}\b)", re.IGNORECASE)
"""The text after an adverb that ends an amount: "," in "20 cts quarterly,", but not " dividend"."""


def key_of(phrase: str) -> tuple[str, ...]:
    """Split a spelling from a unit file into tokens: "cubic-metre" -> ("cubic", "metre")."""
    tokens: list[str] = []
    position = 0
    while position < len(phrase):
        match = (NEXT if tokens else FIRST).match(phrase, position)
        if match is None or match.end() == position:
            position += 1
            continue
        tokens.append(match.group(1))
        position = match.end()
    return tuple(tokens)
