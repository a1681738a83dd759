"""Indexes with a damaged structure, which must be rejected with an error that names the index."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

from lib.attacks.kinds import Kind
from lib.attacks.outcome import Budget, Outcome
from lib.attacks.processes import HELD, REFUSED, ended


def attack(kind: Kind, random: Random, budget: Budget) -> Outcome:
    """Damage indexes. None may crash, hang, take gigabytes, raise an error without the index's name, or change a
    result."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        original, path = Path(folder) / "original", Path(folder) / "index"
        kind.build(original)
        whole = kind.ask(original)
        for _ in budget.spent(outcome):
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(original, path, symlinks=True)
            told = _damaged(random, path)
            end, error = ended(lambda: kind.ask(path), str(path), whole)
            outcome.tried += 1
            outcome.add("refused", end == REFUSED)
            if end not in (HELD, REFUSED):
                outcome.failures.append(f"{told}: {end} {error}")
    return outcome


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file())


def _damaged(random: Random, path: Path) -> str:
    """Damage a file as disks, copying or people may do, and return a description of the damage."""
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
