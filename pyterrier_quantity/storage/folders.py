"""Replace folders atomically: readers never see a half-written state, and files of killed processes are removed.

An index's folder contains *parts*, which are folders that never change once they are in use, and `pt_meta.json`, which
lists the parts in use. Replacing this file changes the index in one step: a reader sees either the old parts or the new
ones. Readers that have opened a part can use it even after it is removed.

    with new_part(path) as part:                      # a folder in `path`; removed unless it is published
        ...                                           # write files
        publish(path, header, {part.name: digest})    # parts that are no longer named are removed

Folders of other libraries, which expect their files at a fixed path, are written next to that path and then swapped
with the old folder (`moved_into_place`). A process that writes a folder holds a lock on `FOLDER.lock`. The next writer
removes folders that are neither listed nor locked: the remains of killed processes.
"""

import ctypes
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import xxhash
from filelock import FileLock, Timeout

META_FILE: Final = "pt_meta.json"
_NEW: Final = f".{META_FILE}.new"
_LOCK: Final = ".lock"
WRITER_LOCK: Final = ".writer.lock"
"""The lock that a process holds while it changes the index. The lock `.lock` is held only while parts are replaced."""
_PART: Final = re.compile(r"part-[0-9a-f]{8}")
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")


class IndexFormatError(ValueError):
    """Raised if a folder is damaged, or contains another type of index or an unsupported version."""

    @classmethod
    def damaged(cls, file: object, how: str) -> "IndexFormatError":
        return cls(f"{file} is damaged: {how}; build the index again")


def check_free(path: Path, overwrite: bool) -> None:
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; pass overwrite to replace it, or choose another path")


def digest(data: Any) -> str:
    """Return the digest of bytes (XXH3, 128 bits). The digest reveals damage, but not manipulation."""
    return xxhash.xxh3_128_hexdigest(data)


def write_sealed(file: Path, meta: Mapping[str, Any]) -> None:
    """Write metadata and its digest to a JSON file, and wait until the file is on the disk."""
    body = json.dumps({**meta, "digest": digest(_canonical(meta))}, ensure_ascii=False, indent=1)
    with open(file, "wb") as out:
        out.write(body.encode("utf-8", "surrogatepass"))
        out.flush()
        os.fsync(out.fileno())


def read_sealed(file: Path) -> dict[str, Any]:
    """Return the metadata that `write_sealed` wrote. Raise an IndexFormatError if the file is not a JSON object or does
    not match its digest. Raise a FileNotFoundError if the file is missing or not a regular file."""
    if not file.is_file():
        raise FileNotFoundError(f"no file {file}")
    try:
        meta = json.loads(file.read_bytes().decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise IndexFormatError.damaged(file, str(error)) from error
    if not isinstance(meta, dict):
        raise IndexFormatError.damaged(file, "it is not a JSON object")
    if "digest" in meta and meta["digest"] != digest(_canonical({k: v for k, v in meta.items() if k != "digest"})):
        raise IndexFormatError.damaged(file, "it has changed since it was written")
    return meta


def _canonical(meta: Mapping[str, Any]) -> bytes:
    return json.dumps(meta, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")


def part_names(path: Path) -> list[str]:
    """Return the names of the subfolders (parts) of an index, or [] if the index does not exist yet. Raise an
    IndexFormatError if the metadata are damaged."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return [part["folder"] for part in listed_parts(read_sealed(path / META_FILE), path / META_FILE)]
    return []


def listed_parts(meta: Mapping[str, Any], file: Path) -> list[dict[str, str]]:
    """Return the parts listed in metadata, as dictionaries with `folder` and `digest`. If an entry is repeated or
    malformed (such as an unsafe folder name), raise an IndexFormatError that names `file`, the metadata file."""
    parts = meta.get("parts", [])
    for part in parts if isinstance(parts, list) else [parts]:
        if not isinstance(part, dict) or not _PART.fullmatch(str(part.get("folder"))):
            raise IndexFormatError.damaged(file, f"{part!r} is not part of it")
        if not _DIGEST.fullmatch(str(part.get("digest"))):
            raise IndexFormatError.damaged(file, f"it has no digest of {part['folder']}")
    if len({part["folder"] for part in parts}) < len(parts):
        raise IndexFormatError.damaged(file, "it names a part twice")
    return list(parts)


@contextmanager
def held(file: Path, timeout: float = -1) -> Iterator[None]:
    """Hold a lock on a file during a `with` block, and then remove the file. If another process holds the lock for more
    than `timeout` seconds (negative: no limit), raise a `filelock.Timeout`."""
    lock = FileLock(file, timeout=timeout, thread_local=False)
    with lock:
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


@contextmanager
def new_part(path: Path) -> Iterator[Path]:
    """Yield a new folder in `path`. After the `with` block, the folder is removed unless it is part of an index."""
    made = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    remove_left_over(path)
    part = path / f"part-{secrets.token_hex(4)}"
    try:
        with held(_lock_of(part)):
            part.mkdir()
            try:
                yield part
            finally:
                if not _in_use(part):
                    shutil.rmtree(part, ignore_errors=True)
    finally:
        remove_left_over(path)
        if made:
            with suppress(OSError):
                path.rmdir()  # fails unless the folder is empty


def publish(
    path: Path, header: Mapping[str, Any], parts: Mapping[str, str], check: Callable[[], None] | None = None
) -> None:
    """Atomically replace the parts (subfolders) of an index with the given parts.

    Args:
        path: the index's folder.
        header: additional content of `pt_meta.json`.
        parts: the new parts, as a dictionary from the name of a folder in `path` to the folder's digest.
        check: a function called while no other process can replace parts. If it raises an error, nothing is replaced.
    """
    with held(path / _LOCK):
        if check is not None:
            check()
        listed = [{"folder": name, "digest": written} for name, written in parts.items()]
        write_sealed(path / _NEW, {**header, "parts": listed})
        for name in parts:
            sync(path / name)
        os.replace(path / _NEW, path / META_FILE)
        sync(path)


def remove_left_over(path: Path) -> None:
    """Remove the parts of an index (subfolders) that are not in use and that no process is writing."""
    try:
        used = set(part_names(path))
        found = {entry.name.removesuffix(".lock") for entry in path.iterdir()}
    except (IndexFormatError, OSError):
        return  # without readable metadata, the parts in use are not known
    for name in sorted(filter(_PART.fullmatch, found - used)):
        part = path / name
        with suppress(Timeout, OSError), held(_lock_of(part), timeout=0):
            if not _in_use(part):
                shutil.rmtree(part, ignore_errors=True)
    if _NEW in found:
        with suppress(Timeout, OSError), held(path / _LOCK, timeout=0):
            (path / _NEW).unlink(missing_ok=True)


def _in_use(part: Path) -> bool:
    try:
        return part.name in part_names(part.parent)
    except IndexFormatError:
        return True


def foreign_files(path: Path) -> list[str]:
    """Return the names of the files and subfolders at `path` that do not belong to an index."""
    ours = {META_FILE, _NEW, _LOCK, WRITER_LOCK}
    names = (entry.name for entry in path.iterdir())
    return sorted(name for name in names if name not in ours and not _PART.fullmatch(name.removesuffix(".lock")))


@contextmanager
def moved_into_place(path: Path) -> Iterator[Path]:
    """Yield a folder next to `path` to write to. When the `with` block ends, this folder replaces the one at `path`.
    After an error, the new folder is removed. The caller checks whether the old folder may be replaced."""
    path = path.resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_asides(path)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    with held(_lock_of(aside)):
        aside.mkdir()
        try:
            yield aside
            for entry in (aside, *aside.rglob("*")):
                sync(entry)
            if not path.exists():
                aside.rename(path)
            elif not _exchange(aside, path):
                old = aside.with_name(f"{aside.name}.old")
                path.rename(old)
                aside.rename(path)
                shutil.rmtree(old, ignore_errors=True)
            sync(path.parent)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _remove_asides(path: Path) -> None:
    """Remove temporary folders next to `path` that killed processes have left. If such a process was killed after it
    had moved the folder at `path` away, move this folder back."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.\w+\.tmp(\.old)?(\.lock)?")
    names = {entry.name.removesuffix(".lock") for entry in path.parent.iterdir() if pattern.fullmatch(entry.name)}
    for aside in (path.with_name(name) for name in sorted(names)):
        owner = aside.with_name(aside.name.removesuffix(".old"))
        with suppress(Timeout, OSError), held(_lock_of(owner), timeout=0):
            if aside.suffix == ".old" and not path.exists():
                aside.rename(path)
            shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if exchange is None:
        return False
    here, both = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return exchange(here, os.fsencode(one), here, os.fsencode(other), both) == 0


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def write_text(path: Path, text: str) -> None:
    """Write a file atomically and durably: after a crash, the file has either the old or the new content. If the file
    cannot be written, raise an OSError that names the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8", "surrogatepass"))
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644)
        os.replace(name, path)
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError) and error.errno:  # others have no place for a file name
            error.filename = str(path)
        raise
    sync(path.parent)


def sync(entry: Path) -> None:
    """Flush a file, or a folder's list of files, to disk (fsync), if the operating system supports this."""
    with suppress(OSError):
        descriptor = os.open(entry, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
