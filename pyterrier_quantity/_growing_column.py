"""A column that grows: in memory while it is small, then in a file without a name."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import Array

_IN_MEMORY: Final = 1 << 24
"""Bytes that are kept in memory."""


class GrowingColumn:
    """A column that grows.

    Args:
        dtype: of its values.
        folder: where what is much lies meanwhile; None: where temporary files are.
    """

    def __init__(self, dtype: npt.DTypeLike, folder: Path | None = None) -> None:
        self._dtype, self._folder = np.dtype(dtype), folder
        self._parts: list[Array] = []
        self._size = 0
        self._file: IO[bytes] | None = None

    def append(self, values: Array) -> None:
        """Add values, of one dimension or more."""
        self._parts.append(np.ascontiguousarray(values.astype(self._dtype, copy=False)).ravel())
        self._size += self._parts[-1].nbytes
        if self._size > _IN_MEMORY:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closes with the object
        for part in self._parts:
            self._file.write(part.data)
        self._parts, self._size = [], 0

    def array(self) -> Array:
        """What was added, in one dimension; memory-mapped if it is much."""
        if self._file is None:
            return np.concatenate([np.empty(0, dtype=self._dtype), *self._parts])
        self._write()
        self._file.flush()
        return np.memmap(self._file, dtype=self._dtype, mode="r")
