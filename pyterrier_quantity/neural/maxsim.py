"""MaxSim, the late-interaction score, over ragged arrays of token vectors, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.flat_arrays import Ints, ragged_ranges

Floats = npt.NDArray[np.float32]


def ragged(rows: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the positions of these documents' tokens, one document after the other, and where each document begins.

    Args:
        rows: the documents' numbers.
        offsets: the position of each document's first token, and the end of the last document.
    """
    count = offsets[rows + 1] - offsets[rows]
    return ragged_ranges(offsets[rows], count), np.cumsum(count) - count


def maxsim(queries: Sequence[Floats], tokens: Floats, starts: Ints) -> Floats:
    """Return the MaxSim scores of documents: (queries, documents).

    MaxSim is the sum, over a query's token vectors, of the highest dot product with one of the document's.

    Args:
        queries: an array (query tokens, dimension) per query.
        tokens: (document tokens, dimension), of all documents, one after the other.
        starts: the position of each document's first token, ascending; a document without tokens scores 0.
    """
    scores = np.zeros((len(queries), len(starts)), dtype=np.float32)
    filled = np.flatnonzero(np.append(starts[1:], len(tokens)) > starts)
    ends = np.cumsum([len(query) for query in queries])
    if len(filled) and len(ends) and ends[-1]:
        best = np.maximum.reduceat(tokens @ np.concatenate(queries).T, starts[filled], axis=0)
        for score, part in zip(scores, np.split(best, ends[:-1], axis=1), strict=True):
            score[filled] = part.sum(axis=1)
    return scores
