"""Pseudo-relevance feedback: what the best documents that meet the condition have in common is related to the query."""

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
    """R -> Q: adds `related_terms`, with which the concept fit also knows words that the query does not say.

    A sentence about "jobs cut" may answer "dismissals above 500". Of a query's best results those that meet its
    condition are asked for their words; the words that most of them share, and few other documents have, are related.
    They come from the index: no text is read again.

    Args:
        index: the quantity index.

    `constants.FEEDBACK_DOCUMENTS` results of a query are looked at, of which copies of one text count once; it gets
    `FEEDBACK_TERMS` terms, the best of which weighs `FEEDBACK_WEIGHT` beside a term of the query, the others by their
    share.

    Columns in: `qid`, `query`, `docno`, `score`, and optionally `constraints` or `condition`, `value`, `unit`.
    Columns out: `qid`, `query` and all that begin with "q", the columns of the constraints, and `related_terms`, a
    dictionary of term codes of this index and their weights, empty where nothing is related. Queries without results
    are lost, as with PyTerrier's own query expansion.

    For example `qbm25 >> qindex.feedback() >> qbm25`, or `quantity_aware(..., feedback=True)`, which runs the ranker
    once only.
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
        """The terms that most of these documents share, by their number of documents and their rarity."""
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
