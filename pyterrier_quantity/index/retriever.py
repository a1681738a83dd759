from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from pyterrier_quantity.constants import HARDLY
from pyterrier_quantity.flat_arrays import Floats, Ints, distinct
from pyterrier_quantity.frames.frame import as_results, best_first, counted
from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.queries import check_asked, index_queries
from pyterrier_quantity.score import Scoring
from pyterrier_quantity.score.bound import asked_ends
from pyterrier_quantity.score.documents import Rows
from pyterrier_quantity.score.evidence import score_rows
from pyterrier_quantity.score.names import supported_names
from pyterrier_quantity.score.query import IndexQuery

_ASKED: Final = 100  # number of queries processed at a time


class Found(NamedTuple):
    """The retrieved documents of several queries, best first for each query.

    Args:
        query: for each document, the index of its query in `queries`.
        document, score: the row number of each document in the index, and its score.
        given: the scores of the ranker's results, if there is a ranker.
        queries: the queries. A constraint that may not be intended has a weight computed from the ranker's results.
    """

    query: Ints
    document: Ints
    score: Floats
    given: Floats
    queries: Sequence[IndexQuery]


_NONE: Final = np.empty(0, dtype=np.int64)
_NO_ROWS: Final = Rows(_NONE, _NONE)
_NOTHING: Final = Found(_NONE, _NONE, np.empty(0), np.empty(0), ())


class IndexRetriever(Configured):
    """Transformer, Q -> R, that retrieves documents by their quantities only.

    Args:
        index: the quantity index.
        scoring: the scoring options.
        num_results: the maximum number of documents per query.
        candidates: the approximate number of matching quantities to examine for each constraint. Quantities in the best
            matching units and with the nearest values are examined first.

    Columns in: `qid`, `query`. If you parse queries yourself, also `constraints`, or `condition`, `value` and `unit`.
    Columns out: the queries' columns, `docno`, `score`, `rank`. Queries without a constraint have no results.

    Raises:
        ValueError: if `num_results` or `candidates` is not a positive integer.
    """

    def __init__(self, index: GrowingIndex, scoring: Scoring, num_results: int = 1000, candidates: int = 3000) -> None:
        check_counts(num_results=num_results, candidates=candidates)
        self.index, self.scoring, self.num_results, self.candidates = index, scoring, num_results, candidates

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        check_asked(inp, self, results=False)
        asked, number = index_queries(inp)
        opened = self.index.opened
        found = self.find([asked[place] for place in number.tolist()], opened)
        count = np.bincount(found.query, minlength=len(number))
        return as_results(inp, count, opened.docnos.docnos(found.document), found.score)

    def find(self, queries: Sequence[IndexQuery], opened: Any, given: Rows = _NO_ROWS) -> Found:
        """Retrieve and score documents that meet a constraint of a query. Also score the results of a ranker (`given`).

        Args:
            opened: the content of the index, an `index.segments.Segments`.
            given: the ranker's results. If they have ranks, a constraint that the user perhaps did not intend is
                weighted by how well the results match it.
        """
        if self.scoring.fit is not None and opened.columns.has_terms:
            queries = supported_names(queries, opened)
        if 0 < len(queries) <= _ASKED:
            return self._find(queries, opened, given)
        parts, score = [_NOTHING], np.empty(len(given))
        for begin in range(0, len(queries), _ASKED):
            own = np.flatnonzero((given.query >= begin) & (given.query < begin + _ASKED))
            part = self._find(queries[begin : begin + _ASKED], opened, given.chosen(own, begin))
            score[own] = part.given
            parts.append(part._replace(query=part.query + begin))
        query, document, found = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:3])
        return Found(query, document, found, score, [query for part in parts for query in part.queries])

    def _find(self, queries: Sequence[IndexQuery], opened: Any, given: Rows) -> Found:
        new = _unseen(self._meeting(queries, opened), given, len(opened.columns.doc_offsets))
        rows = given.followed_by(np.concatenate(new), np.arange(len(new)).repeat(list(map(len, new))))
        score, weighted = score_rows(opened, rows, queries, self.scoring)
        query, document, found = rows.query[len(given) :], rows.document[len(given) :], score[len(given) :]
        best = best_first(query, found)
        kept = counted(query[best]) < self.num_results
        if self.scoring.bounds:  # values equal to a strict bound were candidates, but do not meet it
            least = np.array([HARDLY if query.support else 0.0 for query in weighted])
            kept &= found[best] > least[query[best]]
        best = best[kept]
        return Found(query[best], document[best], found[best], score[: len(given)], weighted)

    def _meeting(self, queries: Sequence[IndexQuery], opened: Any) -> list[Ints]:
        """Return, for each query, the row numbers of the documents in `opened` that meet a constraint of the query."""
        asked = [
            (number, constraint, opened.vocabulary.match(one.constraint.unit, one.naming, self.scoring.units))
            for number, query in enumerate(queries)
            for one in query.conditions
            for constraint in (one.constraint, *(asked_ends(one.constraint) if self.scoring.bounds else ()))
        ]
        met = opened.values.documents([each[1] for each in asked], [each[2] for each in asked], self.candidates)
        found: list[list[Ints]] = [[np.empty(0, dtype=np.int64)] for _ in queries]
        for (number, _, _), documents in zip(asked, met, strict=True):
            found[number].append(documents)
        return [distinct(np.sort(np.concatenate(shares))) for shares in found]


def _unseen(found: Sequence[Ints], given: Rows, documents: int) -> list[Ints]:
    """Return, for each query, the documents in `found` that are not in `given`. The index has `documents` rows."""
    order = np.argsort(given.query, kind="stable")
    ends = given.query[order].searchsorted(np.arange(len(found) + 1)).tolist()
    seen, new = np.zeros(documents + 1, dtype=bool), []  # the last entry is for unknown documents
    for candidates, (begin, end) in zip(found, pairwise(ends), strict=True):
        own = given.document[order[begin:end]]
        seen[own] = True
        new.append(candidates[~seen[candidates]])
        seen[own] = False
    return new
