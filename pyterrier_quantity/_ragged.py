"""Flat arrays of numbers: runs, ranges of unequal length, each number once, the first of an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Whole = npt.NDArray[np.integer[Any]]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
"""Arrays of anything, of whole numbers of any size, of large ones, of floats, of truth values."""


def run_starts(values: Any) -> Ints:
    """The places at which another value stands than at the place before; the first place is one of them.

    Args:
        values: of NumPy or pandas, none missing.
    """
    starts = np.ones(len(values), dtype=bool)
    starts[1:] = values[1:] != values[:-1]
    return starts.nonzero()[0]


def run_lengths(starts: Ints, total: int) -> Ints:
    """How long the runs are that begin at these places of `total` ones."""
    lengths = np.empty_like(starts)
    lengths[:-1] = starts[1:]
    lengths[-1:] = total
    return lengths - starts


def distinct(ascending: Ints) -> Ints:
    """Each number of an ascending array once; several times as fast as `np.unique`, which hashes."""
    return ascending[run_starts(ascending)]


def ragged_ranges(start: Ints, count: Ints) -> Ints:
    """`start[0], start[0]+1, ... (count[0] of them), start[1], ...` as one array."""
    ends = np.cumsum(count)
    places = (start - (ends - count)).repeat(count)
    places += np.arange(len(places))
    return places


def starts_of(lengths: Sequence[int] | Array) -> Ints:
    """Where parts of these lengths begin that lie one behind the other, and behind the last where they end."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


BLOCK_BITS: Final = 6
"""Two to this power of parts share a place that is stored in full, see `in_blocks`."""


def in_blocks(lengths: Whole) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """`starts_of` in less room: where each 64th part begins, and how far each part begins behind the last of those."""
    starts = starts_of(lengths)
    begin = starts[:: 1 << BLOCK_BITS]
    return begin.astype(np.uint64), (starts - begin[np.arange(len(starts)) >> BLOCK_BITS]).astype(np.uint32)


def documents_by_term(document: Ints, terms: Whole) -> Ints:
    """How many documents hold each of the 65,536 term codes.

    Args:
        document: which one each term stands in.
        terms: their codes.
    """
    held = distinct(np.sort(document << 16 | terms.astype(np.int64)))
    return np.bincount(held & 0xFFFF, minlength=1 << 16)


def bisected(ascending: Array, begin: Whole, end: Whole, sought: Array) -> Ints:
    """`np.searchsorted` of many numbers, each between a begin and an end of its own."""
    place, step = begin.astype(np.int64), 1 << int((end - begin).max(initial=0)).bit_length()
    while step := step >> 1:
        behind = place + step
        below = (behind <= end) & (ascending.take(behind - 1, mode="clip") < sought)
        place = np.where(below, behind, place)
    return place


def first_places(keys: Sequence[Array], count: int) -> Ints:
    """The places of the `count` first entries, in whatever order, by keys of which the first decides first; several
    times as fast as `np.lexsort`, which puts all in order."""
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
