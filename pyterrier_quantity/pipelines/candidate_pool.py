"""What `quantity_aware` ranks: the documents of a retriever, and behind them those that only the index found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import as_results, best_first, cells, ranked
from pyterrier_quantity._ragged import run_lengths, run_starts
from pyterrier_quantity.index.queries import queries_of
from pyterrier_quantity.pipelines.rankers import DENSE_SCORE
from pyterrier_quantity.score.query import IndexQuery

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NEEDED: Final = {
    "qid": "keep the queries' own",
    "docno": "name the documents as the quantity index does",
    "score": "where only the order is known, add >> pt.apply.doc_score(lambda row: -row['rank']) to the retriever",
}
"""The columns of a retriever's results, and what to do where one is missing."""


@dataclass(frozen=True)
class Asked:
    """Q, and the two of its columns that are read more than once: reading one takes longer than reading a query."""

    frame: pd.DataFrame
    qids: list[Any]
    texts: list[str]

    def queries(self) -> list[IndexQuery]:
        """What each query asks."""
        return queries_of(self.frame, {"qid": self.qids, "query": self.texts})

    def places(self, results: pd.DataFrame) -> Ints:
        """The place of each result's query among the queries.

        Raises:
            ValueError: if a result is of none of them.
        """
        qids = cells(results["qid"])
        starts = run_starts(qids)
        asked = {qid: place for place, qid in enumerate(self.qids)}
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

    def ranked(self, queries: pd.DataFrame, score: Floats) -> pd.DataFrame:
        """R with these scores, sorted by query and score, with new ranks and the columns of `results`.

        Args:
            queries: Q.
            score: of each document.
        """
        if self.results is None:
            order, count = best_first(self.place, score), np.bincount(self.place, minlength=len(queries))
            return as_results(queries, count, self.docnos[order], score[order])
        results = self.results if self.found is None else self._joined(self.results, self.found, queries)
        return ranked(results, self.place, score)

    def _joined(self, results: pd.DataFrame, found: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
        """The retriever's results and what the index adds, with the retriever's columns; what belongs to a query is as
        the retriever made it, if it found anything."""
        place = self.place[self.retrieved :]
        shared = [name for name in results if name in {*pt.model.query_columns(results), "constraints"}]
        known = results[shared].drop_duplicates("qid")
        others = queries[~queries["qid"].isin(known["qid"])]
        known = pd.concat([known, others.assign(**{name: None for name in shared if name not in others})[shared]])
        asked = known.set_index("qid", drop=False).reindex(queries["qid"]).take(place)
        own = [name for name in results if name not in shared and (name in found or name in queries)]
        added = {name: found[name].array if name in found else queries[name].array.take(place) for name in own}
        new = asked.reset_index(drop=True).assign(**added).astype({"docno": results["docno"].dtype})
        joined = pd.concat([results, new], ignore_index=True)
        joined.attrs = dict(results.attrs)
        return joined


def checked(retrieved: pd.DataFrame) -> pd.DataFrame:
    """A retriever's results.

    Raises:
        ValueError: naming a column that they lack.
    """
    for column, remedy in _NEEDED.items():
        if column not in retrieved.columns:
            raise ValueError(f"the retriever's results have no column {column!r}; {remedy}")
    return retrieved
