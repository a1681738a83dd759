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


def maxsim(query: Floats, tokens: Floats, starts: Ints) -> Floats:
    """Each document's sum, over the query's vectors, of the highest dot product with one of its tokens.

    Args:
        query: (query tokens, dimension).
        tokens: (document tokens, dimension), of all documents, one after the other.
        starts: where each document begins in them, ascending; a document without tokens scores 0.
    """
    return maxsim_many([query], tokens, starts)[0]


def maxsim_many(queries: Sequence[Floats], tokens: Floats, starts: Ints) -> list[Floats]:
    """`maxsim` of several queries over the same documents, by one matrix product."""
    scores = [np.zeros(len(starts), dtype=np.float32) for _ in queries]
    ends = np.append(starts[1:], len(tokens))
    filled = np.flatnonzero(ends > starts)
    stacked = np.concatenate([q for q in queries if len(q)]) if any(len(q) for q in queries) else None
    if stacked is None or not len(filled):
        return scores
    best = np.maximum.reduceat(tokens @ stacked.T, starts[filled], axis=0)
    begin = 0
    for number, query in enumerate(queries):
        scores[number][filled] = best[:, begin : begin + len(query)].sum(axis=1)
        begin += len(query)
    return scores
