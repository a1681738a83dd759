"""Learn rankers of facts, cross-validated over reports."""

from typing import Final

import pandas as pd
import pyterrier as pt
from sklearn.ensemble import HistGradientBoostingRegressor

from lib.table_questions import folds
from pyterrier_quantity.tables import CandidateBM25, FactClassifier

FIRST = 20
"""Number of BM25's best facts that the classifier reorders."""

TREES: Final = {"loss": "poisson", "learning_rate": 0.05, "max_iter": 200, "max_leaf_nodes": 12, "max_features": 0.3}
"""Small trees that see a third of the features at each split, and a loss for rare positives: chosen by folds over
reports, three seeds. With scikit-learn's default settings the same features find fewer cells."""


def ranked(candidates: pd.DataFrame, qrels: pd.DataFrame, count: int, seed: int = 0) -> pd.DataFrame:
    """Return results (R) with `score` and `rank` by boosted trees that are trained on the reports of the other folds.

    Args:
        candidates: all facts of the questions' reports, with `features`.
        qrels: the gold facts.
        count, seed: the number and the random seed of the folds.
    """
    runs = []
    for train, test in folds(candidates["report"].unique().tolist(), count, seed):
        seen = candidates[candidates["report"].isin(train) & candidates["qid"].isin(qrels["qid"])]
        model = pt.ltr.apply_learned_model(HistGradientBoostingRegressor(**TREES, random_state=seed))
        model.fit(seen[["qid", "docno", "features"]], qrels)
        runs.append(model.transform(candidates[candidates["report"].isin(test)]))
    return pd.concat(runs, ignore_index=True)


def classified(candidates: pd.DataFrame, qrels: pd.DataFrame, count: int, preset: str, seed: int = 0) -> pd.DataFrame:
    """Return results (R) with BM25's first facts reordered by a cross-encoder. Other arguments are those of `ranked`.

    A tenth of the training reports is used to select the checkpoints that are averaged.
    """
    first = CandidateBM25().transform(candidates)
    first = first[first["rank"] < FIRST]
    runs = []
    for train, test in folds(candidates["report"].unique().tolist(), count, seed):
        held = set(sorted(train)[::10])
        parts = [first[first["report"].isin(reports)] for reports in (train - held, held)]
        model = FactClassifier(preset=preset, seed=seed).fit(parts[0], qrels, parts[1], qrels)
        runs.append(model.transform(first[first["report"].isin(test)]))
    return pd.concat(runs, ignore_index=True)
