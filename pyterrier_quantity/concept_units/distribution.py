"""Represent the values of a concept in a unit: their distribution, and the documents that meet a constraint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.flat_arrays import Bools, Floats, Ints
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import satisfied


class Reach(str, Enum):
    """Where the words of a phrase must occur for a quantity to match. `EXACT` is the strictest, `TEXT` the loosest."""

    EXACT = "exact"
    """The phrase is the quantity's concept, in any spelling."""
    CONCEPT = "concept"
    """All words of the phrase are in the quantity's concept."""
    TEXT = "text"
    """All words of the phrase are in the document's text."""


LEVELS = tuple(Reach)


class Span(NamedTuple):
    """The span of a quantity in a text, and the quantity's value in the requested unit. `met` states whether the
    quantity meets the constraint; `converted` states whether the text uses another unit."""

    start: int
    end: int
    low: float
    high: float
    met: bool
    converted: bool


@dataclass(frozen=True)
class Values:
    """Values of a concept in a unit. The arrays have one entry per quantity, in document order.

    Args:
        columns, docnos, texts: columns, docnos and texts of the `ConceptUnitIndex`.
        unit: the requested unit.
        row, document: the row of each quantity in the index, and the index of its document in `docnos`.
        low, high: the ends of each quantity in the requested unit, which are equal for a single value.
        converted: whether the text states the quantity in a different unit.
        level: where the requested concept occurs: 0 for `Reach.EXACT`, 1 for `Reach.CONCEPT`, 2 for `Reach.TEXT`.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    docnos: Sequence[str]
    texts: Sequence[str]
    unit: str
    row: Ints
    document: Ints
    low: Floats
    high: Floats
    converted: Bools
    level: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.row)

    def distribution(self) -> pd.DataFrame:
        """Return a frame of the distinct values in ascending order, with the columns `low`, `high`, `documents` (number
        of documents with the value), and `converted` (number of documents with the value only in another unit)."""
        stated = pd.DataFrame({name: getattr(self, name) for name in ("low", "high", "document", "converted")})
        each = stated.groupby(["low", "high", "document"], as_index=False)["converted"].min()
        groups = each.groupby(["low", "high"], as_index=False)
        return groups.agg(documents=("document", "size"), converted=("converted", "sum"))

    def met(self, constraint: Constraint) -> Bools:
        """Return whether each value meets a constraint, which must be in the unit of the values."""
        return satisfied(constraint, self.low, self.high)

    def support(self, constraint: Constraint) -> int:
        """Return the number of documents that meet a constraint without unit conversion."""
        return len(np.unique(self.document[self.met(constraint) & ~self.converted]))

    def meeting(self, constraint: Constraint) -> pd.DataFrame:
        """Return a frame of the documents in which a value meets a constraint, after conversion if necessary. Columns:
        `docno`, `text`; `reach`, where the concept occurs (the strictest `Reach` that applies); `convertible`, whether
        the constraint is met only after unit conversion; `spans`, a `Span` for each quantity of the concept."""
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
