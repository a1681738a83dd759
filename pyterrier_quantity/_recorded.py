"""Folders whose files another library reads, unchecked: a record of their sizes and digests beside them.

Such a library maps a damaged file as it is, and ends the interpreter or finds other documents without a word. Here the
files are compared with the record before they are opened.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from pyterrier_quantity._folder import IndexFormatError, digest, read_sealed, write_sealed

RECORD: Final = "ptq_files.json"

_READ_AT_ONCE: Final = 1 << 28
"""Bytes that are compared whenever an index is opened; larger ones by their sizes, and wholly on request."""


def record(folder: Path, **noted: Any) -> None:
    """Note the sizes and digests of all files.

    Args:
        folder: the index.
        noted: what else the record is to say, as JSON can write it.
    """
    files = {file.relative_to(folder).as_posix(): _state(file) for file in _files(folder)}
    aside = folder / f".{RECORD}.new"
    write_sealed(aside, {**noted, "files": files})
    os.replace(aside, folder / RECORD)


def compare(folder: Path, everything: bool = False) -> dict[str, Any] | None:
    """The record, if the files are those that it names; None where there is none: another program made the index.

    Args:
        folder: the index.
        everything: compare the digests of a large index, too, not only its sizes.

    Raises:
        IndexFormatError: naming the first file that is missing or another.
    """
    if not (folder / RECORD).is_file():
        return None
    known = read_sealed(folder / RECORD)
    try:
        known["digest"]  # what a flipped bit can rename
        files = {str(name): (int(size), str(written)) for name, (size, written) in known["files"].items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError.damaged(folder / RECORD, "it lacks a part") from error
    compared = everything or sum(size for size, _ in files.values()) <= _READ_AT_ONCE
    for name, (size, written) in files.items():
        file = folder / name
        if not file.is_file() or file.stat().st_size != size or (compared and _state(file)[1] != written):
            raise IndexFormatError.damaged(file, "it is not what was written")
    return known


def foreign_files(folder: Path) -> list[str]:
    """What lies in a folder and is not in its record; none where there is no record, or a damaged one."""
    try:
        known = read_sealed(folder / RECORD)["files"]
    except (IndexFormatError, OSError, KeyError):
        return []
    return [name for file in _files(folder) if (name := file.relative_to(folder).as_posix()) not in known]


def stamp(folder: Path) -> str | None:
    """What tells an index from one that takes its place."""
    return read_sealed(folder / RECORD)["digest"] if (folder / RECORD).is_file() else None


def _files(folder: Path) -> list[Path]:
    """All but the record and what is hidden, such as what is made aside."""
    found = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != RECORD)
    return [file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts)]


def _state(file: Path) -> tuple[int, str]:
    size = file.stat().st_size
    return size, digest(np.memmap(file, dtype=np.uint8, mode="r") if size else b"")
