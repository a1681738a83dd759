"""Attack the package for a given time: with fuzzed texts, other input from users, engines and files, repeated texts,
kills, flipped bits, structured damage, and two annotators at once. The script prints the tries and failures.

    python experiments/attack.py --minutes 10 [--seed 1] [--only kills] [--tries 20000]
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

import pandas as pd
from lib.attacks import asked, bits, growth, hostile, kills, marks, surfaces, texts
from lib.attacks.kinds import KINDS, Kind
from lib.attacks.outcome import Budget, Outcome

Attack = Callable[[Random, Budget], Outcome]


def _on(attack: Callable[[Kind, Random, Budget], Outcome], make: Callable[[], Kind]) -> Attack:
    return lambda random, budget: attack(make(), random, budget)


_SURFACES: Final = surfaces.SURFACES | asked.SURFACES
ATTACKS: Final[dict[str, tuple[Attack, int]]] = {
    "marks of two processes": (marks.attack, 100),
    **{f"kills: {name}": (_on(kills.attack, make), 500) for name, make in KINDS.items()},
    **{f"flipped bits: {name}": (_on(bits.attack, make), 2_000) for name, make in KINDS.items()},
    **{f"damage: {name}": (_on(hostile.attack, make), 500) for name, make in KINDS.items()},
    **{f"surface: {name}": (partial(surfaces.attack, make), 20_000) for name, make in _SURFACES.items()},
    **{f"growth: {name}": (partial(growth.attack, read), 2_000) for name, read in growth.READERS.items()},
    "fuzzed texts": (texts.attack, 1_000_000),
}
"""Every attack with its number of tries. The slowest come last and get the remaining time."""


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
    args = parser.parse_args(argv)
    chosen = [name for name in ATTACKS if name.startswith(tuple(args.only))]
    if not chosen:
        parser.error(f"no attack begins with {' or '.join(args.only)}; there are {', '.join(ATTACKS)}")
    rows, end = [], time.perf_counter() + 60 * args.minutes
    for place, name in enumerate(chosen):
        attack, tries = ATTACKS[name]
        budget = Budget((end - time.perf_counter()) / (len(chosen) - place), args.tries or tries)
        outcome = attack(Random(args.seed), budget)
        print(f"{name}: {outcome.tried:,} tried, {len(outcome.failures)} did not hold", file=sys.stderr)
        for failure in outcome.failures[:20]:
            print(f"  {failure[:300]}", file=sys.stderr)
        found = {"tried": outcome.tried, "failed": len(outcome.failures)}
        rows.append({"attack": name, **found, **outcome.counts, **outcome.most})
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, na_rep=""))
    return int(table["failed"].sum() > 0)


if __name__ == "__main__":
    sys.exit(main())
