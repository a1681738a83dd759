from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from pyterrier_quantity.constants import HARDLY
from pyterrier_quantity.flat_arrays import Floats, Ints, distinct
from pyterrier_quantity.frames.frame import as_results
from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.queries import check_asked, index_queries
from pyterrier_quantity.score import Scoring
from pyterrier_quantity.score.bound import asked_ends
from pyterrier_quantity.score.documents import Rows
from pyterrier_quantity.score.evidence import score_rows
from pyterrier_quantity.score.names import borne_out
from pyterrier_quantity.score.query import IndexQuery

_ASKED: Final = 100
"""The number of queries processed at a time."""


class IndexRetriever(Configured):
    """Q -> R: retrieves documents by their quantities only.

    Args:
        index: the quantity index.
        scoring: the scoring options.
        num_results: the maximum number of documents per query.
        candidates: the approximate number of quantities to examine that meet the condition. Quantities in the best
            matching units and with the nearest values are examined first.

    Columns in: `qid`, `query`, and optionally `constraints` or `condition`, `value`, `unit`; without them the query's
    text is parsed. Columns out: the queries' columns, `docno`, `score`, `rank`. A query without a constraint gets no
    documents.

    Raises:
        ValueError: if `num_results` or `candidates` is not a whole number of at least 1.
    """

    def __init__(self, index: GrowingIndex, scoring: Scoring, num_results: int = 1000, candidates: int = 3000) -> None:
        check_counts(num_results=num_results, candidates=candidates)
        self.index, self.scoring, self.num_results, self.candidates = index, scoring, num_results, candidates

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        check_asked(inp, self, results=False)
        asked, number = index_queries(inp)
        opened = self.index.opened
        found = list(self.search_rows([asked[place] for place in number.tolist()], opened))
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(rows for rows, _ in found)])
        score = np.concatenate([np.empty(0), *(score for _, score in found)])
        count = np.array([len(rows) for rows, _ in found], dtype=np.int64)
        return as_results(inp, count, opened.docnos.docnos(rows), score)

    def search_rows(self, queries: Sequence[IndexQuery], opened: Any) -> Iterator[tuple[Ints, Floats]]:
        """Yield the best documents of each query, as row numbers in the index, with their scores.

        Args:
            queries: the queries.
            opened: the opened index.
        """
        if self.scoring.fit is not None and opened.columns.has_terms:
            queries = borne_out(queries, opened)
        for begin in range(0, len(queries), _ASKED):
            chosen = queries[begin : begin + _ASKED]
            candidates = self._meeting(chosen, opened)
            count = np.array([len(documents) for documents in candidates])
            rows = Rows(np.concatenate(candidates), np.arange(len(chosen)).repeat(count))
            scores, _ = score_rows(opened, rows, chosen, self.scoring)
            for documents, score in zip(candidates, np.split(scores, np.cumsum(count)[:-1]), strict=True):
                best = np.argsort(-score, kind="stable")[: self.num_results]
                if self.scoring.bounds:  # values equal to a strict bound were candidates, but do not meet it
                    best = best[score[best] > 0]
                yield documents[best], score[best]

    def _meeting(self, queries: Sequence[IndexQuery], opened: Any) -> list[Ints]:
        """Return, for each query, the documents that meet at least one constraint."""
        asked = [
            (number, constraint, opened.vocabulary.match(one.constraint.unit, one.naming, self.scoring.units))
            for number, query in enumerate(queries)
            for one in query.conditions
            if one.effect > HARDLY
            for constraint in (one.constraint, *(asked_ends(one.constraint) if self.scoring.bounds else ()))
        ]
        met = opened.values.documents([each[1] for each in asked], [each[2] for each in asked], self.candidates)
        found: list[list[Ints]] = [[np.empty(0, dtype=np.int64)] for _ in queries]
        for (number, _, _), documents in zip(asked, met, strict=True):
            found[number].append(documents)
        return [distinct(np.sort(np.concatenate(shares))) for shares in found]
