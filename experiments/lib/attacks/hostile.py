"""Indexes that are damaged in their structure, or written to do harm with digests that fit: refused by name."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from lib.attacks.kinds import Kind
from lib.attacks.outcome import Budget, Outcome
from lib.attacks.processes import HELD, OTHER, REFUSED, ended
from pyterrier_quantity import _arrays
from pyterrier_quantity._folder import META_FILE, digest, write_sealed

_VALUES: Final = [
    -1, 0, 1, 1 << 31, 1 << 62, 1e308, None, True, "", "x", "../../x", "/etc/passwd", "O", "<U9", "V8", "<c16", "|u1",
    "<f8", "<u8", [], [None], ["x"] * 3, {}, {"dtype": "O", "length": 1},
]  # fmt: skip


def attack(kind: Kind, random: Random, budget: Budget) -> Outcome:
    """Nothing crashes, hangs, takes gigabytes or raises what does not name the index; what is plain damage changes no
    result."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        original, path = Path(folder) / "original", Path(folder) / "index"
        kind.build(original)
        whole = kind.ask(original)
        for _ in budget.spent(outcome):
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(original, path, symlinks=True)
            crafted = random.random() < 0.6
            told = _crafted(random, path) if crafted else _damaged(random, path)
            end, error = ended(lambda: kind.ask(path), str(path), whole)
            outcome.tried += 1
            outcome.add("refused", end == REFUSED)
            # What was crafted with care can say anything, as long as it does no harm.
            if end not in (HELD, REFUSED) and not (crafted and end == OTHER):
                outcome.failures.append(f"{told}: {end} {error}")
    return outcome


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file())


def _damaged(random: Random, path: Path) -> str:
    """Damage a file as disks, copying and people do; returns what was done."""
    file = random.choice(_files(path))
    name = random.choice(sorted(_DAMAGES))
    _DAMAGES[name](random, file)
    return f"{file.relative_to(path)} {name}"


def _cut(random: Random, file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: random.randrange(len(content))] if content else b"x")


def _exchanged(random: Random, file: Path) -> None:
    other = random.choice(sorted(entry for entry in file.parent.iterdir() if entry.is_file()))
    content = file.read_bytes()
    file.write_bytes(other.read_bytes())
    other.write_bytes(content)


def _zeroed(random: Random, file: Path) -> None:
    content = bytearray(file.read_bytes())
    begin = random.randrange(len(content) + 1)
    content[begin : begin + 4096] = bytes(len(content[begin : begin + 4096]))
    file.write_bytes(content)


def _replaced(make: Callable[[Path], Any]) -> Callable[[Random, Path], None]:
    def replace(random: Random, file: Path) -> None:
        file.unlink()
        make(file)

    return replace


_DAMAGES: Final[dict[str, Callable[[Random, Path], None]]] = {
    "is cut": _cut,
    "is longer": lambda random, file: file.write_bytes(file.read_bytes() + random.randbytes(random.randrange(1, 99))),
    "is exchanged": _exchanged,
    "is partly zeros": _zeroed,
    "is missing": _replaced(lambda file: None),
    "is a folder": _replaced(lambda file: file.mkdir()),
    "is a pipe": _replaced(lambda file: os.mkfifo(file)),
    "leads nowhere": _replaced(lambda file: file.symlink_to("nowhere")),
}


def _crafted(random: Random, path: Path) -> str:
    """Write something with digests that fit; returns what."""
    parts = sorted(file.parent for file in path.rglob(_arrays.FILE))
    chosen = random.random()
    if parts and chosen < 0.5:
        told = _other_columns(random, random.choice(parts))
    elif parts and chosen < 0.8:
        told = _other_header(random, random.choice(parts) / _arrays.FILE)
    else:
        file = random.choice([file for file in _files(path) if file.suffix == ".json"])
        meta = json.loads(file.read_bytes())
        told = file.name + _other_value(random, meta)
        _write(file, meta)
    _seal(path)
    return told


def _other_columns(random: Random, part: Path) -> str:
    """Other numbers or lengths of a column, or another type in its listing."""
    read = _arrays.read(part, lambda meta, lengths: {})
    columns = {name: np.array(column) for name, column in read.columns.items()}
    name = random.choice(sorted(columns))
    values = columns[name]
    change = random.choice(["number", "length", "type"])
    if change == "number" and len(values):
        extreme = random.choice([-1, 0, 1, len(values), 1 << 15])
        values[random.randrange(len(values)) :: random.choice([1, 10**9])] = np.array(extreme).astype(values.dtype)
    elif change == "length":
        columns[name] = values[: random.randrange(len(values) + 1)]
    elif change == "type":
        types = ("|i1", "<i2", "<f2", "<i4", "<f4", "<i8", "<f8")
        columns[name] = values.view(random.choice([kind for kind in types if kind[2:] == values.dtype.str[2:]]))
    _arrays.write(part, columns, read.meta)
    return f"{part.name}/{name}: another {change}"


def _other_header(random: Random, file: Path) -> str:
    """Another value somewhere in the header of a file of arrays."""
    content = file.read_bytes()
    size = int.from_bytes(content[-24:-16], "little")
    header = json.loads(content[-24 - size : -24])
    told = _other_value(random, header)
    raw = json.dumps(header).encode()
    file.write_bytes(content[: -24 - size] + raw + len(raw).to_bytes(8, "little") + bytes.fromhex(digest(raw)))
    return file.name + told


def _other_value(random: Random, place: Any) -> str:
    """Another value somewhere in what JSON holds."""
    told = ""
    while isinstance(place, dict | list) and place:
        key: Any = random.choice(sorted(place)) if isinstance(place, dict) else random.randrange(len(place))
        told += f"[{key!r}]"
        if not isinstance(place[key], dict | list) or not place[key] or random.random() < 0.2:
            place[key] = random.choice(_VALUES)
            return f"{told} = {place[key]!r}"
        place = place[key]
    return told


def _write(file: Path, meta: Any) -> None:
    if isinstance(meta, dict) and "digest" in meta:
        write_sealed(file, {key: value for key, value in meta.items() if key != "digest"})
    else:
        file.write_text(json.dumps(meta))


def _seal(path: Path) -> None:
    """Let every file that names parts have their digests."""
    for file in sorted(path.rglob(META_FILE), key=lambda file: -len(file.parts)):
        meta = json.loads(file.read_bytes())
        parts = meta.get("parts") if isinstance(meta, dict) else None
        for part in parts if isinstance(parts, list) else ():
            folder = file.parent / str(part.get("folder")) if isinstance(part, dict) else None
            if folder and (folder / _arrays.FILE).is_file():
                part["digest"] = _arrays.digest_of(folder)
        if parts:
            _write(file, meta)
