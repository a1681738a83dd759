"""Short digests of the content on which a stored file, run or table depends."""

import ast
import hashlib
import io
import json
import os
import sys
import tokenize
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE, SCRIPTS = ROOT / "pyterrier_quantity", ROOT / "experiments"
SHOWN_BY: Final = {"cli", "experiments/lib/arguments.py", "experiments/lib/digests.py", "experiments/lib/parts.py"}
"""Code that reads arguments or writes results, on which no figure depends."""


def digest(content: object) -> str:
    """Return a digest of a value that can be written as JSON."""
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode()).hexdigest()[:16]


def files(path: Path) -> str:
    """Return a digest of the name, size and time of a file, or of all files in a folder."""
    found = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return digest([(file.name, (status := file.stat()).st_size, status.st_mtime_ns) for file in found])


def package_code(parts: Iterable[str]) -> str:
    """Return a digest of the code and data of the given rooms; see `room_digest`."""
    return digest([room_digest(part) for part in parts])


@cache
def room_digest(room: str) -> str:
    """Return a digest of a room's code (without docstrings and comments) and data.

    Args:
        room: a folder of the package, "*" for the files next to these folders, or a script's path in the repository.
    """
    if room.endswith(".py"):
        found = [path] if (path := ROOT / room).exists() else []
    else:
        found = list(PACKAGE.glob("*") if room == "*" else (PACKAGE / room).rglob("*"))
    held = sorted(path for path in found if path.is_file() and "__pycache__" not in path.parts)
    return digest([(path.name, _meaning(path)) for path in held])[:8]


def _meaning(path: Path) -> str:
    """Return the content of a file or, for code, only the lines that affect its behaviour."""
    if path.suffix != ".py":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(filter(None, map(str.rstrip, lines)))


_READ: Final[set[str]] = set()
"""The rooms of the data files that this process has read, and of the stored runs that it used."""


def _listen(event: str, values: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(values[0], str | os.PathLike) and str(values[0]).startswith(f"{PACKAGE}/"):
        path = Path(values[0])
        if path.suffix != ".pyc":
            _READ.add(_room(path))


sys.addaudithook(_listen)


def take_rooms(rooms: Iterable[str]) -> None:
    """Count the rooms of a stored result as if this process had read them."""
    _READ.update(rooms)


def rooms() -> dict[str, str]:
    """Return the digests of the rooms whose code or data this process has loaded, keyed by room."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    # Thousands of other modules are loaded, too many to make a path of each.
    ours = (file for file in files if file and file.startswith((f"{PACKAGE}/", f"{SCRIPTS}/")))
    named = _READ | {_room(Path(file)) for file in ours}
    return {room: room_digest(room) for room in sorted(named - SHOWN_BY) if room.split("/")[0] not in named - {room}}


@cache
def _room(path: Path) -> str:
    """Return the room of a path: "extraction/steps/ages.py" -> "extraction", "languages/de/bounds.tsv" ->
    "languages/de"."""
    if not path.is_relative_to(PACKAGE):
        return str(path.relative_to(ROOT))
    folders = path.relative_to(PACKAGE).parts[:-1]
    return "/".join(folders[: 1 if path.suffix == ".py" else None]) or "*"
