"""Let two processes set marks of the same annotator. No mark may be lost."""

import os
import tempfile
from pathlib import Path
from random import Random

from lib.attacks.outcome import Budget, Outcome
from pyterrier_quantity.collecting.judgements import MARKS, MarkFile, read_marks


def attack(random: Random, budget: Budget) -> Outcome:
    """Let each of two processes set half of the marks in its own order. Each pair of processes is one try."""
    outcome = Outcome()
    for _ in budget.spent(outcome):
        pairs = [(f"q{n}", f"d{m}") for n in range(5) for m in range(20)]
        random.shuffle(pairs)
        with tempfile.TemporaryDirectory() as folder:
            children = [_marking(Path(folder), pairs, pairs[half::2]) for half in (0, 1)]
            for child in children:
                os.waitpid(child, 0)
            outcome.tried += 1
            outcome.add("marks", len(pairs))
            lost = len(pairs) - len(read_marks(Path(folder) / "anna.marks.tsv"))
            if lost:
                outcome.failures.append(f"{lost} of {len(pairs)} marks are lost")
    return outcome


def _marking(folder: Path, known: list[tuple[str, str]], pairs: list[tuple[str, str]]) -> int:
    child = os.fork()
    if not child:
        try:
            marks = MarkFile(folder, "anna", known)
            for pair in pairs:
                marks.set(pair, MARKS[len(pair[1]) % len(MARKS)])
        finally:
            os._exit(0)
    return child
