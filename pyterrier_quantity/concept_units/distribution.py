"""The values of a concept in a unit: where they are stated, how near the concept's words, how many meet a condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import satisfied

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


LEVELS = tuple(Reach)


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

    columns, docnos, texts: of the index. unit: the asked one. row: the quantity's number in the index. document: its
    document's number there. low, high: in `unit`. converted: stated in another unit. level: position of its `Reach`.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    docnos: Sequence[str]
    texts: Sequence[str]
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
        stated = pd.DataFrame({name: getattr(self, name) for name in ("low", "high", "document", "converted")})
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
        """The documents with a value that meets a constraint, whose unit is the one asked for.

        Returns:
            A row per document: `docno`; `text`; `reach`, the nearest at which the words were found; `convertible`:
            nothing but values in other units meets the constraint; `spans`, see `Span`.
        """
        chosen = self.met(constraint)
        start, end = (self.columns[name][self.row] for name in ("start", "end"))
        columns = (self.document, start, end, self.low, self.high, chosen, self.converted)
        spans: dict[int, list[Span]] = {}
        for document, *span in zip(*(column.tolist() for column in columns), strict=True):
            spans.setdefault(document, []).append(Span(*span))
        rows = []
        for document, nearest in pd.Series(self.level[chosen]).groupby(self.document[chosen]).min().items():
            convertible = all(span.converted for span in spans[int(document)] if span.met)
            about = self.docnos[document], self.texts[document], LEVELS[nearest].value
            rows.append((*about, convertible, spans[int(document)]))
        return pd.DataFrame(rows, columns=["docno", "text", "reach", "convertible", "spans"])
