"""Evaluate the transfer of ranking defaults: settings are chosen on all collections but one.

    python experiments/defaults.py FOLDER quantity:demo [--queries 200]
    python experiments/defaults.py FOLDER quantity:demo --names reuters clinical --ranker dense --pool 10

Collections are named as `lib/arguments.py` describes. Every collection is ranked with every setting in a grid of alpha,
floor and sharpness, by QBM25 and with the index's own candidates (union). The figure of a setting on a collection is
the mean of the two nDCG@10. With --ranker, the grid consists of synonyms (1 if used) and trust over that ranker, and
the figure is nDCG@10 by union.

The table has a row for each collection: the figure of the defaults, that of the setting with the best mean over the
other collections, and that of its own best setting. Rules and units were developed on these collections, so all figures
are upper bounds.
"""

import argparse
import sys
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.neural_search import NeuralSearch, model_arguments
from lib.parts import Part, publish

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.constants import ALPHA, TRUST, WordWeights
from pyterrier_quantity.score import Scoring, names

GRID: Final[dict[str, tuple[float, ...]]] = {
    "alpha": (4.0, 8.0, 16.0),
    "floor": (0.1, 0.2, 0.3, 0.4),
    "sharpness": (1.0, 1.3, 1.5),
}
DEFAULT: "Final[Setting]" = (ALPHA, WordWeights().floor, WordWeights().sharpness)
CANDIDATES: Final = ("retriever", "union")
RANKERS: Final = {"BM25": (0.0,), "dense": (0.0, 0.5, TRUST), "ColBERT": (0.0, 0.5, TRUST)}
"""The values of trust for each ranker. The last one is the default."""

Setting = tuple[float, ...]


def figures(collection: Collection, args: argparse.Namespace, settings: list[Setting]) -> pd.Series:
    """Return the figure of each setting on a collection."""
    topics = collection.queries
    if len(topics) > args.queries:
        topics = topics.sample(args.queries, random_state=1).reset_index(drop=True)
    ranker = collection.bm25
    if args.ranker not in (None, "BM25"):
        ranker = getattr(NeuralSearch(collection, args), args.ranker.lower())()
    run = pt.Transformer.from_df(ranker(topics), uniform=False)
    progress = pt.tqdm(settings, desc=collection.name, disable=not collection.verbose)
    figure = _switched if args.ranker else _figure
    return pd.Series([figure(collection, run, topics, *setting) for setting in progress], index=settings)


def _figure(
    collection: Collection, run: pt.Transformer, topics: pd.DataFrame, alpha: float, floor: float, sharpness: float
) -> float:
    scoring = Scoring(fit=WordWeights(floor=floor, sharpness=sharpness))
    values = []
    for candidates in CANDIDATES:
        aware = ptq.quantity_aware(run, collection.quantities, alpha=alpha, candidates=candidates, phi=scoring)
        values.append(collection.measure(aware(topics)).reindex(topics["qid"]).mean())
    return float(np.mean(values))


def _switched(collection: Collection, run: pt.Transformer, topics: pd.DataFrame, used: float, trust: float) -> float:
    """Return the figure with or without synonyms."""
    kept = names.NAMES
    names.NAMES = kept if used else replace(kept, least=2.0)  # more than any name counts
    try:
        aware = ptq.quantity_aware(run, collection.quantities, trust=trust)
        return float(collection.measure(aware(topics)).reindex(topics["qid"]).mean())
    finally:
        names.NAMES = kept


def left_out(table: pd.DataFrame, default: Setting) -> pd.DataFrame:
    """Return the setting chosen without each collection.

    Args:
        table: a row for each setting, and a column for each collection.
        default: one of the settings.
    """
    rows = {}
    for name in table.columns:
        own, others = table[name], table.drop(columns=name).mean(axis=1)
        chosen, best = others.idxmax(), own.idxmax()
        rows[name] = {"defaults": own[default], "chosen on the others": own[chosen], "which": worded(chosen),
                      "best of its own": own[best], "that": worded(best)}  # fmt: skip
    return pd.DataFrame(rows).T.rename_axis("collection")


def worded(setting: Setting) -> str:
    """Return the text by which tables show a setting."""
    return " / ".join(f"{value:g}" for value in setting)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument("--queries", type=int, default=200, help="topics of a collection, at most (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="only the grid's first and last values and the defaults")
    parser.add_argument("--ranker", choices=list(RANKERS), help="choose other names and trust over this one")


def main() -> None:
    parser = arguments(__doc__)
    model_arguments(parser)
    options(parser)
    args: argparse.Namespace = parser.parse_args()
    given = collections(args)
    if len(given) < 2:
        raise ValueError("leaving one out takes at least two collections")
    grid, default, called = GRID, DEFAULT, "alpha / floor / sharpness"
    if args.ranker:
        grid = {"names": (0.0, 1.0), "trust": RANKERS[args.ranker]}
        default, called = (1.0, RANKERS[args.ranker][-1]), " / ".join(grid)
    values = [(each[0], each[-1]) if args.quick else each for each in grid.values()]
    settings = list(dict.fromkeys([*product(*values), default]))
    table = pd.DataFrame({collection.name: figures(collection, args, settings) for collection in given})
    table.index = pd.Index(settings, tupleize_cols=False)
    found = left_out(table, default)
    shown = found.map(lambda cell: cell if isinstance(cell, str) else f"{cell:.3f}")
    mean = table.mean(axis=1)
    note = (f"Settings: {called}. Best over all: {worded(mean.idxmax())}, mean {mean.max():.4f}; "
            f"the defaults {worded(default)}: {mean[default]:.4f}. Upper bounds.")  # fmt: skip
    name = "-".join(filter(None, ("defaults", args.ranker)))
    publish(Part(name, f"{name.capitalize()}, one collection left out", found, shown, note), args.out)


if __name__ == "__main__":
    sys.exit(run_program("defaults.py", main))
