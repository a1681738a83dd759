"""Quantities as terms beside token vectors.

A constraint is a token vector of its own, in a space of one dimension a term, and so is each value of a document. They
are alike where they share a term, and not at all else, so MaxSim adds the weight of each constraint that a document
meets, however many of its values do. Vectors of ones and zeros need not be stored; the terms do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import starts_of
from pyterrier_quantity.neural.maxsim import Floats, Ints, ragged
from pyterrier_quantity.neural.numeric_terms import Asked, Terms

COLUMNS = ("values", "value_offsets")
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
        return cls(terms, starts_of(lengths))

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """What an index stores."""
        return dict(zip(COLUMNS, (self.terms, self.offsets), strict=True))

    def met(self, asked: Asked, rows: Ints | None = None) -> Floats:
        """The sum of the weights of the constraints that each document meets.

        Args:
            asked: a query's terms.
            rows: the documents; None: all.
        """
        rows = np.arange(len(self.offsets) - 1) if rows is None else rows
        result = np.zeros(len(rows), dtype=np.float32)
        if not any(asked):
            return result
        terms = self.terms[ragged(rows, self.offsets)[0]]
        document = np.repeat(np.arange(len(rows)), self.offsets[rows + 1] - self.offsets[rows])
        for constraint in filter(None, asked):
            result[np.unique(document[np.isin(terms, list(constraint))])] += max(constraint.values())
        return result
