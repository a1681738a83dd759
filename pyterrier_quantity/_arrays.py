"""Named arrays in a folder: one file each, memory-mapped, and sealed metadata that lists them with their types, lengths
and digests.

Every index is a folder of such parts, see `_folder`. Opening one checks its metadata and the files' sizes and reads no
data: what is read later is compared with its digests by `_column.Column`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _folder
from pyterrier_quantity._column import BLOCK, BLOCKS, Column, digests_of
from pyterrier_quantity._folder import META_FILE, IndexFormatError

_DIGESTS: Final = "digests.bin"

_DTYPE: Final = re.compile(r"\|[iu]1|<[iuf][248]")
"""Plain little-endian numbers: other types let a file's bytes pass for pointers."""

_NAME: Final = re.compile(r"[a-z_]+")

_LETTERS: Final = "_bytes"
"""How the names of columns of letters end: unsigned bytes."""


@dataclass(frozen=True)
class Kind:
    """What an index's folder says that it is, and what messages call it.

    Args:
        type, format, package: as `pt.Artifact` has them.
        version: of the format.
        called: what messages call it.
        build: what to do where there is none.
        floats: which columns hold floats, where all others hold unsigned numbers; None: some are signed.
    """

    type: str
    format: str
    version: int
    called: str
    build: str = "build one with .index(documents)"
    package: str = "pyterrier-quantity"
    floats: frozenset[str] | None = None

    @property
    def header(self) -> dict[str, Any]:
        """What the metadata begins with."""
        return {"type": self.type, "format": self.format, "package_hint": self.package, "version": self.version}


@contextmanager
def new_folder(path: Path, overwrite: bool, kind: Kind) -> Iterator[Path]:
    """A folder to write an index to; it takes its place at `path` at the end, and vanishes if anything is raised.

    Raises:
        FileExistsError: if `path` exists and `overwrite` is off, or is no index of this kind, or holds other files too.
    """
    check_target(path, overwrite, kind)
    try:
        with _folder.new_part(path) as part:
            yield part
            former = _former_files(path)
            _folder.publish(path, kind.header, [part.name], lambda: check_target(path, overwrite, kind))
            for file in former:
                file.unlink(missing_ok=True)
    except OSError as error:
        error.add_note(f"nothing was written to {path}") if hasattr(error, "add_note") else None
        raise


def install(folder: Path, path: Path, overwrite: bool, kind: Kind) -> None:
    """Move a folder that holds a whole index to `path`; raises as `new_folder` does."""
    with new_folder(path, overwrite, kind) as part:
        part.rmdir()
        folder.rename(part)


def check_target(path: Path, overwrite: bool, kind: Kind) -> None:
    """Raise a FileExistsError unless an index of this kind may take this path."""
    if not path.exists() or (path.is_dir() and not (path / META_FILE).exists() and not _other_files(path)):
        return
    others = _other_files(path) if path.is_dir() else []
    try:
        ours, state = is_index(path, kind), ""
    except IndexFormatError:
        ours, state = not others, "damaged "
    if not ours:
        raise FileExistsError(f"{path} exists and is no {kind.called}; choose another path")
    if others:
        raise FileExistsError(
            f"{path} holds {others[0]!r}, which is no part of a {kind.called}; move it away or choose another path"
        )
    if not overwrite:
        raise FileExistsError(f"{path} holds a {state}{kind.called} already; pass overwrite=True to replace it")


def _other_files(path: Path) -> list[str]:
    former = {file.name for file in _former_files(path)}
    return [name for name in _folder.foreign_files(path) if name not in former]


def _former_files(path: Path) -> list[Path]:
    """The columns of an index of a former version, which lay in the folder itself."""
    with suppress(IndexFormatError, OSError):
        columns = _folder.read_sealed(path / META_FILE).get("columns")
        if isinstance(columns, dict):
            return [path / f"{name}.bin" for name in columns if _NAME.fullmatch(name)]
    return []


def write(
    folder: Path,
    columns: Mapping[str, npt.NDArray[Any]] | Iterable[tuple[str, npt.NDArray[Any]]],
    meta: Mapping[str, Any],
    kind: Kind,
    written: Mapping[str, Any] | None = None,
) -> None:
    """Write the columns, and last the metadata that lists them with their types, lengths and digests.

    Args:
        folder: an empty folder, or one that holds the files of the `written` columns.
        columns: the arrays by name, or pairs of name and array, which are asked for one by one.
        meta: what else the metadata says.
        kind: the kind of the index.
        written: types of the columns whose files are there already, in little-endian order.
    """
    listing = {}
    digests: list[npt.NDArray[np.uint64]] = []
    for name, dtype in (written or {}).items():
        file, plain = folder / f"{name}.bin", np.dtype(dtype).newbyteorder("<")
        values = np.memmap(file, dtype=plain, mode="r") if file.stat().st_size else np.empty(0, dtype=plain)
        digests.append(digests_of(values))
        listing[name] = {"dtype": plain.str, "length": len(values)}
    for name, values in columns.items() if isinstance(columns, Mapping) else columns:
        little_endian = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
        _write(folder / f"{name}.bin", little_endian)
        digests.append(digests_of(little_endian))
        listing[name] = {"dtype": little_endian.dtype.str, "length": len(values)}
    together = np.concatenate([np.empty(0, dtype="<u8"), *digests])
    _write(folder / _DIGESTS, together)
    blocks = {"size": BLOCK, "digest": _folder.digest(together)}
    _folder.write_sealed(folder / META_FILE, {**kind.header, **meta, "columns": listing, "blocks": blocks})


def _write(file: Path, values: npt.NDArray[Any]) -> None:
    with open(file, "wb") as out:
        out.write(values.data)
        out.flush()
        os.fsync(out.fileno())


def is_index(path: Path, kind: Kind) -> bool:
    """Whether the folder claims to be an index of this kind.

    Raises:
        IndexFormatError: if what it claims cannot be read.
    """
    return (path / META_FILE).is_file() and _read(path / META_FILE).get("type") == kind.type


@dataclass(frozen=True)
class Part:
    """A part of an index as it was when it was opened; each column is a `Column`, or an array in memory."""

    folder: Path
    meta: dict[str, Any]
    columns: Mapping[str, Any]

    def verify(self) -> None:
        """Read all columns; raises an IndexFormatError that names the first file that is not what was written."""
        for column in self.columns.values():
            column.whole()


Limits = Callable[[Mapping[str, Any], Mapping[str, int]], Mapping[str, int | None]]
"""From the metadata and the columns' lengths to the limits of columns that refer to others; raises an IndexFormatError
where a column is missing or has another length than it must."""


def open_parts(path: Path, kind: Kind, limits: Limits | None = None) -> list[Part]:
    """The parts of the index at `path`, all of one time; data is mapped, and read where it is used.

    Raises:
        FileNotFoundError: if there is no such folder.
        IndexFormatError: if it is another kind of artifact, of another version, or damaged.
    """
    for attempt in range(10):
        top = _checked_header(path, kind)
        listed = _folder.listed_parts(top, path / META_FILE) if "parts" in top else [{"folder": "", "digest": ""}]
        if not listed:
            raise IndexFormatError(f"{path / META_FILE} is damaged: it names no part; build the index again")
        try:
            return [_open(path / part["folder"], part["digest"], kind, limits) for part in listed]
        except (IndexFormatError, FileNotFoundError):
            # Another process may have published other parts meanwhile, and removed these.
            if attempt == 9 or _checked_header(path, kind).get("digest") == top.get("digest"):
                raise
    raise AssertionError("unreachable")


def _checked_header(path: Path, kind: Kind) -> dict[str, Any]:
    if not (path / META_FILE).is_file():
        if path.is_dir():
            raise IndexFormatError(f"{path} is no {kind.called}: it has no {META_FILE}; {kind.build}")
        raise FileNotFoundError(f"no {kind.called} at {path}; {kind.build}")
    meta = _read(path / META_FILE)
    if meta.get("type") != kind.type or meta.get("format") != kind.format:
        found = f"{meta.get('type')}.{meta.get('format')}"
        raise IndexFormatError(f"{path} is no {kind.called} ({kind.type}.{kind.format}) but {found}")
    if meta.get("version") != kind.version:
        raise IndexFormatError(
            f"{path} is a {kind.called} of version {meta.get('version')!r}, this package reads version {kind.version}; "
            "build it again"
        )
    if "digest" not in meta:
        raise IndexFormatError(f"{path / META_FILE} is damaged: it has no digest; build the index again")
    return meta


def _open(folder: Path, expected: str, kind: Kind, limits: Limits | None) -> Part:
    meta = _checked_header(folder, kind)
    if expected and meta["digest"] != expected:
        raise IndexFormatError(
            f"{folder / META_FILE} is another than {folder.parent / META_FILE} names; build the index again"
        )
    try:
        listing = {name: (column["dtype"], column["length"]) for name, column in meta["columns"].items()}
        digest, block = meta["blocks"]["digest"], meta["blocks"]["size"]
    except (AttributeError, KeyError, TypeError) as error:
        raise IndexFormatError(f"{folder / META_FILE} is damaged: it does not list the columns; "
                               "build the index again") from error  # fmt: skip
    if block not in BLOCKS:
        raise IndexFormatError(f"{folder / META_FILE} is damaged: its digests are of {block!r} bytes each; "
                               "build the index again")  # fmt: skip
    arrays = {name: _map(folder / f"{name}.bin", name, *column) for name, column in listing.items()}
    digests = _map(folder / _DIGESTS, "digests", "<u8", sum(-(-array.nbytes // block) for array in arrays.values()))
    if _folder.digest(digests) != digest:
        raise IndexFormatError(f"{folder / _DIGESTS} is damaged: it is not what was written; build the index again")
    bounds = _bounds(folder, meta, arrays, limits)
    _check_types(folder, arrays, kind, bounds.keys())
    columns, at = {}, 0
    for name, array in arrays.items():
        blocks = -(-array.nbytes // block)
        columns[name] = Column(folder / f"{name}.bin", array, digests[at : at + blocks], bounds.get(name), block)
        at += blocks
    return Part(folder, meta, columns)


def _check_types(folder: Path, arrays: Mapping[str, npt.NDArray[Any]], kind: Kind, whole: Collection[str]) -> None:
    """Raise an IndexFormatError if a column is of another type than its kind of index has; `whole`: those that refer to
    others."""
    for name, array in arrays.items():
        if kind.floats is not None:
            right = array.dtype.kind == ("f" if name in kind.floats else "u")
        else:
            right = array.dtype.kind in "iu" or name not in whole
        if not right:
            raise IndexFormatError(f"{folder / META_FILE} is damaged: the column {name!r} is of {array.dtype}; "
                                   "build the index again")  # fmt: skip


def _bounds(
    folder: Path, meta: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], limits: Limits | None
) -> Mapping[str, int | None]:
    try:
        return limits(meta, {name: len(array) for name, array in arrays.items()}) if limits is not None else {}
    except IndexFormatError as error:
        raise IndexFormatError(f"{folder}: {error}") from error


def _map(file: Path, name: str, dtype: Any, length: Any) -> npt.NDArray[Any]:
    """A column's file, if its name, type and size are what they may be."""
    plain = isinstance(dtype, str) and _DTYPE.fullmatch(dtype) and _NAME.fullmatch(name)
    signed = name.endswith(_LETTERS) and dtype != "|u1"
    if not plain or signed or not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise IndexFormatError(
            f"{file.parent / META_FILE} is damaged: the column {name!r} is {length!r} times {dtype!r}; "
            "build the index again"
        )
    size = file.stat().st_size if file.is_file() else None
    expected = np.dtype(dtype).itemsize * length
    if size != expected:
        state = "missing" if size is None else f"{size} bytes long instead of {expected}"
        raise IndexFormatError(f"{file.parent} is damaged: {file.name} is {state}; build the index again")
    return np.asarray(np.memmap(file, dtype=dtype, mode="r")) if length else np.empty(0, dtype=dtype)


def _read(file: Path) -> dict[str, Any]:
    try:
        return _folder.read_sealed(file)
    except IndexFormatError as error:
        raise IndexFormatError(f"{error}; build the index again") from error
