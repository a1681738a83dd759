"""Create, check and open the folder of an index: subfolders with arrays, and `pt_meta.json` with the index's type."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyterrier_quantity.storage import array_file, folders
from pyterrier_quantity.storage.folders import META_FILE, IndexFormatError, read_sealed


@dataclass(frozen=True)
class Kind:
    """A type of index, such as a quantity index.

    Args:
        type, format, package: entries of `pt_meta.json`, as in `pt.Artifact`.
        version: the version of the format.
        called: the name of such an index in error messages, such as "quantity index".
        build: how to build such an index, as a phrase for the error message if the index is missing.
    """

    type: str
    format: str
    version: int
    called: str
    build: str = "index documents there first"
    package: str = "pyterrier-quantity"

    @property
    def header(self) -> dict[str, Any]:
        """The entries of `pt_meta.json` that identify the type and version of the index."""
        return {"type": self.type, "format": self.format, "package_hint": self.package, "version": self.version}


@contextmanager
def new_folder(path: Path, overwrite: bool, kind: Kind, **noted: object) -> Iterator[Path]:
    """Yield a folder for the arrays of an index of type `kind`. When the `with` block ends, the folder becomes the
    index at `path`. After an error, the folder is removed. The keyword arguments are stored in the metadata. If `path`
    must not be overwritten (see `check_target`), raise a FileExistsError."""
    check_target(path, overwrite, kind)
    try:
        with folders.new_part(path) as part:
            yield part
            parts = {part.name: array_file.digest_of(part)}
            folders.publish(path, kind.header | noted, parts, lambda: check_target(path, overwrite, kind))
    except OSError as error:
        error.add_note(f"nothing was written to {path}") if hasattr(error, "add_note") else None
        raise


def check_target(path: Path, overwrite: bool, kind: Kind) -> None:
    """Check that the path is free or, if `overwrite` is true, that it has an index of type `kind`, which may then be
    replaced. Otherwise raise a FileExistsError."""
    if not path.exists():
        return
    others = folders.foreign_files(path) if path.is_dir() else []
    if path.is_dir() and not (path / META_FILE).exists() and not others:
        return
    try:
        ours, state = is_index(path, kind), ""
    except IndexFormatError:
        ours, state = not others, "damaged "
    if not ours:
        raise FileExistsError(f"{path} exists and is not a {kind.called}; choose another path")
    if others:
        fault = f"{path} holds {others[0]!r}, which is not part of a {kind.called}"
        raise FileExistsError(f"{fault}; move it away or choose another path")
    if not overwrite:
        raise FileExistsError(f"{path} holds a {state}{kind.called} already; pass overwrite to replace it")


def is_index(path: Path, kind: Kind) -> bool:
    """Return whether a folder contains an index of type `kind`. Raise an IndexFormatError for damaged metadata."""
    return (path / META_FILE).is_file() and read_sealed(path / META_FILE).get("type") == kind.type


def open_parts(path: Path, kind: Kind) -> tuple[dict[str, Any], list[array_file.Part]]:
    """Return the metadata and the parts (memory-mapped arrays) of an index, in a consistent state. Raise a
    FileNotFoundError if the folder does not exist. Raise an IndexFormatError if the folder is damaged, or contains
    another type or version of index."""
    for attempt in range(10):
        top = _checked_header(path, kind)
        listed = folders.listed_parts(top, path / META_FILE)
        if not listed:
            raise IndexFormatError.damaged(path / META_FILE, "it names no part")
        try:
            return top, [_open(path / part["folder"], part["digest"]) for part in listed]
        except (IndexFormatError, FileNotFoundError):
            # Meanwhile another process may have published other parts and removed these.
            if attempt == 9 or _checked_header(path, kind)["digest"] == top["digest"]:
                raise
    raise AssertionError("unreachable")


def _open(folder: Path, digest: str) -> array_file.Part:
    part = array_file.read(folder)
    if part.digest != digest:
        raise IndexFormatError.damaged(folder, f"it is not the part that {folder.parent / META_FILE} names")
    return part


def _checked_header(path: Path, kind: Kind) -> dict[str, Any]:
    if not (path / META_FILE).is_file():
        if path.is_dir():
            raise IndexFormatError(f"{path} is not a {kind.called}: it has no {META_FILE}; {kind.build}")
        raise FileNotFoundError(f"no {kind.called} at {path}; {kind.build}")
    meta = read_sealed(path / META_FILE)
    if meta.get("type") != kind.type or meta.get("format") != kind.format:
        found = f"{meta.get('type')}.{meta.get('format')}"
        raise IndexFormatError(f"{path} is not a {kind.called} ({kind.type}.{kind.format}) but {found}")
    if meta.get("version") != kind.version:
        fault = f"{path} is a {kind.called} of version {meta.get('version')!r}"
        raise IndexFormatError(f"{fault}, this package reads version {kind.version}; build it again")
    if "digest" not in meta:
        raise IndexFormatError.damaged(path / META_FILE, "it has no digest")
    return meta
