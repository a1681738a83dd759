"""Named arrays in one file, which is mapped at once; what is read of it is compared with digests by `_column.Column`.

    magic | array | array | ... | digests of the arrays' blocks | header | size and digest of the header

The header is JSON: types, lengths and places of the arrays, and metadata. It comes last, so that arrays are written as
they are made. Opening a file compares the header with its digest and reads no data.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._column import BLOCK, Column, digests_of
from pyterrier_quantity._folder import IndexFormatError, digest

FILE: Final = "arrays.bin"
_MAGIC: Final = b"ptq-arr1"
_ALIGNED: Final = 64
"""Arrays begin at multiples of it."""
_ENDING: Final = 8 + 16
"""Bytes of the header's size and digest."""
_DTYPE: Final = re.compile(r"\|[iu]1|<[iuf][248]")
"""Plain little-endian numbers: other types let a file's bytes pass for pointers."""
_NAME: Final = re.compile(r"[a-z_]+")

Arrays = Mapping[str, npt.NDArray[Any]]


class Expected(NamedTuple):
    """What a column must be.

    Args:
        kinds: NumPy's letters of the kinds of numbers that it may hold; "b": bytes.
        length: of how many; None: any.
        limit: what they must be below, where they refer to something; None: anything.
    """

    kinds: str
    length: int | None = None
    limit: int | None = None


Layout = Callable[[Mapping[str, Any], Mapping[str, int]], Mapping[str, Expected]]
"""From the metadata and the columns' lengths to what the columns must be; raises an IndexFormatError on metadata that
say nothing of it."""


@dataclass(frozen=True)
class Part:
    """The arrays of a folder as they were when it was opened; each column is a `Column`.

    Args:
        folder: where the file lies.
        digest: of its header, which has those of all that the file holds.
        meta: what else it says.
        columns: by name.
    """

    folder: Path
    digest: str
    meta: dict[str, Any]
    columns: Mapping[str, Any]

    def verify(self) -> None:
        """Read all columns; raises an IndexFormatError that names the first one that is not what was written."""
        for column in self.columns.values():
            column.whole()


def write(
    folder: Path,
    arrays: Arrays | Iterable[tuple[str, npt.NDArray[Any]]],
    meta: Mapping[str, Any],
    grown: Mapping[str, Any] | None = None,
) -> None:
    """Write arrays to a folder's file, and wait until they are on the disk.

    Args:
        folder: holds no such file yet.
        arrays: arrays of one dimension by name, or pairs of name and array, which are asked for one by one.
        meta: what else the file is to say, as JSON can write it.
        grown: types of the arrays that have grown in files `NAME.bin` of the folder; these are taken in and removed.
    """
    listing: dict[str, tuple[str, int, int]] = {}
    digests = [np.empty(0, dtype="<u8")]
    with open(folder / FILE, "wb") as out:
        out.write(_MAGIC)
        for name, values in (*_grown(folder, grown or {}), *_pairs(arrays)):
            plain = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
            listing[name] = plain.dtype.str, len(plain), _append(out, plain)
            digests.append(digests_of(plain))
            _let_go(values)
            if name in (grown or {}):
                (folder / f"{name}.bin").unlink()
        together = np.concatenate(digests)
        blocks = (len(together), _append(out, together), digest(together))
        body = {"meta": dict(meta), "arrays": listing, "digests": blocks}
        header = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        out.write(header + len(header).to_bytes(8, "little") + bytes.fromhex(digest(header)))
        out.flush()
        os.fsync(out.fileno())


def _pairs(arrays: Arrays | Iterable[tuple[str, npt.NDArray[Any]]]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    yield from arrays.items() if isinstance(arrays, Mapping) else arrays


def _grown(folder: Path, types: Mapping[str, Any]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for name, dtype in types.items():
        file, plain = folder / f"{name}.bin", np.dtype(dtype).newbyteorder("<")
        yield name, np.memmap(file, dtype=plain, mode="r") if file.stat().st_size else np.empty(0, dtype=plain)


def _append(out: Any, values: npt.NDArray[Any]) -> int:
    """Where the array begins."""
    out.write(bytes(-out.tell() % _ALIGNED))
    begin = int(out.tell())
    out.write(values.data)
    return begin


def _let_go(values: npt.NDArray[Any]) -> None:
    """What was read of a mapped file counts as the process's memory until it lets go of it."""
    mapped = getattr(values, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def digest_of(folder: Path) -> str:
    """The digest of a folder's arrays; see `Part`."""
    with open(folder / FILE, "rb") as file:
        file.seek(-16, os.SEEK_END)
        return file.read().hex()


def read(folder: Path, layout: Layout) -> Part:
    """The arrays of a folder, mapped.

    Raises:
        IndexFormatError: naming the file, if it is missing, is not what was written, or is not as the layout says.
    """
    file = folder / FILE
    try:
        if not file.is_file():
            raise IndexFormatError("it is missing")
        with open(file, "rb") as opened:
            size = os.fstat(opened.fileno()).st_size  # an empty file cannot be mapped
            content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        header, expected = _header(content)
        columns, meta = _columns(file, content, header)
        wanted = layout(meta, {name: len(array) for name, (array, _) in columns.items()})
        for name, one in wanted.items():
            _check(name, columns.get(name), one)
    except IndexFormatError as error:
        raise IndexFormatError(f"{file} is damaged: {error}; build the index again") from error
    limits = {name: one.limit for name, one in wanted.items()}
    found = {
        name: Column(f"{file}: column {name!r}", array, digests, limits.get(name))
        for name, (array, digests) in columns.items()
    }
    return Part(folder, expected, meta, found)


def _header(content: Any) -> tuple[dict[str, Any], str]:
    """The header, compared with its digest, and the digest."""
    size = int.from_bytes(content[-_ENDING:-16], "little")
    begin = len(content) - _ENDING - size
    if content[: len(_MAGIC)] != _MAGIC or begin < len(_MAGIC):
        raise IndexFormatError("it does not begin or end as it was written")
    raw, written = content[begin : begin + size], content[-16:].hex()
    if digest(raw) != written:
        raise IndexFormatError("its header is not what was written")
    try:
        header = json.loads(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise IndexFormatError(f"its header is no JSON ({error})") from error
    if not isinstance(header, dict):
        raise IndexFormatError("its header is no JSON object")
    return header, written


def _columns(
    file: Path, content: Any, header: Mapping[str, Any]
) -> tuple[dict[str, tuple[npt.NDArray[Any], npt.NDArray[np.uint64]]], dict[str, Any]]:
    """Each array by its name, with the digests of its blocks, and the metadata."""
    try:
        meta = dict(header["meta"])
        blocks, begin, written = header["digests"]
        listing = {name: (dtype, length, place) for name, (dtype, length, place) in header["arrays"].items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError("its header does not list the columns") from error
    arrays = {name: _array(content, name, *column) for name, column in listing.items()}
    together = _array(content, "digests", "<u8", blocks, begin)
    ends = np.cumsum([0, *(-(-array.nbytes // BLOCK) for array in arrays.values())]).tolist()
    if ends[-1] != len(together) or digest(together) != written:
        raise IndexFormatError("its digests are not what was written")
    return {name: (array, together[ends[at] : ends[at + 1]]) for at, (name, array) in enumerate(arrays.items())}, meta


def _array(content: Any, name: str, dtype: Any, length: Any, begin: Any) -> npt.NDArray[Any]:
    """An array, if its name, type, length and place are what they may be."""
    plain = isinstance(dtype, str) and _DTYPE.fullmatch(dtype) and _NAME.fullmatch(name)
    whole = all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in (length, begin))
    if not plain or not whole or begin % _ALIGNED:
        raise IndexFormatError(f"the column {name!r} is {length!r} times {dtype!r} at {begin!r}")
    if begin + length * np.dtype(dtype).itemsize > len(content):
        raise IndexFormatError(f"the column {name!r} goes on beyond its end")
    return np.frombuffer(content, dtype, length, begin) if length else np.empty(0, dtype=dtype)


def _check(name: str, column: tuple[npt.NDArray[Any], Any] | None, expected: Expected) -> None:
    if column is None:
        raise IndexFormatError(f"it has no column {name!r}")
    array, _ = column
    if array.dtype.str != "|u1" if expected.kinds == "b" else array.dtype.kind not in expected.kinds:
        raise IndexFormatError(f"the column {name!r} is of {array.dtype}")
    if expected.length not in (None, len(array)):
        raise IndexFormatError(f"the column {name!r} has {len(array)} numbers instead of {expected.length}")


def whole_number(meta: Mapping[str, Any], name: str) -> int:
    """A number that metadata must state.

    Raises:
        IndexFormatError: if they do not.
    """
    number = meta.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise IndexFormatError(f"its metadata say that {name} is {number!r}")
    return number
