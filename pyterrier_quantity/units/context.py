"""Ambiguous unit words, decided by the text around them.

A rule gets the text, the end of the number, and the span of the unit's words; it returns the unit (or None: not a
unit here) and how sure that is. Rules read at most a few dozen characters to either side.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Verdict = tuple[str, float] | None
Rule = Callable[[str, int, int, int, str], Verdict]

_ROOM = 48
_TEMPERATURE = re.compile(
    r"temperature|degree|°|heat|cool|warm|cold|freez|frozen|melt|boil|celsius|fahrenheit|thermostat|weather|oven"
    r"|incubat|stored?\b|fever|body temp|\bhigh of|\blow of", re.IGNORECASE)
_AFTER_UNIT = re.compile(r"\s*(?:$|[,.;:)\]]|x\b|by\b|long|wide|high|tall|deep|thick|in (?:diameter|length|width|height)|and\b)")
_NEXT_WORD = re.compile(r"[\s-]{0,2}([^\W\d_]*)")
_SIZE_BEFORE = re.compile(r"(?:ft\.?|feet|foot|'|′|\dx|×|\bx|by)\s*\d*[\s./\d-]*$")


def decide(rule: str, text: str, number_end: int, start: int, end: int, unit: str, confidence: float) -> Verdict:
    """Ask the rule for this spelling; without one, the unit stands with its own confidence unless a word clings to it."""
    known = RULES.get(rule)
    if known is not None:
        return known(text, number_end, start, end, unit)
    if end - start <= 2 and _clings(text, end):
        return None
    return unit, confidence


def _clings(text: str, end: int) -> bool:
    """Whether the letter goes on as part of a name: "5 C-section", "3 M's", "4 A. Smith"."""
    after = text[end : end + 2]
    return bool(after) and (after[0] in "-'’&" and after[1:].isalnum())


def _before(text: str, number_end: int) -> str:
    return text[max(0, number_end - _ROOM) : number_end]


def _next_word(text: str, end: int) -> str:
    match = _NEXT_WORD.match(text, end)
    return match.group(1) if match else ""


def _glued(number_end: int, start: int) -> bool:
    return number_end == start


def _inch(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if text[end : end + 1] in ("-", "/", "'"):
        return None
    if _glued(number_end, start):
        return unit, 0.9
    if text[start - 1] == "-":
        return unit, 0.8
    if _AFTER_UNIT.match(text, end) or _SIZE_BEFORE.search(_before(text, number_end)):
        return unit, 0.7
    return None


def _quote_inch(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if not _glued(number_end, start):
        return None
    head = text[max(0, number_end - 400) : number_end]
    if head.count('"') % 2:
        return None
    return unit, 0.7


def _quote_foot(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if not _glued(number_end, start) or text[end : end + 1].isalpha():
        return None
    if text[end : end + 1].isdigit():
        return unit, 0.9
    head = text[max(0, number_end - 200) : number_end]
    return (unit, 0.4) if head.count("'") % 2 == 0 else None


def _metre(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if _clings(text, end):
        return None
    return unit, 0.6


def _temperature(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if _clings(text, end) or text[end : end + 1].isalnum():
        return None
    around = text[max(0, number_end - 60) : end + 40]
    if _TEMPERATURE.search(around):
        return unit, 0.9
    return (unit, 0.5) if text[start - 1 : start] == " " and unit == "celsius" and not _capital_next(text, end) else None


def _capital_next(text: str, end: int) -> bool:
    return _next_word(text, end)[:1].isupper()


def _second(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    word = text[start:end].lower()
    if word == "seconds" or text[start - 1] == "-":
        return unit, 1.0
    number = text[max(0, number_end - 4) : number_end].strip().lower()
    if number.endswith(("one", "1")) or "." in number:
        return unit, 0.9
    return unit, 0.7


def _pound(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    nearby = text[max(0, number_end - 80) : number_end].lower()
    after = text[end : end + 60].lower()
    if _POUND_MONEY_NEAR.search(text[max(0, number_end - 14) : number_end].lower()) or _POUND_MONEY.search(nearby + " | " + after):
        return "pound sterling", 0.8
    return "pound-mass", 0.8


_POUND_MONEY_NEAR = re.compile(r"(?:mln|million|billion|bln|bn|\dm|trillion)\s*$")
_POUND_MONEY = re.compile(
    r"\b(?:bid|pay|paid|cost|price|profit|loss(?:es)?|sales?|turnover|revenue|sterling|pence|dividend|debt|loan|invest\w*|"
    r"worth|fined?|budget|salary|earn\w*|british|uk|u\.k\.|london|shares?|spend|spent|salar\w+|fee|value[d]?|grant|fund\w*|"
    r"pretax|pre-tax|raise[d]?)\b")

_SWALLOW = frozenset(
    "the and or of to from for with by that this who which was were is are has had have will would".split())


def _word_unit(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    return unit, 0.8


def _no_capital_next(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if _clings(text, end) or _capital_next(text, end):
        return None
    return unit, 0.6


def _cup(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    word = text[start:end]
    if word[:1].isupper() or _next_word(text, end).lower() in ("final", "finals", "match", "tie", "win", "winner"):
        return None
    return unit, 0.9


def _pence(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if _clings(text, end) or text[end : end + 2] in (".m", ".M"):
        return None
    return unit, 0.8 if _glued(number_end, start) else 0.6


def _time(text: str, number_end: int, start: int, end: int, unit: str) -> Verdict:
    if text[start:end].lower() == "times":
        return unit, 0.9
    return (unit, 0.5) if text[start - 1] == "-" else None


RULES: dict[str, Rule] = {
    "in": _inch, "ins": _inch, '"': _quote_inch, "' '": _quote_inch, "'": _quote_foot, "’": _quote_foot,
    "m": _metre, "C": _temperature, "F": _temperature, "K": _temperature,
    "second": _second, "seconds": _second, "pound": _pound, "pounds": _pound,
    "cup": _cup, "cups": _cup, "p": _pence, "time": _time,
}
