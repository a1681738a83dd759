"""Detect questions whose answer must be calculated from several numbers, such as a change, an average or a share."""

import re
from typing import Final

from pyterrier_quantity.english import one_of, rows_of

LOOKUP: Final = "lookup"
"""The class of a question that needs no calculation."""
# Classes ("average"), each with a pattern for questions. The first class whose pattern matches is chosen.
_CUES: Final = [(name, re.compile(wordings, re.IGNORECASE)) for name, wordings in rows_of("calculations.tsv")]
CLASSES: Final = (*dict.fromkeys(name for name, _ in _CUES), LOOKUP)
COMPUTED: Final = frozenset(CLASSES) - {"maximum", "minimum", "sum", LOOKUP}
"""Classes of questions whose answer is rarely stated. Sums, maxima and minima are left out: tables often state them."""
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
    """Return the kind of calculation that a question asks for ("average"), or `LOOKUP` if no calculation is needed."""
    return next((name for name, pattern in _CUES if pattern.search(text)), LOOKUP)


def asks_for_calculation(text: str) -> bool:
    """Return whether a question asks for a number that must be calculated, such as a change, an average or a ratio."""
    return calculation(text) in COMPUTED and asks_for_number(text)


def asks_for_number(text: str) -> bool:
    """Return whether a number can answer a question: False for "why", "who", "what types of ...", and for a yes-or-no
    question that does not ask for a calculation."""
    if not text.strip() or _NO_NUMBER.search(text):
        return False
    return calculation(text) != LOOKUP or not _YES_OR_NO.search(text)
