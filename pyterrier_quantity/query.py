"""Query text to search terms and constraints: "BMW above 530hp" -> "BMW", [> 530 horsepower]."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final

from pyterrier_quantity.extraction import Extractor, RuleExtractor, bounds
from pyterrier_quantity.quantity import BARE, Constraint, Quantity

CACHED_LENGTH: Final = 1000
"""Longer texts are parsed anew each time."""

_NEGATION: Final = re.compile(
    r"(?:\b(?:not|never|isn't|aren't|wasn't|n't|other than|different from|anything but|except(?: for)?|excluding"
    r"|without|unequal to|apart from)(?: (?:exactly|equal(?: to)?|at|of|with|the|be|a|precisely))*|≠|!=|<>)\s*$",
    re.IGNORECASE,
)
_EQUALITY: Final = re.compile(
    r"(?:\b(?:(?:is|are|was|were|be|being|of|at|with|for|by|to|as|has|having|costs?|priced|measuring|weighing|in)\s+)?"
    r"(?:of|at|with|is|are|for|between|from|anywhere (?:between|from))|[=:])\s*$",
    re.IGNORECASE,
)
_EXACT: Final = re.compile(r"(?:\b(?:exactly|exact|precisely|equals?(?: to)?|equal to)|=)\s*$", re.IGNORECASE)
_DANGLING: Final = frozenset(
    "a an and are as at be being between by costing costs for from has have having in is less more no of or over "
    "per priced than that the to under was were which who whose with".split()
)
"""Words that mean nothing at an end of the search terms."""

_SCALED: Final = re.compile(r"[A-Za-z%€$£¥.,]")


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


def parse_query(
    text: str, extractor: Extractor | None = None, keep: QueryText | str = QueryText.CONCEPT
) -> tuple[str, list[Constraint]]:
    """The search terms and the constraints of a query.

    Args:
        text: as a person types it.
        extractor: reads the quantities; the rule extractor by default.
        keep: which words stay in the search terms; by default those of the concept alone.

    Returns:
        The search terms, never empty unless the text is, and the constraints in the order of the text. A text without
        a quantity comes back as it is.

    Raises:
        TypeError: if text is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_query: the query must be a string, got {type(text).__name__}")
    if extractor is None and len(text) <= CACHED_LENGTH:
        terms, constraints = _parse_cached(text, QueryText(keep))
        return terms, list(constraints)
    return _parse(text, extractor or RuleExtractor(concepts=False), QueryText(keep))


@lru_cache(maxsize=10_000)
def _parse_cached(text: str, keep: QueryText) -> tuple[str, tuple[Constraint, ...]]:
    terms, constraints = _parse(text, _default_extractor(), keep)
    return terms, tuple(constraints)


@lru_cache(maxsize=1)
def _default_extractor() -> RuleExtractor:
    return RuleExtractor(concepts=False)


def _parse(text: str, extractor: Extractor, keep: QueryText) -> tuple[str, list[Constraint]]:
    constraints: list[Constraint] = []
    removed: list[tuple[int, int, str, str]] = []
    for quantity in extractor.extract(text):
        asked = _condition(text, quantity)
        if asked is None:
            continue
        constraint, start, end = asked
        constraints.append(constraint)
        removed.append((start, end, text[quantity.start : quantity.end], constraint.op))
    if not constraints or keep is QueryText.ALL:
        return text, constraints
    terms = _without(text, [(start, end, _kept_words(quantity, op, keep)) for start, end, quantity, op in removed])
    return terms or _without(
        text, [(start, end, _words(quantity)) for start, end, quantity, _ in removed]
    ) or text, constraints


def _condition(text: str, quantity: Quantity) -> tuple[Constraint, int, int] | None:
    """The constraint that a quantity of the query sets, and the characters that word it; None if it sets none."""
    start, end = quantity.start, quantity.end
    op = "=" if quantity.bound in ("up", "down") else quantity.bound
    lower = text.lower()
    if len(lower) == len(text):
        cue, behind = bounds.before(lower, start), bounds.after(lower, end)
        if cue and cue.bound not in ("up", "down"):
            start = cue.start
        end = behind.end if behind else end
    exact = _EXACT.search(text, 0, quantity.start)
    if exact:
        op, start = "=", min(start, exact.start())
    negation = _NEGATION.search(text, 0, start)
    equality = _EQUALITY.search(text, 0, start)
    if negation:
        op, start = "!=", negation.start()
    elif equality:
        start = equality.start()
    if quantity.low != quantity.high and op in ("=", "~"):
        op = "range"
    if op == "=" and not (exact or equality or _states_a_value(text, quantity)):
        return None
    return Constraint(op, quantity.low, quantity.high, quantity.unit), start, end


def _states_a_value(text: str, quantity: Quantity) -> bool:
    """Whether a number without any wording of a condition asks for a value, and is not part of a name."""
    return quantity.unit != BARE or bool(_SCALED.search(text[quantity.start : quantity.end]))


def _kept_words(quantity: str, op: str, keep: QueryText) -> str:
    if keep is QueryText.CONCEPT:
        return ""
    return quantity if keep is QueryText.NUMBER and op in ("=", "~") else _words(quantity)


def _words(quantity: str) -> str:
    return " ".join(re.findall(r"[^\W\d_]\w*", quantity))


def _without(text: str, removed: list[tuple[int, int, str]]) -> str:
    """The text with spans replaced, without the little words that then dangle at its ends."""
    pieces: list[str] = []
    at = 0
    for start, end, kept in removed:
        pieces += [*_trimmed(text[at:start]), kept]
        at = max(at, end)
    words = " ".join([*pieces, text[at:]]).split()
    while words and words[0].lower() in _DANGLING:
        del words[0]
    return " ".join(_trimmed(" ".join(words)))


def _trimmed(piece: str) -> list[str]:
    words = piece.strip(" ,;:.!?([").split()
    while words and words[-1].lower() in _DANGLING:
        words.pop()
    return words
