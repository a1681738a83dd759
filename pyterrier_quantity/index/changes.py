"""Mark the old and denied values in a text, and derive the changes between old and new values.

A text that states two values of one thing also states their difference: "rose from 6.1 to 6.4 percent" states a rise of
0.3 percentage points. The old value no longer holds, so it gets the bound "was".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pyterrier_quantity.constants import OLD_VALUE
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

_WAS: Final = (
    "(?:was|were|used to be|previously|formerly|originally|instead of"
    "|(?:up|down|increased|reduced|cut|raised|lowered) from)"
)
# "from 6.1 to 6.4": the text before the old value, and the text between both values
_FROM_TO: Final = re.compile(r"\bfrom\W*$"), re.compile(r"\W*(?:[\w-]+\W+){0,3}?to\W*$")
_NEW_FIRST: Final = re.compile(rf"\W*(?:per \w+)?\W*(?:{_WAS}|from)\W*$", re.IGNORECASE)  # "11 pct from 10.5 pct"

# The text before a value that is denied, and between this value and the true one: "not 7% but 2%".
_DENIED: Final = re.compile(r"\bnot\W*$", re.IGNORECASE), re.compile(r"\W*(?:\w+\W+)?but\W*(?:\w+\W+){0,2}$")

# Words of the past and of the present. Words in the group of a pattern have twice the weight of the others.
_PAST: Final = re.compile(
    r"\b(?:(once(?! (?:a|per|every) (?:day|week|month|year))|former(?:ly)?|previous(?:ly)?|original(?:ly)?|used to"
    r"|last sold|back in|no longer|any ?more|until)"
    r"|was|were|had|did|in (?:1\d|20)\d\d)\b",
    re.IGNORECASE,
)
_PRESENT: Final = re.compile(
    r"\b(?:((?<!said )today(?!['’]s)|now|currently|nowadays|these days)|is|are|has|(?<!to )have|stands|remains?)\b",
    re.IGNORECASE,
)
# Marks and words between two clauses. The first of these that occurs between two values divides their clauses.
_DIVIDERS: Final = tuple(
    re.compile(mark) for mark in (r"[.;]\s", r"\b(?:but|while|whereas)\b", r"[,:()–—](?!\d)", r"\band\b")
)
_CLAUSE_END: Final = re.compile(r"[,;:()–—.](?!\d)")
_SENTENCE_END: Final = re.compile(r"[.;]\s|\n")

_POINTS: Final = "percentage point"
_PERCENT: Final = "percentage"
_GAP: Final = 80  # maximum number of characters between the two values
_REACH: Final = 80  # maximum number of characters before the first value, and after the second, to look for words


def with_changes(quantities: Sequence[Quantity], text: str) -> list[Quantity]:
    """Return the quantities, with the changes from old to new values. An old value has the bound "was". A denied value
    has a lower confidence, and so has an old value that is a bound or approximate.

    `"up from 11 to 17 percent"` -> was 11 percent, 17 percent, and a rise of 6 percentage points.

    Args:
        quantities: the quantities in a text, in text order.
        text: the text.
    """
    old, denied = set[int](), set[int]()
    changes: dict[int, list[Quantity]] = {}
    for first, second in _pairs(quantities):
        one, other = quantities[first], quantities[second]
        before, after = text[max(0, one.start - _REACH) : one.start], text[other.end : other.end + _REACH]
        between = text[one.end : other.start]
        if _DENIED[0].search(before) and _DENIED[1].match(between):
            denied.add(first)
        elif order := _order(before, between, after):
            old.add(first if order > 0 else second)
            if one.unit == other.unit and one.bound == other.bound == "=":
                past, new = (one, other) if order > 0 else (other, one)
                changes[second] = _changes(past.low, replace(new, start=other.start, end=other.end))
    found: list[Quantity] = []
    for place, one in enumerate(quantities):
        if place in old and one.bound == "=":
            one = replace(one, bound="was")
        elif place in old or place in denied:
            one = replace(one, confidence=one.confidence * OLD_VALUE)
        found.append(one)
        found += changes.get(place, ())
    return found


def _pairs(quantities: Sequence[Quantity]) -> Iterator[tuple[int, int]]:
    """Yield pairs of places of two values that may be of one thing. The second value is the next one near the first in
    the same unit, or else in a similar unit: "dollar" and "dollar per night"."""
    levels = [
        (place, one)
        for place, one in enumerate(quantities)
        if one.low == one.high and one.bound not in ("up", "down") and one.unit != DATE_UNIT
    ]
    for at, (place, one) in enumerate(levels):
        near = [other for other in levels[at + 1 : at + 9] if one.end <= other[1].start <= one.end + _GAP]
        same = (other for other in near if other[1].unit == one.unit)
        similar = (other for other in near if _is_similar(one.unit, other[1].unit))
        found = next(same, None) or next(similar, None)
        if found and found[1].low != one.low:
            yield place, found[0]


def _is_similar(unit: str, other: str) -> bool:
    """Return whether a unit lacks a part of the other: "dollar" for "dollar per night", or "-" for the noun "room"."""
    if BARE in (unit, other):
        counted = unit if other == BARE else other
        return is_count(counted) or default_registry().family(counted) in ("person", "age")
    return unit.split(" per ")[0] == other.split(" per ")[0]


def _order(before: str, between: str, after: str) -> int:
    """Return 1 if the first of two values is old ("was 20 percent; it is now 17"), -1 if the second is, else 0. The
    arguments are the text before the first value, between the two, and after the second."""
    if _FROM_TO[0].search(before) and _FROM_TO[1].match(between):
        return 1
    if _NEW_FIRST.match(between):
        return -1
    left, right = next((parts for mark in _DIVIDERS if len(parts := mark.split(between, 1)) == 2), ("", ""))
    first = _tense(f"{_SENTENCE_END.split(before)[-1]} {left}")
    second = _tense(f"{right} {_CLAUSE_END.split(after, 1)[0]}")
    if not (left or right) or first * second >= 0 or max(abs(first), abs(second)) < 2:
        return 0
    return 1 if second > 0 else -1


def _tense(clause: str) -> int:
    """Return how sure it is that a clause is about the present, from -2 (about the past) to 2."""
    past, present = ([2 if sure else 1 for sure in words.findall(clause)] for words in (_PAST, _PRESENT))
    return max(present, default=0) - max(past, default=0)


def _changes(old: float, new: Quantity) -> list[Quantity]:
    """Return the change from an old to a new value, as a difference and as a percentage: 10 to 12 kg -> 2 kg, 20 %."""
    difference = new.low - old
    far, bound = float(f"{abs(difference):.12g}"), "up" if difference > 0 else "down"
    if new.unit == _PERCENT:
        return [replace(new, low=far, high=far, unit=_POINTS, bound=bound)]
    if new.unit == BARE or old <= 0:
        return []
    relative = float(f"{100.0 * far / old:.12g}")
    return [
        replace(new, low=far, high=far, bound=bound),
        replace(new, low=relative, high=relative, unit=_PERCENT, bound=bound),
    ]
