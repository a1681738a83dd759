"""Set BM25's k1 and b, and alpha: this package's, the paper's (Table 4), or tuned by cross-validation over topics."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import nDCG

from lib.collection import Collection
from pyterrier_quantity.cli.experiment import without
from pyterrier_quantity.pipelines import QuantityAware

PARAMETERS = ("default", "paper", "tuned")
DEFAULT = {"k1": 0.5, "b": 0.5}
TABLE_4 = {
    "finquant": {"BM25_filter": {"k1": 1.5, "b": 0.75}},
    "medquant": {"BM25_filter": {"k1": 1.5, "b": 0.75}, "QBM25": {"k1": 0.75, "b": 0.5}},
}
"""The paper's Table 4, where it differs from k1 = b = 0.5."""
GRID = {"k1": [0.5, 0.9, 1.5], "b": [0.3, 0.5, 0.75], "alpha": [0.5, 1.0, 2.0, 4.0, 8.0]}
FOLDS = 5
RESULTS = 1000
"""The number of results per query in a run."""
MEASURE = nDCG @ 10

Setting = dict[str, float]


def parameters_of(system: str, collection: str, parameters: str) -> dict[str, float]:
    """Return k1 and b of a system, from the paper's column MedQuant for MedQuant, otherwise from FinQuant."""
    if parameters != "paper":
        return dict(DEFAULT)
    column = "medquant" if "medquant" in collection.lower() else "finquant"
    return DEFAULT | TABLE_4[column].get(system.split(" ")[0], {})


def tuned(
    build: Callable[[pt.Transformer], pt.Transformer],
    setting: Setting,
    collection: Collection,
    search: bool,
    deep: bool = False,
) -> pt.Transformer:
    """Return a system based on BM25, with its parameters.

    Args:
        build: function that makes the system over a BM25 ranker.
        setting: `k1`, `b`, and `alpha` if the system has one.
        collection: the collection to search.
        search: whether to tune the parameters: each fold of the topics is ranked with the setting of the grid that is
            best on the others, as in `pt.KFoldGridSearch`, except that each setting runs only once.
        deep: whether to use BM25's whole ranking instead of its first 1000 results.
    """
    made = partial(_set, build, collection=collection, deep=deep)
    if not search:
        return made(setting)
    topics = collection.topics
    grid = [dict(zip(setting, values, strict=True)) for values in product(*(GRID[name] for name in setting))]
    names = list(map(str, grid))
    judged = without(collection.doubtful)
    values = pt.Experiment([made(tried) >> judged for tried in grid], topics, collection.qrels,
                           [MEASURE], names=names, perquery=True, plan="tree", verbose=False,
                           validate="ignore")  # fmt: skip
    table = values.pivot_table(index="qid", columns="name", values="value")[names]
    folds = _folds(topics)
    best = [grid[names.index(table[~table.index.isin(fold)].mean().idxmax())] for fold in folds]
    return ByFold(folds, [made(chosen) for chosen in best])


def _folds(topics: pd.DataFrame) -> list[pd.Series]:
    """Return the qids in folds of neighbours, since topics on one subject are adjacent. Topics with the same keywords
    are in one fold."""
    number, concepts = pd.factorize(topics["keywords" if "keywords" in topics else "query"])
    fold = number * FOLDS // len(concepts)
    return [topics["qid"][fold == one] for one in np.unique(fold)]


def _set(
    build: Callable[[pt.Transformer], pt.Transformer], setting: Setting, collection: Collection, deep: bool
) -> pt.Transformer:
    system = build(collection.bm25_with(setting["k1"], setting["b"], depth_of(deep)))
    if isinstance(system, QuantityAware):
        system.set_parameter("alpha", setting["alpha"])
    return Deep(system) if deep else system


def depth_of(deep: bool) -> int | None:
    """Return the number of BM25's results for a query, which is 1000 or, if `deep` is set, None (all)."""
    return None if deep else RESULTS


class Deep(pt.Transformer):
    """Transformer, Q -> R, that runs a pipeline over whole rankings and returns only the first results.

    It runs a few queries at a time, since the whole rankings of all queries would not fit into memory.

    Args:
        pipeline: the pipeline, Q -> R.
        num_results: the number of results per query.
        batch: the number of queries at a time.
    """

    def __init__(self, pipeline: pt.Transformer, num_results: int = RESULTS, batch: int = 8) -> None:
        self.pipeline, self.num_results, self.batch = pipeline, num_results, batch

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        cut = self.pipeline % self.num_results
        starts = range(0, max(len(inp), 1), self.batch)
        return pd.concat([cut(inp.iloc[at : at + self.batch]) for at in starts], ignore_index=True)


class ByFold(pt.Transformer):
    """Transformer, Q -> R, that runs each query with the pipeline for its fold.

    Args:
        folds: the qids of each fold.
        pipelines: a pipeline, Q -> R, for each fold.
    """

    def __init__(self, folds: Sequence[pd.Series], pipelines: Sequence[pt.Transformer]) -> None:
        self.folds, self.pipelines = folds, pipelines

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = [(inp[inp["qid"].isin(fold)], one) for fold, one in zip(self.folds, self.pipelines, strict=True)]
        return pd.concat([pipeline(part) for part, pipeline in parts if len(part)], ignore_index=True)
