"""What conditions have to do with their query's words and with each other.

A number belongs to the noun phrase before it ("Academic Reputation below 14"), up to a mark or to a word that begins
another statement ("have", "with", "and"). Names in brackets are units ("Revenue (USD) below 5"), and no attributes.
Of alternatives one is enough: "16 GB or 32 GB", "500 g, 1 kg or 2 kg", "under 1 kg or over 10 kg".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pyterrier_quantity.english import listed, one_of
from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE
from pyterrier_quantity.plan.conditions import Condition
from pyterrier_quantity.quantity import Constraint

_OR: Final = re.compile(rf"\b{one_of('words of a choice')}\b")
_ALTERNATIVE: Final = re.compile(rf",?(?: {_OR.pattern}|,| /|/)? ?(?:{one_of('words before a choice')} )?")
_TOKEN: Final = re.compile(r"[^\W_][\w'’-]*|[^\w\s]")
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
        elif bracketed or word in _JOINS or word.isdecimal() or word.lower() in listed("words that name no attribute"):
            continue
        elif word.lower() in listed("words that name an attribute where nothing else does"):
            general.append(word)
        elif not word[0].isalnum() or word.lower() in listed("words that begin another statement"):
            if words or general:
                break
        else:
            words.append(word)
            if len(words) == _LONGEST:
                break
    return tuple(words or general)


def with_alternatives(text: str, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions of a query, those that "or" joins marked by a number that they share; so are the readings of one
    whose unit is in doubt."""
    marked = [one.constraint for one in conditions]
    gaps = [text[one.end : other.start].lower() for one, other in pairwise(conditions)]
    begin = group = 0
    while begin < len(marked):
        group, end = group + 1, begin + 1
        while end < len(marked) and _joined(gaps[end - 1], marked[begin], marked[end]):
            if conditions[end].is_plain:
                marked[end] = _bound_alike(marked[end - 1], marked[end])
            end += 1
        either = any(map(_OR.search, gaps[begin : end - 1]))
        for place in range(begin, end):
            if either or conditions[place].others:
                marked[place] = replace(marked[place], alternative=group)
                group += not either
        begin = end
    return [replace(one, constraint=constraint) for one, constraint in zip(conditions, marked, strict=True)]


def _joined(gap: str, one: Constraint, other: Constraint) -> bool:
    """Whether two conditions may be alternatives: values in a list, or anything right behind "or"."""
    return bool(_ALTERNATIVE.fullmatch(gap) and (one.op == other.op == "=" or _OR.search(gap)))


def _bound_alike(one: Constraint, other: Constraint) -> Constraint:
    """A bare value behind a bound: "cheaper than 50 dollars or 60 dollars"."""
    if one.op in OPPOSITE and other.op == "=" and one.unit == other.unit:
        return replace(other, op=one.op, certainty=one.certainty)
    return other
