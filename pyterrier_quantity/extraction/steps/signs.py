"""Signs: "-5", "minus 5", "+3" as a change; and dashes that are none ("60-80", "COVID-19")."""

from __future__ import annotations

import re

from pyterrier_quantity.english import expression, in_order, one_of
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_PREFIX = re.compile(rf"(?:\A|[^\w-]){one_of('words before a dash that is no sign')}-\Z")
_LEFT = frozenset(" (=<>~:\"'[$€£¥/,±≥≤|\t\n")
_APART = re.compile(rf"(?:[=≈~<>≤≥]|\b{one_of('words before a sign that stands apart')}) ?- \Z")
_MINUS = tuple(in_order("words for a minus"))
_BELOW_ZERO = expression("below zero")
_NAMES = tuple(in_order("names with a number that no sign stands before"))
_GLUE = ("+", "-", " ")


def settle_signs(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Settle what the dash, plus or "minus" before digits is; a number that a dash ties to a word goes."""
    lower = text.lower
    kept: list[Mention] = []
    end = 0
    for mention in mentions:
        if mention.start < end:
            continue
        if lower[mention.number.start - 1 : mention.number.start] not in _GLUE or _settle(lower, mention, kept):
            kept.append(mention)
            if below := _BELOW_ZERO.match(lower, mention.end):
                mention.negate(mention.start)
                mention.end = below.end()
            end = mention.end
        else:
            end = text.token_end(mention.number.end)
    return kept


def _settle(lower: str, mention: Mention, kept: list[Mention]) -> bool:
    start, word = mention.number.start, mention.number.before
    glue = lower[start - 1]
    if word.rstrip("-") in _MINUS and not lower.endswith("plus or minus ", 0, start):
        mention.negate(lower.rfind(word, 0, start))
        return True
    if glue == " ":
        if lower[start - 2 : start - 1] == "-" and _APART.search(lower, max(0, start - 12), start):
            mention.negate(start - 2)  # "a bias of - 100 V"
        return True
    if word.rstrip("-") in _NAMES:
        return False
    return _plus(lower, mention, kept) if glue == "+" else _dash(lower, mention, kept)


def _plus(lower: str, mention: Mention, kept: list[Mention]) -> bool:
    start = mention.number.start
    left = lower[start - 2] if start > 1 else " "
    if left in _LEFT:
        mention.number_start, mention.start = start - 1, min(mention.start, start - 1)
        mention.bound = "up"
    return _touches(mention, kept) or not left.isalpha()  # no "UTC+2"


def _dash(lower: str, mention: Mention, kept: list[Mention]) -> bool:
    start = mention.number.start
    if _touches(mention, kept):
        return True
    left = lower[start - 2] if start > 1 else " "
    if left in _LEFT and mention.source != "noun" and not (kept and lower[kept[-1].end : start - 1] == " "):
        mention.negate(start - 1)
    elif left.isalnum() or left in ").":
        prefix = _PREFIX.search(lower, max(0, start - 10), start)
        return prefix is not None
    return True


def _touches(mention: Mention, kept: list[Mention]) -> bool:
    return bool(kept) and kept[-1].end >= mention.number.start - 1
