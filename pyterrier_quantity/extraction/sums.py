"""Sums of money whose currency is a word before the number: "dollar 22.5 million", "Pounds 50m", "rupees 500 crore"."""

from __future__ import annotations

import re

from pyterrier_quantity.units import UnitMatch

from . import counts
from .numerals import Number
from .reading import Source

NAMES = {
    "dollar": "dollar", "dollars": "dollar", "euro": "euro", "euros": "euro", "pounds": "pound sterling",
    "sterling": "pound sterling", "rupee": "rupee", "rupees": "rupee", "yen": "japanese yen", "yuan": "chinese yuan",
    "francs": "franc", "rand": "south african rand", "ringgit": "malaysian ringgit",
}  # fmt: skip
_BEFORE = re.compile(
    r"(?:\A|[.,;:(\"'] ?|\b(?:at|of|for|to|than|is|was|were|about|around|nearly|some|over|under|from|only|by|with|least"
    r"|most|another|extra|costs?|paid|pays?|worth|raised|spent|earned|won|lost|a|or|and|between|price) )([a-z]+) \Z"
)
_SCALED = re.compile(r" ?(?:m|bn|k|b|tn)(?!\w)")


def currency_before(source: Source, number: Number) -> UnitMatch | None:
    """The currency that the word in front of the number names; None where the number counts or measures something."""
    found = _BEFORE.search(source.low, max(0, number.start - 32), number.start)
    if found is None or found[1] not in NAMES:
        return None
    scaled = number.power > 0 or _SCALED.match(source.low, number.end)
    if not scaled and (_is_named(source, found, number) or _is_measured(source, number.end)):
        return None
    return UnitMatch(NAMES[found[1]], found.start(1), found.end(1), 0.8 if scaled else 0.6)


def _is_named(source: Source, word: re.Match[str], number: Number) -> bool:
    """ "Euro 96", "Euro 2020", "Euro 6": a contest or a standard."""
    year = number.plain and 1900 <= number.value < 2100
    return year or number.value < 5 or (source.plain[word.start(1)].isupper() and not word[1].endswith("s"))


def _is_measured(source: Source, end: int) -> bool:
    unit = source.registry.match_after(source.plain, end)
    return unit is not None or counts.after(source.low, end, False) is not None
