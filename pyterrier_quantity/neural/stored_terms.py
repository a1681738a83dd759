"""Quantities as terms beside token vectors.

A term is a token vector of its own, in a space of one dimension a term: it is like itself and nothing else, so MaxSim
adds the weights of the query's terms that a document has. Vectors of ones and zeros need not be stored; the terms do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.maxsim import Floats, Ints, ragged
from pyterrier_quantity.neural.numeric_terms import SLOTS, Terms

COLUMNS = ("numeric", "numeric_offsets")
"""What an index calls the terms of its documents, and where each document's begin."""


class StoredTerms:
    """The terms of documents.

    Args:
        terms: of all documents, one after the other.
        offsets: where each document's begin, and the end of the last.
    """

    def __init__(self, terms: npt.NDArray[Any], offsets: npt.NDArray[Any]) -> None:
        self.terms, self.offsets = terms, np.asarray(offsets).astype(np.int64)

    @classmethod
    def of(cls, documents: Sequence[Terms]) -> StoredTerms:
        """The terms of these documents, in their order."""
        lengths = [len(terms) for terms in documents]
        terms = np.fromiter((term for found in documents for term in sorted(found)), dtype="<u4", count=sum(lengths))
        return cls(terms, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """What an index stores."""
        return dict(zip(COLUMNS, (self.terms, self.offsets), strict=True))

    def met(self, asked: Terms, rows: Ints | None = None) -> Floats:
        """The sum of the weights of the asked terms that each document has.

        Args:
            asked: a query's terms.
            rows: the documents; None: all.
        """
        rows = np.arange(len(self.offsets) - 1) if rows is None else rows
        if not asked:
            return np.zeros(len(rows), dtype=np.float32)
        weights = np.zeros(SLOTS)
        weights[list(asked)] = list(asked.values())
        where, _ = ragged(rows, self.offsets)
        document = np.repeat(np.arange(len(rows)), self.offsets[rows + 1] - self.offsets[rows])
        return np.bincount(document, weights[self.terms[where]], minlength=len(rows)).astype(np.float32)
