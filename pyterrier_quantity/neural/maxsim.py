"""MaxSim, the late-interaction score, in NumPy, over concatenated token vectors of documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.flat_arrays import Ints, ragged_ranges

Floats = npt.NDArray[np.float32]


def ragged(rows: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the indexes of these documents' tokens, concatenated, and where each document begins among them.

    Args:
        rows: the documents' numbers.
        offsets: index of each document's first token, and the number of all tokens.
    """
    count = offsets[rows + 1] - offsets[rows]
    return ragged_ranges(offsets[rows], count), np.cumsum(count) - count


def maxsim(queries: Sequence[Floats], tokens: Floats, starts: Ints) -> Floats:
    """Return the MaxSim scores of documents: (queries, documents).

    MaxSim is the sum over a query's token vectors of the highest dot product with a token vector of the document.

    Args:
        queries: an array (query tokens, dimension) per query.
        tokens: token vectors of all documents, concatenated: (document tokens, dimension).
        starts: index of each document's first token, ascending; a document without tokens scores 0.
    """
    scores = np.zeros((len(queries), len(starts)), dtype=np.float32)
    filled = np.flatnonzero(np.append(starts[1:], len(tokens)) > starts)
    ends = np.cumsum([len(query) for query in queries])
    if len(filled) and len(ends) and ends[-1]:
        best = np.maximum.reduceat(tokens @ np.concatenate(queries).T, starts[filled], axis=0)
        for score, part in zip(scores, np.split(best, ends[:-1], axis=1), strict=True):
            score[filled] = part.sum(axis=1)
    return scores
