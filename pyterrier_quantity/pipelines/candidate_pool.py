"""What `quantity_aware` ranks: the documents of a retriever, and behind them those that only the index found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import best_first, cells, counted, framed, objects_kept, ranked, results_of
from pyterrier_quantity._ragged import Floats, Ints, run_lengths, run_starts
from pyterrier_quantity.index.queries import READ, queries_of
from pyterrier_quantity.pipelines.rankers import DENSE_SCORE
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.transformers import QueryColumns

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


def places_of(results: pd.DataFrame, queries: QueryColumns) -> Ints:
    """The place of each result's query among the queries.

    Raises:
        ValueError: if a result is of none of them.
    """
    qids = cells(results["qid"])
    starts = run_starts(qids)
    asked = {qid: place for place, qid in enumerate(queries.qids)}
    try:
        places = [asked[qid] for qid in qids.take(starts).tolist()]
    except KeyError as error:
        raise ValueError(f"the retriever returned results of qid {error.args[0]!r}, which no query has") from None
    return np.array(places, dtype=np.int64).repeat(run_lengths(starts, len(qids)))


class Retrieved(NamedTuple):
    """What a retriever found; see `Pool`."""

    results: pd.DataFrame | None
    docnos: Any
    place: Ints
    score: Floats


@dataclass(frozen=True)
class Pool:
    """The documents that are ranked.

    Args:
        results: R of the retriever, or, where there is none, of the index; None where the retriever adds nothing to the
            queries' columns.
        docnos: of each document.
        place: of each document's query among the queries.
        score: of each document, by the retriever, or what stands for it.
        queries: what each one asks.
        retrieved: how many of the documents, the first ones, are the retriever's.
        found: what the index adds to the retriever's: R, or nothing but `docno`; None where there are no `results`.
        known: the quantity score of each document; None: not scored yet.
    """

    results: pd.DataFrame | None
    docnos: Any
    place: Ints
    score: Floats
    queries: list[IndexQuery]
    retrieved: int
    found: pd.DataFrame | None = None
    known: Floats | None = None

    @property
    def trusted_score(self) -> Floats:
        """The score by which a ranker vouches for a document: its vectors' own, if it tells it, or else its score.

        Terms that a document shares with the query are no sign of what its quantities are of where the words around
        these are others; only vectors know that. What has no such score counts as the lowest of its query.
        """
        if self.results is None or DENSE_SCORE not in self.results:
            return self.score
        told = [
            part.get(DENSE_SCORE, pd.Series(np.nan, index=part.index))
            for part in (self.results, self.found)
            if part is not None
        ]
        score = np.concatenate([part.to_numpy(dtype=np.float64) for part in told])
        lowest = np.full(int(self.place.max(initial=-1)) + 1, np.inf)
        np.fmin.at(lowest, self.place, score)
        lowest[np.isinf(lowest)] = 0.0  # the ranker found nothing
        return np.where(np.isnan(score), lowest[self.place], score)

    def ranked(self, asked: QueryColumns, score: Floats, most: int | None) -> pd.DataFrame:
        """R with these scores, sorted by query and score, with new ranks and the columns of `results`.

        Args:
            asked: Q.
            score: of each document.
            most: documents per query; None: all.
        """
        if self.results is not None and self.found is None:
            every = ranked(self.results, self.place, score)
            return every if most is None else every[every["rank"] < most].reset_index(drop=True)
        order = best_first(self.place, score)
        if most is not None:
            order = order[counted(self.place[order]) < most]
        ordered = self.place[order]
        if self.results is None:
            count = np.bincount(ordered, minlength=len(asked.qids))
            return results_of(asked.columns, count, self.docnos[order], score[order], asked.attrs)
        queries = asked.frame
        first, number = self._first_rows(len(queries))
        results, belonging = self.results, {*pt.model.query_columns(self.results), "constraints"}
        known = {"score": score[order], "rank": counted(ordered)}
        columns = {
            name: known[name]
            if name in known
            else objects_kept(self._of_queries(results[name], queries, first).take(number[ordered]))
            if name in belonging
            else objects_kept(self._of_documents(results[name], self.found, queries).take(order))
            for name in results
        }
        result = framed(columns | known, pd.RangeIndex(len(order)))
        result.attrs = dict(results.attrs)
        return result

    def _first_rows(self, queries: int) -> tuple[Ints, Ints]:
        """The first of the retriever's rows of each query that has any; and the place of each query among these, those
        without any behind them."""
        place = self.place[: self.retrieved]
        starts = run_starts(place)[::-1]
        first = np.full(queries, self.retrieved)
        first[place[starts]] = starts
        order = np.argsort(first == self.retrieved, kind="stable")
        number = np.empty(queries, dtype=np.int64)
        number[order] = np.arange(queries)
        return first[first < self.retrieved], number

    def _of_queries(self, given: pd.Series, queries: pd.DataFrame, first: Ints) -> Any:
        """A column that all rows of a query share: once for each query, by what the retriever made of it if it found
        anything. Copied from there, not from all rows, texts take a third of the time."""
        if len(first) == len(queries):
            return given.array.take(first)
        without = np.ones(len(queries), dtype=bool)
        without[self.place[first]] = False
        known = given.name in queries
        rest = queries[given.name][without] if known else pd.Series([None] * int(without.sum()), dtype=object)
        return pd.concat([given.take(first), rest]).array

    def _of_documents(self, given: pd.Series, found: pd.DataFrame, queries: pd.DataFrame) -> Any:
        """A column of the documents' own."""
        name, given = given.name, given.reset_index(drop=True)
        if name in found:
            # Docnos in another form than the retriever's would be joined as plain objects, in three times the time.
            new = found[name].astype(given.dtype) if isinstance(given.dtype, pd.StringDtype) else found[name]
            return pd.concat([given, new]).array
        if name in queries:
            return pd.concat([given, queries[name].take(self.place[self.retrieved :])]).array
        return given.reindex(np.arange(len(self.place))).array


def checked(retrieved: pd.DataFrame) -> pd.DataFrame:
    """A retriever's results.

    Raises:
        ValueError: naming a column that they lack.
    """
    for column, remedy in _NEEDED.items():
        if column not in retrieved.columns:
            raise ValueError(f"the retriever's results have no column {column!r}; {remedy}")
    return retrieved
