"""Pseudo-relevance feedback: terms shared by the best documents that meet the condition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from pyterrier_quantity.constants import FEEDBACK_DOCUMENTS, FEEDBACK_TERMS, FEEDBACK_WEIGHT
from pyterrier_quantity.flat_arrays import Ints, ragged_ranges
from pyterrier_quantity.frames.frame import numbered, objects, ranks
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.queries import RELATED, check_asked, queries_in
from pyterrier_quantity.index.scorer import IndexScorer
from pyterrier_quantity.score import make_scoring
from pyterrier_quantity.score.documents import Columns
from pyterrier_quantity.score.query import IndexQuery


class QuantityFeedback(Configured):
    """R -> Q: adds `related_terms`, terms that the concept fit counts although the query does not contain them.

    A sentence about "jobs cut" may answer "dismissals above 500". Feedback looks at the query's best results that meet
    its condition. The words that most of them share, and few other documents hold, are related. They come from the
    index, so that no text is read again.

    Args:
        index: the quantity index.

    The best `constants.FEEDBACK_DOCUMENTS` results of a query are used; copies of one text count once. The query gets
    up to `FEEDBACK_TERMS` terms. The best of them weighs `FEEDBACK_WEIGHT` relative to a query term, and the others
    less.

    Columns in: `qid`, `query`, `docno`, `score`, and optionally `constraints` or `condition`, `value`, `unit`. Columns
    out: `qid`, `query`, all columns that begin with "q", the columns of the constraints, and `related_terms`. The last
    is a dictionary from term codes of this index to weights, empty if nothing is related. Queries without results are
    dropped, as in PyTerrier's own query expansion.

    For example `qbm25 >> qindex.feedback() >> qbm25`, or `quantity_aware(..., feedback=True)`, which runs the ranker
    only once.
    """

    def __init__(self, index: GrowingIndex) -> None:
        self.index = index
        self._scorer = IndexScorer(index, make_scoring("binary", fit=False))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        check_asked(inp, self, "score")
        queries = queries_in(inp)
        rank = ranks(numbered(inp), inp["score"].to_numpy(dtype=np.float64))
        related = self._related(inp[rank < FEEDBACK_DOCUMENTS])
        return queries.assign(**{RELATED: objects([related.get(qid, {}) for qid in queries["qid"]])})

    def _related(self, top: pd.DataFrame) -> dict[str, dict[int, float]]:
        opened = self.index.opened
        found = self._scorer.assess(top)
        met = np.zeros(len(top), dtype=bool)
        evidence = found.evidence
        met[found.pairs.row[evidence.pair[evidence.met]]] = True
        rows = opened.docnos.rows(top["docno"])
        qids = pd.unique(top["qid"])
        return {
            qid: self._common(opened.columns, rows[met & (found.rows.query == number)], query)
            for number, (qid, query) in enumerate(zip(qids, found.queries, strict=True))
        }

    def _common(self, columns: Columns, documents: Ints, query: IndexQuery) -> dict[int, float]:
        """Return the terms that most of these documents share, weighted by their number of documents and rarity."""
        if not columns.has_terms or not query.terms:
            return {}
        start, length = columns.term_offsets.extent(documents)
        terms = columns.terms[ragged_ranges(start, length)]
        texts = {tuple(text.tolist()) for text in np.split(terms, np.cumsum(length))[:-1]}
        count = Counter(code for text in texts for code in {*text} - {0, *query.terms})
        codes = np.array(sorted(count), dtype=np.int64)
        rarity = np.log1p(columns.documents / (1.0 + columns.term_documents[codes]))
        worth = rarity * np.array([count[code] for code in codes.tolist()], dtype=np.float64)
        best = np.argsort(-worth, kind="stable")[:FEEDBACK_TERMS]
        return dict(zip(codes[best].tolist(), (FEEDBACK_WEIGHT * worth[best] / worth[best[:1]]).tolist(), strict=True))
