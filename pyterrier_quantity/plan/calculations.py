"""Whether a question's answer is a number that has to be computed of several: a change, an average, a share."""

from __future__ import annotations

import re
from typing import Final

from pyterrier_quantity.english import one_of

LOOKUP: Final = "lookup"
"""The class of a question that takes one number as it is stated."""
CLASSES: Final = (
    *("change", "percentage change", "difference", "average", "sum", "ratio", "share", "maximum", "minimum"),
    *("comparison", "product", LOOKUP),
)
"""The classes of calculation."""
COMPUTED: Final = frozenset(CLASSES) - {"maximum", "minimum", "sum", LOOKUP}
"""Those that no single number of a table answers; a total often stands there."""

_MOVES: Final = "change|increase|decrease|growth|decline|rise|drop|difference|variance|variation"
_MOVED: Final = "changed?|increased?|decreased?|growth|decline|rise|grow|fell|grown"
_LATER: Final = ".{0,200}"
"""So much may stand between the words of one cue."""

_CUES: Final = {
    "percentage change": rf"percent(?:age)?\s+(?:of\s+)?(?:the\s+)?(?:{_MOVES})"
    rf"|(?:{_MOVED})\b{_LATER}\b(?:percent|percentage|%)|growth rate|rate of (?:growth|change|increase)"
    r"|relative change|%\s*change|year[- ]on[- ]year (?:growth|change)",
    "average": rf"\baverage of\b|\b(?:what|how much)\b{_LATER}\baverages?\b|\bmean\b|\bon average\b|^(?:the )?average",
    "change": r"\b(?:change[ds]?|increase[ds]?|decrease[ds]?|decline[ds]?|rise|rose|grew|growth|fell|drop(?:ped)?"
    r"|reduction|movement)\b",
    "share": rf"\b(?:percent(?:age)?|%|proportion|share|portion|fraction)\b{_LATER}\b(?:of|to|made up|account|represent"
    r"|from|constitute)|\bas a (?:percentage|percent|proportion|share)",
    "ratio": r"\bratio|\btimes\b|\bdivided by\b|\bper\b (?:share|employee|unit|store|day|customer)|\bturnover\b",
    "comparison": r"^(?:is|are|was|were|does|do|did|has|have)\b.*\b(?:than|exceed|greater|higher|larger|more|less"
    r"|lower|smaller|above|below)",
    "difference": r"\bdifferen(?:ce|t)|\bhow (?:much|many) (?:more|less|fewer|higher|lower|larger|smaller)|\bexceed"
    r"|\bgap\b|\bvariance\b|\bnet of\b",
    "maximum": rf"\b{one_of('superlatives of more')}\b",
    "minimum": rf"\b{one_of('superlatives of less')}\b",
    "sum": rf"\b{one_of('words of a sum')}\b",
    "product": rf"\bproduct of\b|\bmultipl|\btotal (?:value|price|cost) of {_LATER} shares",
}
"""The wordings of each class of calculation, the first that fits counts."""
_COMPILED: Final = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _CUES.items()}

_NO_NUMBER: Final = re.compile(
    r"^\s*(?:why|who|whom|whose|where|describe|explain|list|name|how (?:does|do|did|is|are|was|were|can|should|would)"
    r"|what (?:caused?|types?|kinds?|reasons?|methods?|(?:is|are|was|were) the (?:reasons?|causes?|names?|types?|kinds?"
    r"|methods?|definitions?)|(?:does|do|did) .* (?:mean|stand for|include|consist)))\b",
    re.IGNORECASE,
)
_YES_OR_NO: Final = re.compile(rf"^\s*{one_of('verbs that begin a question')}\b", re.IGNORECASE)


def calculation(text: str) -> str:
    """The class of calculation that a question's wording asks for, `LOOKUP` where it asks for none."""
    return next((name for name, pattern in _COMPILED.items() if pattern.search(text)), LOOKUP)


def asks_for_calculation(text: str) -> bool:
    """Whether the wording asks for what has to be computed of several numbers: a change, an average, a ratio."""
    return calculation(text) in COMPUTED and asks_for_number(text)


def asks_for_number(text: str) -> bool:
    """Whether a number can be the answer: not to "why", "who", "how is ... presented", "what types of ...", nor to a
    yes-or-no question that compares nothing."""
    if not text.strip() or _NO_NUMBER.search(text):
        return False
    return calculation(text) != LOOKUP or not _YES_OR_NO.search(text)
