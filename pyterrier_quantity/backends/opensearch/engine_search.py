"""Search in the engine: BM25, hard filters and quantity scores on all shards, in PyTerrier's terms."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import retrieved
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.backends.opensearch.conditions import condition, together, unknown
from pyterrier_quantity.backends.opensearch.documents import SURROGATE, to_quantity
from pyterrier_quantity.backends.opensearch.engine_scorer import OpenSearchScorer
from pyterrier_quantity.backends.opensearch.requests import MOST_RESULTS, Hit, Query, search_all
from pyterrier_quantity.backends.opensearch.scripted import check_scoring, quantity_scores
from pyterrier_quantity.backends.opensearch.settling import settled
from pyterrier_quantity.index.queries import CONSTRAINT_COLUMNS, index_queries
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.score import Scoring
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.transformers import QuantityQueryParser

if TYPE_CHECKING:
    from pyterrier_quantity.backends.opensearch.opensearch_index import OpenSearchIndex

OWN_OPTIONS: Final = ("norm", "candidates", "matched", "text", "parser")
"""The options of `OpenSearchIndex.quantity_aware` that are not options of scoring."""

NORMS: Final = ("saturation", "max")

HALF: Final = 5.0
"""The BM25 score that saturation makes one half. Rankings hardly change from 2 to 20 (docs/opensearch.md)."""

CANDIDATES: Final = ("retriever", "quantities", "union")

MATCHED: Final = "matched"
"""The column with the quantities that met a constraint, as the engine's inner hits name them."""


class _EngineSearch(Configured):
    """Q -> R by the engine, many queries a request."""

    index: OpenSearchIndex
    num_results: int
    parser: pt.Transformer | None = None
    matched = False
    text = False

    @abstractmethod
    def _search(self, queries: pd.DataFrame) -> list[list[Hit]]:
        """The hits of each query, with their scores."""

    def _asked(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The queries with what the search needs of them."""
        return inp

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = self._asked(inp)
        hits = self._search(queries) if len(queries) else []
        flat = [hit for found in hits for hit in found]
        scores = [np.array([hit["_score"] for hit in found], dtype=np.float64) for found in hits]
        result = retrieved(queries, [([hit["_id"] for hit in f], s) for f, s in zip(hits, scores, strict=True)])
        if self.text:
            result["text"] = pd.Series([hit["_source"][self.index.text_field] for hit in flat], dtype=object)
        if self.matched:
            result[MATCHED] = pd.Series([_matched(hit) for hit in flat], dtype=object)
        return result

    def _body(self, query: Query) -> Query:
        shown: Query = {"_source": [self.index.text_field]} if self.text else {}
        return {"query": query, "size": self.num_results, **shown}

    def _words(self, text: str, boost: float = 1.0) -> Query:
        return {"match": {self.index.text_field: {"query": SURROGATE.sub(" ", text), "boost": boost}}}

    def subtransformers(self) -> dict[str, Any]:
        """The index is none: it takes documents, not queries."""
        return {"parser": self.parser} if self.parser else {}

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return self._with(num_results=k) if k < self.num_results else None


def _check_results(num_results: int) -> int:
    if not 1 <= num_results <= MOST_RESULTS:
        raise ValueError(f"num_results must be in 1 to {MOST_RESULTS} (the engine's limit), got {num_results!r}")
    return num_results


def _matched(hit: Hit) -> list[Quantity]:
    """Each quantity once that the hit's inner hits hold, in text order."""
    inner = (item["_source"] for found in hit.get("inner_hits", {}).values() for item in found["hits"]["hits"])
    by_number = {source["number"]: source for source in inner}
    return [to_quantity(by_number[number]) for number in sorted(by_number)]


def _parsed(inp: pd.DataFrame, parser: pt.Transformer | None) -> pd.DataFrame:
    given = "constraints" in inp.columns or all(column in inp.columns for column in CONSTRAINT_COLUMNS)
    return inp if given else (parser or QuantityQueryParser()).transform(inp)


class OpenSearchBM25(_EngineSearch):
    """Q -> R: BM25 on the text; the index holds its parameters.

    Args:
        index: the index.
        num_results: results per query, at most 10,000.
        text: add the column `text`.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`.
    """

    def __init__(self, index: OpenSearchIndex, num_results: int = 1000, text: bool = False) -> None:
        self.index, self.num_results, self.text = index, _check_results(num_results), text

    def _search(self, queries: pd.DataFrame) -> list[list[Hit]]:
        return search_all(self.index, [self._body(self._words(text)) for text in queries["query"]])


class OpenSearchFilter(_EngineSearch):
    """Q -> R: BM25 among the documents that meet every constraint of their query, on all shards.

    Args:
        index: the index.
        num_results: results per query, at most 10,000.
        keep_unknown: keep documents that state no quantity in a unit that could meet the constraint.
        convert: whether units that convert to the constraint's count.
        matched: add the column `matched`, lists of the quantities that met a constraint.
        text: add the column `text`.
        parser: Q -> Q; `QuantityQueryParser()` by default. Not used where a frame brings constraints.

    Columns in: `qid`, `query`, and optionally `constraints` or `condition`, `value`, `unit`.
    Columns out: the queries', `docno`, `score`, `rank`. A query without a constraint gets BM25's results.
    """

    def __init__(
        self, index: OpenSearchIndex, num_results: int = 1000, keep_unknown: bool = False, convert: bool = True,
        matched: bool = False, text: bool = False, parser: pt.Transformer | None = None,
    ) -> None:  # fmt: skip
        self.index, self.num_results = index, _check_results(num_results)
        self.keep_unknown, self.convert, self.matched, self.text, self.parser = (
            keep_unknown, convert, matched, text, parser,
        )  # fmt: skip

    def _asked(self, inp: pd.DataFrame) -> pd.DataFrame:
        return _parsed(inp, self.parser)

    def _search(self, queries: pd.DataFrame) -> list[list[Hit]]:
        needs, number = index_queries(queries)
        asked = zip(queries["query"], (needs[n] for n in number.tolist()), strict=True)
        return search_all(self.index, [self._body(self._filtered(text, need)) for text, need in asked])

    def _filtered(self, text: str, need: IndexQuery) -> Query:
        conditions = _conditions(self, need, self.keep_unknown)
        return {"bool": {"must": [self._words(text)], "filter": together(need.constraints, conditions)}}


def _conditions(search: Any, need: IndexQuery, keep_unknown: bool = False) -> list[Query]:
    """One condition a constraint."""
    found = []
    for place, constraint in enumerate(need.constraints):
        met = condition(constraint, search.convert, str(place) if search.matched else None)
        if keep_unknown:
            met = {"bool": {"should": [met, unknown(constraint, search.convert)], "minimum_should_match": 1}}
        found.append(met)
    return found


class OpenSearchQuantityAware(_EngineSearch):
    """Q -> R: normalised BM25 plus alpha times the quantity score (Eq. 5), over all documents.

    Args:
        index: the index.
        alpha: weight of the quantity score, not negative; 0 is BM25 alone.
        scoring: how evidence becomes a score; a phi of one's own cannot run in the engine.
        num_results: results per query, at most 10,000.
        norm: how BM25 is normalised; "saturation": s / (s + 5), in one request a batch; "max": by the query's highest
            score, as the paper and `quantity_aware` have it, which a request before must find.
        candidates: "retriever": documents with a word of the query; "quantities": those that meet every constraint;
            "union": both.
        matched: add the column `matched`, lists of the quantities that met a constraint.
        text: add the column `text`.
        parser: Q -> Q; `QuantityQueryParser()` by default. Not used where a frame brings constraints.

    Columns in: `qid`, `query`, and optionally `constraints` or `condition`, `value`, `unit`.
    Columns out: the queries', `docno`, `score`, `rank`. A query without a quantity keeps BM25's order.

    The quantity scores are those of `QuantityIndex.scorer` over the same documents, to single precision. Where a number
    may set no condition, a request before finds how far the best results of each shard bear it out (`score.settling`).
    """

    convert = True

    def __init__(
        self, index: OpenSearchIndex, alpha: float, scoring: Scoring, num_results: int = 1000,
        norm: str = "saturation", candidates: str = "retriever", matched: bool = False, text: bool = False,
        parser: pt.Transformer | None = None,
    ) -> None:  # fmt: skip
        if not (math.isfinite(alpha) and alpha >= 0):
            raise ValueError(f"alpha must be finite and not negative (the engine's scores are not), got {alpha!r}")
        if norm not in NORMS:
            raise ValueError(f"unknown normalisation {norm!r}; one of {', '.join(NORMS)}")
        if candidates not in CANDIDATES:
            raise ValueError(f"unknown candidates {candidates!r}; one of {', '.join(CANDIDATES)}")
        self.index, self.alpha, self.scoring, self.num_results = index, alpha, scoring, _check_results(num_results)
        self.norm, self.candidates, self.matched, self.text, self.parser = norm, candidates, matched, text, parser
        check_scoring(scoring)

    def _asked(self, inp: pd.DataFrame) -> pd.DataFrame:
        return _parsed(inp, self.parser)

    def _search(self, queries: pd.DataFrame) -> list[list[Hit]]:
        asked = self._needs(queries)
        words = [self._words(text) for text, _ in asked]
        normalised = self._over_best(asked) if self.norm == "max" else list(map(_saturated, words))
        bodies = [self._body(self._ranked(each, need)) for each, (_, need) in zip(normalised, asked, strict=True)]
        return search_all(self.index, bodies)

    def _needs(self, queries: pd.DataFrame) -> list[tuple[str, IndexQuery]]:
        """Each query's text and what it asks; how far doubtful constraints count, its best candidates say."""
        needs, number = index_queries(queries)
        texts, own = list(queries["query"]), [needs[n] for n in number.tolist()]
        if self.alpha:
            among = [self._chosen(self._words(text), need) for text, need in zip(texts, own, strict=True)]
            own = settled(self.index, own, among, self.scoring, window=self.num_results)
        return list(zip(texts, own, strict=True))

    def _over_best(self, asked: Sequence[tuple[str, IndexQuery]]) -> list[Query]:
        """The words of each query, scored by BM25 over its highest score among the candidates."""
        tops = [{"query": self._chosen(self._words(text), need), "size": 1} for text, need in asked]
        best = [hits[0]["_score"] if hits else 0.0 for hits in search_all(self.index, tops)]
        return [self._words(text, 1.0 / (top or 1.0)) for (text, _), top in zip(asked, best, strict=True)]

    def _ranked(self, words: Query, need: IndexQuery) -> Query:
        query = self._chosen(words, need)
        if need.constraints and self.alpha:
            query["bool"]["should"].append(quantity_scores(need, self.scoring, self.index.statistics, self.alpha))
        if self.matched:
            shown = _conditions(self, need)
            for found in shown:
                found["nested"]["boost"] = 0.0
            query["bool"]["should"] += shown
        return query

    def _chosen(self, words: Query, need: IndexQuery) -> Query:
        """The candidates, scored by their words."""
        if self.candidates == "retriever" or not need.constraints:
            return {"bool": {"must": [words], "should": []}}
        met = together(need.constraints, [condition(constraint) for constraint in need.constraints])
        if self.candidates == "quantities":
            return {"bool": {"filter": met, "should": [words]}}
        either = {"bool": {"should": [words, {"bool": {"filter": met}}], "minimum_should_match": 1}}
        return {"bool": {"must": [either], "should": []}}

    def scorer(self) -> OpenSearchScorer:
        """R -> R: the quantity scores alone, for `explain`."""
        return OpenSearchScorer(self.index, self.scoring)


def _saturated(words: Query) -> Query:
    script = {"lang": "painless", "source": "_score / (_score + params.half)", "params": {"half": HALF}}
    return {"script_score": {"query": words, "script": script}}
