"""Detect questions whose answer is computed from several numbers: a change, an average, a share."""

from __future__ import annotations

import re
from typing import Final

from pyterrier_quantity.english import one_of, rows_of

LOOKUP: Final = "lookup"
"""The class of a question whose answer is a single number of the text."""
_CUES: Final = {name: re.compile(wordings, re.IGNORECASE) for name, wordings in rows_of("calculations.tsv")}
"""The pattern of each class of calculation. The first class that matches is chosen."""
CLASSES: Final = (*_CUES, LOOKUP)
COMPUTED: Final = frozenset(CLASSES) - {"maximum", "minimum", "sum", LOOKUP}
"""Classes that combine several numbers of a table. Sums and extremes are left out because a table often states them."""
_WHAT: Final = one_of("words that ask which")
_NO_NUMBER: Final = re.compile(
    rf"^\s*(?:(?:why|who|whom|whose|where|describe|explain|list|name)"
    rf"|{one_of('words that ask how')} {one_of('verbs that begin a question')}"
    rf"|{_WHAT} (?:{one_of('forms of to be')} {one_of('determiners')} )?"
    r"(?:type|kind|reason|method|caused|cause|name|definition)s?"
    rf"|{_WHAT} (?:does|do|did) .* (?:mean|stand for|include|consist))\b",
    re.IGNORECASE,
)
_YES_OR_NO: Final = re.compile(rf"^\s*{one_of('verbs that begin a question')}\b", re.IGNORECASE)


def calculation(text: str) -> str:
    """Return the class of calculation that a question asks for, or `LOOKUP` if it needs no calculation."""
    return next((name for name, pattern in _CUES.items() if pattern.search(text)), LOOKUP)


def asks_for_calculation(text: str) -> bool:
    """Return whether a question asks for a number computed from several: a change, an average, a ratio."""
    return calculation(text) in COMPUTED and asks_for_number(text)


def asks_for_number(text: str) -> bool:
    """Return whether a number can answer a question. It cannot answer "why", "who" or "what types of ...". It can
    answer a yes-or-no question only if that compares something."""
    if not text.strip() or _NO_NUMBER.search(text):
        return False
    return calculation(text) != LOOKUP or not _YES_OR_NO.search(text)
