"""Tune fusion weights by k-fold cross-validation over queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import nDCG

from pyterrier_quantity.fusion.fuse import Fusion, fuse


@dataclass(frozen=True)
class Tuned:
    """Result of `tune`: a fusion with the best weights, and the effectiveness on held-out queries.

    Args:
        fusion: the rankers, fused with the weights that are best on all queries.
        weights: for each fold of queries, the weights that are best on all other queries.
        results: results (R) of all queries. Each query is scored with weights that were tuned on other queries.
        measure: mean value of the measure over `results`.
    """

    fusion: Fusion
    weights: list[tuple[float, ...]]
    results: pd.DataFrame
    measure: float


def tune(
    rankers: Sequence[pt.Transformer],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measure: Any = nDCG @ 10,
    folds: int = 5,
    steps: int = 10,
    norm: str | Sequence[str | None] = "minmax",
    group: str | None = None,
    seed: int = 0,
    zeros: bool = True,
) -> Tuned:
    """Return the best weights for fusing rankers, tuned by cross-validation over queries. The weights add up to 1.

    Each ranker runs only once, unlike in `pt.KFoldGridSearch`. Only the weighted sum is recomputed for other weights.

    Args:
        rankers: pipelines, Q -> R.
        topics: the queries (Q).
        qrels: relevance judgements with `qid`, `docno`, `label`.
        measure: the measure to maximise, from ir-measures.
        folds: number of folds into which the queries are divided.
        steps: weights are multiples of 1 / `steps`. Larger values try more weights.
        norm: the method that normalises the scores; see `Fusion`.
        group: a column of `topics`; queries with the same value stay in one fold. If None, folds are random.
        seed: seed of the random division into folds.
        zeros: whether a ranker may have the weight 0.

    Raises:
        ValueError: if there are fewer queries (or groups) than folds or, if `zeros` is false, fewer steps than rankers.
    """
    results = [ranker.transform(topics) for ranker in rankers]
    number, groups = pd.factorize(topics[group] if group else topics["qid"])
    if len(groups) < folds:
        kind = "groups of topics" if group else "topics"
        raise ValueError(f"{len(groups)} {kind} cannot be divided into {folds} folds")
    fold = (np.random.default_rng(seed).permutation(len(groups)) % folds)[number]
    settings = list(simplex(len(rankers), steps, zeros))
    judged = qrels[qrels["qid"].isin(topics["qid"])]
    runs = (fuse(results, "linear", weights, norm) for weights in settings)
    table = np.stack([_per_topic(run, judged, topics["qid"], measure) for run in runs])
    chosen = [settings[int(table[:, fold != number].mean(axis=1).argmax())] for number in range(folds)]
    held_out = [
        fuse([r[r["qid"].isin(topics["qid"][fold == number])] for r in results], "linear", weights, norm)
        for number, weights in enumerate(chosen)
    ]
    best = settings[int(table.mean(axis=1).argmax())]
    value = np.mean([table[settings.index(chosen[f]), n] for n, f in enumerate(fold)])
    return Tuned(Fusion(rankers, "linear", best, norm), chosen, pd.concat(held_out, ignore_index=True), float(value))


def simplex(rankers: int, steps: int, zeros: bool = True) -> Iterator[tuple[float, ...]]:
    """Yield all tuples of weights (one per ranker) that are multiples of 1 / `steps` and add up to 1: (0, 1), (0.5,
    0.5) and (1, 0) for 2 rankers and 2 steps. If `zeros` is false, all weights are positive. Raise a ValueError if
    there are too few steps."""
    least = 0 if zeros else 1
    if steps < least * rankers:
        raise ValueError(f"{steps} steps are too few for {rankers} rankers; give more, or allow zeros: zeros=True")
    for shares in product(range(least, steps + 1), repeat=rankers - 1):
        if steps - sum(shares) >= least:
            yield tuple(share / steps for share in (*shares, steps - sum(shares)))


def _per_topic(run: pd.DataFrame, qrels: pd.DataFrame, qids: pd.Series, measure: Any) -> Any:
    truth = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    ranked = run.rename(columns={"qid": "query_id", "docno": "doc_id"})[["query_id", "doc_id", "score"]]
    values = {m.query_id: m.value for m in ir_measures.iter_calc([measure], truth, ranked)}
    return np.array([values.get(qid, 0.0) for qid in qids])
