"""Which words of a query a condition belongs to: "Academic Reputation" in "Academic Reputation below 14".

A number belongs to the noun phrase before it, up to a word that begins another statement ("have", "with", "and") or a
mark. Names in brackets are units ("Revenue (USD) below 5"), and no attributes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pyterrier_quantity.english import listed
from pyterrier_quantity.plan.conditions import Condition

_TOKEN: Final = re.compile(r"[^\W_][\w'’-]*|[^\w\s]")
_BEGINS: Final = listed("words that begin another statement")
_EMPTY: Final = listed("words that name no attribute")
_GENERAL: Final = listed("words that name an attribute where nothing else does")
_JOINS: Final = frozenset("'’-&")
_LONGEST: Final = 5
_REACH: Final = 120


def with_attributes(text: str, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions of a query with the words that each belongs to, the nearest first; () if there are none."""
    found, previous_end = [], 0
    for one in conditions:
        words = _attribute_before(text, *one.name) + _attribute_before(text, previous_end, one.start)
        found.append(replace(one, constraint=replace(one.constraint, attribute=words)))
        previous_end = one.end
    return found


def _attribute_before(text: str, floor: int, start: int) -> tuple[str, ...]:
    """The words of the attribute that stands between two places and ends before the second."""
    words: list[str] = []
    general: list[str] = []
    bracketed = 0
    for word in reversed(_TOKEN.findall(text[max(floor, start - _REACH) : start])):
        if word in "()":
            bracketed = max(0, bracketed + (1 if word == ")" else -1))
        elif bracketed or word in _JOINS or word.isdecimal() or word.lower() in _EMPTY:
            continue
        elif word.lower() in _GENERAL:
            general.append(word)
        elif not word[0].isalnum() or word.lower() in _BEGINS:
            if words or general:
                break
        else:
            words.append(word)
            if len(words) == _LONGEST:
                break
    return tuple(words or general)
