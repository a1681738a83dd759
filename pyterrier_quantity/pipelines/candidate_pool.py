"""Collect the documents that `quantity_aware` ranks: a retriever's results, and documents that the index found."""

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
    "score": "if only the order is known, add >> pt.apply.doc_score(lambda row: -row['rank']) to the retriever",
}
"""A dictionary from a required column of a retriever's results to the advice in the error if that column is missing."""


def asked_by(queries: QueryColumns) -> list[IndexQuery]:
    """Return the queries in a frame's columns as `IndexQuery` objects, which the scoring functions expect."""
    held = {name: queries.columns[name].to_numpy().tolist() for name in READ if name in queries.columns}
    return queries_of(held | {"qid": queries.qids, "query": queries.texts}, parsed="query_0" in queries.columns)


@dataclass(frozen=True)
class Pool:
    """The documents to rank: a retriever's results, then documents that the index found and the retriever did not.

    Args:
        place: for each document, the index of its query.
        docnos: the docno of each document.
        score: the retriever's score of each document, or a low score if the retriever did not find the document.
        results: the documents as a frame of results (R), or None if the retriever adds no columns to the queries.
    """

    place: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    docnos: Any = field(default_factory=lambda: np.empty(0, dtype=object))
    score: Floats = field(default_factory=lambda: np.empty(0))
    results: pd.DataFrame | None = None

    @classmethod
    def of(cls, results: pd.DataFrame, asked: QueryColumns) -> "Pool":
        """Return a pool with the documents in a retriever's results (R) for the queries in `asked`. Raise a ValueError
        if the results lack a column or have a qid that is not in `asked`."""
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
        """Return, for each query, the minimum of its scores and its value in `otherwise`. Infinity becomes 0."""
        lowest = otherwise.copy()
        np.fmin.at(lowest, self.place, score)
        lowest[np.isinf(lowest)] = 0.0
        return lowest

    @property
    def trusted_score(self) -> Floats:
        """The neural ranker's score of each document: the column `dense_score` of a hybrid ranker, otherwise `score`. A
        document without `dense_score` has the lowest `dense_score` of its query."""
        if self.results is None or DENSE_SCORE not in self.results:
            return self.score
        score = self.results[DENSE_SCORE].to_numpy(dtype=np.float64)
        lowest = self.lowest(score, np.full(int(self.place.max(initial=-1)) + 1, np.inf))
        return np.where(np.isnan(score), lowest[self.place], score)

    def with_found(self, found: "Pool", asked: QueryColumns) -> "Pool":
        """Return a pool with the documents of this pool, then those of the pool `found`. For new documents, the query's
        columns come from this pool or, if the query has no results here, from `asked`; other columns come from
        `found`."""
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
        return Pool(place, docnos, np.concatenate([self.score, found.score]), results)

    def ranked(self, asked: QueryColumns, score: Floats, most: int | None) -> pd.DataFrame:
        """Return results (R) for the queries in `asked`, sorted by new scores: at most `most` documents per query."""
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
    """Return the value of a column such as "query" for each query: the value in the column `given` of the retriever's
    results or, for a query without results, the value in `asked`. `first` is the row of each query's first result, or
    `len(given)` for a query without results."""
    missing = first == len(given)
    if not missing.any():
        return pd.Series(given.array.take(first), copy=False)
    known = given.reindex(first).set_axis(pd.RangeIndex(len(first)))
    if given.name in asked.columns:
        known = known.astype(object).where(~missing, pd.Series(asked.columns[given.name]).astype(object))
        known = known.astype(given.dtype) if isinstance(given.dtype, pd.StringDtype) else known
    return known
