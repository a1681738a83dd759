"""Store named arrays in one memory-mapped file, and collect the values of an array before the array is written.

    magic | array | array | ... | header | size and digest of the header

The header is JSON: types, lengths, offsets and digests of the arrays, and metadata. The header comes last, so that
arrays can be written one after the other. When a file is opened, only the header is read and compared with its digest.
Each array is compared with its own digest on first use.
"""

import json
import mmap
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.flat_arrays import Array
from pyterrier_quantity.storage.folders import IndexFormatError, digest

FILE: Final = "arrays.bin"
_MAGIC: Final = b"ptq-arr2"
_ALIGNED: Final = 64  # each array begins at a multiple of this number of bytes
_IN_MEMORY: Final = 1 << 24  # maximum size, in bytes, of a growing column in memory; larger columns are in files
_ENDING: Final = 8 + 16  # size, in bytes, of the end of the file: the header's size and digest
_DTYPE: Final = re.compile(r"\|[iu]1|<[iuf][248]")
"""The allowed types of arrays: little-endian numbers. With other types, bytes of a file could become pointers."""
Arrays = Mapping[str, Array]


class Part(Mapping[str, Array]):
    """The memory-mapped arrays of a file, by name. Each array is compared with its digest on first use.

    Args:
        folder: the file's folder.
        content: the file's bytes.
        header: the file's header: `meta`, and for each array its type, length, offset and digest.
        digest: the digest of the header, which identifies the file, because the header contains all arrays' digests.
    """

    def __init__(self, folder: Path, content: Any, header: Mapping[str, Any], digest: str) -> None:
        self.folder, self.digest = folder, digest
        self.meta: dict[str, Any] = header["meta"]
        self._content, self._listing = content, header["arrays"]
        self._compared: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """Return the named array. If the array's bytes have changed since it was written, raise an IndexFormatError."""
        if name not in self._compared:
            dtype, length, begin, written = self._listing[name]
            array = None
            with suppress(TypeError, ValueError):  # the header names an invalid offset
                if _DTYPE.fullmatch(dtype):
                    array = np.frombuffer(self._content, dtype, length, begin) if length else np.empty(0, dtype=dtype)
            if array is None or digest(array.data) != written:
                raise IndexFormatError.damaged(f"{self.folder / FILE}: column {name!r}", "it was changed since")
            self._compared[name] = array
        return self._compared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listing)

    def __len__(self) -> int:
        return len(self._listing)

    def verify(self) -> None:
        """Check that all arrays match their digests. Otherwise raise an IndexFormatError that names a damaged array."""
        for name in self:
            self[name]


def write(folder: Path, arrays: Arrays | Iterable[tuple[str, Array]], meta: Mapping[str, Any]) -> None:
    """Write one-dimensional arrays, given as a dictionary or as pairs (name, array), to a new file in a folder, and
    wait until the file is on the disk. `meta` is additional metadata, which must be serialisable as JSON."""
    listing: dict[str, tuple[str, int, int, str]] = {}
    with open(folder / FILE, "wb") as out:
        out.write(_MAGIC)
        for name, values in arrays.items() if isinstance(arrays, Mapping) else arrays:
            plain = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
            out.write(bytes(-out.tell() % _ALIGNED))
            listing[name] = plain.dtype.str, len(plain), out.tell(), digest(plain.data)
            out.write(plain.data)
            mapped = getattr(values, "_mmap", None)
            if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):  # frees the memory of pages that were read
                mapped.madvise(mmap.MADV_DONTNEED)
        body = {"meta": dict(meta), "arrays": listing}
        header = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        out.write(header + len(header).to_bytes(8, "little") + bytes.fromhex(digest(header)))
        out.flush()
        os.fsync(out.fileno())


def digest_of(folder: Path) -> str:
    """Return the digest of the array file in a folder (see `Part`)."""
    with open(folder / FILE, "rb") as file:
        file.seek(-16, os.SEEK_END)
        return file.read().hex()


def read(folder: Path) -> Part:
    """Open the array file in a folder, and return its memory-mapped arrays. If the file is missing or has changed since
    it was written, raise an IndexFormatError."""
    file = folder / FILE
    if not file.is_file():
        raise IndexFormatError.damaged(file, "it is missing")
    with open(file, "rb") as opened:
        size = os.fstat(opened.fileno()).st_size  # an empty file cannot be mapped
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    size = int.from_bytes(content[-_ENDING:-16], "little")
    begin = len(content) - _ENDING - size
    if content[: len(_MAGIC)] != _MAGIC or begin < len(_MAGIC):
        raise IndexFormatError.damaged(file, "its beginning or its end has changed")
    raw, written = content[begin : begin + size], content[-16:].hex()
    if digest(raw) != written:
        raise IndexFormatError.damaged(file, "its header has changed since it was written")
    return Part(folder, content, json.loads(raw.decode("utf-8", "surrogatepass")), written)


class GrowingColumn:
    """An array of type `dtype` to which values are appended. A small array is kept in memory, and a large array in a
    temporary file in `folder` (by default, the system's temporary folder)."""

    def __init__(self, dtype: npt.DTypeLike, folder: Path | None = None) -> None:
        self._dtype, within = np.dtype(dtype), str(folder) if folder else None
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=within)  # noqa: SIM115 - closes with the object

    def append(self, values: Array) -> None:
        """Append all values of an array. An array with several dimensions is flattened."""
        self._file.write(np.ascontiguousarray(values.astype(self._dtype, copy=False)).ravel().data)

    def array(self) -> Array:
        """Return all values as a one-dimensional array, which is memory-mapped if it is large."""
        if self._file.tell() > _IN_MEMORY:
            self._file.flush()
            return np.memmap(self._file, dtype=self._dtype, mode="r")
        self._file.seek(0)
        return np.frombuffer(self._file.read(), dtype=self._dtype)
