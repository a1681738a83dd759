"""Convert between docnos and row numbers, in bulk, over memory-mapped arrays.

A docno is looked up by its 64-bit hash in a sorted array of hashes.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.flat_arrays import Array, Ints, Whole, bisected, in_blocks, ragged_ranges, starts_of
from pyterrier_quantity.index.columns import Offsets, gather
from pyterrier_quantity.storage.file_records import docnos_digest, hash_docnos

MISSING: Final = -1
"""The row number returned for a docno that is not in the index."""

_TOGETHER: Final = 2000  # number of docnos read at a time, so that their byte positions fit the CPU cache


def build_lookup(docnos: Sequence[str]) -> dict[str, Array]:
    """Return the arrays that `Docnos` needs to look up documents by docno, in a dictionary keyed by array name."""
    return lookup_arrays(*encoded(docnos), hash_docnos(docnos))


def lookup_arrays(raw: npt.NDArray[np.uint8], lengths: Whole, hashes: npt.NDArray[np.uint64]) -> dict[str, Array]:
    """Return the result of `build_lookup` for docnos whose bytes are concatenated in `raw`, with their `lengths` and
    `hashes`. Raise a ValueError if two hashes are equal."""
    row = np.argsort(hashes, kind="stable").astype(np.uint32)
    hashes = hashes[row]
    if (hashes[1:] == hashes[:-1]).any():
        raise ValueError("two docnos have the same 64-bit hash; rename one of the documents")
    begin, within = in_blocks(lengths)
    return {"docno_bytes": raw, "docno_begin": begin, "docno_within": within, "docno_hash": hashes, "docno_row": row}


def encoded(docnos: Sequence[str]) -> tuple[npt.NDArray[np.uint8], Ints]:
    """Return the concatenated bytes of docnos, and their lengths."""
    raw = [docno.encode("utf-8", "surrogatepass") for docno in docnos]
    return np.frombuffer(b"".join(raw), dtype=np.uint8), np.array([len(one) for one in raw], dtype=np.int64)


def _first_bits(hashes: npt.NDArray[np.uint64], known: npt.NDArray[np.uint64]) -> Ints:
    return (hashes >> np.uint64(64 - len(known).bit_length())).astype(np.int64)


class Docnos:
    """Look up row numbers by docno, and docnos by row number.

    Args:
        parts: the result of `build_lookup` for each segment.
        deleted: the row numbers of deleted documents, in ascending order. Lookups do not find these documents.
    """

    def __init__(self, parts: Sequence[Mapping[str, Any]], deleted: Ints | None = None) -> None:
        self._deleted = np.empty(0, dtype=np.int64) if deleted is None else deleted
        self._hash, self._row, self._bytes = (
            [part[f"docno_{name}"] for part in parts] for name in ("hash", "row", "bytes")
        )
        self._places = Offsets(parts, "docno", np.zeros(len(parts), dtype=np.int64))
        self._largest_first = sorted(range(len(parts)), key=lambda number: -len(self._row[number]))

    def digest(self) -> str:
        """Return a digest of the docnos that are not deleted, independent of their order."""
        return docnos_digest(*self._hash, without=hash_docnos(self.docnos(self._deleted)))

    @cached_property
    def _starts(self) -> list[Whole]:
        """For each segment, an array from the leading bits of a hash to the index of the first hash with these bits."""
        counts = (np.bincount(_first_bits(one, one), minlength=1 << len(one).bit_length()) for one in self._hash)
        return [starts_of(count).astype(np.uint32) for count in counts]

    def rows(self, docnos: Any) -> Ints:
        """Return the row number of each docno, or `MISSING`."""
        hashes = hash_docnos(docnos)
        if len(self._hash) == 1 and not len(self._deleted):
            return self._find(0, hashes)
        found = np.full(len(hashes), MISSING, dtype=np.int64)
        pending = np.arange(len(hashes))
        for number in self._largest_first:
            rows = self._find(number, hashes[pending])
            there = rows != MISSING
            rows += self._places.starts[number]
            if len(self._deleted):
                there &= ~np.isin(rows, self._deleted)
            found[pending[there]] = rows[there]
            pending = pending[~there]
        return found

    def _find(self, number: int, hashes: npt.NDArray[np.uint64]) -> Ints:
        known, row, starts = self._hash[number], self._row[number], self._starts[number]
        if not len(known):
            return np.full(len(hashes), MISSING, dtype=np.int64)
        first = _first_bits(hashes, known)
        place = bisected(known, starts.take(first), starts.take(first + 1), hashes)
        place = np.minimum(place, len(known) - 1)
        return np.where(known.take(place) == hashes, row.take(place).astype(np.int64), MISSING)

    def docnos(self, rows: Whole) -> npt.NDArray[np.object_]:
        if len(rows) > _TOGETHER:
            number, unique = pd.factorize(rows)
            return gather(unique, self._places.starts, self._read)[number]
        return gather(np.asarray(rows), self._places.starts, self._read)

    def _read(self, number: int, rows: Whole) -> npt.NDArray[np.object_]:
        found = np.empty(len(rows), dtype=object)
        for at in range(0, len(rows), _TOGETHER):
            first, count = self._places.of_segment(number, rows[at : at + _TOGETHER])
            together = self._bytes[number].take(ragged_ranges(first, count)).tobytes()
            starts = starts_of(count).tolist()
            if together.isascii():
                text = together.decode("ascii")
                found[at : at + _TOGETHER] = [text[begin:end] for begin, end in pairwise(starts)]
            else:
                parts = (together[begin:end] for begin, end in pairwise(starts))
                found[at : at + _TOGETHER] = [part.decode("utf-8", "surrogatepass") for part in parts]
        return found
