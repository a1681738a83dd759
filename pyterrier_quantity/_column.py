"""A column of an index: a memory-mapped array whose blocks are compared with their digests when they are first read.

Damage raises an error that names the file and the column, and nobody waits for parts that are never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from pyterrier_quantity._folder import IndexFormatError

BLOCK: Final = 1 << 12
"""Bytes that share a digest: a page of memory, so that who reads a thousand documents of millions waits for little
else; digests take a five-hundredth."""

_AT_ONCE: Final = 16
"""Blocks whose numbers are compared with a limit at a time: one by one each takes four times as long, and more do not
stay in the processor's cache."""

_AHEAD: Final = 64
"""After so many looks at a column as many of its unread blocks are compared, needed or not: to find out at each look
which are needed costs as much as to compare one, and ends when all have been."""


class Column:
    """A memory-mapped array whose blocks are compared with their digests when they are first read.

    Args:
        name: what messages call it: its file and its name there.
        array: its content.
        digests: of its blocks, as `digests_of` makes them.
        limit: what its numbers must be below, where they refer to something; None: anything.
    """

    def __init__(
        self, name: str, array: npt.NDArray[Any], digests: npt.NDArray[np.uint64], limit: int | None = None
    ) -> None:
        self.name, self.dtype = name, array.dtype
        self._array, self._digests, self._limit = array, digests, limit
        self._unread = np.ones(len(digests), dtype=bool)
        self._left = len(digests)
        self._looks = 0
        self._shift = (BLOCK // array.dtype.itemsize).bit_length() - 1

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, where: Any) -> Any:
        try:
            if self._left:
                self._read(where)
            return self._array[where]
        except IndexError as error:
            raise damaged(self, "another column refers to what is beyond its end") from error

    def __iter__(self) -> Iterator[Any]:
        return iter(self.whole())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        whole = self.whole()
        return whole if dtype is None and not copy else np.array(whole, dtype=dtype)

    @property
    def unchecked(self) -> npt.NDArray[Any]:
        """Its content, compared with no digest."""
        return self._array

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
            self._compare(np.asarray(blocks, dtype=np.int64))
        self._looks += 1
        if self._looks % _AHEAD == 0:
            self._compare(np.flatnonzero(self._unread)[:_AHEAD])

    def _compare(self, blocks: npt.NDArray[np.int64]) -> None:
        """Compare blocks that are unread, each of them once."""
        data = memoryview(self._array.data).cast("B")
        begins = (blocks * BLOCK).tolist()
        found = [xxhash.xxh3_64_intdigest(data[begin : begin + BLOCK]) for begin in begins]
        wrong = np.flatnonzero(np.array(found, dtype=np.uint64) != self._digests[blocks])
        if len(wrong):
            raise damaged(self, f"its bytes from {begins[wrong[0]]} on are not those that were written")
        if self._limit is not None:
            self._check_limit(blocks, self._limit)
        self._unread[blocks] = False
        self._left -= len(blocks)

    def _check_limit(self, blocks: npt.NDArray[np.int64], limit: int) -> None:
        whole = len(self._array) >> self._shift
        of_blocks = self._array[: whole << self._shift].reshape(whole, 1 << self._shift)
        full, rest = blocks[blocks < whole], self._array[whole << self._shift :]
        parts = (of_blocks[full[begin : begin + _AT_ONCE]] for begin in range(0, len(full), _AT_ONCE))
        for values in chain(parts, () if len(full) == len(blocks) else (rest,)):
            if values.max() >= limit or (self.dtype.kind != "u" and values.min() < 0):
                raise damaged(self, "it refers to what is not there")


def unchecked(column: Any) -> npt.NDArray[Any]:
    """What a column, or an array that stands for one, holds, whether it is damaged or not: for those who can tell."""
    return column.unchecked if isinstance(column, Column) else column


def damaged(column: Any, how: str) -> IndexFormatError:
    """The error for a column, or an array that stands for one, with what is wrong with it."""
    return IndexFormatError(f"{getattr(column, 'name', 'the index')} is damaged: {how}; build the index again")


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
