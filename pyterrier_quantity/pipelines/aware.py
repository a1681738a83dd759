"""`quantity_aware()`: any retriever with quantity scores, as one transformer."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import as_results, cells, check_one_row_each, framed, ranks, with_queries_columns
from pyterrier_quantity._ragged import Floats, Ints
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.backends.bm25 import BM25
from pyterrier_quantity.constants import ALPHA, TRUST
from pyterrier_quantity.fusion import check_method, normalise
from pyterrier_quantity.index import QuantityFeedback, QuantityIndex
from pyterrier_quantity.index.queries import RELATED, has_constraints
from pyterrier_quantity.index.scorer import IndexScorer, ResultScorer
from pyterrier_quantity.pipelines.candidate_pool import Pool, Retrieved, asked_by, checked, places_of
from pyterrier_quantity.pipelines.rankers import apart, is_neural
from pyterrier_quantity.score import Phi, Scoring
from pyterrier_quantity.score.documents import Rows
from pyterrier_quantity.score.evidence import score_rows
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.transformers import QuantityQueryParser, QueryColumns

_KNOWN: Final = "_quantity_score"

SCORED_BY: Final = "quantity_scoring"
"""What a run's frame says in `attrs`, for `explain`, of how it was scored, as plain data: `scoring`, see
`Scoring.data`; `index`, the path of the quantity index, if there is one; and `support`, for each query that was in
doubt how far its constraints count."""


CANDIDATES: Final = ("retriever", "quantities", "union")


class QuantityAware(Configured):
    """Q -> R: the retriever's normalised score plus alpha times the quantity score (Eq. 5, 7, 9).

    With `candidates="retriever"` and `trust=0` the run is that of
    `parser >> retriever >> (Normalise(norm) + alpha * quantities.scorer(phi))`, in one pass. Pipelines write it
    `quantity_aware(...)`.

    Args:
        retriever: Q -> R, any ranker.
        quantities: a quantity index; or an R -> R that scores quantities, such as `QuantityScorer()`.
        alpha: weight of the quantity score; 0 is the retriever alone.
        norm: a method of `Normalise`; None: "max", but "minmax" with `trust`, since scores of vectors all lie near the
            highest.
        phi, units, fit: how quantities are scored, see `score.make_scoring`; for an index only.
        depth: how many of the retriever's results per query get a quantity score; None: all. For the paper's whole
            ranking the retriever must return it: `pisa_bm25(path, num_results=None)`.
        candidates: "retriever": its results; "quantities": documents that meet the constraints, found by the index;
            "union": both. None: "union" with an index, else "retriever". The paper's phi, "paper" or "released", also
            goes with "retriever".
        scorer: R -> R, the ranker's score for documents that only the index found. Without it they start at 0, or at
            the retriever's lowest score if that is negative or `norm` is not "max".
        trust: how far the ranker's score may replace evidence from the words around a quantity, 0 to 1. A document's
            quantities count at least their value times `trust` times the root of its min-max normalised score. A column
            `dense_score`, as hybrids give it, is used instead of the score. None: .9 if the ranker is neural (see
            `is_neural`) and `quantities` an index, else 0.
        parser: Q -> Q; `QuantityQueryParser()` by default. Not used where a frame brings constraints.
        feedback: score a second time, with words that the best results share. It needs an index. The results then have
            the column `related_terms`. The ranker runs once.
        num_results: documents per query; None: all.

    Columns in: `qid`, `query`, and optionally `constraints` or `condition`, `value`, `unit`.
    Columns out: the retriever's, sorted by rank. A query without a quantity keeps the retriever's order.

    Raises:
        ValueError: where the retriever's results lack a column.
        ValueError, TypeError: on an unknown `norm`, `phi`, `units`, `candidates` or option.
    """

    def __init__(
        self,
        retriever: pt.Transformer,
        quantities: QuantityIndex | pt.Transformer,
        alpha: float = ALPHA,
        norm: str | None = None,
        phi: str | Phi | Scoring = "closest",
        depth: int | None = None,
        candidates: str | None = None,
        scorer: pt.Transformer | None = None,
        parser: pt.Transformer | None = None,
        feedback: bool = False,
        num_results: int | None = None,
        trust: float | None = None,
        units: str | None = None,
        fit: bool | None = None,
    ) -> None:
        if norm is not None:
            check_method(norm)
        if not math.isfinite(alpha):
            raise ValueError(f"alpha must be finite, got {alpha!r}")
        if depth is not None and depth < 0:
            raise ValueError(f"depth must not be negative, got {depth!r}")
        if trust is not None and not 0 <= trust <= 1:
            raise ValueError(f"trust must be in [0, 1], got {trust!r}")
        if candidates is None:
            whole = isinstance(quantities, QuantityIndex) and phi not in ("paper", "released")
            candidates = "union" if whole else "retriever"
        if candidates not in CANDIDATES:
            raise ValueError(f"unknown candidates {candidates!r}; one of {', '.join(CANDIDATES)}")
        self.retriever, self.quantities, self.alpha, self.norm, self.phi = retriever, quantities, alpha, norm, phi
        self.depth, self.candidates, self.scorer, self.trust = depth, candidates, scorer, trust
        self.parser = parser or QuantityQueryParser()
        self.feedback, self.num_results, self.units, self.fit = feedback, num_results, units, fit
        self.scoring = self._scoring()
        self._share_trusted = self._trusted()
        self._normalisation = norm or ("minmax" if self._share_trusted else "max")
        self._compared = False

    def _scoring(self) -> pt.Transformer:
        """R -> R that scores quantities."""
        if isinstance(self.retriever, QuantityIndex):
            raise TypeError("the retriever comes first, then the quantity index: quantity_aware(retriever, quantities)")
        if isinstance(self.quantities, QuantityIndex):
            return self.quantities.scorer(self.phi, units=self.units, fit=self.fit)
        called = type(self.quantities).__name__
        if not isinstance(self.quantities, pt.Transformer):
            raise TypeError(f"quantities must be a QuantityIndex or a transformer, got {called}")
        if self.candidates != "retriever" or self.feedback:
            option = f"candidates={self.candidates!r}" if self.candidates != "retriever" else "feedback"
            raise ValueError(f"{option} needs a QuantityIndex, got {called}")
        if (self.phi, self.units, self.fit) != ("closest", None, None):
            raise ValueError(f"phi, units and fit go to the scorer itself: {called}(phi=...)")
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
        asked = self._parsed(inp)
        check_one_row_each(asked.qids)
        retrieved = None if self.candidates == "quantities" else self._retrieved(asked)
        self._compare()
        if not self.feedback:
            return self._rank(asked, retrieved, self.num_results)
        related = self._related(asked.frame, self._rank(asked, retrieved, None))
        asked = QueryColumns.of(asked.frame.assign(**{RELATED: asked.frame["qid"].map(related)}))
        results = self._rank(asked, retrieved, self.num_results)
        results[RELATED] = results["qid"].map(related)
        return results

    def _parsed(self, inp: pd.DataFrame) -> QueryColumns:
        if has_constraints(inp):
            return QueryColumns.of(inp)
        if isinstance(self.parser, QuantityQueryParser):
            return self.parser.read(inp)
        return QueryColumns.of(self.parser.transform(inp))

    def _retrieved(self, asked: QueryColumns) -> Retrieved:
        if isinstance(self.retriever, BM25) and isinstance(self.quantities, QuantityIndex):
            place, docnos, score = self.retriever.answers(asked.texts)
            return Retrieved(None, docnos, place, score)
        results = checked(self.retriever.transform(asked.frame))
        score = results["score"].to_numpy(dtype=np.float64)
        return Retrieved(results, cells(results["docno"]), places_of(results, asked), score)

    def _compare(self) -> None:
        """Warn, once, where ranker and index are not of the same documents."""
        if not self._compared and isinstance(self.quantities, QuantityIndex):
            self._compared = True
            if told := apart(self.retriever, self.quantities):
                warnings.warn(told, stacklevel=4)

    def _related(self, frame: pd.DataFrame, results: pd.DataFrame) -> pd.Series:
        """The related terms of each query that has results, by `qid`."""
        assert isinstance(self.quantities, QuantityIndex)
        related = QuantityFeedback(self.quantities).transform(with_queries_columns(results, frame))
        return related.set_index("qid")[RELATED]

    def _rank(self, asked: QueryColumns, retrieved: Retrieved | None, most: int | None) -> pd.DataFrame:
        queries = asked_by(asked) if isinstance(self.quantities, QuantityIndex) else []
        if retrieved is not None and self.candidates == "retriever":
            pool = Pool(*retrieved, queries, len(retrieved.place))
        else:
            pool = self._with_candidates(asked, retrieved, queries)
        score = normalise(pool.score, pool.place, self._normalisation)
        support: dict[Any, list[float]] = {}
        if self.alpha and len(score):
            scores, support = self._quantity_scores(asked, pool)
            score = score + self.alpha * scores
        results = pool.ranked(asked, score, most)
        if isinstance(self.scoring, ResultScorer):
            results.attrs[SCORED_BY] = self._scored_by(support)
        return results

    def _scored_by(self, support: dict[Any, list[float]]) -> dict[str, Any]:
        """See `SCORED_BY`."""
        assert isinstance(self.scoring, ResultScorer)
        data: dict[str, Any] = {"scoring": self.scoring.scoring.data}
        if isinstance(self.scoring, IndexScorer):
            data["index"] = str(self.scoring.index.path)
        return data | {"support": support}

    def _quantity_scores(self, asked: QueryColumns, pool: Pool) -> tuple[Floats, dict[Any, list[float]]]:
        """The quantity score of each document, 0 of those of the retriever that lie deeper than `depth`; and of each
        query that was in doubt, by `qid`, how far its constraints count."""
        chosen: Any = slice(None)
        if self.depth is not None:
            rank = ranks(pool.place, pool.score)
            chosen = np.flatnonzero((rank < self.depth) | (np.arange(len(rank)) >= pool.retrieved))
        scores, queries, qids = np.zeros(len(pool.place)), pool.queries, asked.qids
        if pool.known is not None:
            scores[chosen] = pool.known[chosen]
        elif isinstance(self.quantities, QuantityIndex):
            least = None
            if self._share_trusted:
                least = self._share_trusted * np.sqrt(_share(pool.trusted_score, pool.place))[chosen]
            documents = self.quantities.opened.docnos.rows(pool.docnos[chosen])
            scores[chosen], queries = self._scored(pool, documents, chosen, least)
        else:
            assert pool.results is not None
            results = with_queries_columns(pool.results.iloc[chosen], asked.frame)
            if isinstance(self.scoring, ResultScorer):
                qids = results["qid"].unique().tolist()
                scores[chosen], queries = self.scoring.scored(results)
            else:
                scores[chosen] = self.scoring.transform(results)["score"].to_numpy(dtype=np.float64)
        return scores, {qid: list(q.support) for qid, q in zip(qids, queries, strict=True) if q.support}

    def _scored(
        self, pool: Pool, documents: Ints, chosen: Any, least: Floats | None
    ) -> tuple[Floats, list[IndexQuery]]:
        """The quantity scores of some of the documents, by the index; and the queries, settled by these.

        Args:
            documents: their rows in the index.
            chosen: their places in the pool.
            least: see `Rows`.
        """
        assert isinstance(self.quantities, QuantityIndex)
        assert isinstance(self.scoring, IndexScorer)
        query, in_doubt = pool.place[chosen], any(asked.in_doubt for asked in pool.queries)
        rank = ranks(query, pool.score[chosen]) if in_doubt else None
        rows = Rows(documents, query, rank, least)
        return score_rows(self.quantities.opened, rows, pool.queries, self.scoring.scoring)

    def _with_candidates(self, asked: QueryColumns, retrieved: Retrieved | None, queries: list[IndexQuery]) -> Pool:
        """R of the retriever, if there is one, and behind it what the index adds."""
        assert isinstance(self.quantities, QuantityIndex)
        assert isinstance(self.scoring, IndexScorer)
        opened, retriever = self.quantities.opened, self.quantities.retriever(phi=self.scoring.scoring)
        none = np.empty(0, dtype=np.int64)
        given = Pool(*(retrieved or Retrieved(None, none.astype(object), none, np.empty(0))), queries, 0)
        rows = opened.docnos.rows(given.docnos)
        own, queries = self._own(given, rows)
        found = list(
            _unseen(retriever.search_rows(queries, opened), rows, given.place, len(opened.columns.doc_offsets))
        )
        new, docnos, added, known = self._added(asked, opened.docnos, found, given.results is None)
        begun = self._lowest(given.place, given.score, len(queries))[added]
        if self.scorer is not None and new is not None:
            begun = new["score"].to_numpy(dtype=np.float64)
        return Pool(
            new if retrieved is None else given.results,
            np.concatenate([np.asarray(given.docnos, dtype=object), docnos]),
            np.concatenate([given.place, added]),
            np.concatenate([given.score, begun]),
            queries,
            len(given.place),
            None if given.results is None else new,
            None if self._share_trusted else np.concatenate([own, known]),
        )

    def _own(self, given: Pool, rows: Ints) -> tuple[Floats, list[IndexQuery]]:
        """The quantity scores of what the retriever found, whatever it thinks of these documents; and the queries,
        settled by them. Where the ranker is trusted, they are scored once more: only what is in doubt has a score."""
        score, chosen = np.full(len(given.place), np.nan), np.arange(len(given.place))
        if self._share_trusted:
            in_doubt = np.array([asked.in_doubt for asked in given.queries], dtype=bool)
            chosen = np.flatnonzero(in_doubt[given.place])
        if not len(chosen):
            return score, given.queries
        least = np.zeros(len(chosen)) if self._share_trusted else None
        score[chosen], queries = self._scored(given, rows[chosen], chosen, least)
        return score, queries

    def _added(
        self, asked: QueryColumns, docnos: Any, found: list[tuple[Ints, Floats]], alone: bool
    ) -> tuple[pd.DataFrame | None, Any, Ints, Floats]:
        """R of what the index adds, its docnos, its queries' places, and its quantity scores. Where nothing scores it
        that reads more, R has the docnos alone, or is None: the retriever's results have the other columns.

        Args:
            docnos: of the index.
            found: the documents, as rows of the index, and their scores, of each query.
            alone: the retriever's results have no columns that are not the queries'.
        """
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(rows for rows, _ in found)])
        known = np.concatenate([np.empty(0), *(score for _, score in found)])
        count = np.array([len(score) for _, score in found], dtype=np.int64)
        place, named = np.arange(len(found)).repeat(count), docnos.docnos(rows)
        if self.scorer is None:
            new = None if alone else framed({"docno": pd.Series(named, dtype=object)}, pd.RangeIndex(len(named)))
            return new, named, place, known
        new = as_results(asked.frame, count, named, known)
        if not len(new):
            return new, named, place, known
        # The scorer may reorder its rows.
        new = self.scorer.transform(new.assign(**{_KNOWN: known}))
        return new, cells(new["docno"]), places_of(new, asked), new.pop(_KNOWN).to_numpy(dtype=np.float64)

    def _lowest(self, place: Ints, score: Floats, queries: int) -> Floats:
        """The score at which documents that only the index found start, of each query."""
        lowest = np.full(queries, 0.0 if self._normalisation == "max" else np.inf)
        np.minimum.at(lowest, place, score)
        lowest[np.isinf(lowest)] = 0.0  # nothing was retrieved
        return lowest

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        if self.num_results is not None and k >= self.num_results:
            return None
        return self._with(num_results=k)


def _unseen(
    found: Iterable[tuple[Ints, Floats]], rows: Ints, place: Ints, documents: int
) -> Iterator[tuple[Ints, Floats]]:
    """What the index found for each query and the retriever did not: rows of the index, and their scores.

    Args:
        found: by the index.
        rows, place: of each document of the retriever its row in the index, negative where it is unknown there, and the
            place of its query.
        documents: how many the index has.
    """
    order = np.argsort(place, kind="stable")
    seen, begin = np.zeros(documents + 1, dtype=bool), 0  # the last one: of unknown documents
    ends = np.cumsum(np.bincount(place))
    for number, (candidates, score) in enumerate(found):
        end = int(ends[number]) if number < len(ends) else begin
        own = rows[order[begin:end]]
        seen[own] = True
        new = ~seen[candidates]
        seen[own] = False
        yield candidates[new], score[new]
        begin = end


def _share(score: Any, place: Ints) -> Floats:
    """Each score's place between its query's lowest and highest; 0 where all are equal, and say nothing."""
    share = normalise(score, place, "minmax")
    lowest = np.full(int(place.max(initial=-1)) + 1, np.inf)
    np.minimum.at(lowest, place, share)
    return np.where(lowest[place] > 0, 0.0, share)


quantity_aware = QuantityAware
"""The name that pipelines are written with: `quantity_aware(bm25, qindex)` reads as a step, not as a class."""
