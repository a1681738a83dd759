"""Source-aware scoring: documents of sources that are seldom right count less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity.fusion.normalise import check_method, normalise


class SourceAware(pt.Estimator):
    """R -> R: a document's normalised score times its source's prior hit rate.

    Args:
        source: the column that names a document's source.
        k: the hit rate at k: of the queries that have a document of the source among their top k, the share that has
            a relevant one of it there.
        norm: how scores are normalised first; see `normalise`.
        smoothing: queries that are added to each source's count with the mean rate of all sources, so that a source
            seen in few queries is not judged by them alone.

    Fit it on training topics: `(ranker >> SourceAware()).fit(topics, qrels, topics, qrels)`, or on their results,
    `.fit(results, qrels)`. Unfitted, it raises. A source that training did not see has the mean rate.

    Source: hybrid-product-qa, section 6.2.
    """

    def __init__(self, source: str = "source", k: int = 5, norm: str = "minmax", smoothing: float = 1.0) -> None:
        check_method(norm)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        self.source, self.k, self.norm, self.smoothing = source, k, norm, smoothing
        self.rates: dict[Any, float] | None = None
        self.mean_rate = 0.0

    def fit(
        self,
        topics_or_res_tr: pd.DataFrame,
        qrels_tr: pd.DataFrame,
        topics_or_res_va: pd.DataFrame | None = None,
        qrels_va: pd.DataFrame | None = None,
    ) -> SourceAware:
        """Take the sources' hit rates from ranked training topics.

        Args:
            topics_or_res_tr: R with `qid`, `docno`, `score` and the source.
            qrels_tr: with `qid`, `docno`, `label`.
            topics_or_res_va, qrels_va: not used.
        """
        results = topics_or_res_tr
        pt.validate.columns(results, includes=["qid", "docno", "score", self.source])
        query = pd.factorize(results["qid"])[0].astype(np.int64)
        top = results[ranks(query, results["score"].to_numpy(dtype=np.float64)) < self.k]
        relevant = pd.MultiIndex.from_frame(qrels_tr.loc[qrels_tr["label"] > 0, ["qid", "docno"]])
        hit = pd.MultiIndex.from_frame(top[["qid", "docno"]]).isin(relevant)
        per_query = top.assign(hit=hit).groupby([self.source, "qid"])["hit"].any()
        self.mean_rate = float(per_query.mean()) if len(per_query) else 0.0
        groups = per_query.groupby(level=0)
        rates = (groups.sum() + self.smoothing * self.mean_rate) / (groups.count() + self.smoothing)
        self.rates = {source: float(rate) for source, rate in rates.items()}
        return self

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        if self.rates is None:
            raise RuntimeError("SourceAware has no hit rates yet; call .fit(results, qrels) on training topics first")
        pt.validate.columns(inp, includes=["qid", "docno", "score", self.source], context=self)
        query = pd.factorize(inp["qid"])[0].astype(np.int64)
        rate = inp[self.source].map(self.rates).fillna(self.mean_rate).to_numpy(dtype=np.float64)
        score = normalise(inp["score"], query, self.norm) * rate
        return inp.assign(score=score, rank=ranks(query, score))

    def __repr__(self) -> str:
        return f"SourceAware({self.source!r}, k={self.k}, norm={self.norm!r})"
