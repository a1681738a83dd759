"""Bounds that are typed with a slip: "udner 300 euros", "btween 5 and 8"."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import in_order, one_of
from pyterrier_quantity.english.slips import is_english

_BEFORE_NUMBER: Final = re.compile(
    rf"\b[a-z]{{4,9}}(?= (?:{one_of('words behind a comparative')} )?[$€£]?\d)", re.IGNORECASE
)
_BOUNDS: Final = in_order("words of bounds that are typed with slips")
_NEAR: Final = 0.8
"""How alike, by difflib's ratio, a slip is at least to what is meant: five letters of which two are turned round."""


def with_bounds_spelled(text: str) -> str:
    """A text with the words of bounds before numbers as they are spelled: "udner 300 euros", "btween 5 and 8"."""
    return _BEFORE_NUMBER.sub(lambda found: _meant_bound(found.group()), text)


@lru_cache(maxsize=10_000)
def _meant_bound(word: str) -> str:
    near = [] if word.lower() in _BOUNDS else get_close_matches(word.lower(), _BOUNDS, 1, _NEAR)
    same = bool(near) and near[0][0] == word[0].lower() and abs(len(near[0]) - len(word)) <= 1  # no "mosfet"
    return near[0] if same and not is_english(word) else word
