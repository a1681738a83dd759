"""A number with its unit in the notation that the steps of a reading know, and the mention that is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pyterrier_quantity.extraction.grammar.formats import is_year
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.units import UnitMatch, UnitRegistry

from .numerals import Numeral
from .scanner import Token

_THOUSAND: Final = 1000
_YEAR: Final = re.compile(r"1[5-9]\d\d|20\d\d")
_FIRST_BOUNDS: Final = ("<", ">", "<=", ">=", "=", "up", "down", "~")
"""Which bound counts if several are said."""
_SURE: Final = re.compile(r"-?(?!0\d)\d[\d,]{0,40}(?:\.\d+)?(?: to [\d,.]+)?")
"""Digits that are a number and nothing else."""
Piece = tuple[str, int, int]
"""A part of the rewritten text, and the span that it stands for."""


class Chunk:
    """A number with its unit: what they are in the notation, and what the wordings beside them say.

    pieces: the number and its unit in the order of the text, and what it is divided by.
    number: which piece is the number; start, end: where it stands with its unit; first, last: with the wordings, too;
    joint: what joins it to the next one: " to ", " and ", or nothing. dated: whether its bounds are those of a year.
    places, cue: where the pieces and the bound stand in the notation.
    """

    def __init__(
        self, pieces: list[Piece], found: UnitMatch | None = None, numeral: Numeral | None = None, number: int = 0
    ) -> None:
        self.pieces, self.found, self.numeral, self.number = pieces, found, numeral, number
        self.unit = found.unit if found else ""
        self.start = self.first = pieces[0][1]
        self.end = self.last = pieces[-1][2]
        self.bounds: list[str] = []
        self.wordings: list[Token] = []
        self.joint, self.dated = "", False
        self.places: list[tuple[int, int]] = []
        self.cue = (0, 0)

    @property
    def is_year(self) -> bool:
        """Whether it may be a year, or a date with one."""
        text = self.pieces[self.number][0] if not self.unit else ""
        return _YEAR.fullmatch(text if self.numeral else text.rpartition(" ")[2]) is not None

    def is_sure(self, registry: UnitRegistry) -> bool:
        """Whether nothing but the number and its unit can be meant: no "pound", and no digits such as "007"."""
        if not self.numeral:
            return True
        named = not self.found or self.found.end or registry.resolve(self.unit) == self.unit
        return bool(named and _SURE.fullmatch(self.pieces[self.number][0]))

    def mentions(self, text: Text) -> Iterator[Mention]:
        """The quantities of the notation: two if the number is a range; none if it is a year."""
        begin, last = self.places[self.number]
        for value in text.plain[begin:last].split(" to ") if self.numeral else ():
            start, digits = begin + value.startswith("-"), value.strip("-")
            number = Number(float(digits.replace(",", "")), start, start + len(digits), plain=digits.isdecimal())
            mention = Mention(number, start)
            if start > begin:
                mention.negate(begin)
            begin = number.end + len(" to ")
            if self.bounds:
                mention.bound = min(self.bounds, key=_FIRST_BOUNDS.index)
                mention.cue_start, mention.cue_end = self.cue
            if self.found and number.end == last:
                self._set_unit(text, mention, self.found)
            elif number.plain and (self.dated or not self.bounds) and _is_year(text, number):
                continue
            yield mention

    def _set_unit(self, text: Text, mention: Mention, unit: UnitMatch) -> None:
        start, end = self.places[1 - self.number]
        below = "".join([piece[0] for piece in self.pieces[2:]])
        mention.end = max(mention.end, self.places[-1][1])
        kind, sure = ("unit", unit.confidence) if text.registry.family(unit.unit) else ("noun", 0.9)
        kind = "currency" if self.number else kind
        mention.set_unit(f"{unit.unit}{below}", start + (text.plain[start] == " "), end, kind, sure)
        if unit.others and not below:
            mention.others = tuple([(other, scale / unit.scale) for other, scale in unit.others])
        mention.multiply(unit.scale)

    def begin_range(self, following: Chunk) -> None:
        """Let what multiplies the second number of a range count for the first, too ("2 bis 3 Millionen"), and its unit
        tell that the first is no year.
        """
        one, other = self.numeral, following.numeral
        if not one or not other or self.unit:
            return
        shares = one.scale == 1 and 0 < one.value < other.value / other.scale < _THOUSAND
        if following.unit or shares:
            value = one.value * (other.scale if shares else 1)
            self.pieces[self.number] = (f"{value:,f}", *self.pieces[self.number][1:])


def _is_year(text: Text, number: Number) -> bool:
    number.before = text.word_before(number.start)
    return is_year(text.lower, number)
