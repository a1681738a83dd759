"""Letters as scales: "25k", "1.2m tons", "8 B people", "5 m euros", "12 MM"."""

from __future__ import annotations

import re

from . import counts, filters
from .reading import Reading, Source

_LETTER = re.compile(r" ?(k|m|mm|b|bn|t|tn)(?![\w])")
_POWERS = {"k": 3, "m": 6, "mm": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
_MONEY = re.compile(
    r"\b(?:revenues?|sales|profits?|ebitda|earnings|income|loss|turnover|budget|debt|cash|valuation|capex)\b"
)
_WORD = re.compile(r"[a-z]+")
_PLURAL_ENDS = ("s", "people")


def scale_money(low: str, reading: Reading) -> None:
    """Read a letter behind an amount of money as its scale: "$10k", "€1.2bn", "$5 M"."""
    letter = _LETTER.match(low, reading.number.end)
    if letter and reading.number.power == 0:
        reading.scale(_POWERS[letter[1]], letter.end())


def scale(source: Source, reading: Reading) -> None:
    """ "25k", "1.2m tons", "8 B people", "5 m euros", "12 MM": a letter as a scale, where the text allows no unit."""
    low, plain, end = source.low, source.plain, reading.number.end
    found = _LETTER.match(low, end)
    if not found:
        return
    letter, glued, stop = found[1], low[end] != " ", found.end()
    if letter == "k" and glued:
        if plain[end] == "k" or source.registry.match_after(plain, stop) is not None:
            reading.scale(3, stop)
    elif _scales(source, letter, glued, found.start(1), stop):
        reading.scale(_POWERS[letter], stop)


def _scales(source: Source, letter: str, glued: bool, start: int, stop: int) -> bool:
    """Does a letter stand for a scale, by what follows it?"""
    low, plain = source.low, source.plain
    capital = plain[start:stop].isupper()
    millions = letter == "mm" and capital and source.registry.match_after(plain, start) is None
    if millions and _MONEY.search(low, max(0, start - 60), stop + 40):
        return True
    if low[stop : stop + 1] != " " or (letter in ("t", "tn") and not glued):
        return False
    if glued and letter in ("bn", "tn"):
        return True
    unit = source.registry.match_after(plain, stop)
    if unit is not None:
        plural = low[unit.start : unit.start + 3].isalpha() and low[unit.start : unit.end].endswith(_PLURAL_ENDS)
        return plural or source.is_money(unit.unit)
    if not glued and not (capital and letter in ("m", "b", "mm")):
        following = _WORD.match(low, stop + 1)
        return following is not None and following.group() in filters.COUNTED_PEOPLE
    return counts.after(low, stop, False) is not None
