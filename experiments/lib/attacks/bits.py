"""One flipped bit in one file of an index: the results are the same, or an error names the index."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pandas as pd

from lib.attacks.outcome import Clock, Outcome
from pyterrier_quantity import Constraint, QuantityIndex
from pyterrier_quantity.backends import pisa_bm25

DOCUMENTS: Final = [
    {"docno": f"d{n}", "text": f"The oil of well {n % 7} costs ${n + 2}, and weighs {3 * n} kg."} for n in range(300)
]
ASKED: Final = pd.DataFrame(
    [
        {"qid": f"{op}{unit}", "query": "oil well", "constraints": [Constraint(op, 45.0, 45.0, unit)]}
        for op in ("<", ">=", "=")
        for unit in ("kilogram", "dollar", "-", "tonne")
    ]
)


def quantity_index(random: Random, clock: Clock) -> Outcome:
    """Flips in a quantity index, seen through its retriever, scorer, filter and `quantities`."""

    def ask(path: Path) -> Any:
        index = QuantityIndex(path)
        found = index.retriever()(ASKED)
        kept = index.filter()(found)
        scored = index.scorer("exp")(found)
        return found.to_dict("list"), scored["score"].tolist(), list(kept["docno"]), index.quantities("d7")

    return _attack(random, clock, lambda path: QuantityIndex(path).index(DOCUMENTS), ask)


def pisa_index(random: Random, clock: Clock) -> Outcome:
    """Flips in a PISA index, in another process each: PISA would take this one with it."""

    def ask(path: Path) -> Any:
        return pisa_bm25(path).search("oil well costs")[["docno", "score"]].to_numpy().tolist()

    return _attack(random, clock, lambda path: pisa_bm25(path, DOCUMENTS), ask)


def _attack(random: Random, clock: Clock, build: Callable[[Path], Any], ask: Callable[[Path], Any]) -> Outcome:
    outcome, refused = Outcome(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        build(path)
        whole = ask(path)
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.stat().st_size)
        while clock.running():
            file = random.choice(files)
            content = file.read_bytes()
            damaged = bytearray(content)
            damaged[random.randrange(len(content))] ^= 1 << random.randrange(8)
            outcome.tried += 1
            with Replaced(file, bytes(damaged), content):
                code = _in_another_process(lambda: ask(path) == whole)
            refused += code == 1
            if code not in (0, 1):
                outcome.failures.append(f"{file.name}: {'other results' if code == 2 else f'ended with {code}'}")
    outcome.notes["refused"] = refused
    return outcome


class Replaced:
    """Other bytes in a file, for a while."""

    def __init__(self, file: Path, content: bytes, former: bytes) -> None:
        self._file, self._content, self._former = file, content, former

    def __enter__(self) -> None:
        self._file.write_bytes(self._content)

    def __exit__(self, *error: object) -> None:
        self._file.write_bytes(self._former)


def _in_another_process(same: Callable[[], bool]) -> int:
    """0: the same results; 1: refused with an error; 2: other results; else how the process ended."""
    child = os.fork()
    if not child:
        code = 3
        try:
            code = 0 if same() else 2
        except (ValueError, OSError):
            code = 1
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
