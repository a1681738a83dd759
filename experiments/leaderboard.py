"""All systems on every collection that is there, in one table, with the published figures beside.

    python experiments/leaderboard.py FOLDER [FOLDER ...] quantity:demo [--pool] [--systems "QBM25 (ours)" ...]

Collections are named as `lib/arguments.py` describes: FOLDERs with `corpora/` and `gold/` (NumConQ's domains, BIRCO's
trials, your own), and FinQuant's and MedQuant's. Each system's run is kept and shared with `table2.py`. Cells are
nDCG@10; the last column is the mean over the collections. Published figures are those of Table 2 of "Numbers Matter!",
on FinQuant and MedQuant; for others there are none.
"""

from __future__ import annotations

import sys

import pandas as pd
from lib.arguments import collections
from lib.parts import Part, publish
from lib.runs import Kept, kept_runs
from lib.systems import systems, systems_parser
from table2 import PAPER

from pyterrier_quantity.cli import run as run_program

MEASURE = "nDCG@10"
PUBLISHED = ("FinQuant", "MedQuant")


def leaderboard(kept: dict[str, list[Kept]]) -> pd.DataFrame:
    """A row a system, best mean first, a column a collection, and the mean.

    Args:
        kept: the runs of each collection by its name; all of the same systems.
    """
    columns = {name: {one.system.name: one.perquery[MEASURE].mean() for one in runs} for name, runs in kept.items()}
    table = pd.DataFrame(columns)
    table["mean"] = table.mean(axis=1)
    return table.sort_values("mean", ascending=False).rename_axis("system")


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The table as people read it, the published figures beside it."""
    shown = table.map("{:.3f}".format)
    paper = pd.read_csv(PAPER, sep="\t", dtype=str, keep_default_na=False).set_index("row")
    for name in PUBLISHED:
        figures = paper[f"{name} {MEASURE}"].str.replace("0.", ".", regex=False)
        shown[f"paper, {name}"] = [figures.get(system, "") for system in table.index]
    return shown


def main() -> None:
    args = systems_parser(__doc__).parse_args()
    chosen = collections(args)
    kept = {collection.name: kept_runs(systems(collection, args), collection) for collection in chosen}
    table = leaderboard(kept)
    sizes = ", ".join(f"{collection.name} {len(collection.topics)}" for collection in chosen)
    publish(Part("leaderboard", "Leaderboard", table, readable(table), f"{MEASURE}; queries: {sizes}."), args.out)


if __name__ == "__main__":
    sys.exit(run_program("leaderboard.py", main))
