"""The values that documents state of what a question asks for, each with what speaks for it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from pyterrier_quantity.answers.asked import YEAR, Asked
from pyterrier_quantity.counts.count_measures import closeness
from pyterrier_quantity.counts.question_wording import sentences, stems
from pyterrier_quantity.counts.relevance import coverage, term_weights
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import default_registry

_YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:1\d{3}|20\d{2})(?![\d,%]|\.\d)")

RANK: Final = 0.5
"""A value's relevance falls with its document's rank as (1 + rank) to this power."""
UNCOVERED: Final = 2.0
"""What lacking all of the question's words costs a sentence; the words near the quantity cost as much again."""
SAME: Final = 0.02
"""Values within this relative distance are the same, stated more or less precisely."""
_NEAR: Final = 8


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a document states.

    Args:
        quantity: as it is stated.
        value: its value, of a range the middle; `in_unit` converts it.
        docno, rank: of the document.
        sentence: that it stands in.
        span: its text; the quantity's `start` and `end` are its place in the document.
        relevance: how much it says about the question, in (0, 1].
    """

    quantity: Quantity
    value: float
    docno: str
    rank: int
    sentence: str
    span: str
    relevance: float


def read_values(
    asked: Asked,
    documents: Sequence[Mapping[str, Any]],
    extractor: Extractor | None = None,
) -> list[Value]:
    """Of each document the value that says most about the question.

    Args:
        asked: see `asked_for`.
        documents: best first: `docno`, `text`, and `quantities` where they are ready.
        extractor: the rule extractor by default.
    """
    texts = [document["text"] for document in documents]
    idf = term_weights(asked.terms, texts)
    found = []
    for rank, document in enumerate(documents):
        values = list(_document_values(asked, rank, document, idf, extractor or RuleExtractor()))
        if values:
            found.append(max(values, key=lambda value: value.relevance))
    return found


def _document_values(
    asked: Asked, rank: int, document: Mapping[str, Any], idf: Mapping[str, float], extractor: Extractor
) -> Iterator[Value]:
    text = document["text"]
    places = sentences(text)
    for quantity in _quantities(asked, document, extractor):
        if not asked.admits(quantity):
            continue
        begin, end = next(place for place in places if quantity.start < place[1] or place[1] == len(text))
        before = stems(text[begin : quantity.start])[-_NEAR:]
        after = stems(text[quantity.end : end])[:_NEAR]
        near = " ".join([*before, *after, *quantity.concept])
        missing = (1.0 - coverage(idf, text[begin:end])) + (1.0 - coverage(idf, near))
        relevance = (1 + rank) ** -RANK * math.exp(-UNCOVERED * missing) * quantity.confidence
        middle = (quantity.low + quantity.high) / 2
        span = text[quantity.start : quantity.end]
        yield Value(quantity, middle, document["docno"], rank, text[begin:end].strip(), span, relevance)


def _quantities(asked: Asked, document: Mapping[str, Any], extractor: Extractor) -> Sequence[Quantity]:
    if asked.year:
        years = _YEAR.finditer(document["text"])
        return [Quantity(float(y[0]), float(y[0]), YEAR, start=y.start(), end=y.end()) for y in years]
    ready = document.get("quantities")
    return extractor.extract(document["text"]) if ready is None else ready


def common_unit(values: Sequence[Value]) -> str:
    """The unit in which most of the relevance is stated; "" without values."""
    weight: defaultdict[str, float] = defaultdict(float)
    for value in values:
        weight[value.quantity.unit] += value.relevance
    return max(weight, key=lambda name: weight[name], default="")


def in_unit(values: Sequence[Value], unit: str) -> list[Value]:
    """The values that convert to a unit, converted; the others are left out."""
    registry = default_registry()
    return [
        replace(value, value=float(registry.convert(value.value, value.quantity.unit, unit)))
        for value in values
        if value.quantity.unit == unit or registry.conversion(value.quantity.unit, unit) is not None
    ]


def agreement(values: Sequence[Value]) -> np.ndarray:
    """How well each value agrees with all, each weighing its relevance, in [0, 1].

    Half of it counts values that are the same, half how near they come in order of magnitude.
    """
    numbers = [value.value for value in values]
    relevance = np.array([value.relevance for value in values])
    gain = np.array([[_alike(one, other) for other in numbers] for one in numbers])
    return gain @ relevance / relevance.sum()


def _alike(one: float, other: float) -> float:
    return 1.0 if is_same(one, other) else 0.5 * closeness(one, other)


def is_same(one: float, other: float) -> bool:
    """Whether two values are the same, stated more or less precisely."""
    return abs(one - other) <= SAME * max(abs(one), abs(other))
