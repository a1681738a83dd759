"""The values of a concept in a unit: where they are stated, how near the concept's words, how many meet a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.concept_units.concept_words import concept_key, phrase_stems, stems
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.units.dimensions import rescaled

if TYPE_CHECKING:
    from pyterrier_quantity.concept_units.concept_unit_index import ConceptUnitIndex

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Reach(str, Enum):
    """How far from a quantity a concept's words may stand; each includes those before it."""

    EXACT = "exact"
    """The quantity's concept is the phrase, in any of its spellings."""
    CONCEPT = "concept"
    """The quantity's concept holds all words of the phrase."""
    TEXT = "text"
    """The text holds all words of the phrase."""
    PART = "part"
    """The text holds half of the phrase's words or more."""


_LEVELS = tuple(Reach)


class Span(NamedTuple):
    """Where a text states a quantity, and what that is in the unit asked for.

    `met`: it meets the condition; `converted`: it is stated in another unit.
    """

    start: int
    end: int
    low: float
    high: float
    met: bool
    converted: bool


@dataclass(frozen=True)
class Values:
    """The values of a concept in a unit, an entry per quantity in the order of the documents.

    row: the quantity's number in the index. document: its document's number there. low, high: in the unit asked for.
    converted: stated in another unit. level: position of its `Reach`.
    """

    index: ConceptUnitIndex
    unit: str
    row: Ints
    document: Ints
    low: Floats
    high: Floats
    converted: Mask
    level: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.row)

    def distribution(self) -> pd.DataFrame:
        """The distinct values in ascending order: `low`, `high`, `documents` that state them, and how many of these
        by conversion only, `converted`.
        """
        stated = pd.DataFrame({"low": self.low, "high": self.high, "document": self.document,
                               "converted": self.converted})  # fmt: skip
        each = stated.groupby(["low", "high", "document"], as_index=False)["converted"].min()
        return each.groupby(["low", "high"], as_index=False).agg(
            documents=("document", "size"), converted=("converted", "sum")
        )

    def met(self, constraint: Constraint) -> Mask:
        """Which of the values meet a constraint, whose unit is the one asked for."""
        return satisfied(constraint, self.low, self.high)

    def support(self, constraint: Constraint) -> int:
        """How many documents meet a constraint in the unit itself."""
        return len(np.unique(self.document[self.met(constraint) & ~self.converted]))

    def meeting(self, constraint: Constraint) -> pd.DataFrame:
        """The documents with a value that meets a constraint; see `ConceptUnitIndex.candidates`."""
        return self._documents(constraint, self.met(constraint))

    def missing(self, constraint: Constraint) -> pd.DataFrame:
        """The documents none of whose values meets a constraint, as `meeting` gives them."""
        return self._documents(constraint, ~np.isin(self.document, self.document[self.met(constraint)]))

    def _documents(self, constraint: Constraint, chosen: Mask) -> pd.DataFrame:
        """The documents of the chosen values, with all of their values."""
        start, end = (self.index.columns[name][self.row] for name in ("start", "end"))
        columns = (self.document, start, end, self.low, self.high, self.met(constraint), self.converted)
        spans: dict[int, list[Span]] = {}
        for document, *span in zip(*(column.tolist() for column in columns), strict=True):
            spans.setdefault(document, []).append(Span(*span))
        rows = []
        for document, nearest in pd.Series(self.level[chosen]).groupby(self.document[chosen]).min().items():
            met = [span for span in spans[int(document)] if span.met]
            convertible = bool(met) and all(span.converted for span in met)
            about = self.index.docnos[document], self.index.texts[document], _LEVELS[nearest].value
            rows.append((*about, convertible, spans[int(document)]))
        return pd.DataFrame(rows, columns=["docno", "text", "reach", "convertible", "spans"])


def find_values(index: ConceptUnitIndex, phrases: Sequence[str], unit: str, reach: Reach, convert: bool) -> Values:
    """The values of phrases that mean one concept; as `ConceptUnitIndex.values`, which documents it."""
    words = phrase_stems(phrases)
    factors = index.conversions(unit) if convert else index.numbers_of(unit)
    rows = np.flatnonzero(np.isin(index.columns["unit"], list(factors)))
    level = _levels(index, phrases, words, rows, reach)
    rows, level = rows[level < len(_LEVELS)], level[level < len(_LEVELS)]
    numbers = index.columns["unit"][rows]
    ends = np.stack([np.asarray(index.columns["low"][rows]), np.asarray(index.columns["high"][rows])])
    converted = np.zeros(len(rows), dtype=bool)
    for number in np.unique(numbers).tolist():
        here = numbers == number
        converted[here] = index.unit_names[number] != unit
        ends[:, here] = np.sort(rescaled(ends[:, here], *factors[number]), axis=0)
    document = np.asarray(index.columns["document"][rows], dtype=np.int64)
    return Values(index, unit, rows, document, ends[0], ends[1], converted, level)


def _levels(
    index: ConceptUnitIndex, phrases: Sequence[str], words: list[frozenset[str]], rows: Ints, reach: Reach
) -> npt.NDArray[np.int8]:
    """The level of each quantity's reach; the number of levels for those out of reach."""
    level = np.full(len(rows), len(_LEVELS), dtype=np.int8)
    farthest = _LEVELS.index(reach)
    if farthest >= _LEVELS.index(Reach.TEXT):
        documents, place = np.unique(index.columns["document"][rows], return_inverse=True)
        by_text = [_level_of_text(stems(index.texts[document]), words) for document in documents.tolist()]
        level = np.array(by_text, dtype=np.int8)[place] if len(place) else level
        level[level > farthest] = len(_LEVELS)
    concept = index.columns["concept"][rows]
    if farthest >= _LEVELS.index(Reach.CONCEPT):
        level[np.isin(concept, index.concepts_with(words))] = _LEVELS.index(Reach.CONCEPT)
    same = [index.concept_numbers.get(concept_key(phrase.split()), -1) for phrase in phrases]
    level[np.isin(concept, same)] = _LEVELS.index(Reach.EXACT)
    return level


def _level_of_text(text: frozenset[str], phrases: list[frozenset[str]]) -> int:
    shares = max(len(phrase & text) / len(phrase) for phrase in phrases)
    if shares == 1.0:
        return _LEVELS.index(Reach.TEXT)
    return _LEVELS.index(Reach.PART) if shares >= 0.5 else len(_LEVELS)
