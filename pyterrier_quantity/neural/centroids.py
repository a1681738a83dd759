"""Candidates for late interaction by the centroids of their token vectors, without decoding these (after PLAID)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.maxsim import ragged

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

PROBES: Final = 16
"""Centroids that each of a query's vectors looks at."""
_WIDER: Final = 4
"""So many times the candidates are compared by their centroids."""


@dataclass(frozen=True)
class CentroidLists:
    """The documents of each centroid, and the centroids of each document's tokens.

    Args:
        centroids: (centroids, dimension).
        codes: (tokens,), the number of each token's centroid.
        offsets: (documents + 1,), where each document's tokens begin, and the end of the last.
        rows: the rows of each centroid's documents, one list after the other.
        begins: (centroids + 1,), where these lists begin, and the end of the last.
    """

    centroids: Floats
    codes: npt.NDArray[np.uint16]
    offsets: Ints
    rows: npt.NDArray[np.uint32]
    begins: Ints

    def candidates(self, query: Floats, number: int, probes: int = PROBES) -> Ints:
        """The rows of the documents whose centroids are most like a query's vectors, in ascending order.

        First each query vector's nearest centroids name documents, which are scored by these centroids alone; then the
        best are scored by the centroids of all of their tokens.

        Args:
            query: (tokens, dimension).
            number: how many, at most.
            probes: how many centroids a query vector looks at.

        Source: PLAID (Santhanam et al., 2022), its stages 1 to 3 without pruning.
        """
        similar = query @ self.centroids.T
        score = self._probed(similar, probes)
        found = np.flatnonzero(score > 0)
        rows = found[_largest(score[found], _WIDER * number)]
        where, starts = ragged(rows, self.offsets)
        by_token = similar.T[self.codes[where]]
        score = np.maximum.reduceat(by_token, starts, axis=0).sum(axis=1) if len(rows) else score[:0]
        return np.sort(rows[_largest(score, number)])

    def _probed(self, similar: Floats, probes: int) -> Floats:
        """Each document's score by the centroids that the query looks at; others count as the last of these."""
        documents, probes = len(self.offsets) - 1, min(probes, similar.shape[1])
        total, one = np.zeros(documents, dtype=np.float32), np.zeros(documents, dtype=np.float32)
        for row in similar:
            nearest = np.argpartition(-row, probes - 1)[:probes]
            nearest = nearest[np.argsort(row[nearest])]
            one[:] = 0
            for centroid in nearest.tolist():  # a later, nearer one takes the place of an earlier
                rows = self.rows[self.begins[centroid] : self.begins[centroid + 1]]
                one[rows] = row[centroid] - row[nearest[0]] + 1e-6
            total += one
        return total


def _largest(score: Floats, number: int) -> Ints:
    return np.argpartition(-score, number - 1)[:number] if number < len(score) else np.arange(len(score))
