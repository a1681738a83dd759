"""BM25's k1 and b, and alpha: this package's, the paper's (Table 4), or tuned by cross-validation over the topics."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from common import Collection

from pyterrier_quantity.cli.experiment import without
from pyterrier_quantity.pipelines import QuantityAware

PARAMETERS = ("default", "paper", "tuned")
DEFAULT = {"k1": 0.5, "b": 0.5}
TABLE_4 = {
    "finquant": {"BM25_filter": {"k1": 1.5, "b": 0.75}},
    "medquant": {"BM25_filter": {"k1": 1.5, "b": 0.75}, "QBM25": {"k1": 0.75, "b": 0.5}},
}
"""The paper's Table 4, where it is not k1 = b = 0.5."""
GRID = {"k1": [0.5, 0.9, 1.5], "b": [0.3, 0.5, 0.75], "alpha": [0.5, 1.0, 2.0, 4.0, 8.0]}
FOLDS = 5
METRIC = "ndcg_cut_10"

Setting = dict[str, float]


def parameters_of(system: str, collection: str, parameters: str) -> dict[str, float]:
    """k1 and b of a system; of the paper's two columns that of MedQuant for MedQuant, else that of FinQuant."""
    if parameters != "paper":
        return dict(DEFAULT)
    column = "medquant" if "medquant" in collection.lower() else "finquant"
    return DEFAULT | TABLE_4[column].get(system.split(" ")[0], {})


class TunableBM25(pt.Transformer):
    """Q -> R: BM25 over a collection; `k1` and `b` can be set at any time."""

    def __init__(self, collection: Collection, k1: float = 0.5, b: float = 0.5) -> None:
        self.collection, self.k1, self.b = collection, k1, b
        self._opened: dict[tuple[float, float], pt.Transformer] = {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        key = self.k1, self.b
        if key not in self._opened:
            self._opened[key] = self.collection.bm25_with(*key)
        return self._opened[key].transform(inp)


def tuned(
    build: Callable[[TunableBM25], pt.Transformer], setting: Setting, collection: Collection, search: bool
) -> pt.Transformer:
    """A system on BM25 with its parameters.

    Args:
        build: the system over a BM25.
        setting: `k1`, `b`, and `alpha` where the system has one.
        collection: what is searched.
        search: tune: each fold of the topics is ranked with the setting of the grid that is best on the others.
    """
    if not search:
        return _set(build, setting, collection)
    topics, qrels = collection.topics, collection.qrels
    # Topics on one concept stand together in the files: folds of neighbours keep them together.
    folds = [topics.iloc[part] for part in np.array_split(np.arange(len(topics)), min(FOLDS, len(topics)))]
    judged = [qrels[qrels["qid"].isin(fold["qid"])] for fold in folds]
    bm25 = TunableBM25(collection)
    system = build(bm25)
    grid: dict[Any, Any] = {bm25: {"k1": GRID["k1"], "b": GRID["b"]}}
    if isinstance(system, QuantityAware):
        grid[system] = {"alpha": GRID["alpha"]}
    with contextlib.redirect_stdout(io.StringIO()):  # it prints every fold's best setting
        _, chosen = pt.KFoldGridSearch(system >> without(collection.doubtful), grid, folds, judged, METRIC)
    settings = [setting | {name: float(value) for _, name, value in best} for best in chosen]
    return ByFold(folds, [_set(build, best, collection) for best in settings])


def _set(
    build: Callable[[TunableBM25], pt.Transformer], setting: Setting, collection: Collection
) -> pt.Transformer:
    system = build(TunableBM25(collection, setting["k1"], setting["b"]))
    if isinstance(system, QuantityAware):
        system.set_parameter("alpha", setting["alpha"])
    return system


class ByFold(pt.Transformer):
    """Q -> R: each query by the pipeline of the fold that it is in."""

    def __init__(self, folds: Sequence[pd.DataFrame], pipelines: Sequence[pt.Transformer]) -> None:
        self.folds, self.pipelines = folds, pipelines

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = [(inp[inp["qid"].isin(fold["qid"])], pipeline)
                 for fold, pipeline in zip(self.folds, self.pipelines, strict=True)]  # fmt: skip
        return pd.concat([pipeline(part) for part, pipeline in parts if len(part)], ignore_index=True)
