"""Return the search terms of a query: "BMW above 530hp" -> "BMW"."""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from pyterrier_quantity.english import set_of
from pyterrier_quantity.extraction.grammar.bound_wordings import DIRECTIONS
from pyterrier_quantity.plan.conditions import LISTED, Condition

# Function words that are removed from the start and the end of the search terms.
_DANGLING: Final = set_of("""
    a an and are as at be being between but by costing costs do does for from has have having in is less more no
    not of or over per priced than that the to under was were which who whose with
    """)
_ABBREVIATED: Final = re.compile(r"\.\w\.\s*$")
_REACH: Final = 40  # number of characters before a condition that are searched for a verb of change such as "rose"
_DIRECTION: Final = re.compile(r"\b([a-z]+) (?:(?:by|to|[a-z]+ly) ){0,2}\Z", re.IGNORECASE)
_MARKS: Final = " \t\n,;:.!?(["
# A word. The vowel signs of Hindi are listed because `re` does not treat them as letters.
_WORD: Final = re.compile(r"[^\W\d_](?:\w|[\u0900-\u0963])*")


class QueryText(str, Enum):
    """The words of a query that are kept as search terms."""

    CONCEPT = "concept"
    """The words outside conditions: "laptop 16 GB under 800 euros" -> "laptop"."""
    UNIT = "unit"
    """The words outside conditions, and units: "laptop 16 GB under 800 euros" -> "laptop GB euros"."""
    NUMBER = "number"
    """The words of `UNIT`, and values without a bound: "laptop 16 GB under 800 euros" -> "laptop 16 GB euros"."""
    ALL = "all"
    """The whole query as typed."""


def search_terms(
    text: str, conditions: Sequence[Condition], keep: QueryText, order: Sequence[tuple[int, int]] = ()
) -> str:
    """Return a query without its conditions, and without the words that ask for a sort order (the spans in `order`).
    `keep` states which words of a condition stay. If no word is left, return the units or the whole query."""
    if not (conditions or order) or keep is QueryText.ALL:
        return text
    before = (_DIRECTION.search(text, max(0, one.start - _REACH), one.start) for one in conditions)
    moved = [word.span() for word in before if word and word[1].lower() in DIRECTIONS]  # "rose" in "rents rose 3 %"
    asking = [(*span, "") for span in (*order, *moved)]
    kept = [(one.start, one.end, f"{_words(text[slice(*one.name)])} {_kept(one, keep)}") for one in conditions]
    units = [(one.start, one.end, _words(one.unit_words)) for one in conditions]
    return _without(text, sorted(asking + kept)) or _without(text, sorted(asking + units)) or text


def _kept(condition: Condition, keep: QueryText) -> str:
    if keep is QueryText.CONCEPT:
        return ""
    exact = keep is QueryText.NUMBER and condition.constraint.op in ("=", "~")
    return condition.words if exact else _words(condition.unit_words)


def _words(quantity: str) -> str:
    return " ".join(_WORD.findall(quantity))


def _without(text: str, removed: list[tuple[int, int, str]]) -> str:
    """Replace spans (start, end, new text) of a text. Remove function words before the spans and at the text's ends."""
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
