"""The ranker of facts that learns, cross-validated over reports."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
from sklearn.ensemble import HistGradientBoostingRegressor

from lib.table_questions import folds


def ranked(candidates: pd.DataFrame, qrels: pd.DataFrame, count: int, seed: int = 0) -> pd.DataFrame:
    """R with `score` and `rank` by boosted trees, each report's by those that were trained on the other folds' reports.

    Args:
        candidates: all facts of the questions' reports, with `features`.
        qrels: the gold facts.
        count, seed: of the folds.
    """
    runs = []
    for train, test in folds(candidates["report"].unique().tolist(), count, seed):
        seen = candidates[candidates["report"].isin(train) & candidates["qid"].isin(qrels["qid"])]
        model = pt.ltr.apply_learned_model(HistGradientBoostingRegressor(random_state=seed))
        model.fit(seen[["qid", "docno", "features"]], qrels)
        runs.append(model.transform(candidates[candidates["report"].isin(test)]))
    return pd.concat(runs, ignore_index=True)
