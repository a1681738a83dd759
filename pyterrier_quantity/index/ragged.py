"""Flat arrays of ranges of unequal length."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def ragged_ranges(start: Ints, count: Ints) -> Ints:
    """`start[0], start[0]+1, ... (count[0] of them), start[1], ...` as one array."""
    total = int(count.sum())
    ends = np.cumsum(count)
    return np.arange(total) + np.repeat(start - (ends - count), count)
