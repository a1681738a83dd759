"""Define `quantity_aware`, a transformer that combines any retriever with quantity scores."""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.backends.bm25 import BM25
from pyterrier_quantity.constants import ALPHA, TRUST
from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.frames.frame import as_results, check_one_row_each, ranks
from pyterrier_quantity.frames.transformer import Configured, check_choice, check_transformers
from pyterrier_quantity.fusion import check_method, normalise
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.index.ordering import placed, raised
from pyterrier_quantity.index.queries import has_constraints, queries_in
from pyterrier_quantity.index.scorer import SCORED_BY
from pyterrier_quantity.pipelines.candidate_pool import Pool, asked_by
from pyterrier_quantity.pipelines.ranker_kind import apart, is_neural
from pyterrier_quantity.score import Phi, Scoring
from pyterrier_quantity.score.documents import Rows
from pyterrier_quantity.score.evidence import score_rows
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.transformers.query_parser import QuantityQueryParser, QueryColumns

_KNOWN: Final = "_quantity_score"
CANDIDATES: Final = ("retriever", "quantities", "union")


class QuantityAware(Configured):
    """Transformer, Q -> R, that adds alpha * quantity score to a retriever's normalised score (Almasian et al. 2024).

    In pipelines, write `quantity_aware(...)`. With `candidates="retriever"` and `trust=0` the results equal those of
    `parser >> retriever >> (Normalise(norm) + alpha * quantities.scorer(phi))`.

    Args:
        retriever: any ranker, Q -> R, or any reranker, R -> R. With a reranker this transformer is also R -> R.
        quantities: the quantity index. Without an index, use the pipeline above with a `QuantityScorer()`.
        alpha: the weight of the quantity score; 0 disables it.
        norm: a method of `Normalise`. None means "max", or "minmax" if `trust` is above 0, because a neural ranker's
            scores are all close together.
        phi, units, fit: how quantities are scored, see `score.make_scoring`.
        depth: the number of the retriever's results per query that get a quantity score, or None for all. To score the
            whole ranking, as in the paper, let the retriever return all documents: `pisa_bm25(path, num_results=None)`.
        candidates: the documents to rank. "retriever": the retriever's results; "quantities": documents that meet a
            constraint; "union": both. None means "union", or "retriever" if `phi` is "paper" or "released".
        scorer: transformer, R -> R, that gives the ranker's score to documents that only the index found. Without a
            scorer, such documents get 0, or the retriever's lowest score if that is negative or `norm` is not "max".
        trust: from 0 to 1. If query words are missing around a quantity, the quantity's score is lowered, but not below
            `trust` * sqrt(s) * v. Here, s is the ranker's score of the document after min-max normalisation, and v is
            the score from value and unit only. None means .9 for a neural retriever, otherwise 0.
        parser: transformer, Q -> Q, by default `QuantityQueryParser()`, for frames without constraints.
        num_results: the maximum number of documents per query, or None for all.
        default: the field or unit ("price", "euro") assumed for a bound that names neither a unit nor an attribute.
        rates: the value of each currency in dollars, such as `{"euro": 1.1}`.

    Columns in: `qid`, `query`, a reranker's columns. If you parse queries yourself, also `constraints`, or `condition`,
    `value` and `unit`. Columns out: the retriever's, sorted by rank. A query without a quantity keeps its ranking.

    Raises:
        ValueError: if the retriever's results lack a column.
        ValueError, TypeError: if `norm`, `phi`, `units`, `candidates` or an option is unknown.
    """

    def __init__(
        self,
        retriever: pt.Transformer,
        quantities: QuantityIndex,
        alpha: float = ALPHA,
        norm: str | None = None,
        phi: str | Phi | Scoring = "closest",
        depth: int | None = None,
        candidates: str | None = None,
        scorer: pt.Transformer | None = None,
        parser: pt.Transformer | None = None,
        num_results: int | None = None,
        trust: float | None = None,
        units: str | None = None,
        fit: bool | None = None,
        default: str = "",
        rates: Mapping[str, float] | None = None,
    ) -> None:
        if isinstance(retriever, QuantityIndex):
            raise TypeError("the retriever comes first, then the quantity index: quantity_aware(retriever, quantities)")
        if not isinstance(quantities, QuantityIndex):
            steps = "QuantityQueryParser() >> retriever >> scorer.settle() >> (Normalise() + 8.0 * scorer)"
            fault = f"quantities must be a QuantityIndex, got {type(quantities).__name__}"
            raise TypeError(f"{fault}; without an index write {steps}")
        if parser is not None and default and default != getattr(parser, "default", ""):
            raise ValueError("default goes to the parser that is given: QuantityQueryParser(default=...)")
        if rates is not None:
            quantities = quantities.with_rates(rates)
        if norm is not None:
            check_method(norm)
        if not math.isfinite(alpha):
            raise ValueError(f"alpha must be finite, got {alpha!r}")
        if depth is not None and depth < 0:
            raise ValueError(f"depth must not be negative, got {depth!r}")
        if trust is not None and not 0 <= trust <= 1:
            raise ValueError(f"trust must be in [0, 1], got {trust!r}")
        check_transformers(retriever=retriever, scorer=scorer, parser=parser)
        self._taken = candidates or ("retriever" if phi in ("paper", "released") else "union")
        check_choice("candidates", self._taken, CANDIDATES)
        self.retriever, self.quantities, self.alpha, self.norm, self.phi = retriever, quantities, alpha, norm, phi
        self.depth, self.candidates, self.scorer, self.trust = depth, candidates, scorer, trust
        self.parser, self._reader = parser, parser or QuantityQueryParser(default=default)
        self.default, self.rates = default, rates
        self.num_results, self.units, self.fit = num_results, units, fit
        self.scoring = quantities.scorer(phi, units=units, fit=fit)
        self._finder = quantities.retriever(phi=self.scoring.scoring)
        self._share_trusted = (TRUST if is_neural(retriever) else 0.0) if trust is None else trust
        self._normalisation = norm or ("minmax" if self._share_trusted else "max")
        self._compared = False

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query"], context=self)
        given = inp if "docno" in inp.columns else None
        asked = self._parsed(inp if given is None else queries_in(given))
        check_one_row_each(asked.qids)
        retrieved = self._retrieved(asked, given)
        self._check_first_call()
        return self._rank(asked, retrieved)

    def subtransformers(self) -> dict[str, pt.Transformer]:
        """Return the inner transformers by name, including the default parser."""
        parts = {"retriever": self.retriever, "scorer": self.scorer, "parser": self._reader}
        return {name: part for name, part in parts.items() if part is not None}

    def _parsed(self, inp: pd.DataFrame) -> QueryColumns:
        if has_constraints(inp):
            return QueryColumns.of(inp)
        if isinstance(self._reader, QuantityQueryParser):
            return self._reader.read(inp)
        return QueryColumns.of(self._reader.transform(inp))

    def _retrieved(self, asked: QueryColumns, given: pd.DataFrame | None) -> Pool:
        if self._taken == "quantities":
            return Pool()
        if given is not None:
            place = pd.Index(asked.qids).get_indexer(given["qid"])
            columns = {name: column.take(place) for name, column in asked.columns.items() if name != "qid"}
            return Pool.of(self.retriever.transform(given.assign(**columns)), asked)
        if isinstance(self.retriever, BM25):
            return Pool(*self.retriever.answers(asked.texts))
        return Pool.of(self.retriever.transform(asked.frame), asked)

    def _check_first_call(self) -> None:
        """On the first call, check `default`, and check that the retriever and the index contain the same documents."""
        if not self._compared:
            self.quantities.check_default(self.default)
            self._compared = True
            if warning := apart(self.retriever, self.quantities):
                warnings.warn(warning, stacklevel=4)

    def _rank(self, asked: QueryColumns, pool: Pool) -> pd.DataFrame:
        queries: Sequence[IndexQuery] = asked_by(asked)
        scored, quantity = np.ones(len(pool.place), dtype=bool), np.zeros(len(pool.place))
        if self.depth is not None:
            scored = ranks(pool.place, pool.score) < self.depth
        if self._taken != "retriever":
            pool, quantity, queries = self._with_found(asked, pool, queries)
            quantity[: len(scored)][~scored] = 0.0
        elif self.alpha:
            rows = self._rows(pool, queries).chosen(np.flatnonzero(scored))
            quantity[scored], queries = score_rows(self.quantities.opened, rows, queries, self.scoring.scoring)
        score = normalise(pool.score, pool.place, self._normalisation) + self.alpha * quantity
        noted = {"index": str(self.quantities.path), "rates": self.rates} | self.scoring.note(asked.qids, queries)
        if self.alpha and any(query.order for query in queries):
            score, noted["order"] = self._in_order(asked, pool, queries, score)
        results = pool.ranked(asked, score, self.num_results)
        results.attrs[SCORED_BY] = noted
        return results

    def _in_order(
        self, asked: QueryColumns, pool: Pool, queries: Sequence[IndexQuery], score: Floats
    ) -> tuple[Floats, dict[Any, Any]]:
        """Return new scores that sort the results of queries such as "cheapest kettle" by a value. For these queries,
        also return {qid: {"by": attribute, "docnos": sorted documents, "of": number of sorted documents}}."""
        opened = self.quantities.opened
        order = placed(opened, queries, opened.docnos.rows(pool.docnos), pool.place)
        docnos, noted = np.asarray(pool.docnos), {}
        for one in order:
            by = str(queries[one.query].order)
            noted[asked.qids[one.query]] = {"by": by, "of": one.of, "docnos": list(docnos[one.rows])}
        return raised(score, pool.place, order), noted

    def _rows(self, pool: Pool, queries: Sequence[IndexQuery]) -> Rows:
        """Return the documents in a pool as rows for the scorer. The rows have ranks if a query has a number that
        may not be meant as a condition ("in 500 words"). The scorer needs the ranks to compute the number's weight."""
        rank = ranks(pool.place, pool.score) if any(query.in_doubt for query in queries) else None
        least = None
        if self._share_trusted:
            least = self._share_trusted * np.sqrt(_scaled_by_query(pool.trusted_score, pool.place))
        return Rows(self.quantities.opened.docnos.rows(pool.docnos), pool.place, rank, least)

    def _with_found(
        self, asked: QueryColumns, given: Pool, queries: Sequence[IndexQuery]
    ) -> tuple[Pool, Floats, Sequence[IndexQuery]]:
        """Return the documents found by the retriever (`given`) and by the quantity index, and their quantity scores.
        Also return the queries, with lower weights for numbers that may not be conditions ("in 500 words")."""
        opened = self.quantities.opened
        found = self._finder.find(queries, opened, self._rows(given, queries))
        start = np.full(len(asked.qids), 0.0 if self._normalisation == "max" else np.inf)
        lowest = given.lowest(given.score, start)[found.query]
        added, score = Pool(found.query, opened.docnos.docnos(found.document), lowest), found.score
        if self.scorer is not None:
            added, score = self._rescored(asked, added, score)
        pool = given.with_found(added, asked) if self._taken == "union" else added
        if self.scorer is not None and self._share_trusted:
            score, _ = score_rows(opened, self._rows(pool, found.queries), found.queries, self.scoring.scoring)
            return pool, score, found.queries
        return pool, np.concatenate([found.given, score]), found.queries

    def _rescored(self, asked: QueryColumns, added: Pool, known: Floats) -> tuple[Pool, Floats]:
        """Return the documents `added`, scored and sorted by `self.scorer`, and their quantity scores. `known` contains
        the quantity scores in the order before sorting."""
        assert self.scorer is not None
        count = np.bincount(added.place, minlength=len(asked.qids))
        results = as_results(asked.frame, count, added.docnos, known).assign(**{_KNOWN: known})
        results = self.scorer.transform(results) if len(results) else results
        known = results.pop(_KNOWN).to_numpy(dtype=np.float64)
        return Pool.of(results, asked), known


def _scaled_by_query(score: Any, place: Ints) -> Floats:
    """Scale each query's scores to the range 0 to 1: [3, 5, 4] -> [0, 1, 0.5]. `place` is each score's query index."""
    share = normalise(score, place, "minmax")
    lowest = np.full(int(place.max(initial=-1)) + 1, np.inf)
    np.minimum.at(lowest, place, share)
    return np.where(lowest[place] > 0, 0.0, share)


quantity_aware = QuantityAware
"""The name for use in pipelines: `quantity_aware(bm25, qindex)`."""
