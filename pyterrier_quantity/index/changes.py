"""Lower the confidence of old and denied values in a text, and derive the changes between old and new values.

A text that states two values of one thing also states their difference: "rose from 6.1 to 6.4 percent" states a rise of
0.3 percentage points. The old value no longer holds, so it has a lower confidence.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pyterrier_quantity.constants import OLD_VALUE
from pyterrier_quantity.quantity import BARE, Quantity

_WAS: Final = (
    "(?:was|were|used to be|previously|formerly|originally|instead of"
    "|(?:up|down|increased|reduced|cut|raised|lowered) from)"
)
_OLD_FIRST: Final = (  # "from 6.1 to 6.4": the text before the old value, and the text between both values
    (re.compile(r"\bfrom\W*$"), re.compile(r"\W*(?:[\w-]+\W+){0,3}?to\W*$")),
    (re.compile(rf"\b{_WAS}\W*$", re.IGNORECASE), re.compile(r"(?s:.*)\b(?:now|today|currently)\b\W*(?:\w+\W+){0,3}$")),
)

_NEW_FIRST: Final = re.compile(rf"\W*(?:per \w+)?\W*(?:{_WAS}|from)\W*$", re.IGNORECASE)  # "11 pct from 10.5 pct"

# The text before a value that is denied, and between this value and the true one: "not 7% but 2%".
_DENIED: Final = re.compile(r"\bnot\W*$", re.IGNORECASE), re.compile(r"\W*(?:\w+\W+)?but\W*(?:\w+\W+){0,2}$")

_POINTS: Final = "percentage point"
_PERCENT: Final = "percentage"
_GAP: Final = 60  # maximum number of characters between the two values


def with_changes(quantities: Sequence[Quantity], text: str) -> list[Quantity]:
    """Return the quantities, with a lower confidence for old and denied values, and the changes from old to new values.

    `"up from 11 to 17 percent"` -> 11 percent (less confident), 17 percent, and a rise of 6 percentage points.

    Args:
        quantities: the quantities in a text, in text order.
        text: the text that contains the quantities.
    """
    old: set[int] = set()
    changes: dict[int, list[Quantity]] = {}
    for place, (first, second) in enumerate(pairwise(quantities)):
        if first.unit != second.unit or first.low == second.low or not 0 <= second.start - first.end <= _GAP:
            continue
        if first.bound != "=" or second.bound != "=" or first.low != first.high or second.low != second.high:
            continue
        between, before = text[first.end : second.start], text[max(0, first.start - 24) : first.start]
        if any(earlier.search(before) and gap.match(between) for earlier, gap in _OLD_FIRST):
            old.add(place)
            changes[place + 1] = _changes(first.low, second)
        elif _DENIED[0].search(before) and _DENIED[1].match(between):
            old.add(place)
        elif _NEW_FIRST.match(between):
            old.add(place + 1)
            changes[place + 1] = _changes(second.low, replace(first, start=second.start, end=second.end))
    found: list[Quantity] = []
    for place, one in enumerate(quantities):
        found.append(replace(one, confidence=one.confidence * OLD_VALUE) if place in old else one)
        found += changes.get(place, ())
    return found


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
