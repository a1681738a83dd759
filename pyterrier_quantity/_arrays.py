"""Named arrays in a folder: one file each, memory-mapped, and the metadata that lists them.

Every index is such a folder, written aside and moved into place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._folder import moved_into_place

META_FILE: Final = "pt_meta.json"


@dataclass(frozen=True)
class Kind:
    """What an index's folder says that it is, and what messages call it."""

    type: str
    format: str
    version: int
    called: str
    build: str = "build one with .index(documents)"
    package: str = "pyterrier-quantity"


class IndexFormatError(ValueError):
    """The folder is no index of the kind asked for that this version of the package can read."""


@contextmanager
def new_folder(path: Path, overwrite: bool, kind: Kind) -> Iterator[Path]:
    """A folder aside of `path` to write to; moved to `path` at the end, removed if anything is raised.

    Raises:
        FileExistsError: if `path` exists and `overwrite` is off, or is no index of this kind.
    """
    check_target(path, overwrite, kind)
    try:
        with moved_into_place(path) as aside:
            yield aside
            check_target(path, overwrite, kind)
    except OSError as error:
        error.add_note(f"nothing was written to {path}") if hasattr(error, "add_note") else None
        raise


def check_target(path: Path, overwrite: bool, kind: Kind) -> None:
    """Raise a FileExistsError unless an index of this kind may take this path."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    try:
        ours, state = is_index(path, kind), ""
    except IndexFormatError:
        ours, state = all(file.suffix == ".bin" or file.name == META_FILE for file in path.iterdir()), "damaged "
    if not ours:
        raise FileExistsError(f"{path} exists and is no {kind.called}; choose another path")
    if not overwrite:
        raise FileExistsError(f"{path} holds a {state}{kind.called} already; pass overwrite=True to replace it")


def write(
    folder: Path,
    columns: Mapping[str, npt.NDArray[Any]],
    meta: Mapping[str, Any],
    kind: Kind,
    written: Mapping[str, Any] | None = None,
) -> None:
    """Write the columns, and last the metadata that lists them with their types and lengths.

    Args:
        folder: an empty folder, or one that holds the files of the `written` columns.
        columns: the arrays.
        meta: what else the metadata says.
        kind: the kind of the index.
        written: types of the columns whose files are there already, in little-endian order.
    """
    listing = {}
    for name, dtype in (written or {}).items():
        size = (folder / f"{name}.bin").stat().st_size
        listing[name] = {"dtype": np.dtype(dtype).newbyteorder("<").str, "length": size // np.dtype(dtype).itemsize}
    for name, values in columns.items():
        little_endian = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
        with open(folder / f"{name}.bin", "wb") as out:
            out.write(little_endian.data)
            out.flush()
            os.fsync(out.fileno())
        listing[name] = {"dtype": little_endian.dtype.str, "length": len(values)}
    header = {"type": kind.type, "format": kind.format, "package_hint": kind.package, "version": kind.version}
    text = json.dumps({**header, **meta, "columns": listing}, ensure_ascii=False, indent=1)
    (folder / META_FILE).write_text(text, encoding="utf-8")


def is_index(path: Path, kind: Kind) -> bool:
    """Whether the folder claims to be an index of this kind."""
    return (path / META_FILE).is_file() and _read_meta(path).get("type") == kind.type


def read_meta(path: Path, kind: Kind) -> dict[str, Any]:
    """The index's metadata, checked against the files' sizes.

    Raises:
        FileNotFoundError: if there is no such folder.
        IndexFormatError: if it is another kind of artifact, of another version, or truncated.
    """
    if not (path / META_FILE).is_file():
        if path.is_dir():
            raise IndexFormatError(f"{path} is no {kind.called}: it has no {META_FILE}; {kind.build}")
        raise FileNotFoundError(f"no {kind.called} at {path}; {kind.build}")
    meta = _read_meta(path)
    if meta.get("type") != kind.type or meta.get("format") != kind.format:
        found = f"{meta.get('type')}.{meta.get('format')}"
        raise IndexFormatError(f"{path} is no {kind.called} ({kind.type}.{kind.format}) but {found}")
    if meta.get("version") != kind.version:
        raise IndexFormatError(
            f"{path} is a {kind.called} of version {meta.get('version')!r}, this package reads version {kind.version}; "
            "build it again"
        )
    for name, expected in _sizes(path, meta).items():
        file = path / f"{name}.bin"
        size = file.stat().st_size if file.is_file() else None
        if size != expected:
            state = "missing" if size is None else f"{size} bytes long instead of {expected}"
            raise IndexFormatError(f"{path} is damaged: {file.name} is {state}; build the index again")
    return meta


def _sizes(path: Path, meta: Mapping[str, Any]) -> dict[str, int]:
    """How many bytes each column's file should have."""
    try:
        columns = meta["columns"].items()
        return {name: np.dtype(column["dtype"]).itemsize * int(column["length"]) for name, column in columns}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError(
            f"{path / META_FILE} is damaged: it does not list the columns; build the index again"
        ) from error


def _read_meta(path: Path) -> dict[str, Any]:
    try:
        meta = json.loads((path / META_FILE).read_text(encoding="utf-8"))
    except ValueError as error:
        raise IndexFormatError(f"{path / META_FILE} is damaged: {error}; build the index again") from error
    return meta if isinstance(meta, dict) else {}


def open_columns(path: Path, meta: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Every column, memory-mapped."""
    return {
        name: np.memmap(path / f"{name}.bin", dtype=column["dtype"], mode="r", shape=(column["length"],))
        if column["length"]
        else np.empty(0, dtype=column["dtype"])
        for name, column in meta["columns"].items()
    }
