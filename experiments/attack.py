"""Attacks on the package, for as long as one likes: fuzzed texts, whatever else comes in from users, engines and files,
growth, kills, flipped bits, structured damage, two annotators at once. Prints what was tried and what did not hold, and
what the checks cost.

    python experiments/attack.py --minutes 10 [--seed 1] [--only kills] [--tries 20000] [--table attack.csv]

With --table the counts of a file are gone on with, until they are those that are asked for. They are of one state of
the package: the file is refused where its code has changed since.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import pandas as pd
from lib.attacks import bits, costs, growth, hostile, kills, marks, surfaces, texts
from lib.attacks.kinds import KINDS, Kind
from lib.attacks.outcome import Budget, Outcome
from lib.digests import package_code

Attack = Callable[[Random, Budget], Outcome]


def _on(attack: Callable[[Kind, Random, Budget], Outcome], make: Callable[[], Kind]) -> Attack:
    return lambda random, budget: attack(make(), random, budget)


ATTACKS: Final[dict[str, tuple[Attack, int]]] = {
    "cost of the checks": (costs.attack, 5),
    "marks of two processes": (marks.attack, 100),
    **{f"kills: {name}": (_on(kills.attack, make), 500) for name, make in KINDS.items()},
    **{f"flipped bits: {name}": (_on(bits.attack, make), 2_000) for name, make in KINDS.items()},
    **{f"damage: {name}": (_on(hostile.attack, make), 500) for name, make in KINDS.items()},
    **{f"surface: {name}": (partial(surfaces.attack, make), 20_000) for name, make in surfaces.SURFACES.items()},
    **{f"growth: {name}": (partial(growth.attack, read), 2_000) for name, read in growth.READERS.items()},
    "fuzzed texts": (texts.attack, 1_000_000),
}
"""Every attack, and how often it is to be tried. What takes longest comes last: it has the time that others left."""

_CODE: Final = package_code(("",))
"""Of all modules of the package."""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Attacks extraction and indexes; prints what did not hold.",
        epilog="example: python experiments/attack.py --minutes 10 --only kills flipped",
    )
    parser.add_argument("--minutes", metavar="N", type=float, default=8.0, help="time for all together (%(default)s)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of what is drawn (%(default)s)")
    parser.add_argument("--only", metavar="NAME", nargs="+", default=[""],
                        help=f"those that begin so, of {', '.join(ATTACKS)}")  # fmt: skip
    parser.add_argument("--tries", metavar="N", type=int, help="of each attack, in place of its own number")
    parser.add_argument("--table", metavar="FILE", type=Path, help="a CSV file of counts to add to")
    args = parser.parse_args(argv)
    chosen = [name for name in ATTACKS if name.startswith(tuple(args.only))]
    if not chosen:
        parser.error(f"no attack begins with {' or '.join(args.only)}; there are {', '.join(ATTACKS)}")
    table = _Table(args.table)
    wanted = {name: args.tries or ATTACKS[name][1] for name in chosen}
    waiting = [name for name in chosen if table.tried(name) < wanted[name]]
    end = time.perf_counter() + 60 * args.minutes
    for place, name in enumerate(waiting):
        before = table.tried(name)
        budget = Budget((end - time.perf_counter()) / (len(waiting) - place), wanted[name] - before)
        outcome = ATTACKS[name][0](Random(f"{args.seed} {before}"), budget)
        print(f"{name}: {outcome.tried:,} tried, {len(outcome.failures)} did not hold", file=sys.stderr)
        for failure in outcome.failures[:20]:
            print(f"  {failure[:300]}", file=sys.stderr)
        table.add(name, wanted[name], outcome)
    print(table.frame(chosen).to_string(index=False, na_rep=""))
    return int(table.frame(chosen)["failed"].sum() > 0)


class _Table:
    """Counts by attack, kept in a file.

    Args:
        file: None: not kept.

    Raises:
        SystemExit: if the file's counts are of other code.
    """

    def __init__(self, file: Path | None) -> None:
        self._file, self._rows = file, dict[str, dict[str, Any]]()
        if file is not None and file.exists():
            kept = pd.read_csv(file, index_col="attack", dtype={"code": str})
            if set(kept.get("code", [""])) != {_CODE}:
                raise SystemExit(f"{file} counts attacks on another state of the package; name another file")
            self._rows = kept.T.to_dict()

    def tried(self, name: str) -> int:
        return int(self._rows.get(name, {}).get("tried", 0))

    def add(self, name: str, wanted: int, outcome: Outcome) -> None:
        before = self._rows.get(name, {})
        added = {"tried": outcome.tried, "failed": len(outcome.failures), **outcome.counts}
        row = {key: _known(before, key) + value for key, value in added.items()}
        row |= {key: max(_known(before, key), value) for key, value in outcome.most.items()}
        self._rows[name] = {**before, "wanted": wanted, **row, "code": _CODE}
        if self._file is not None:
            self.frame(list(self._rows)).to_csv(self._file, index=False)

    def frame(self, names: list[str]) -> pd.DataFrame:
        """The rows of some attacks."""
        known = {name: self._rows[name] for name in names if name in self._rows}
        frame = pd.DataFrame.from_dict(known, orient="index").rename_axis("attack").reset_index()
        return frame.astype({"wanted": int, "tried": int, "failed": int}) if len(frame) else frame.assign(failed=0)


def _known(row: dict[str, Any], key: str) -> float:
    value = row.get(key, 0)
    return 0 if pd.isna(value) else value


if __name__ == "__main__":
    sys.exit(main())
