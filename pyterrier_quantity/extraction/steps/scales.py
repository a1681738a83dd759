"""Scales that are no words: letters ("25k", "1.2m tons", "5 m euros") and points between thousands ("1.299 €")."""

from __future__ import annotations

import re

from pyterrier_quantity.extraction.grammar import counted_nouns, formats
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_LETTER = re.compile(r" ?(k|m|mm|mil|b|bn|bil|t|tn)(?![\w])")
_POWERS = {"k": 3, "mil": 6, "bil": 9, "m": 6, "mm": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
_WORD = re.compile(r"[a-z]+")
_IN_A_ROW = re.compile(r"(?:\d[a-z]? ?, |\d[a-z],? (?:and|or|&) |\w-)\Z")
_ALONE = re.compile(r"\Z|[.,;:!?)]| (?P<word>[a-z]+)")
_PLURAL_ENDS = ("s", "people")


def scale_letters(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Multiply a number by the letter behind it where the text allows no unit there."""
    for mention in mentions:
        number = mention.number
        if not mention.source and number.power == 0 and text.lower[number.start] in ".0123456789":
            _scale(text, mention)
    return mentions


def _scale(text: Text, mention: Mention) -> None:
    lower, plain, end = text.lower, text.plain, mention.number.end
    found = _LETTER.match(lower, end)
    if not found:
        return
    letter, glued, stop = found[1], lower[end] != " ", found.end()
    if plain[stop - 1] in "KM" and _is_unit(text, end, stop):
        return
    if letter == "k" and glued:
        if plain[end] == "k" or mention.number.value >= 10 or text.registry.match_after(plain, stop) is not None:
            mention.scale(3, stop)  # "a 4K display"
    elif _scales(text, mention.number, letter, glued, stop):
        mention.scale(_POWERS[letter], stop)


def _is_unit(text: Text, end: int, stop: int) -> bool:
    """Whether a capital is kelvin or molar, or begins the formula of a unit: "0.1 M KOH", "T = 673K", "5K/min"."""
    unit = text.registry.match_after(text.plain, end)
    return unit is not None and (unit.end > stop or unit.confidence >= 0.7)


def _states_a_sum(text: Text, number: Number, stop: int) -> bool:
    """Whether a number with a capital stands alone and names nothing: "made 862M in May"; no "site 862B", "3A, 3B"."""
    lower, start = text.lower, number.start
    if _IN_A_ROW.search(lower, max(0, start - 10), start) or formats.has_label(lower, number):
        return False
    alone = _ALONE.match(lower, stop)
    return alone is not None and (not alone["word"] or alone["word"] in counted_nouns.STOPS)


def _scales(text: Text, number: Number, letter: str, glued: bool, stop: int) -> bool:
    """Whether a letter stands for a scale, by what follows it."""
    lower, plain, start = text.lower, text.plain, stop - len(letter)
    capital = plain[start:stop].isupper()
    if letter == "mm" and not capital:
        return False  # "3mm"
    if letter in "bt" and glued and lower[start - 4 : start].isdigit():
        return False  # "LHS 3844b flies"
    if capital and glued and letter in ("m", "b", "bn") and _states_a_sum(text, number, stop):
        return text.registry.match_after(plain, start) is None
    if lower[stop : stop + 1] != " " or (letter in ("t", "tn") and not glued):
        return False
    unit = text.registry.match_after(plain, stop)
    if unit is not None:
        plural = lower[unit.start : unit.start + 3].isalpha() and lower[unit.start : unit.end].endswith(_PLURAL_ENDS)
        return plural or text.is_money(unit.unit)
    if not glued and not (capital and letter in ("m", "b", "mm")):
        following = _WORD.match(lower, stop + 1)
        return following is not None and following.group() in formats.COUNTED_PEOPLE
    return counted_nouns.after(lower, stop, False) is not None


def scale_money(lower: str, mention: Mention) -> None:
    """Read a letter behind an amount of money as its scale: "$10k", "€1.2bn", "$5 M"."""
    letter = _LETTER.match(lower, mention.number.end)
    if letter and mention.number.power == 0:
        mention.scale(_POWERS[letter[1]], letter.end())


_GROUPED = re.compile(r"[1-9]\d{0,2}\.(\d{3})\Z")
_DECIMAL = ("dollar", "pound sterling")


def group_thousands(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Multiply what can have no three decimals: counted things, sums of money, round distances."""
    for mention in mentions:
        number = mention.number
        if mention.low == mention.high and 5 <= number.end - number.start < 8 and number.value < 1000:
            digits = _GROUPED.match(text.lower[number.start : number.end])
            if digits and _is_grouped(text, mention, digits[1]):
                mention.multiply(1000)
    return mentions


def _is_grouped(text: Text, mention: Mention, decimals: str) -> bool:
    if " per " in mention.unit:
        return False
    if text.is_money(mention.unit):
        return mention.unit_end - mention.unit_start <= 3 and not mention.unit.endswith(_DECIMAL)
    if mention.source == "noun" or mention.unit == "people":
        return mention.confidence > 0.5
    return mention.unit == "kilometre" and decimals == "000"
