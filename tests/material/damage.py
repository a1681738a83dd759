"""Indexes that are damaged: columns that are not what was written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyterrier_quantity.storage import array_file
from pyterrier_quantity.storage.folders import META_FILE, digest, part_names, publish, read_sealed


def header(file: Path) -> dict[str, Any]:
    """Return the header of a file of arrays, which is at the end of the file."""
    content = file.read_bytes()
    size = int.from_bytes(content[-24:-16], "little")
    return json.loads(content[-24 - size : -24])


def columns(path: Path, number: int = 0) -> dict[str, bytes]:
    """The columns of a part of an index."""
    part = array_file.read(path / part_names(path)[number])
    return {name: column.tobytes() for name, column in part.items()}


def damage(path: Path, name: str, number: int = 0) -> Path:
    """Change the first byte of a column; returns its file."""
    file = path / part_names(path)[number] / array_file.FILE
    content = bytearray(file.read_bytes())
    content[header(file)["arrays"][name][2]] ^= 1
    file.write_bytes(content)
    return file


def rewrite_header(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Let the header of an index's first part say something else."""
    file = path / part_names(path)[0] / array_file.FILE
    content, told = file.read_bytes(), header(file)
    size = int.from_bytes(content[-24:-16], "little")
    change(told)
    raw = json.dumps(told).encode()
    file.write_bytes(content[: -24 - size] + raw + len(raw).to_bytes(8, "little") + bytes.fromhex(digest(raw)))
    seal(path)


def seal(path: Path) -> None:
    """Let the metadata of an index have the digests of its parts."""
    told = read_sealed(path / META_FILE)
    kept = {key: value for key, value in told.items() if key not in ("digest", "parts")}
    publish(path, kept, {name: array_file.digest_of(path / name) for name in part_names(path)})
