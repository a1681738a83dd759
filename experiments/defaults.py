"""Whether the defaults of ranking carry over: alpha, floor and sharpness chosen on all collections but one.

    python experiments/defaults.py FOLDER quantity:demo [--queries 200]

Collections are named as `lib/arguments.py` describes. Every setting of the grid ranks every collection, by QBM25 and
with the index's own candidates (union); a setting's figure on a collection is the mean of the two nDCG@10.

The table has a row a collection: the figure of the defaults; that of the setting with the best mean over the other
collections, which have had no part in judging it; and that of its own best setting. The collections of development are
the ones that rules and units were written with: all of it is an upper bound.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.parts import Part, publish

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.constants import ALPHA, WordWeights
from pyterrier_quantity.score import Scoring

GRID: Final = {"alpha": (4.0, 8.0, 16.0), "floor": (0.1, 0.2, 0.3, 0.4), "sharpness": (1.0, 1.3, 1.5)}
DEFAULT: Final = (ALPHA, WordWeights().floor, WordWeights().sharpness)
CANDIDATES: Final = ("retriever", "union")

Setting = tuple[float, ...]


def figures(collection: Collection, queries: int, settings: list[Setting]) -> pd.Series:
    """The figure of each setting on a collection."""
    topics = collection.queries
    if len(topics) > queries:
        topics = topics.sample(queries, random_state=1).reset_index(drop=True)
    run = pt.Transformer.from_df(collection.bm25(topics))
    progress = pt.tqdm(settings, desc=collection.name, disable=not collection.verbose)
    return pd.Series([_figure(collection, run, topics, *setting) for setting in progress], index=settings)


def _figure(
    collection: Collection, run: pt.Transformer, topics: pd.DataFrame, alpha: float, floor: float, sharpness: float
) -> float:
    scoring = Scoring(fit=WordWeights(floor=floor, sharpness=sharpness))
    values = []
    for candidates in CANDIDATES:
        aware = ptq.quantity_aware(run, collection.quantities, alpha=alpha, candidates=candidates, phi=scoring)
        values.append(collection.measure(aware(topics)).reindex(topics["qid"]).mean())
    return float(np.mean(values))


def left_out(table: pd.DataFrame) -> pd.DataFrame:
    """What is chosen without each collection.

    Args:
        table: a row a setting, a column a collection.
    """
    rows = {}
    for name in table.columns:
        own, others = table[name], table.drop(columns=name).mean(axis=1)
        chosen, best = others.idxmax(), own.idxmax()
        rows[name] = {"defaults": own[DEFAULT], "chosen on the others": own[chosen], "which": worded(chosen),
                      "best of its own": own[best], "that": worded(best)}  # fmt: skip
    return pd.DataFrame(rows).T.rename_axis("collection")


def worded(setting: Setting) -> str:
    """A setting as tables show it: alpha / floor / sharpness."""
    return " / ".join(f"{value:g}" for value in setting)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--queries", type=int, default=200, help="topics of a collection, at most (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="the grid's first and last values and the defaults alone")
    args: argparse.Namespace = parser.parse_args()
    given = collections(args)
    if len(given) < 2:
        raise ValueError("leaving one out takes at least two collections")
    values = [(each[0], each[-1]) if args.quick else each for each in GRID.values()]
    settings = list(dict.fromkeys([*product(*values), DEFAULT]))
    table = pd.DataFrame({collection.name: figures(collection, args.queries, settings) for collection in given})
    table.index = pd.Index(settings, tupleize_cols=False)
    found = left_out(table)
    shown = found.map(lambda cell: cell if isinstance(cell, str) else f"{cell:.3f}")
    best = table.mean(axis=1).idxmax()
    note = (f"Settings: alpha / floor / sharpness. Best over all: {worded(best)}, mean {table.mean(axis=1)[best]:.4f}; "
            f"the defaults {worded(DEFAULT)}: {table.mean(axis=1)[DEFAULT]:.4f}. Upper bounds.")  # fmt: skip
    publish(Part("defaults", "Defaults, one collection left out", found, shown, note), args.out)


if __name__ == "__main__":
    sys.exit(run_program("defaults.py", main))
