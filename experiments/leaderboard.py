"""All systems on every collection that is there, in one table, with the published figures beside.

    python experiments/leaderboard.py FOLDER [FOLDER ...] quantity:demo [--sample 200] [--systems NAME ...]

Collections of rankings are named as `lib/arguments.py` describes: FOLDERs with `corpora/` and `gold/` (NumConQ's
domains, BIRCO's trials, your own), FinQuant's and MedQuant's, CLIO's. Of the same FOLDERs `extraction/*.json`
(annotated quantities), `counts/*.jsonl` (count questions) and `tables/*.json` (TAT-QA) are measured, too.

Rankings: nDCG@10, their mean over the collections, and each system's figures in Table 2 of "Numbers Matter!" beside;
CLIO's cross-unit queries in P@5, as published. Every run is kept and shared with `table2.py`.

So that it ends on two cores, it takes at most 200 topics of a collection (`--sample`), encodes only the topics'
candidates (`--pool`), and leaves out the systems over token vectors, unless `--systems` names them.

Writes `leaderboard.csv` (collection, system, measure, value, published), and `leaderboard-rankings` and
`leaderboard-numbers`, as CSV and Markdown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd
from lib.arguments import collections
from lib.collection import Collection
from lib.neural_search import POOL
from lib.neural_systems import TUNED
from lib.number_tasks import Figures, of_folder, table
from lib.parts import Part, publish
from lib.runs import Kept, kept_runs
from lib.systems import SYSTEMS, systems, systems_parser
from table2 import PAPER

from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.datasets.benchmarks import ABOUT

MEASURE = "nDCG@10"
PUBLISHED = ("FinQuant", "MedQuant")
SAMPLE = 200
TOKEN_VECTORS = ("ColBERT", "QColBERT (paper)", "QColBERT (ours)", "quantity first (ours)", "QNeural (ours)")
DEFAULT = [name for name in SYSTEMS if name not in (*TUNED, *TOKEN_VECTORS)]
CROSS_UNIT, CROSS_UNIT_MEASURE = "quantity:clio", "P@5"
"""The collection of which there are published figures in another measure, on its queries of type "cross_unit"."""


def rankings(kept: dict[str, list[Kept]]) -> pd.DataFrame:
    """A row a system, best mean first, a column a collection, and the mean.

    Args:
        kept: the runs of each collection by its name; all of the same systems.
    """
    columns = {name: {one.system.name: one.perquery[MEASURE].mean() for one in runs} for name, runs in kept.items()}
    found = pd.DataFrame(columns)
    found["mean"] = found.mean(axis=1)
    return found.sort_values("mean", ascending=False).rename_axis("system")


def readable(found: pd.DataFrame) -> pd.DataFrame:
    """The table as people read it, the published figures beside it."""
    shown = found.map("{:.3f}".format)
    paper = pd.read_csv(PAPER, sep="\t", dtype=str, keep_default_na=False).set_index("row")
    for name in PUBLISHED:
        figures = paper[f"{name} {MEASURE}"].str.replace("0.", ".", regex=False)
        shown[f"paper, {name}"] = [figures.get(system, "") for system in found.index]
    return shown


def cross_unit(collection: Collection, kept: list[Kept]) -> list[Figures]:
    """CLIO's measure of each run on its cross-unit queries."""
    asked = collection.topics.loc[collection.topics["type"] == "cross_unit", "qid"]
    about = ABOUT[CROSS_UNIT.removeprefix("quantity:")].published
    return [Figures(CROSS_UNIT, one.system.name,
                    {CROSS_UNIT_MEASURE: float(collection.measure(one.run(), CROSS_UNIT_MEASURE)[asked].mean())}, about)
            for one in kept]  # fmt: skip


def readable_numbers(found: list[Figures]) -> pd.DataFrame:
    """A row a system of a collection, its figures as text, and what was published."""
    rows = [(f"{one.collection}: {one.system}", ", ".join(f"{name} {value:.3f}" for name, value in one.figures.items()),
             one.published if not at or found[at - 1].collection != one.collection else "")
            for at, one in enumerate(found)]  # fmt: skip
    return pd.DataFrame(rows, columns=["collection: system", "figures", "published"]).set_index("collection: system")


def _options() -> argparse.Namespace:
    parser = systems_parser(__doc__)
    parser.set_defaults(sample=SAMPLE, pool=POOL, systems=DEFAULT)
    parser.add_argument("--folds", type=int, default=5, metavar="N", help="of cross-validations (%(default)s)")
    return parser.parse_args()


def main() -> None:
    args = _options()
    chosen = collections(args)
    kept = {collection.name: kept_runs(systems(collection, args), collection) for collection in chosen}
    found = rankings(kept)
    sizes = ", ".join(f"{collection.name} {len(collection.topics)}" for collection in chosen)
    publish(Part("leaderboard-rankings", "Leaderboard: rankings", found, readable(found),
                 f"{MEASURE}; queries: {sizes}."), args.out)  # fmt: skip
    numbers = [one for collection in chosen if collection.name == CROSS_UNIT
               for one in cross_unit(collection, kept[CROSS_UNIT])]  # fmt: skip
    numbers += [one for folder in args.folders for one in of_folder(Path(folder), args)]
    if numbers:
        shown = readable_numbers(numbers)
        publish(Part("leaderboard-numbers", "Leaderboard: numbers", table(numbers), shown), args.out)
    ranked = [Figures(name, str(system), {MEASURE: value}) for name in kept for system, value in found[name].items()]
    table(ranked + numbers).to_csv(args.out / "leaderboard.csv", index=False)


if __name__ == "__main__":
    sys.exit(run_program("leaderboard.py", main))
