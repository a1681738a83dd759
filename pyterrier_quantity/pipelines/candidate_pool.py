"""What `quantity_aware` ranks: the documents of a retriever, and behind them those that only the index found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Floats, Ints, run_lengths, run_starts
from pyterrier_quantity.frames.frame import best_first, cells, counted, framed, ranked, results_of
from pyterrier_quantity.index.queries import READ, queries_of
from pyterrier_quantity.pipelines.ranker_kind import DENSE_SCORE
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.transformers.query_parser import QueryColumns

_NEEDED: Final = {
    "qid": "keep the queries' own",
    "docno": "name the documents as the quantity index does",
    "score": "where only the order is known, add >> pt.apply.doc_score(lambda row: -row['rank']) to the retriever",
}
"""The columns of a retriever's results, and what to do where one is missing."""


def asked_by(queries: QueryColumns) -> list[IndexQuery]:
    """What each query asks."""
    held = {name: queries.columns[name].to_numpy().tolist() for name in READ if name in queries.columns}
    return queries_of(held | {"qid": queries.qids, "query": queries.texts}, parsed="query_0" in queries.columns)


@dataclass(frozen=True)
class Pool:
    """The documents that are ranked: a retriever's, and behind them those that only the index found.

    Args:
        place: of each document's query among the queries.
        docnos: of each document.
        score: of each document, by the retriever, or what stands for it.
        results: R of the documents; None where it has no columns but the queries'.
        known: the quantity score of each document; None: not scored yet.
    """

    place: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    docnos: Any = field(default_factory=lambda: np.empty(0, dtype=object))
    score: Floats = field(default_factory=lambda: np.empty(0))
    results: pd.DataFrame | None = None
    known: Floats | None = None

    @classmethod
    def of(cls, results: pd.DataFrame, asked: QueryColumns) -> Pool:
        """Of R.

        Raises:
            ValueError: if R lacks a column, or has results of a query that is not asked.
        """
        for column, remedy in _NEEDED.items():
            if column not in results.columns:
                raise ValueError(f"the retriever's results have no column {column!r}; {remedy}")
        qids, score = cells(results["qid"]), results["score"].to_numpy(dtype=np.float64)
        starts, places = run_starts(qids), {qid: place for place, qid in enumerate(asked.qids)}
        try:
            place = np.array([places[qid] for qid in qids.take(starts).tolist()], dtype=np.int64)
        except KeyError as error:
            raise ValueError(f"the retriever returned results of qid {error.args[0]!r}, which no query has") from None
        return cls(place.repeat(run_lengths(starts, len(qids))), cells(results["docno"]), score, results)

    def lowest(self, score: Floats, otherwise: Floats) -> Floats:
        """The lowest score of each query's documents, and of `otherwise`; 0 where there is none."""
        lowest = otherwise.copy()
        np.fmin.at(lowest, self.place, score)
        lowest[np.isinf(lowest)] = 0.0
        return lowest

    @property
    def trusted_score(self) -> Floats:
        """The score by which a ranker vouches for a document: its vectors' own, if it tells it, or else its score.

        Terms that a document shares with the query are no sign of what its quantities are of where the words around
        these are others; only vectors know that. What has no such score counts as the lowest of its query.
        """
        if self.results is None or DENSE_SCORE not in self.results:
            return self.score
        score = self.results[DENSE_SCORE].to_numpy(dtype=np.float64)
        lowest = self.lowest(score, np.full(int(self.place.max(initial=-1)) + 1, np.inf))
        return np.where(np.isnan(score), lowest[self.place], score)

    def with_found(self, found: Pool, asked: QueryColumns) -> Pool:
        """The same and what the index found. Of the columns that belong to queries its rows have what the retriever
        made of them, or else Q's; of the documents' own what the index gives."""
        place = np.concatenate([self.place, found.place])
        docnos = np.concatenate([np.asarray(self.docnos, dtype=object), found.docnos])
        results = self.results
        if results is not None:
            attrs = dict(results.attrs)
            belonging = {*pt.model.query_columns(results), "constraints"}
            first = np.full(len(asked.qids), len(results))
            starts = run_starts(self.place)[::-1]
            first[self.place[starts]] = starts
            columns: dict[Any, Any] = {}
            for name, given in results.reset_index(drop=True).items():
                if name in belonging:
                    added = _of_queries(given, first, asked).take(found.place)
                elif name == "docno":
                    added = pd.Series(found.docnos, dtype=object).astype(given.dtype)
                elif found.results is not None and name in found.results:
                    added = found.results[name]
                elif name in asked.columns:
                    added = pd.Series(asked.columns[name].take(found.place))
                else:
                    columns[name] = given.reindex(np.arange(len(place))).array
                    continue
                columns[name] = pd.concat([given, added], ignore_index=True).array
            results = framed(columns, pd.RangeIndex(len(place)))
            results.attrs = attrs
        score, known = np.concatenate([[self.score, self.known], [found.score, found.known]], axis=1)
        return Pool(place, docnos, score, results, known)

    def ranked(self, asked: QueryColumns, score: Floats, most: int | None) -> pd.DataFrame:
        """R with these scores, sorted by query and score, with new ranks; at most so many documents per query."""
        if self.results is not None:
            every = ranked(self.results, self.place, score)
            return every if most is None else every[every["rank"] < most].reset_index(drop=True)
        order = best_first(self.place, score)
        if most is not None:
            order = order[counted(self.place[order]) < most]
        count = np.bincount(self.place[order], minlength=len(asked.qids))
        results = results_of(asked.columns, count, self.docnos[order], score[order])
        results.attrs = dict(asked.attrs)
        return results


def _of_queries(given: pd.Series, first: Ints, asked: QueryColumns) -> pd.Series:
    """A column that belongs to queries, a row for each: what the retriever made of it, or else Q's.

    Args:
        first: the first row of each query in `given`; behind all of them: it has none.
    """
    missing = first == len(given)
    if not missing.any():
        return pd.Series(given.array.take(first), copy=False)
    known = given.reindex(first).set_axis(pd.RangeIndex(len(first)))
    if given.name in asked.columns:
        known = known.astype(object).where(~missing, pd.Series(asked.columns[given.name]).astype(object))
        known = known.astype(given.dtype) if isinstance(given.dtype, pd.StringDtype) else known
    return known
