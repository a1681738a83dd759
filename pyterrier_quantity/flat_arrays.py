"""Compute on one-dimensional NumPy arrays: runs of equal values, consecutive ranges, distinct values, sorting."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Whole = npt.NDArray[np.integer[Any]]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
"""The types above: arrays of any values, of integers of any size, of 64-bit integers, of floats, of booleans."""


def run_starts(values: Any) -> Ints:
    """Return the first position of each run of equal values in an array without missing values: [5, 5, 7] -> [0, 2]."""
    starts = np.ones(len(values), dtype=bool)
    starts[1:] = values[1:] != values[:-1]
    return starts.nonzero()[0]


def run_lengths(starts: Ints, total: int) -> Ints:
    """Return the length of each run, given the runs' first positions and the array's length: [0, 2], 3 -> [2, 1]."""
    lengths = np.empty_like(starts)
    lengths[:-1] = starts[1:]
    lengths[-1:] = total
    return lengths - starts


def distinct(ascending: Ints) -> Ints:
    """Return the distinct values of an ascending array, faster than `np.unique`: [5, 5, 7] -> [5, 7]."""
    return ascending[run_starts(ascending)]


def ragged_ranges(start: Ints, count: Ints) -> Ints:
    """Return `count[i]` consecutive numbers from each `start[i]`, as one array: ([5, 9], [2, 1]) -> [5, 6, 9]."""
    ends = np.cumsum(count)
    places = (start - (ends - count)).repeat(count)
    places += np.arange(len(places))
    return places


def starts_of(lengths: Sequence[int] | Array) -> Ints:
    """Return the starts of consecutive parts with the given lengths, and the last part's end: [2, 3] -> [0, 2, 5]."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


BLOCK_BITS: Final = 6
"""The function `in_blocks` puts 2 ** `BLOCK_BITS` parts into each block."""


def in_blocks(lengths: Whole) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """Return the result of `starts_of` in compact form, as two arrays: the start of each block of 64 parts, and the
    distance from the start of each part's block to the start of the part."""
    starts = starts_of(lengths)
    begin = starts[:: 1 << BLOCK_BITS]
    return begin.astype(np.uint64), (starts - begin[np.arange(len(starts)) >> BLOCK_BITS]).astype(np.uint32)


def documents_by_term(document: Ints, terms: Whole) -> Ints:
    """Return an array of length 65,536: for each term code (an integer), the number of documents that contain the term.
    `document` and `terms` contain the document number and the term code of each occurrence of a term."""
    held = distinct(np.sort(document << 16 | terms.astype(np.int64)))
    return np.bincount(held & 0xFFFF, minlength=1 << 16)


def bisected(ascending: Array, begin: Whole, end: Whole, sought: Array) -> Ints:
    """Return, for each i, the first position in the sorted slice ascending[begin[i]:end[i]] whose value is at least
    sought[i], or end[i] if all values are smaller. This is `np.searchsorted` for many slices at once."""
    place, step = begin.astype(np.int64), 1 << int((end - begin).max(initial=0)).bit_length()
    while step := step >> 1:
        further = place + step
        below = (further <= end) & (ascending.take(further - 1, mode="clip") < sought)
        place = np.where(below, further, place)
    return place


def first_places(keys: Sequence[Array], count: int) -> Ints:
    """Return the positions, in any order, of the `count` entries with the smallest keys: [[7, 3, 5]], 2 -> [1, 2].
    Later keys break ties in earlier keys. This is several times as fast as `np.lexsort`, which sorts all entries."""
    first = [np.empty(0, dtype=np.int64)]
    left = np.arange(len(keys[0]))
    for key in keys:
        if len(left) <= count:
            break
        here = key[left]
        bound = np.partition(here, count)[count]
        first.append(left[here < bound])
        left, count = left[here == bound], count - len(first[-1])
    return np.concatenate([*first, left[:count]])
