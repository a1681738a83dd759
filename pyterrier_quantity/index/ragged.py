"""Flat arrays of numbers: ranges of unequal length, and each number once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def distinct(ascending: Ints) -> Ints:
    """Each number of an ascending array once; several times as fast as `np.unique`, which hashes."""
    return ascending[np.concatenate([[True], ascending[1:] != ascending[:-1]])[: len(ascending)]]


def ragged_ranges(start: Ints, count: Ints) -> Ints:
    """`start[0], start[0]+1, ... (count[0] of them), start[1], ...` as one array."""
    total = int(count.sum())
    ends = np.cumsum(count)
    return np.arange(total) + np.repeat(start - (ends - count), count)
