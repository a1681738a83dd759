"""Processes that are killed while they write an index: what is there is the old index or the new one, and whole."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from lib.attacks.outcome import Clock, Outcome
from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.backends import pisa_bm25

OLD: Final = [{"docno": f"old{n}", "text": f"oil at {n} dollars"} for n in range(20)]
NEW: Final = [{"docno": f"new{n}", "text": f"oil at {n} dollars, 7 kg of gold"} for n in range(60)]


def quantity_index(random: Random, clock: Clock) -> Outcome:
    """Kills at random moments of `QuantityIndex.index(overwrite=True)`."""

    def write(path: Path, documents: list[dict[str, str]]) -> None:
        QuantityIndex(path).index(documents, overwrite=True)

    def read(path: Path) -> int:
        index = QuantityIndex(path)
        index.verify()
        return len(index)

    return _attack(random, clock, write, read)


def pisa_index(random: Random, clock: Clock) -> Outcome:
    """Kills at random moments of `pisa_bm25(overwrite=True)`."""

    def write(path: Path, documents: list[dict[str, str]]) -> None:
        pisa_bm25(path, documents, overwrite=True)

    def read(path: Path) -> int:
        return len(pisa_bm25(path).search("oil"))

    return _attack(random, clock, write, read)


def _attack(
    random: Random, clock: Clock, write: Callable[[Path, list[dict[str, str]]], None], read: Callable[[Path], int]
) -> Outcome:
    outcome, killed = Outcome(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        begin = time.perf_counter()
        write(path, OLD)
        usual = time.perf_counter() - begin
        while clock.running():
            outcome.tried += 1
            killed += _killed(lambda: write(path, NEW), random.uniform(0, 1.2 * usual))
            try:
                if read(path) not in (len(OLD), len(NEW)):
                    outcome.failures.append(f"{read(path)} documents")
                write(path, OLD)
                if os.listdir(folder) != ["index"]:
                    outcome.failures.append(f"left over: {sorted(os.listdir(folder))}")
                if read(path) != len(OLD):
                    outcome.failures.append("the index after it is another")
            except Exception as error:
                outcome.failures.append(f"{type(error).__name__} {error}")
                write(path, OLD)
    outcome.notes["killed"] = killed
    return outcome


def _killed(job: Callable[[], None], after: float) -> bool:
    """Whether a process that does the job was killed before it was done."""
    child = os.fork()
    if not child:
        try:
            job()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
