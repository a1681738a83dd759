"""Quantities in a form that a small model can compare: plain digits, the unit's name, and a token for the magnitude.

"an engine of 530 hp" becomes "an engine of 530 horsepower [v226]", the query "car above 500 hp" becomes "car above 500
horsepower [>225]". The token's number is the value's place on a logarithmic scale, so the order of the values is the
order of the tokens; a query's token says the condition as well. Text that holds no quantity stays as it is.

The form is ours. That encoders fail at comparing numbers as they are tokenised: Almasian et al., Numbers Matter!,
section 1; magnitudes as tokens: Spithourakis and Riedel, Numeracy for Language Models (2018), in another form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import BARE, Constraint

CANONICAL, TERMS = "canonical", "terms"
FORMS: Final = ("plain", CANONICAL, TERMS)
"""How an encoder takes quantities: as they are written, in this module's form, or with `numeric_terms` beside them."""

_PER_DECADE: Final = 12
_SMALLEST, _LARGEST = -4, 14
"""Powers of ten; values beyond are taken as these."""
_STEPS: Final = (_LARGEST - _SMALLEST) * _PER_DECADE
PLACES: Final = 2 * _STEPS + 3
"""Places on the scale: negative values, zero in the middle, positive values."""

_STATED: Final = "v"
_ASKED: Final = {"=": "=", "~": "=", "<": "<", "<=": "<", ">": ">", ">=": ">"}
KINDS: Final = (_STATED, "=", "<", ">")
_WORDS: Final = {"=": "exactly", "!=": "not", "<": "below", "<=": "at most", ">": "above", ">=": "at least",
                 "~": "about"}  # fmt: skip


def place(value: float) -> int:
    """A value's place on the scale, from 0 to `PLACES` - 1; the order of places is that of values."""
    if value == 0:
        return _STEPS + 1
    step = math.floor((math.log10(abs(value)) - _SMALLEST) * _PER_DECADE + 1e-9)
    step = min(max(step, 0), _STEPS) + 1
    return _STEPS + 1 + (step if value > 0 else -step)


def token(kind: str, place_: int) -> str:
    """A magnitude's token: kind "v" for what a text states, "=", "<" or ">" for what a query asks."""
    return f"[{kind}{place_}]"


def tokens() -> list[str]:
    """All magnitudes' tokens, kind by kind, in the order of their places."""
    return [token(kind, number) for kind in KINDS for number in range(PLACES)]


class CanonicalText:
    """Rewrites the quantities of documents and of queries.

    Args:
        extractor: reads them; the rule extractor by default.
    """

    def __init__(self, extractor: RuleExtractor | None = None) -> None:
        self._extractor = extractor or RuleExtractor(concepts=False)

    def documents(self, texts: Sequence[str]) -> list[str]:
        """Texts with each quantity replaced by its value, its unit's name and its magnitude."""
        found = self._extractor.extract_batch(texts, threads=1)
        return [self._document(text, quantities) for text, quantities in zip(texts, found, strict=True)]

    def _document(self, text: str, quantities: Sequence) -> str:
        parts, done = [], 0
        for q in quantities:
            ends = dict.fromkeys((q.low, q.high))
            values = " to ".join(map(plain, ends))
            magnitudes = " ".join(token(_STATED, place(end)) for end in ends)
            parts += [text[done : q.start], f"{values}{_named(q.unit)} {magnitudes}"]
            done = q.end
        return "".join((*parts, text[done:]))

    def queries(self, texts: Sequence[str]) -> list[str]:
        """Queries as their concept, and each condition in one wording, with the magnitude that it asks for."""
        return [self._query(text) for text in texts]

    def _query(self, text: str) -> str:
        concept, constraints = parse_query(text)
        if not constraints:
            return text
        return " ".join(filter(None, (concept, *map(_asked, constraints))))


def _asked(constraint: Constraint) -> str:
    low, high = constraint.low, constraint.high
    if constraint.op == "range":
        magnitudes = f"{token('>', place(low))} {token('<', place(high))}"
        return f"between {plain(low)} and {plain(high)}{_named(constraint.unit)} {magnitudes}"
    kind = _ASKED.get(constraint.op)
    magnitude = "" if kind is None else f" {token(kind, place(low))}"
    return f"{_WORDS[constraint.op]} {plain(low)}{_named(constraint.unit)}{magnitude}"


def _named(unit: str) -> str:
    return "" if unit == BARE else f" {unit}"
