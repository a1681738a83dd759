"""Input of scoring: the quantities of documents in columns, and result rows paired with constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pyterrier_quantity.flat_arrays import Floats, Ints, ragged_ranges
from pyterrier_quantity.score.query import Queries

Columns = Any
"""The quantities of documents and the words around them: `index.columns.Columns`, which this package does not
import."""


class Documents(Protocol):
    """Documents to score; `index.segments.Segments` implements this protocol."""

    @property
    def columns(self) -> Columns: ...

    @property
    def vocabulary(self) -> Any:
        """The documents' units, an `index.unit_matching.UnitVocabulary`."""

    @property
    def stated_names(self) -> Any:
        """Other names that the documents state, an `index.stated_names.StatedNames`."""

    def stating(self, unit: int) -> Ints:
        """Return the rows of documents that state a quantity in a unit, ascending. If there are many, an evenly spread
        sample is returned."""
        ...

    def sample(self) -> Ints:
        """Return the rows of documents, ascending. Of many, an evenly spread sample is returned."""
        ...


@dataclass(frozen=True)
class Rows:
    """Result rows.

    Args:
        document: the row of each document in the columns; negative for an unknown document, which scores 0.
        query: the index of each row's query.
        rank: the rank in the ranker's results, used to settle doubtful constraints; None to settle none.
        least: the least share of its value that each row's quantities score, regardless of the words around them; None
            if the ranker is not trusted.
    """

    document: Ints
    query: Ints
    rank: Ints | None = None
    least: Floats | None = None

    def __len__(self) -> int:
        return len(self.document)

    def chosen(self, which: Ints, first_query: int = 0) -> Rows:
        """Return the rows with indexes `which`, and count their queries from `first_query`."""
        rank = None if self.rank is None else self.rank[which]
        least = None if self.least is None else self.least[which]
        return Rows(self.document[which], self.query[which] - first_query, rank, least)


@dataclass(frozen=True)
class Pairs:
    """Pairs of a result row and a constraint of its query, ordered by constraint.

    Args:
        columns: the documents' quantities.
        row, constraint: the index of the result row, and of the constraint among those of all queries.
        document: the row of the document in the columns; negative if unknown.
        first, count: where the document's quantities begin in the columns, and their number.
    """

    columns: Columns
    row: Ints
    constraint: Ints
    document: Ints
    first: Ints
    count: Ints


def pairs_of(columns: Columns, rows: Rows, queries: Queries) -> Pairs:
    """Pair every result row with every constraint of its query."""
    by_query = np.argsort(rows.query, kind="stable")
    count = np.bincount(rows.query, minlength=len(queries.queries))
    own = count[queries.owner]
    row = by_query[ragged_ranges((np.cumsum(count) - count)[queries.owner], own)]
    constraint, document = np.arange(len(own)).repeat(own), rows.document[row]
    return Pairs(columns, row, constraint, document, *_quantities(columns, document))


def _quantities(columns: Columns, document: Ints) -> tuple[Ints, Ints]:
    """Return where each document's quantities begin, and their number; (0, 0) for unknown documents."""
    known = document >= 0
    if known.all():
        return columns.doc_offsets.extent(document)
    first, count = np.zeros((2, len(document)), dtype=np.int64)
    first[known], count[known] = columns.doc_offsets.extent(document[known])
    return first, count
