"""Attacks on extraction and indexes, for as long as one likes: fuzzed texts, growth, kills, flipped bits, hostile
files, two annotators at once. Prints what was tried and what did not hold.

    python experiments/attack.py --minutes 10 [--seed 1] [--csv attack.csv]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import pandas as pd
from lib.attacks import bits, growth, hostile, kills, marks, texts
from lib.attacks.outcome import Clock, Outcome

ATTACKS: Final[dict[str, Callable[[Random, Clock], Outcome]]] = {
    "fuzzed texts": texts.attack,
    "growth": growth.attack,
    "kills: quantity index": kills.quantity_index,
    "kills: PISA index": kills.pisa_index,
    "flipped bits: quantity index": bits.quantity_index,
    "flipped bits: PISA index": bits.pisa_index,
    "structured damage": hostile.attack,
    "marks of two processes": marks.attack,
}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Attacks extraction and indexes; prints what did not hold.",
        epilog="example: python experiments/attack.py --minutes 10",
    )
    parser.add_argument("--minutes", metavar="N", type=float, default=8.0, help="time for all together (%(default)s)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of what is drawn (%(default)s)")
    parser.add_argument("--only", metavar="NAME", choices=ATTACKS, nargs="+", help=f"of {', '.join(ATTACKS)}")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the table to a file, too")
    args = parser.parse_args(argv)
    chosen = args.only or list(ATTACKS)
    rows = []
    for name in chosen:
        outcome = ATTACKS[name](Random(args.seed), Clock(60 * args.minutes / len(chosen)))
        rows.append({"attack": name, "tried": outcome.tried, "failed": len(outcome.failures), **outcome.notes})
        print(f"{name}: {outcome.tried:,} tried, {len(outcome.failures)} did not hold", file=sys.stderr)
        for failure in outcome.failures[:5]:
            print(f"  {failure[:300]}", file=sys.stderr)
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, na_rep=""))
    if args.csv:
        table.to_csv(args.csv, index=False)
    return int(table["failed"].sum() > 0)


if __name__ == "__main__":
    sys.exit(main())
