"""Candidates for late interaction by the centroids of their token vectors, without decoding these (after PLAID)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.maxsim import ragged

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert_index import ColBERTIndex

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

PROBES: Final = 16
"""Centroids that each of a query's vectors looks at."""
_WIDER: Final = 4
"""So many times the candidates are compared by their centroids."""


def candidates(index: ColBERTIndex, query: Floats, number: int, probes: int = PROBES) -> Ints:
    """The rows of the documents whose centroids are most like a query's vectors, in ascending order.

    First each query vector's nearest centroids name documents, which are scored by these centroids alone; then the best
    are scored by the centroids of all of their tokens.

    Args:
        index: of 2 or 4 bits a number.
        query: (tokens, dimension).
        number: how many, at most.
        probes: how many centroids a query vector looks at.

    Source: PLAID (Santhanam et al., 2022), its stages 1 to 3 without pruning.
    """
    assert index.quantiser
    similar = query @ index.quantiser.centroids.T
    rows = _best(_probed(index, similar, probes), _WIDER * number)
    where, starts = ragged(rows, index.offsets)
    by_token = similar.T[index.codes[where]]
    score = np.maximum.reduceat(by_token, starts, axis=0).sum(axis=1) if len(rows) else np.empty(0, dtype=np.float32)
    return np.sort(rows[_largest(score, number)])


def _probed(index: ColBERTIndex, similar: Floats, probes: int) -> Floats:
    """Each document's score by the centroids that the query's vectors look at; others count as the last of these."""
    rows, offsets = index.lists
    probes = min(probes, similar.shape[1])
    total, one = np.zeros(len(index), dtype=np.float32), np.zeros(len(index), dtype=np.float32)
    for row in similar:
        nearest = np.argpartition(-row, probes - 1)[:probes]
        nearest = nearest[np.argsort(row[nearest])]
        one[:] = 0
        for centroid in nearest.tolist():  # a later, nearer one takes the place of an earlier
            one[rows[offsets[centroid] : offsets[centroid + 1]]] = row[centroid] - row[nearest[0]] + 1e-6
        total += one
    return total


def _best(score: Floats, number: int) -> Ints:
    """The places of the highest scores above 0, in no order."""
    found = np.flatnonzero(score > 0)
    return found[_largest(score[found], number)]


def _largest(score: Floats, number: int) -> Ints:
    return np.argpartition(-score, number - 1)[:number] if number < len(score) else np.arange(len(score))
