"""Folders that are written aside and take their place at once, so that nothing half-written is ever seen."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def moved_into_place(path: Path) -> Iterator[Path]:
    """A folder beside `path` to write to. At the block's end it replaces what is there; if anything is raised it
    vanishes, and what is there stays. Whether that may be replaced is for the caller to check."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    try:
        yield aside
        take_place(aside, path)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def take_place(aside: Path, path: Path) -> None:
    """Move a folder to `path`, in the place of what is there."""
    old = aside.with_suffix(".old")
    if path.exists():
        path.rename(old)
    aside.chmod(0o777 & ~_umask())
    aside.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
