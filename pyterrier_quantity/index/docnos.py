"""Docnos <-> row numbers, in bulk, over memory-mapped arrays.

Rows are found by a 64-bit hash: the hashes lie sorted, a table over their leading bits says where each bucket
begins. A batch of docnos is hashed at once and every probe is one NumPy gather for the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity._column import damaged, decoded
from pyterrier_quantity._corpus import hash_docnos
from pyterrier_quantity._ragged import ragged_ranges
from pyterrier_quantity.index.segmented import gather, starts_of

MISSING: Final = -1
"""The row of a docno that is not in the index."""


def build_lookup(docnos: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Arrays `docno_bytes`, `docno_offsets`, `docno_hash`, `docno_row`, `docno_bucket` for docnos that all differ."""
    encoded = [docno.encode("utf-8", "surrogatepass") for docno in docnos]
    hashes = hash_docnos(docnos)
    lengths = np.array([len(raw) for raw in encoded], dtype=np.uint64)
    return lookup_arrays(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths, hashes)


def lookup_arrays(
    raw: npt.NDArray[np.uint8], lengths: npt.NDArray[np.uint64], hashes: npt.NDArray[np.uint64]
) -> dict[str, npt.NDArray[Any]]:
    """The same from the docnos' bytes, one behind the other, their lengths, and their hashes.

    Raises:
        ValueError: if two hashes are equal.
    """
    row = np.argsort(hashes, kind="stable").astype(np.uint32)
    hashes = hashes[row]
    if (hashes[1:] == hashes[:-1]).any():
        raise ValueError("two docnos have the same 64-bit hash; rename one of the documents")
    offsets = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=offsets[1:])
    return {
        "docno_bytes": raw,
        "docno_offsets": offsets,
        "docno_hash": hashes,
        "docno_row": row,
        "docno_bucket": _buckets(hashes),
    }


def _buckets(hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Where each bucket begins, and behind the last where it ends."""
    bits = _bucket_bits(len(hashes))
    bucket = np.zeros((1 << bits) + 1, dtype=np.uint32)
    for begin in range(0, len(hashes), _CHUNK):
        number = (hashes[begin : begin + _CHUNK] >> np.uint64(64 - bits)).astype(np.int64)
        first = int(number[0])
        held = np.bincount(number - first).astype(np.uint32)
        bucket[first + 1 : first + 1 + len(held)] += held
    return np.cumsum(bucket, out=bucket)


_CHUNK: Final = 1 << 22
"""Hashes that are counted at a time."""


def _bucket_bits(documents: int) -> int:
    """One bucket a document, more or less."""
    return max(1, documents.bit_length())


_CROWDED: Final = 1000
"""More docnos than ever share a bucket, in which there is one on average."""

_TOGETHER: Final = 2000
"""Docnos that are read at a time: the places of their bytes stay in the processor's cache."""

_MANY: Final = 5000
"""Docnos of which many are likely to be the same."""


def in_bulk(
    docnos: npt.ArrayLike, rows_of: Callable[[npt.NDArray[np.uint64]], npt.NDArray[np.int64]]
) -> npt.NDArray[np.int64]:
    """The rows of docnos, of which each distinct one is looked up once where they are many.

    Args:
        docnos: strings.
        rows_of: gives the rows of hashes.
    """
    known = isinstance(docnos, pd.Series | pd.api.extensions.ExtensionArray)
    plain: Any = docnos if known else np.asarray(docnos, dtype=object)
    if len(plain) > _MANY:
        number, distinct = pd.factorize(plain)
        return np.append(rows_of(hash_docnos(distinct)), MISSING)[number]
    return rows_of(hash_docnos(plain))


class DocnoLookup:
    """Finds rows by docno and docnos by row; see `build_lookup` for the arrays."""

    def __init__(
        self,
        docno_bytes: npt.NDArray[np.uint8],
        docno_offsets: npt.NDArray[np.uint64],
        docno_hash: npt.NDArray[np.uint64],
        docno_row: npt.NDArray[np.uint32],
        docno_bucket: npt.NDArray[np.uint32],
    ) -> None:
        self._bytes, self._offsets = docno_bytes, docno_offsets
        self._hash, self._row, self._bucket = docno_hash, docno_row, docno_bucket
        self._shift = np.uint64(64 - _bucket_bits(len(docno_row)))

    def __len__(self) -> int:
        """The number of docnos."""
        return len(self._row)

    def rows(self, docnos: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The row of each docno, `MISSING` where the index does not hold it."""
        return in_bulk(docnos, self.rows_of)

    def rows_of(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """The same by the docnos' hashes."""
        found = np.full(len(hashes), MISSING, dtype=np.int64)
        if not len(self._row):
            return found
        bucket = (hashes >> self._shift).astype(np.int64)
        begin = self._bucket[bucket].astype(np.int64)
        count = self._bucket[bucket + 1] - begin
        if count.min(initial=0) < 0 or count.max(initial=0) > _CROWDED:
            raise damaged(self._bucket, "more docnos share a bucket than can")
        place, asked = ragged_ranges(begin, count), np.repeat(np.arange(len(hashes)), count)
        hit = self._hash[place] == hashes[asked]
        found[asked[hit]] = self._row[place[hit]]
        return found

    def hashes(self) -> npt.NDArray[np.uint64]:
        """The hashes of all docnos, in the order of their rows."""
        found = np.zeros(len(self), dtype=np.uint64)
        found[np.asarray(self._row)] = np.asarray(self._hash)
        return found

    def docnos(self, rows: npt.NDArray[np.integer[Any]]) -> list[str]:
        """The docnos of these rows."""
        if len(rows) > _TOGETHER:
            parts = np.split(rows, range(_TOGETHER, len(rows), _TOGETHER))
            return [docno for part in parts for docno in self.docnos(part)]
        raw, lengths = self.encoded(rows)
        ends = np.cumsum(lengths)
        extents = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
        together = raw.tobytes()
        if together.isascii():
            text = together.decode("ascii")
            return [text[begin:end] for begin, end in extents]
        return [decoded(together[begin:end], self._bytes) for begin, end in extents]

    def encoded(self, rows: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """The docnos of these rows as bytes, one behind the other, and their lengths."""
        rows = np.asarray(rows)
        start, end = self._offsets[rows].astype(np.int64), self._offsets[rows + 1].astype(np.int64)
        if (end < start).any():
            raise damaged(self._offsets, "a docno ends before it begins")
        return self._bytes[ragged_ranges(start, end - start)], end - start

    def copied(self, rows: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """The same for a copy in memory, which has no file that a message could name: raises if they are no texts."""
        raw, lengths = self.encoded(rows)
        decoded(raw.tobytes(), self._bytes)
        begin = np.cumsum(lengths) - lengths
        if ((raw[begin[lengths > 0]] & 0xC0) == 0x80).any():
            raise damaged(self._bytes, "a docno begins within a letter")
        return raw, lengths


class SegmentedDocnos:
    """The same over several segments.

    Args:
        parts: the look-up of each segment.
        deleted: rows, numbered through all segments, that are deleted, ascending: their docnos are not found.
    """

    def __init__(self, parts: Sequence[DocnoLookup], deleted: npt.NDArray[np.int64]) -> None:
        self._parts, self._deleted = parts, deleted
        self._starts = starts_of([len(part) for part in parts])
        self._largest_first = sorted(range(len(parts)), key=lambda number: -len(parts[number]))

    def rows(self, docnos: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The row of each docno, `MISSING` where no segment holds it."""
        return in_bulk(docnos, self._rows_of)

    def _rows_of(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        if len(self._parts) == 1 and not len(self._deleted):
            return self._parts[0].rows_of(hashes)
        found = np.full(len(hashes), MISSING, dtype=np.int64)
        pending = np.arange(len(hashes))
        for number in self._largest_first:
            rows = self._parts[number].rows_of(hashes[pending])
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
