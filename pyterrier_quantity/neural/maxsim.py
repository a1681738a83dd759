"""MaxSim, the score of late interaction, over ragged token vectors, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import ragged_ranges

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def ragged(rows: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """The positions of the tokens of these documents, one after the other, and where each document begins in them.

    Args:
        rows: documents' numbers.
        offsets: where each document's tokens begin, and the end of the last.
    """
    count = offsets[rows + 1] - offsets[rows]
    return ragged_ranges(offsets[rows], count), np.cumsum(count) - count


def maxsim(queries: Sequence[Floats], tokens: Floats, starts: Ints) -> Floats:
    """(queries, documents): the sum, over a query's vectors, of the highest dot product with a document's tokens.

    Args:
        queries: (query tokens, dimension) each.
        tokens: (document tokens, dimension), of all documents, one after the other.
        starts: where each document begins in them, ascending; a document without tokens scores 0.
    """
    scores = np.zeros((len(queries), len(starts)), dtype=np.float32)
    filled = np.flatnonzero(np.append(starts[1:], len(tokens)) > starts)
    ends = np.cumsum([len(query) for query in queries])
    if len(filled) and len(ends) and ends[-1]:
        best = np.maximum.reduceat(tokens @ np.concatenate(queries).T, starts[filled], axis=0)
        for score, part in zip(scores, np.split(best, ends[:-1], axis=1), strict=True):
            score[filled] = part.sum(axis=1)
    return scores
