"""Pseudo-relevance feedback by vectors: documents that resemble the best ones are likely to be relevant."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import numbered, ranks, rescored
from pyterrier_quantity.frames.transformer import Configured, check_counts


class VectorFeedback(Configured):
    """Scorer, R -> R: similarity of each document's vector to the mean vector of its query's best documents.

    After a quantity-aware ranker the best documents meet the condition, and the others are compared with these.

    Args:
        vectors: R -> R that adds `doc_vec`, such as `FlexIndex(path).vec_loader()`.
        scorer: R -> R that compares `query_vec` with documents' vectors, such as `FlexIndex(path).np_scorer()`.
        documents: number of a query's best documents that make the mean; documents with the same vector count once.

    Columns in: `qid`, `query`, `docno`, `score`. Columns out: the same; an existing `query_vec` is unchanged. Rows keep
    their order.
    Source: Rocchio's feedback with vectors (Li et al., Pseudo Relevance Feedback with Deep Language Models, 2023).

    Raises:
        ValueError: if `documents` is below 1.
    """

    def __init__(self, vectors: pt.Transformer, scorer: pt.Transformer, documents: int = 5) -> None:
        check_counts(documents=documents)
        self.vectors, self.scorer, self.documents = vectors, scorer, documents

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score"], context=self)
        if not len(inp):
            return rescored(inp, score=np.empty(0))
        place = ranks(numbered(inp), inp["score"].to_numpy(dtype=np.float64))
        means = self._means(inp.assign(rank=place)[place < 4 * self.documents])
        asked = pd.DataFrame(
            {"qid": inp["qid"], "query": inp["query"], "docno": inp["docno"], "row": np.arange(len(inp))}
        )
        asked["query_vec"] = asked["qid"].map(means)
        scored = self.scorer.transform(asked).set_index("row")["score"]
        return rescored(inp, score=scored.reindex(np.arange(len(inp))).to_numpy(dtype=np.float64))

    def _means(self, best: pd.DataFrame) -> dict[str, np.ndarray]:
        """Return, by qid, the mean vector of a query's best documents with different vectors."""
        found = self.vectors.transform(best.sort_values(["qid", "rank"])[["qid", "docno"]].reset_index(drop=True))
        means = {}
        for qid, vectors in found.groupby("qid")["doc_vec"]:
            stacked = np.stack(vectors.tolist()).astype(np.float32)
            _, first = np.unique(stacked, axis=0, return_index=True)
            means[qid] = stacked[np.sort(first)[: self.documents]].mean(axis=0)
        return means
