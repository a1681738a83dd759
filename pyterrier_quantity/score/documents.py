"""What scoring reads: documents' quantities in columns, and which of them are scored under which constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pyterrier_quantity.flat_arrays import Floats, Ints, ragged_ranges
from pyterrier_quantity.score.query import Queries

Columns = Any
"""The quantities of documents and the words around them: `index.columns.Columns`, which this room does not import."""


class Documents(Protocol):
    """Documents as `index.segments.Segments` has them."""

    @property
    def columns(self) -> Columns: ...

    @property
    def vocabulary(self) -> Any:
        """Of their units, `index.unit_matching.UnitVocabulary`."""

    @property
    def stated_names(self) -> Any:
        """Other names that they state, `index.stated_names.StatedNames`."""

    def stating(self, unit: int) -> Ints:
        """The rows of documents that state something in a unit, ascending; of many a share that is spread evenly."""
        ...

    def sample(self) -> Ints:
        """The rows of documents, ascending; of many a share that is spread evenly."""
        ...


@dataclass(frozen=True)
class Rows:
    """Result rows.

    Args:
        document: of each, its row in the columns; negative: unknown, it scores 0.
        query: the place of its query among the queries.
        rank: its rank in the ranker's results, by which doubt is settled; None: nothing is settled.
        least: the share of their values that its quantities count at least, whatever words stand around them; None:
            none, the ranker is not trusted.
    """

    document: Ints
    query: Ints
    rank: Ints | None = None
    least: Floats | None = None

    def __len__(self) -> int:
        return len(self.document)

    def chosen(self, which: Ints, first_query: int = 0) -> Rows:
        """Some of them, whose queries are counted from `first_query`."""
        rank = None if self.rank is None else self.rank[which]
        least = None if self.least is None else self.least[which]
        return Rows(self.document[which], self.query[which] - first_query, rank, least)


@dataclass(frozen=True)
class Pairs:
    """Each result row under each constraint of its query, constraint by constraint.

    Args:
        columns: what the documents state.
        row, constraint: the place of the result row, and of the constraint among all queries' constraints.
        document: the row in the columns; negative: unknown.
        first, count: where the document's quantities begin in the columns, and how many they are.
    """

    columns: Columns
    row: Ints
    constraint: Ints
    document: Ints
    first: Ints
    count: Ints


def pairs_of(columns: Columns, rows: Rows, queries: Queries) -> Pairs:
    """The pairs of result rows."""
    by_query = np.argsort(rows.query, kind="stable")
    count = np.bincount(rows.query, minlength=len(queries.queries))
    own = count[queries.owner]
    row = by_query[ragged_ranges((np.cumsum(count) - count)[queries.owner], own)]
    constraint, document = np.arange(len(own)).repeat(own), rows.document[row]
    return Pairs(columns, row, constraint, document, *_quantities(columns, document))


def _quantities(columns: Columns, document: Ints) -> tuple[Ints, Ints]:
    """Where each document's quantities begin, and how many they are; none of unknown documents."""
    known = document >= 0
    if known.all():
        return columns.doc_offsets.extent(document)
    first, count = np.zeros((2, len(document)), dtype=np.int64)
    first[known], count[known] = columns.doc_offsets.extent(document[known])
    return first, count
