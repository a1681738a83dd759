"""`quantity_aware()`: any retriever with quantity scores, as one transformer."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import checked_queries, ranked, ranks, run_lengths, run_starts, with_queries_columns
from pyterrier_quantity._frames import retrieved as as_results
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.fusion import check_method, normalise
from pyterrier_quantity.index import QuantityFeedback, QuantityIndex, Scoring
from pyterrier_quantity.index.needs import CONSTRAINT_COLUMNS, RELATED, QueryNeed, needs_of
from pyterrier_quantity.index.scorer import IndexScorer
from pyterrier_quantity.index.segments import Segments
from pyterrier_quantity.pipelines.corpora import apart
from pyterrier_quantity.pipelines.neural_rankers import is_neural
from pyterrier_quantity.scoring import Phi
from pyterrier_quantity.transformers import QuantityQueryParser

_KNOWN: Final = "_quantity_score"

INDEX_ATTRIBUTE: Final = "quantity_index"
"""Where a run's frame names the index that scored it, in `attrs`, for `explain`."""

_NEEDED: Final = {
    "qid": "keep the queries' own",
    "docno": "name the documents as the quantity index does",
    "score": "where only the order is known, add >> pt.apply.doc_score(lambda row: -row['rank']) to the retriever",
}
"""The columns of a retriever's results, and what to do where one is missing."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CANDIDATES: Final = ("retriever", "quantities", "union")
TRUST: Final = 0.9
"""How far a neural ranker's score stands for words."""


class QuantityAware(Configured):
    """Q -> R: the retriever's normalised score plus alpha times the quantity score (Eq. 5, 7, 9).

    The same run as `parser >> retriever >> (Normalise(norm) + alpha * quantities.scorer(phi))`, in one pass, where the
    ranker is not trusted. Pipelines write it `quantity_aware(...)`.

    Args:
        retriever: Q -> R, any ranker.
        quantities: a quantity index; or an R -> R that scores quantities, such as `QuantityScorer()`.
        alpha: weight of the quantity score; 0 is the retriever alone.
        norm: a method of `Normalise`; None: "max", or "minmax" where the ranker is trusted, for vectors' scores are all
            alike next to their highest.
        phi, options: see `index.options.make_scoring`; for an index only.
        depth: only this many of the retriever's results per query take a quantity score; None: all that it returns. For
            the paper's whole ranking the retriever itself must return it: `pisa_bm25(path, num_results=None)`.
        candidates: "retriever": its results; "quantities": the documents that meet the constraints, by the index;
            "union": both.
        scorer: R -> R, gives the ranker's score of documents that only the index found; without it they start at 0, or
            at the retriever's lowest score, where that is negative or the normalisation knows no zero (all but "max").
        trust: how far the ranker's score may stand for the words around a quantity, 0 to 1: a document's quantities
            count at least their value times this and the root of its min-max normalised score. None: .9 where the
            ranker is neural (see `is_neural`) and `quantities` an index, else 0.
        parser: Q -> Q; `QuantityQueryParser()` by default. Not used where a frame brings constraints.
        feedback: score once more, with words that the best results have in common; True or a `QuantityFeedback`. Needs
            an index, and the results then have its column `related_terms`. The ranker still runs once.
        num_results: documents per query; None: all.

    Columns in: `qid`, `query`, and optionally `constraints` or `condition`, `value`, `unit`.
    Columns out: the retriever's, sorted by rank. A query without a quantity keeps the retriever's order.

    Raises:
        ValueError: where the retriever's results lack a column.
        ValueError, TypeError: on an unknown `norm`, `phi`, `candidates` or option.
    """

    def __init__(
        self,
        retriever: pt.Transformer,
        quantities: QuantityIndex | pt.Transformer,
        alpha: float = 8.0,
        norm: str | None = None,
        phi: str | Phi | Scoring = "closest",
        depth: int | None = None,
        candidates: str = "retriever",
        scorer: pt.Transformer | None = None,
        parser: pt.Transformer | None = None,
        feedback: bool | QuantityFeedback = False,
        num_results: int | None = None,
        trust: float | None = None,
        **options: Any,
    ) -> None:
        if norm is not None:
            check_method(norm)
        if not math.isfinite(alpha):
            raise ValueError(f"alpha must be finite, got {alpha!r}")
        if depth is not None and depth < 0:
            raise ValueError(f"depth must not be negative, got {depth!r}")
        if trust is not None and not 0 <= trust <= 1:
            raise ValueError(f"trust must be in [0, 1], got {trust!r}")
        if candidates not in CANDIDATES:
            raise ValueError(f"unknown candidates {candidates!r}; one of {', '.join(CANDIDATES)}")
        self.retriever, self.quantities, self.alpha, self.norm, self.phi = retriever, quantities, alpha, norm, phi
        self.depth, self.candidates, self.scorer, self.trust = depth, candidates, scorer, trust
        self.parser = parser or QuantityQueryParser()
        self.feedback, self.num_results, self.options = feedback, num_results, options
        self.scoring = self._scoring()
        self._vouching = self._trusted()
        self._normalisation = norm or ("minmax" if self._vouching else "max")
        self._compared = False

    def _scoring(self) -> pt.Transformer:
        """R -> R that scores quantities."""
        if isinstance(self.retriever, QuantityIndex):
            raise TypeError("the retriever comes first, then the quantity index: quantity_aware(retriever, quantities)")
        if isinstance(self.quantities, QuantityIndex):
            return self.quantities.scorer(self.phi, **self.options)
        called = type(self.quantities).__name__
        if not isinstance(self.quantities, pt.Transformer):
            raise TypeError(f"quantities must be a QuantityIndex or a transformer, got {called}")
        if self.candidates != "retriever" or self.feedback:
            option = f"candidates={self.candidates!r}" if self.candidates != "retriever" else "feedback"
            raise ValueError(f"{option} needs a QuantityIndex, got {called}")
        if self.options or self.phi != "closest":
            raise ValueError(f"phi and options go to the scorer itself: {called}(phi=...)")
        return self.quantities

    def _trusted(self) -> float:
        """How far the ranker's score stands for words."""
        by_index = isinstance(self.quantities, QuantityIndex)
        if self.trust and not by_index:
            raise ValueError(f"trust needs a QuantityIndex, got {type(self.quantities).__name__}")
        if self.trust is None:
            return TRUST if by_index and is_neural(self.retriever) else 0.0
        return self.trust

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = inp if _has_constraints(inp) else self.parser.transform(inp)
        asked = _Asked(queries, *checked_queries(queries))
        retrieved = None if self.candidates == "quantities" else _checked(self.retriever.transform(queries))
        self._compare()
        results = self._rank(asked, retrieved)
        if self.feedback:
            related = self._related(queries, results)
            asked = replace(asked, frame=queries.assign(**{RELATED: queries["qid"].map(related)}))
            results = self._rank(asked, retrieved)
            results[RELATED] = results["qid"].map(related)
        if self.num_results is not None:
            results = results[results["rank"] < self.num_results].reset_index(drop=True)
        if isinstance(self.quantities, QuantityIndex):
            results.attrs[INDEX_ATTRIBUTE] = str(self.quantities.path)
        return results

    def _compare(self) -> None:
        """Warn, once, where ranker and index are not of the same documents."""
        if not self._compared and isinstance(self.quantities, QuantityIndex):
            self._compared = True
            if told := apart(self.retriever, self.quantities):
                warnings.warn(told, stacklevel=4)

    def _related(self, queries: pd.DataFrame, results: pd.DataFrame) -> pd.Series:
        """The related terms of each query that has results, by `qid`."""
        assert isinstance(self.quantities, QuantityIndex)
        given = self.feedback if isinstance(self.feedback, QuantityFeedback) else QuantityFeedback(self.quantities)
        return given.transform(with_queries_columns(results, queries)).set_index("qid")[RELATED]

    def _rank(self, asked: _Asked, retrieved: pd.DataFrame | None) -> pd.DataFrame:
        needs = asked.needs() if isinstance(self.quantities, QuantityIndex) else []
        if retrieved is not None and self.candidates == "retriever":
            pool = _Pool(retrieved, asked.places(retrieved), needs)
        else:
            pool = self._with_candidates(asked, retrieved, needs)
        score = normalise(pool.results["score"].to_numpy(), pool.place, self._normalisation)
        if self.alpha and len(score):
            score = score + self.alpha * self._quantity_scores(asked.frame, pool)
        return ranked(pool.results, pool.place, score)

    def _quantity_scores(self, queries: pd.DataFrame, pool: _Pool) -> Floats:
        """The quantity score of each result; those of the last rows, which the index found, are known."""
        results, unknown = pool.results, len(pool.place) - len(pool.known)
        scores = np.concatenate([np.zeros(unknown), pool.known])
        chosen: Any = slice(unknown)
        if self.depth is not None:
            rank = ranks(pool.place, results["score"].to_numpy(dtype=np.float64))
            chosen = np.flatnonzero(rank[:unknown] < self.depth)
        if isinstance(self.scoring, IndexScorer):
            opened, rows, vouched = self.scoring.index.opened, pool.rows, None
            if self._vouching:
                # What the index found was scored by its words alone.
                found = np.arange(unknown, len(scores))
                chosen, rows = slice(None) if self.depth is None else np.append(chosen, found), None
                vouched = self._vouching * np.sqrt(_share(results["score"], pool.place))[chosen]
            rows = opened.docnos.rows(results["docno"].array[chosen]) if rows is None else rows[chosen]
            scores[chosen], _ = self.scoring.score(opened, rows, pool.place[chosen], pool.needs, vouched)
        else:
            scored = self.scoring.transform(with_queries_columns(results.iloc[chosen], queries))
            scores[chosen] = scored["score"].to_numpy(dtype=np.float64)
        return scores

    def _with_candidates(
        self, asked: _Asked, retrieved: pd.DataFrame | None, needs: list[QueryNeed]
    ) -> _Pool:
        """R of the retriever, if there is one, and behind it what the index adds, with its quantity scores."""
        assert isinstance(self.quantities, QuantityIndex)
        opened = self.quantities.opened
        retriever = self.quantities.retriever(phi=self.phi, **self.options)
        lowest = np.full(len(needs), 0.0 if self._normalisation == "max" else np.inf)
        rows, place = None, np.empty(0, dtype=np.int64)
        if retrieved is None:
            found = list(retriever.search_rows(needs, np.arange(len(needs)), opened))
        else:
            rows, place = opened.docnos.rows(retrieved["docno"]), asked.places(retrieved)
            needs = self._settled(opened, rows, place, needs)
            search = retriever.search_rows(needs, np.arange(len(needs)), opened)
            found = list(_without(rows, place, opened, search))
            np.minimum.at(lowest, place, retrieved["score"].to_numpy(dtype=np.float64))
        known = np.concatenate([np.zeros(0), *(score for _, score in found)])
        new = as_results(asked.frame, [(opened.docnos.docnos(rows), score) for rows, score in found])
        if self.scorer is not None and len(new):
            # The scorer may reorder its rows.
            new = self.scorer.transform(new.assign(**{_KNOWN: known}))
            known = new.pop(_KNOWN).to_numpy(dtype=np.float64)
        else:
            lowest[np.isinf(lowest)] = 0.0  # nothing was retrieved
            new["score"] = np.repeat(lowest, [len(score) for _, score in found])
        place = np.concatenate([place, asked.places(new)])
        if retrieved is not None:
            columns = retrieved.columns
            new = pd.concat([retrieved, new], ignore_index=True)
            new = new if new.columns.equals(columns) else new[columns]
        return _Pool(new, place, needs, known, rows)

    def _settled(self, opened: Segments, rows: Ints, place: Ints, needs: list[QueryNeed]) -> list[QueryNeed]:
        """The needs, where the retriever's results settle how far a doubtful constraint counts."""
        assert isinstance(self.scoring, IndexScorer)
        doubtful = np.array([any(c.certainty < 1.0 for c in need.constraints) for need in needs], dtype=bool)
        chosen = np.flatnonzero(doubtful[place])
        if not len(chosen):
            return needs
        _, belief = self.scoring.score(opened, rows[chosen], place[chosen], needs)
        ends = np.cumsum([len(need.constraints) for need in needs]).tolist()
        asked = set(place[chosen].tolist())
        begins = [0, *ends]
        return [
            replace(need, beliefs=tuple(belief[begin:end].tolist())) if number in asked else need
            for number, (need, begin, end) in enumerate(zip(needs, begins[:-1], ends, strict=True))
        ]

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        if self.num_results is not None and k >= self.num_results:
            return None
        return self._with(num_results=k)


@dataclass(frozen=True)
class _Asked:
    """Q, and the two of its columns that are read more than once: reading one takes longer than a query's needs."""

    frame: pd.DataFrame
    qids: list[Any]
    texts: list[str]

    def needs(self) -> list[QueryNeed]:
        """What each query asks."""
        return needs_of(self.frame, {"qid": self.qids, "query": self.texts})

    def places(self, results: pd.DataFrame) -> Ints:
        """The place of each result's query among the queries.

        Raises:
            ValueError: if a result is of none of them.
        """
        qids = results["qid"].to_numpy()
        starts = run_starts(qids)
        asked = {qid: place for place, qid in enumerate(self.qids)}
        try:
            places = [asked[qid] for qid in qids[starts].tolist()]
        except KeyError as error:
            raise ValueError(f"the retriever returned results of qid {error.args[0]!r}, which no query has") from None
        return np.array(places, dtype=np.int64).repeat(run_lengths(starts, len(qids)))


@dataclass(frozen=True)
class _Pool:
    """The documents that are ranked.

    Args:
        results: R: what the retriever found, and behind it what the index adds.
        place: of each result's query among the queries.
        needs: what each query asks.
        known: the quantity scores of the latter.
        rows: the rows of the former in the index; None: not looked up.
    """

    results: pd.DataFrame
    place: Ints
    needs: list[QueryNeed]
    known: Floats = field(default_factory=lambda: np.zeros(0))
    rows: Ints | None = None


def _share(score: Any, place: Ints) -> Floats:
    """Each score's place between its query's lowest and highest; 0 where all are equal, and say nothing."""
    share = normalise(score, place, "minmax")
    lowest = np.full(int(place.max(initial=-1)) + 1, np.inf)
    np.minimum.at(lowest, place, share)
    return np.where(lowest[place] > 0, 0.0, share)


def _checked(retrieved: pd.DataFrame) -> pd.DataFrame:
    """A retriever's results.

    Raises:
        ValueError: naming a column that they lack.
    """
    for column, remedy in _NEEDED.items():
        if column not in retrieved.columns:
            raise ValueError(f"the retriever's results have no column {column!r}; {remedy}")
    return retrieved


def _without(
    rows: Ints, place: Ints, opened: Segments, found: Iterable[tuple[Ints, Floats]]
) -> Iterator[tuple[Ints, Floats]]:
    """What was found for each query, without what was retrieved for it.

    Args:
        rows, place: of each result, its document's row in the index and its query's place.
        opened: the index.
        found: rows and their scores, of each query.
    """
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    there = np.zeros(len(opened.columns.doc_offsets) + 1, dtype=bool)  # the last one: of unknown documents
    for number, (documents, score) in enumerate(found):
        begin, end = np.searchsorted(ordered, [number, number + 1])
        mine = rows[order[begin:end]]
        there[mine] = True
        new = ~there[documents]
        there[mine] = False
        yield documents[new], score[new]


def _has_constraints(frame: pd.DataFrame) -> bool:
    return "constraints" in frame.columns or all(column in frame.columns for column in CONSTRAINT_COLUMNS)


quantity_aware = QuantityAware
"""The name that pipelines are written with: `quantity_aware(bm25, qindex)` reads as a step, not as a class."""
