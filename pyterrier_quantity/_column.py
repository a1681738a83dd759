"""A column of an index: a memory-mapped array whose blocks are compared with their digests when they are first read.

Damage raises an error that names the file, and nobody waits for parts that are never read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from pyterrier_quantity._folder import IndexFormatError

BLOCK: Final = 1 << 14
"""Bytes that share a digest: few enough to compare at a touch, many enough that digests take a two-thousandth."""

_AHEAD: Final = 64
"""After so many looks at a column as many of its unread blocks are compared, needed or not: to find out at each look
which are needed costs as much as to compare one, and ends when all have been."""


class Column:
    """A memory-mapped array whose blocks are compared with their digests when they are first read.

    Args:
        file: the file, for messages.
        array: its content.
        digests: of its blocks.
        limit: what its numbers must be below, where they refer to something; None: anything.
    """

    def __init__(
        self, file: Path, array: npt.NDArray[Any], digests: npt.NDArray[np.uint64], limit: int | None = None
    ) -> None:
        self._file, self._array, self._digests, self._limit = file, array, digests, limit
        self._unread = np.ones(len(digests), dtype=bool)
        self._left = len(digests)
        self._looks = 0
        self._signed = array.dtype.kind != "u"
        self._shift = (BLOCK // array.dtype.itemsize).bit_length() - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._array.dtype

    @property
    def file(self) -> Path:
        """What messages name."""
        return self._file

    @property
    def size(self) -> int:
        return len(self._array)

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, where: Any) -> Any:
        try:
            if self._left:
                self._read(where)
            return self._array[where]
        except IndexError as error:
            raise damaged(self, "another file refers to what is beyond its end") from error

    @property
    def unchecked(self) -> npt.NDArray[Any]:
        """Its content, compared with no digest."""
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        whole = self.whole()
        return whole if dtype is None and not copy else np.array(whole, dtype=dtype)

    def whole(self) -> npt.NDArray[Any]:
        """All of it, as NumPy's own array.

        Raises:
            IndexFormatError: if a part of it is not what was written.
        """
        if self._left:
            self._compare(np.flatnonzero(self._unread))
        return self._array

    def _read(self, where: Any) -> None:
        blocks: Any = ()
        if isinstance(where, slice):
            begin, end, _ = where.indices(len(self._array))
            first, last = begin >> self._shift, (end - 1) >> self._shift
            if end > begin:
                blocks = first + np.flatnonzero(self._unread[first : last + 1])
        elif isinstance(where, np.ndarray) and where.dtype.kind in "iu":
            touched = where >> self._shift
            unread = self._unread[touched]
            if unread.any():
                new = np.zeros(len(self._unread), dtype=bool)
                new[touched[unread]] = True
                blocks = np.flatnonzero(new)
        elif isinstance(where, int | np.integer):
            if self._unread[where >> self._shift]:
                blocks = (where >> self._shift,)
        else:
            blocks = np.flatnonzero(self._unread)
        if len(blocks):
            self._compare(np.asarray(blocks))
        self._looks += 1
        if self._looks % _AHEAD == 0:
            self._compare(np.flatnonzero(self._unread)[:_AHEAD])

    def _compare(self, blocks: npt.NDArray[np.integer[Any]]) -> None:
        data, size = memoryview(self._array.data).cast("B"), 1 << self._shift
        for block in blocks.tolist():
            if xxhash.xxh3_64_intdigest(data[block * BLOCK : (block + 1) * BLOCK]) != self._digests[block]:
                raise damaged(self, f"its bytes from {block * BLOCK} on are not those that were written")
            values = self._array[block * size : (block + 1) * size]
            if self._limit is not None and (values.max() >= self._limit or (self._signed and values.min() < 0)):
                raise damaged(self, "it refers to what is not there")
        self._unread[blocks] = False
        self._left = int(self._unread.sum())


def unchecked(column: Any) -> npt.NDArray[Any]:
    """What a column, or an array that stands for one, holds, whether it is damaged or not: for those who can tell."""
    return column.unchecked if isinstance(column, Column) else column


def damaged(column: Any, how: str) -> IndexFormatError:
    """The error for a column, or an array that stands for one, with what is wrong with it."""
    return IndexFormatError(f"{getattr(column, 'file', 'the index')} is damaged: {how}; build the index again")


def decoded(raw: bytes, column: Any) -> str:
    """Text of a column's bytes.

    Raises:
        IndexFormatError: if they are none.
    """
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(column, "its bytes are no text") from error


def digests_of(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """The digests of an array's blocks."""
    data = memoryview(np.asarray(values).data).cast("B") if len(values) else b""
    starts = range(0, len(data), BLOCK)
    return np.array([xxhash.xxh3_64_intdigest(data[at : at + BLOCK]) for at in starts], dtype="<u8")
