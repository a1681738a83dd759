"""Records of the sizes and digests of files that another library reads without checking them.

Such a library maps a damaged file as it is, and then crashes the interpreter or silently returns wrong documents. Here
the files are compared with the record before they are opened.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from pyterrier_quantity.storage.folders import IndexFormatError, digest, read_sealed, write_sealed

RECORD: Final = "ptq_files.json"

_READ_AT_ONCE: Final = 1 << 28
"""Maximum size, in bytes, of an index whose content is compared at every opening, and not only its file sizes."""


def record(folder: Path, **noted: Any) -> None:
    """Record the sizes and digests of all files in a folder.

    Args:
        folder: the folder of the index.
        noted: further entries of the record, which must be serialisable as JSON.
    """
    files = {file.relative_to(folder).as_posix(): _state(file) for file in _files(folder)}
    aside = folder / f".{RECORD}.new"
    write_sealed(aside, {**noted, "files": files})
    os.replace(aside, folder / RECORD)


def compare(folder: Path, everything: bool = False) -> dict[str, Any] | None:
    """Return the record if the files match it, or None without a record, as for an index that another program made.

    Args:
        folder: the folder of the index.
        everything: whether to compare the digests of a large index too, not only its sizes.

    Raises:
        IndexFormatError: if a file is missing or differs; the message names the first such file.
    """
    if not (folder / RECORD).is_file():
        return None
    known = read_sealed(folder / RECORD)
    try:
        known["digest"]  # a flipped bit can rename this key
        files = {str(name): (int(size), str(written)) for name, (size, written) in known["files"].items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError.damaged(folder / RECORD, "it is incomplete") from error
    compared = everything or sum(size for size, _ in files.values()) <= _READ_AT_ONCE
    for name, (size, written) in files.items():
        file = folder / name
        if not file.is_file() or file.stat().st_size != size or (compared and _state(file)[1] != written):
            raise IndexFormatError.damaged(file, "it has changed since it was written")
    return known


def foreign_files(folder: Path) -> list[str]:
    """Return the files in a folder that are not in its record; empty if the record is missing or damaged."""
    try:
        known = read_sealed(folder / RECORD)["files"]
    except (IndexFormatError, OSError, KeyError):
        return []
    return [name for file in _files(folder) if (name := file.relative_to(folder).as_posix()) not in known]


def stamp(folder: Path) -> str | None:
    """Return a text that changes when the folder is replaced by another index."""
    return read_sealed(folder / RECORD)["digest"] if (folder / RECORD).is_file() else None


def _files(folder: Path) -> list[Path]:
    """Return all files except the record and hidden ones, such as folders that are being written."""
    found = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != RECORD)
    return [file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts)]


def _state(file: Path) -> tuple[int, str]:
    size = file.stat().st_size
    return size, digest(np.memmap(file, dtype=np.uint8, mode="r") if size else b"")
