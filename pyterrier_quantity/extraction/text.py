"""Normalise a text for the extraction steps: full-width digits become ASCII digits. All offsets stay the same."""

import re
import string
import sys
import unicodedata
from collections.abc import Callable

from pyterrier_quantity.english import rows_of
from pyterrier_quantity.units import UnitMatch, UnitRegistry
from pyterrier_quantity.units.ambiguity.site import about

from .grammar.numerals import Number
from .mention import SPANS, Mention

_RANGE_END = re.compile(
    r"(?: ?- ?| to | or | and | by | ?x ?|(?P<spread> ?± ?| ?\+/- ?))"
    r"(?P<high>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\d.,-]*\d)"
)
_LONGEST_UNIT = 60
_WIDEST = 50  # the maximum ratio of the ends of a range
NEXT_DIGIT = frozenset(f" {digit}" for digit in string.digits)
_NO_UNIT = frozenset(("", *".,;:!?)"))
_REST_OF_TOKEN = re.compile(r"[\w-]*")

_SHOUTED_DOSE = re.compile(r"(?<=\d) ?(?:MG|MCG|(?<=\d\d)ML|(?<=\d\d )ML)(?![\w-])")
_SHOUTED = re.compile(r"(?<=\d) ?(?:MG|MCG|UG|[MC]?[GLM])(?![\w-])")  # "Ibuprofen 200 MG", "CABLE 3 M BLACK"
_WORD, _MONEY = re.compile("[A-Z]{4}"), about("money")
_GLUED_SIDES = re.compile(r"x(?:(?<=\d[cm]mx)|(?<=\dmx)|(?<=\dftx)|(?<=\dinx))(?=\d)")  # "30cmx40cm"


_PLAIN = {char: plain for plain, fancy in rows_of("characters.tsv") for char in fancy}
_PLAIN |= {chr(ord(letter) + 0xFEE0): letter for letter in string.ascii_letters}  # full-width letters
_PLAIN |= {chr(code): " " for code in range(128, 0x3001) if unicodedata.category(chr(code)) == "Zs"}
_DIGITS = filter(str.isdecimal, map(chr, range(128, sys.maxunicode + 1)))
_PLAIN |= {digit: str(unicodedata.decimal(digit)) for digit in _DIGITS}


def clean(text: str) -> tuple[str, str]:
    """Return the text with digits, dashes, spaces and quotes in ASCII, and the same text in lower case."""
    if text.isascii():
        return text, text.lower()
    plain = text
    for char in _PLAIN.keys() & set(text):
        plain = plain.replace(char, _PLAIN[char])
    low = plain.lower()
    if len(low) != len(plain):  # the lower case of a few capitals has two characters
        low = "".join(c if len(c.lower()) != 1 else c.lower() for c in plain)
    return plain, low


class Text:
    """The text that the extraction steps read, in three forms of the same length.

    given: the text from the user.
    plain: the text with ASCII digits, dashes, spaces and quotes.
    lower: `plain` in lower case. Steps may search it from a negative offset, which `re` treats as 0.
    registry: the registry of units.
    named: the sorted end offsets of dates, clock times and references ("Fig. 5") whose numbers a step has dropped.
    """

    __slots__ = ("given", "lower", "named", "plain", "registry")

    def __init__(self, text: str, registry: UnitRegistry) -> None:
        self.given = text
        self.plain, self.lower = clean(text)
        if "x" in self.lower and _GLUED_SIDES.search(self.lower):
            self.plain, self.lower = (_GLUED_SIDES.sub("×", one) for one in (self.plain, self.lower))
        shouted = self.plain.isupper()
        dosed = shouted or "MG" in self.plain or "ML" in self.plain or "MCG" in self.plain
        if dosed and _SHOUTED.search(self.plain):
            line = shouted and _WORD.search(self.plain) and not _MONEY.search(self.lower)
            self.plain = (_SHOUTED if line else _SHOUTED_DOSE).sub(lambda found: found[0].lower(), self.plain)
        self.registry = registry
        self.named: list[int] = []

    def between(self, first: Mention, second: Mention) -> str:
        """Return the text between two mentions, except the words for bounds: "over 5 kg and over 3 m" -> " and "."""
        return self.lower[max(first.end, first.after_end) : min(second.start, second.cue_start)]

    def put_back(self, mentions: list[Mention]) -> None:
        """Convert the spans to offsets in the original text, `given`, if a subclass has removed characters."""

    def is_money(self, unit: str) -> bool:
        """Return whether a unit is a currency, with or without a denominator ("dollar per barrel")."""
        return self.registry.is_money(unit)

    def number_after(self, at: int) -> bool:
        """Return whether the next word after offset `at` begins with a digit."""
        return self.lower[at : at + 2] in NEXT_DIGIT

    def unit_after(self, at: int) -> UnitMatch | None:
        """Return the unit that follows a number ending at offset `at`, or None: kilogram for "5 kg" and offset 1."""
        if self.lower[at : at + 1] in _NO_UNIT:
            return None
        unit = self.registry.match_after(self.plain, at)
        if unit is None and 0 <= (line_end := self.plain.find("\n", at, at + _LONGEST_UNIT)) != at:
            floor = max(0, at - _LONGEST_UNIT)
            unit = self.registry.match_after(self.plain[floor:line_end], at - floor)
            unit = None if unit is None else unit._replace(start=unit.start + floor, end=unit.end + floor)
        return unit

    def token_end(self, at: int) -> int:
        """Return the end offset of the token (letters, digits and hyphens) that begins at offset `at`."""
        found = _REST_OF_TOKEN.match(self.lower, at)
        return found.end() if found else at

    def keep(self, mentions: list[Mention], keeps: Callable[[Mention, list[Mention]], bool]) -> list[Mention]:
        """Return the mentions for which `keeps(mention, kept)` is true. `kept` contains the mentions kept so far. After
        a rejected mention, the other mentions in the same token are rejected too: "747-400"."""
        kept: list[Mention] = []
        end = 0
        for mention in mentions:
            if mention.start >= end:
                keep = keeps(mention, kept)
                end = mention.end if keep else self.token_end(mention.number.end)
                kept += [mention] * keep
        return kept

    def word_before(self, at: int) -> str:
        """Return the word before offset `at` (or before a plus or minus there), without opening brackets and quotes."""
        words = self.lower[at - 24 if at > 24 else 0 : at].rsplit(None, 1)
        if not words:
            return ""
        word = words[-1].lstrip("(\"'[,;")
        return words[0].rsplit(None, 1)[-1] if word in ("-", "+") and len(words) > 1 else word

    def per_after(self, at: int, unit: str) -> tuple[str, int]:
        """Return `unit` with the denominator at offset `at`, and the denominator's end offset: ("dollar per barrel",
        13) for offset 2 in "$5 per barrel". If no denominator follows, return (unit, at)."""
        per = self.registry.match_per(self.plain, at, unit)
        return (unit, at) if per is None else (per.unit, per.end)

    def starts_measure(self, number: Number, least: float = 0.8) -> bool:
        """Return whether a number begins a range, or a value with a tolerance, before a unit or rate: true for "5 ± 2
        mg", "5-10 a day". The confidence of the unit must be at least `least`."""
        begins = number.start == 0 or self.lower[number.start - 1] in " (\n"
        high = _RANGE_END.match(self.lower, number.end) if begins else None
        end = float(high["high"].replace(",", "")) if high else 0.0
        widest = _WIDEST * (number.value or end)  # "aged 0 to 16 weeks"
        rises = high is not None and (high["spread"] is not None or number.value <= end <= widest)
        if high is None or not rises:
            return False
        unit = self.registry.match_after(self.plain, high.end())
        each = unit is None and not self.lower.startswith((" each", " every"), high.end())
        rate = each and self.per_after(high.end(), "")[0].removeprefix(" per ") in SPANS
        return rate or (unit is not None and unit.confidence >= least)
