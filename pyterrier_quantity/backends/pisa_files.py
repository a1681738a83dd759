"""The files of a PISA index: a record of their sizes and digests, and bounds for other parameters, made aside.

PISA maps its files unchecked, so that a damaged one ends the interpreter, and it writes what a new k1 and b need into
the index's folder in place. Here the files are compared before they are opened, and the bounds are made in a folder
aside, by another process, under a lock.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

from pyterrier_quantity._folder import IndexFormatError, digest, locked, read_sealed, write_sealed

RECORD: Final = "ptq_files.json"
_ASIDE: Final = ".bounds."

NEEDED: Final = ("fwd", "fwd.doclex", "fwd.documents", "fwd.termlex", "fwd.terms", "inv.docs", "inv.freqs", "inv.sizes")
"""What every PISA index holds."""

_READ_AT_ONCE: Final = 1 << 28
"""Bytes that are compared whenever an index is opened; larger ones by their sizes, and wholly by `verify`."""


def record(folder: Path, bounds: Iterable[str]) -> None:
    """Note the sizes and digests of all files.

    Args:
        folder: the index.
        bounds: the parameters for which the folder holds bounds, see `parameters`.
    """
    files = {file.name: _state(file) for file in sorted(folder.iterdir()) if _is_data(file)}
    aside = folder / f".{RECORD}.new"
    write_sealed(aside, {"files": files, "bounds": sorted(bounds)})
    os.replace(aside, folder / RECORD)


def check(folder: Path, everything: bool = False) -> dict[str, Any] | None:
    """The record, if the files are those that it names; None where another program made the index.

    Args:
        folder: the index.
        everything: compare the digests of a large index, too, not only its sizes.

    Raises:
        IndexFormatError: naming the first file that is missing or another.
    """
    for name in NEEDED:
        if not (folder / name).is_file():
            raise IndexFormatError(f"{folder} is no whole PISA index: {name} is missing; build the index again")
    if not (folder / RECORD).is_file():
        return None
    known = read_sealed(folder / RECORD)
    try:
        files = {str(name): (int(size), str(written)) for name, (size, written) in known["files"].items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError(f"{folder / RECORD} is damaged; build the index again") from error
    compared = everything or sum(size for size, _ in files.values()) <= _READ_AT_ONCE
    for name, (size, written) in files.items():
        file = folder / Path(name).name
        if not file.is_file() or file.stat().st_size != size or (compared and _state(file)[1] != written):
            raise IndexFormatError(f"{file} is damaged: it is not what was written; build the index again")
    return known


def stamp(folder: Path) -> str | None:
    """What tells an index from one that takes its place."""
    return read_sealed(folder / RECORD)["digest"] if (folder / RECORD).is_file() else None


def prepare(folder: Path, parameters: str, make: Callable[[Path], None]) -> None:
    """Make the bounds for some parameters, unless they are there.

    Args:
        folder: the index.
        parameters: what they are called in the record.
        make: writes them into a folder that holds links to the index's files; what is new there is moved to the index.

    Raises:
        OSError: if the index's folder cannot be written.
        IndexFormatError: if the index is damaged.
    """
    known = check(folder)
    if known is None or parameters in known["bounds"]:
        return
    if not os.access(folder, os.W_OK):
        raise PermissionError(
            f"{folder} cannot be written, and holds no bounds for {parameters}, only for {', '.join(known['bounds'])}; "
            "use those parameters, or a copy of the index"
        )
    with locked(folder):
        known = check(folder)
        assert known is not None
        if parameters in known["bounds"]:
            return
        for left_over in folder.glob(f"{_ASIDE}*"):
            shutil.rmtree(left_over, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=folder) as made:
            aside = Path(made)
            for name in known["files"]:
                if name.startswith(("fwd", "inv")):
                    (aside / name).symlink_to((folder / name).absolute())
            make(aside)
            for file in sorted(aside.iterdir()):
                if not file.is_symlink():
                    os.replace(file, folder / file.name)
        record(folder, [*known["bounds"], parameters])


def _is_data(file: Path) -> bool:
    return file.is_file() and not file.name.startswith(".") and file.name != RECORD


def _state(file: Path) -> tuple[int, str]:
    size = file.stat().st_size
    return size, digest(np.memmap(file, dtype=np.uint8, mode="r") if size else b"")
