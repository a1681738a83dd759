"""Flip one bit in one file of an index. The results must stay the same, or an error must name the index."""

import tempfile
from pathlib import Path
from random import Random

from lib.attacks.kinds import Kind
from lib.attacks.outcome import Budget, Outcome
from lib.attacks.processes import HELD, REFUSED, ended


def attack(kind: Kind, random: Random, budget: Budget) -> Outcome:
    """Flip random bits. All files are equally likely, and so are all bits of a file."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        kind.build(path)
        whole = kind.ask(path)
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.stat().st_size)
        for _ in budget.spent(outcome):
            file = random.choice(files)
            content = file.read_bytes()
            damaged = bytearray(content)
            damaged[random.randrange(len(content))] ^= 1 << random.randrange(8)
            file.write_bytes(damaged)
            end, told = ended(lambda: kind.ask(path), str(path), whole)
            file.write_bytes(content)
            outcome.tried += 1
            outcome.add("refused", end == REFUSED)
            if end not in (HELD, REFUSED):
                outcome.failures.append(f"{file.relative_to(path)}: {end} {told}")
    return outcome
