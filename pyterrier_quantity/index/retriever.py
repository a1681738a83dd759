"""Q -> R: documents by their quantities alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import retrieved
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.index.evidence import score_documents
from pyterrier_quantity.index.needs import CONSTRAINT_COLUMNS, QueryNeed, query_needs
from pyterrier_quantity.index.options import Scoring

if TYPE_CHECKING:
    from pyterrier_quantity.index.quantity_index import QuantityIndex


class IndexRetriever(Configured):
    """Q -> R: documents by their quantities alone.

    Args:
        index: the quantity index.
        scoring: how evidence becomes a score.
        num_results: documents per query.
        candidates: how many quantities that meet the condition are looked at, best units and nearest values first.

    Columns in: `qid`, `query`, and `constraints` or `condition`, `value`, `unit`. Columns out: the queries' columns,
    `docno`, `score`, `rank`. A query without a constraint gets no documents.

    Raises:
        ValueError: if `num_results` or `candidates` is below 1.
    """

    def __init__(
        self, index: QuantityIndex, scoring: Scoring, num_results: int = 1000, candidates: int = 10_000
    ) -> None:
        if num_results < 1 or candidates < 1:
            raise ValueError(f"num_results and candidates must be at least 1, got {num_results!r}, {candidates!r}")
        self.index, self.scoring, self.num_results, self.candidates = index, scoring, num_results, candidates

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as v:
            v.query_frame(extra_columns=["query", "constraints"])
            v.query_frame(extra_columns=["query", *CONSTRAINT_COLUMNS])
        needs, query = query_needs(inp)
        return retrieved(inp, [self._search(needs[number]) for number in query.tolist()])

    def _search(self, need: QueryNeed) -> tuple[list[str], npt.NDArray[np.float64]]:
        columns, vocabulary = self.index.columns, self.index.vocabulary
        found = [
            self.index.values.documents(c, vocabulary.match(c.unit, need.terms, self.scoring.units), self.candidates)
            for c in need.constraints
        ]
        documents = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        query = np.zeros(len(documents), dtype=np.int64)
        score = score_documents(columns, vocabulary, documents, query, [need], self.scoring).row
        best = np.argsort(-score, kind="stable")[: self.num_results]
        return self.index.docnos.docnos(documents[best]) if len(best) else [], score[best]

    def fuse_rank_cutoff(self, k: int) -> IndexRetriever | None:
        return self._with(num_results=k) if k < self.num_results else None
