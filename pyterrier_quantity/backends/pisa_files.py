"""The files of a PISA index, and bounds for other parameters, made aside.

PISA writes what a new k1 and b need into the index's folder in place. Here the bounds are made in a folder aside, by
another process, under a lock; the record of the files names the parameters for which there are any.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity import _recorded
from pyterrier_quantity._folder import IndexFormatError, locked

_ASIDE: Final = ".bounds."

NEEDED: Final = ("fwd", "fwd.doclex", "fwd.documents", "fwd.termlex", "fwd.terms", "inv.docs", "inv.freqs", "inv.sizes")
"""What every PISA index holds."""

def check(folder: Path, everything: bool = False) -> dict[str, Any] | None:
    """The record, as `_recorded.compare` gives it, of an index that has all files that PISA opens.

    Raises:
        IndexFormatError: naming the first file that is missing or another.
    """
    for name in NEEDED:
        if not (folder / name).is_file():
            raise IndexFormatError(f"{folder} is no whole PISA index: {name} is missing; build the index again")
    return _recorded.compare(folder, everything)


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
    if known is None or parameters in _bounds(known):
        return
    if not os.access(folder, os.W_OK):
        there = ", ".join(_bounds(known)) or "none"
        raise PermissionError(
            f"{folder} cannot be written, and holds no bounds for {parameters}, only for {there}; "
            "use those parameters, or a copy of the index"
        )
    with locked(folder):
        known = check(folder)
        assert known is not None
        bounds = _bounds(known)
        if parameters in bounds:
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
        _recorded.record(folder, bounds=sorted([*bounds, parameters]))


def _bounds(known: Mapping[str, Any]) -> list[str]:
    """The parameters for which a record says that there are bounds."""
    named = known.get("bounds")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
