"""Docnos <-> row numbers, in bulk, over memory-mapped arrays.

Rows are found by 64-bit hashes, which lie in order. A batch of docnos is hashed at once, and every step is one NumPy
operation for the whole batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity._corpus import hash_docnos
from pyterrier_quantity._ragged import ragged_ranges, starts_of
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.index.segmented import gather

Ints = npt.NDArray[np.int64]

MISSING: Final = -1
"""The row of a docno that is not in the index."""

_TOGETHER: Final = 2000
"""Docnos that are read at a time: the places of their bytes stay in the processor's cache."""


def build_lookup(docnos: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """The arrays by which documents are found by docno."""
    return lookup_arrays(*encoded(docnos), hash_docnos(docnos))


def lookup_arrays(
    raw: npt.NDArray[np.uint8], lengths: npt.NDArray[np.integer[Any]], hashes: npt.NDArray[np.uint64]
) -> dict[str, npt.NDArray[Any]]:
    """The same from the docnos' bytes, one behind the other, their lengths, and their hashes.

    Raises:
        ValueError: if two hashes are equal.
    """
    row = np.argsort(hashes, kind="stable").astype(np.uint32)
    hashes = hashes[row]
    if (hashes[1:] == hashes[:-1]).any():
        raise ValueError("two docnos have the same 64-bit hash; rename one of the documents")
    place = Offsets.of_lengths(lengths)
    return {
        "docno_bytes": raw,
        "docno_base": place.base,
        "docno_step": place.step,
        "docno_hash": hashes,
        "docno_row": row,
    }


def encoded(docnos: Sequence[str]) -> tuple[npt.NDArray[np.uint8], Ints]:
    """The bytes of docnos, one behind the other, and their lengths."""
    raw = [docno.encode("utf-8", "surrogatepass") for docno in docnos]
    return np.frombuffer(b"".join(raw), dtype=np.uint8), np.array([len(one) for one in raw], dtype=np.int64)


class DocnoLookup:
    """Finds rows by docno and docnos by row, in one segment; the arrays are those of `build_lookup`."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._bytes, self._hash, self._row = (arrays[f"docno_{name}"] for name in ("bytes", "hash", "row"))
        self._places = Offsets(arrays["docno_base"], arrays["docno_step"])

    def __len__(self) -> int:
        """The number of docnos."""
        return len(self._row)

    def find(self, hashes: npt.NDArray[np.uint64]) -> Ints:
        """The row of each docno, by the docnos' hashes."""
        if not len(self):
            return np.full(len(hashes), MISSING, dtype=np.int64)
        place = np.minimum(self._hash.searchsorted(hashes), len(self) - 1)
        return np.where(self._hash[place] == hashes, self._row[place].astype(np.int64), MISSING)

    def docnos(self, rows: npt.NDArray[np.integer[Any]]) -> list[str]:
        """The docnos of these rows."""
        if len(rows) > _TOGETHER:
            parts = np.split(rows, range(_TOGETHER, len(rows), _TOGETHER))
            return [docno for part in parts for docno in self.docnos(part)]
        first, count = self._places.extent(np.asarray(rows))
        ends = np.cumsum(count)
        extents = zip((ends - count).tolist(), ends.tolist(), strict=True)
        together = self._bytes[ragged_ranges(first, count)].tobytes()
        if together.isascii():
            text = together.decode("ascii")
            return [text[begin:end] for begin, end in extents]
        return [together[begin:end].decode("utf-8", "surrogatepass") for begin, end in extents]


class Docnos:
    """Finds rows by docno and docnos by row, over segments.

    Args:
        parts: the look-up of each segment.
        deleted: rows, numbered through all segments, that are deleted, ascending: their docnos are not found.
    """

    def __init__(self, parts: Sequence[DocnoLookup], deleted: Ints | None = None) -> None:
        self._parts, self._deleted = parts, np.empty(0, dtype=np.int64) if deleted is None else deleted
        self._starts = starts_of([len(part) for part in parts])
        self._largest_first = sorted(range(len(parts)), key=lambda number: -len(parts[number]))

    def rows(self, docnos: Any) -> Ints:
        """The row of each docno, `MISSING` where no segment holds it."""
        if len(docnos) > _TOGETHER:  # results of many queries have many documents twice
            number, unique = pd.factorize(np.asarray(docnos, dtype=object), use_na_sentinel=False)
            return self._rows(unique)[number]
        return self._rows(docnos)

    def _rows(self, docnos: Any) -> Ints:
        hashes = hash_docnos(docnos)
        if len(self._parts) == 1 and not len(self._deleted):
            return self._parts[0].find(hashes)
        found = np.full(len(hashes), MISSING, dtype=np.int64)
        pending = np.arange(len(hashes))
        for number in self._largest_first:
            rows = self._parts[number].find(hashes[pending])
            there = rows != MISSING
            rows += self._starts[number]
            if len(self._deleted):
                there &= ~np.isin(rows, self._deleted)
            found[pending[there]] = rows[there]
            pending = pending[~there]
        return found

    def docnos(self, rows: npt.NDArray[np.integer[Any]]) -> list[str]:
        """The docnos of these rows."""
        return gather(np.asarray(rows), self._starts, self._docnos).tolist()

    def _docnos(self, number: int, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.object_]:
        named = np.empty(len(rows), dtype=object)
        named[:] = self._parts[number].docnos(rows)
        return named
