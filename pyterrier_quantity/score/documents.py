"""Define the input of scoring: quantities of documents, result rows, and the constraints that each row must meet."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from pyterrier_quantity.flat_arrays import Floats, Ints, ragged_ranges
from pyterrier_quantity.score.query import Queries

Columns = Any
"""The quantities of documents and the words around them, as an `index.columns.Columns`."""


UNRANKED: Final = np.iinfo(np.int64).max
"""The rank of a document that the ranker did not return."""


class Documents(Protocol):
    """The documents to score, with their quantities, the units of the quantities, and synonyms defined in the texts."""

    @property
    def columns(self) -> Columns: ...

    @property
    def vocabulary(self) -> Any:
        """The units of the documents' quantities, as an `index.unit_matching.UnitVocabulary`."""

    @property
    def stated_names(self) -> Any:
        """The synonyms that the documents define, as an `index.stated_names.StatedNames`."""

    def stating(self, unit: int) -> Ints:
        """Return the sorted row numbers of documents with a quantity in a unit, or a sample if there are many."""
        ...

    def sample(self) -> Ints:
        """Return the sorted row numbers of all documents or, in a large index, of an evenly spaced sample."""
        ...


@dataclass(frozen=True)
class Rows:
    """The result rows to score, as parallel arrays.

    Args:
        document: for each row, the index of its document in the corpus. An unknown document is negative and scores 0.
        query: for each row, the index of its query.
        rank: the rank in the ranker's results, or `UNRANKED` if the ranker did not return the document. If None, the
            weights of uncertain constraints are not computed.
        least: for each row, the minimum score of a quantity whose nearby words do not match the query, as a share of
            its score for value and unit. None means 0.
    """

    document: Ints
    query: Ints
    rank: Ints | None = None
    least: Floats | None = None

    def __len__(self) -> int:
        return len(self.document)

    def followed_by(self, document: Ints, query: Ints) -> "Rows":
        """Return these rows, followed by an unranked row for each of the given documents and its query."""
        new, rank, least = len(document), self.rank, self.least
        return Rows(
            np.concatenate([self.document, document]),
            np.concatenate([self.query, query]),
            None if rank is None else np.concatenate([rank, np.full(new, UNRANKED)]),
            None if least is None else np.concatenate([least, np.zeros(new)]),
        )

    def chosen(self, which: Ints, first_query: int = 0) -> "Rows":
        """Return the rows with the indexes `which`. Queries are renumbered: `first_query` becomes 0."""
        rank = None if self.rank is None else self.rank[which]
        least = None if self.least is None else self.least[which]
        return Rows(self.document[which], self.query[which] - first_query, rank, least)


@dataclass(frozen=True)
class Pairs:
    """Pairs of a result row and a constraint of its query, ordered by constraint.

    Args:
        columns: the quantities of all documents of the index.
        row, constraint: the index of the result row, and the index of the constraint in `Queries.constraints`.
        document: the row number of the document in the index (negative if unknown).
        first, count: the index in `columns` of the first quantity of the document, and the number of its quantities.
    """

    columns: Columns
    row: Ints
    constraint: Ints
    document: Ints
    first: Ints
    count: Ints


def pairs_of(columns: Columns, rows: Rows, queries: Queries) -> Pairs:
    """Return all pairs of a result row and a constraint of the row's query."""
    by_query = np.argsort(rows.query, kind="stable")
    count = np.bincount(rows.query, minlength=len(queries.queries))
    own = count[queries.owner]
    row = by_query[ragged_ranges((np.cumsum(count) - count)[queries.owner], own)]
    constraint, document = np.arange(len(own)).repeat(own), rows.document[row]
    return Pairs(columns, row, constraint, document, *_quantities(columns, document))


def _quantities(columns: Columns, document: Ints) -> tuple[Ints, Ints]:
    """Return, for each document, the index of its first quantity, and the number of its quantities (0 if unknown)."""
    known = document >= 0
    if known.all():
        return columns.doc_offsets.extent(document)
    first, count = np.zeros((2, len(document)), dtype=np.int64)
    first[known], count[known] = columns.doc_offsets.extent(document[known])
    return first, count
