"""The search terms of a query: what remains of its words without the conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from pyterrier_quantity.english import listed
from pyterrier_quantity.plan.conditions import LISTED, Condition

_DANGLING: Final = listed("words at the end of search terms")
"""Words that mean nothing at an end of the search terms."""
_ABBREVIATED: Final = re.compile(r"\.\w\.\s*$")
_MARKS: Final = " \t\n,;:.!?(["
_WORD: Final = re.compile(r"[^\W\d_](?:\w|[\u0900-\u0963])*")
"""Vowel signs of Hindi are no letters to `re`."""


class QueryText(str, Enum):
    """Which of a query's words stay as search terms."""

    CONCEPT = "concept"
    """Only what the quantity is about; conditions, numbers and units go."""
    UNIT = "unit"
    """The unit's words as well."""
    NUMBER = "number"
    """Units, and the number where it is asked for exactly: bounds are hardly ever met by the very number."""
    ALL = "all"
    """The text as typed."""


def search_terms(
    text: str, conditions: Sequence[Condition], keep: QueryText, order: Sequence[tuple[int, int]] = ()
) -> str:
    """A query without its conditions and the characters that ask for an order; what `keep` says stays. Never empty
    unless the query is."""
    if not (conditions or order) or keep is QueryText.ALL:
        return text
    asking = [(*span, "") for span in order]
    kept = [(one.start, one.end, f"{_words(text[slice(*one.name)])} {_kept(one, keep)}") for one in conditions]
    units = [(one.start, one.end, _words(one.words)) for one in conditions]
    return _without(text, sorted(asking + kept)) or _without(text, sorted(asking + units)) or text


def _kept(condition: Condition, keep: QueryText) -> str:
    if keep is QueryText.CONCEPT:
        return ""
    exact = keep is QueryText.NUMBER and condition.constraint.op in ("=", "~")
    return condition.words if exact else _words(condition.words)


def _words(quantity: str) -> str:
    return " ".join(_WORD.findall(quantity))


def _without(text: str, removed: list[tuple[int, int, str]]) -> str:
    """The text with spans replaced, without the little words that then dangle at its ends."""
    pieces: list[str] = []
    at = 0
    for start, end, kept in removed:
        between = text[at:start]
        pieces += [*([] if at and LISTED.fullmatch(between) else _trimmed(between)), kept]
        at = max(at, end)
    words = " ".join([*pieces, text[at:]]).split()
    first = next((place for place, word in enumerate(words) if word.lower() not in _DANGLING), len(words))
    return " ".join(_trimmed(" ".join(words[first:])))


def _trimmed(piece: str) -> list[str]:
    words = (piece.strip(_MARKS) + ("." if _ABBREVIATED.search(piece) else "")).split()
    while words and words[-1].lower() in _DANGLING:
        words.pop()
    return words
