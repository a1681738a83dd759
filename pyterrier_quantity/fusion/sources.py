"""Lower the scores of documents whose source (such as "review") rarely has relevant documents."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import numbered, ranks
from pyterrier_quantity.frames.transformer import Configured, check_choice, check_counts
from pyterrier_quantity.fusion.normalise import check_method, normalise


class SourceAware(Configured, pt.Estimator):
    """Transformer, R -> R, that multiplies a document's normalised score by the hit rate of the document's source.

    A source is a kind of document, such as a review; its hit rate shows how often its top documents are relevant. Learn
    the hit rates first: from queries, `(ranker >> SourceAware()).fit(topics, qrels, topics, qrels)`, or from results,
    `SourceAware().fit(results, qrels)`.

    Args:
        source: the column with the source of a document.
        k: the number of top-ranked documents that are examined for hits (relevant documents).
        norm: the method that normalises the scores; see `normalise`.
        smoothing: larger values move the hit rates of sources with few queries closer to the mean hit rate.
        ranking: how the hit rate of a source is computed. "all": among the queries with a document of the source in the
            top k, the share of queries for which such a document is relevant. "own": among the queries with a relevant
            document of the source, the share of queries for which one of the source's k best documents is relevant.
        parts: the weights of several score columns: {"dense_score": 0.5, "sparse_score": 0.5}. Each column is
            normalised separately. If None, only `score` is used.
        within: "query" normalises scores among all documents of a query; "source" does so for each source separately.

    Source: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, section 6.2.
    """

    def __init__(
        self,
        source: str = "source",
        k: int = 5,
        norm: str = "minmax",
        smoothing: float = 1.0,
        ranking: str = "all",
        parts: Mapping[str, float] | None = None,
        within: str = "query",
    ) -> None:
        check_method(norm)
        check_choice("within", within, ("query", "source"))
        check_choice("ranking", ranking, ("all", "own"))
        check_counts(k=k)
        self.source, self.k, self.norm, self.smoothing, self.ranking = source, k, norm, smoothing, ranking
        self.parts, self.within = dict(parts or {"score": 1.0}), within
        self.rates: dict[Any, float] | None = None
        self.mean_rate = 0.0

    def fit(
        self,
        topics_or_res_tr: pd.DataFrame,
        qrels_tr: pd.DataFrame,
        topics_or_res_va: pd.DataFrame | None = None,
        qrels_va: pd.DataFrame | None = None,
    ) -> "SourceAware":
        """Learn the hit rates of sources from the results of training queries, and return the transformer.

        Args:
            topics_or_res_tr: results (R) with `qid`, `docno`, `score` and the source.
            qrels_tr: relevance judgements with `qid`, `docno`, `label`.
            topics_or_res_va, qrels_va: not used.
        """
        results = topics_or_res_tr
        pt.validate.columns(results, includes=["qid", "docno", "score", self.source])
        relevant = pd.MultiIndex.from_frame(qrels_tr.loc[qrels_tr["label"] > 0, ["qid", "docno"]])
        hit = pd.MultiIndex.from_frame(results[["qid", "docno"]]).isin(relevant)
        per_query = self._hits(results.assign(hit=hit))
        self.mean_rate = float(per_query.mean()) if len(per_query) else 0.0
        groups = per_query.groupby(level=0)
        rates = (groups.sum() + self.smoothing * self.mean_rate) / (groups.count() + self.smoothing)
        self.rates = {source: float(rate) for source, rate in rates.items()}
        return self

    def _hits(self, results: pd.DataFrame) -> pd.Series:
        """Return a boolean Series, indexed by source and query: whether the top k contain a relevant document."""
        by = ["qid"] if self.ranking == "all" else [self.source, "qid"]
        group = results.groupby(by, sort=False).ngroup().to_numpy(dtype=np.int64)
        top = ranks(group, results["score"].to_numpy(dtype=np.float64)) < self.k
        if self.ranking == "all":
            return results[top].groupby([self.source, "qid"])["hit"].any()
        pairs = results.assign(top_hit=results["hit"] & top).groupby([self.source, "qid"])[["hit", "top_hit"]].any()
        return pairs.loc[pairs["hit"], "top_hit"]

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        if self.rates is None:
            raise RuntimeError("SourceAware has no hit rates yet; call .fit(results, qrels) on training topics first")
        pt.validate.columns(inp, includes=["qid", "docno", *self.parts, self.source], context=self)
        rate = inp[self.source].map(self.rates).fillna(self.mean_rate).to_numpy(dtype=np.float64)
        query = group = numbered(inp)
        if self.within == "source":
            group = inp.groupby(["qid", self.source], sort=False, dropna=False).ngroup().to_numpy(dtype=np.int64)
        parts = [weight * normalise(inp[part], group, self.norm) for part, weight in self.parts.items()]
        score = np.sum(parts, axis=0) * rate
        return inp.assign(score=score, rank=ranks(query, score))
