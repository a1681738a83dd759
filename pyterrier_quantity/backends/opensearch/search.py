"""Retrieve documents by words and numerical conditions with OpenSearch, and score the quantities stored there."""

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.backends.opensearch.connection import MOST_RESULTS, Engine, Query
from pyterrier_quantity.backends.opensearch.content import EVIDENCE, SURROGATE, unpack
from pyterrier_quantity.filters.field_conditions import nested_conditions
from pyterrier_quantity.frames.frame import numbered, ranked, retrieved
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.fusion import normalise
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.columns_builder import ColumnsBuilder
from pyterrier_quantity.index.queries import has_constraints, index_queries
from pyterrier_quantity.index.scorer import SCORED_BY, ResultScorer
from pyterrier_quantity.index.segments import Segments
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.score import Scoring, make_scoring
from pyterrier_quantity.transformers.query_parser import QuantityQueryParser
from pyterrier_quantity.units import default_registry

RANKED: Final = 1000
"""Minimum number of candidate documents for a query with a constraint: half from BM25, half from the constraints."""


class OpenSearchBM25(Configured):
    """Retriever, Q -> R, that ranks documents by BM25 on the text. The index stores BM25's parameters.

    Args:
        index: the index.
        num_results: the maximum number of results per query, at most 10,000.
        text: whether to add the column `text`.

    Columns in: `qid`, `query`. Columns out: the queries' columns, `docno`, `score`, `rank`.
    """

    _conditioned, _with_evidence = False, False
    """Whether a search uses the constraints, and whether results get the column `evidence` (the stored quantities)."""

    def __init__(self, index: Engine, num_results: int = 1000, text: bool = False) -> None:
        if not 1 <= num_results <= MOST_RESULTS:
            raise ValueError(f"num_results must be in 1 to {MOST_RESULTS} (the engine's limit), got {num_results!r}")
        self.index, self.num_results, self.text = index, num_results, text

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = inp if not self._conditioned or has_constraints(inp) else QuantityQueryParser().transform(inp)
        texts = [{"query": SURROGATE.sub(" ", text)} for text in queries["query"]]
        words = [{"match": {self.index.text_field: text}} for text in texts]
        searches = list(map(self._search, words, self._conditions(queries)))
        shown: Query = {"docvalue_fields": [EVIDENCE]} if self._with_evidence else {}
        shown |= {"_source": [self.index.text_field]} if self.text else {}
        answers = iter(self.index.find([{**search, **shown} for each in searches for search in each]))
        once = [{hit.docno: hit for _ in each for hit in next(answers)} for each in searches]
        found = [sorted(hits.values(), key=lambda hit: -hit.score) for hits in once]
        pairs = [([hit.docno for hit in hits], np.array([hit.score for hit in hits])) for hits in found]
        result = retrieved(queries, pairs)
        hits = [hit for each in found for hit in each]
        if self._with_evidence:
            result[EVIDENCE] = pd.Series([hit.evidence for hit in hits], dtype=object)
        if self.text:
            result["text"] = pd.Series([hit.source.get(self.index.text_field) for hit in hits], dtype=object)
        return result

    def subtransformers(self) -> dict[str, Any]:
        """Return an empty dictionary, because the attribute `index` is not a step of this transformer."""
        return {}

    def _search(self, words: Query, met: list[Query]) -> list[Query]:
        return [{"query": words, "size": self.num_results}]

    def _conditions(self, queries: pd.DataFrame) -> list[list[Query]]:
        if not self._conditioned or queries.empty:
            return [[] for _ in queries["query"]]
        asked, number = index_queries(queries)
        return [nested_conditions(asked[place].constraints) for place in number.tolist()]


class OpenSearchFilter(OpenSearchBM25):
    """Retriever, Q -> R, that returns the documents that meet every constraint of the query, ranked by BM25.

    Args:
        index: the index.
        num_results: the maximum number of results per query, at most 10,000.
        matched: whether to add the column `matched`: lists of quantities that met a constraint.
        text: whether to add the column `text`.

    Columns in: `qid`, `query`. If you parse queries yourself, also `constraints`, or `condition`, `value` and `unit`.
    Columns out: the queries' columns, `docno`, `score`, `rank`. For a query without a constraint, the results are those
    of BM25. If the conversion of a unit makes a value infinite, the constraint is ignored with a UserWarning.
    """

    _conditioned = True

    def __init__(self, index: Engine, num_results: int = 1000, matched: bool = False, text: bool = False) -> None:
        super().__init__(index, num_results, text)
        self.matched = self._with_evidence = matched

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        found = super().transform(inp)
        if not self.matched:
            return found
        scoring = make_scoring("binary", units="convert", fit=False)
        return _with_matched(found, OpenSearchScorer(self.index, scoring)).drop(columns=EVIDENCE)

    def _search(self, words: Query, met: list[Query]) -> list[Query]:
        return [{"query": {"bool": {"must": [words], "filter": met}}, "size": self.num_results}]


def _with_matched(results: pd.DataFrame, scorer: "OpenSearchScorer") -> pd.DataFrame:
    """Return results (R) with the column `matched`: each document's quantities that meet a constraint."""
    found = scorer.assess(results)
    evidence, documents = found.evidence, found.documents
    met = np.flatnonzero(evidence.met)
    rows = found.pairs.row[evidence.pair[met]]
    matched: list[dict[int, Quantity]] = [{} for _ in range(len(results))]
    quantities = documents.columns.quantities(evidence.quantity[met], documents.vocabulary.names)
    for row, number, quantity in zip(rows.tolist(), evidence.quantity[met].tolist(), quantities, strict=True):
        matched[row][number] = quantity
    ordered = [[each[number] for number in sorted(each)] for each in matched]
    return results.assign(matched=pd.Series(ordered, results.index, dtype=object))


class _Results(Segments):
    """The quantities of search results as an index segment, which the scoring functions expect."""

    counts: Mapping[int | str, int]

    def count(self, family: str) -> float:
        return self.counts[family]

    def stating(self, unit: int) -> npt.NDArray[np.int64]:
        return self.sample()

    def sample(self) -> npt.NDArray[np.int64]:
        return np.empty(0, dtype=np.int64)


class OpenSearchScorer(ResultScorer):
    """Scorer, R -> R, that scores results by the quantities that the engine stores.

    Args:
        index: the index. Documents that are not in the index score 0.
        scoring: the scoring options, see `score.make_scoring`.

    Columns: see `ResultScorer`. The scores equal those of a `QuantityIndex` with the same documents.
    """

    def __init__(self, index: Engine, scoring: Scoring) -> None:
        self.index, self.scoring = index, scoring

    def subtransformers(self) -> dict[str, Any]:
        """Return an empty dictionary, because the attribute `index` is not a step of this transformer."""
        return {}

    def located(self, inp: pd.DataFrame) -> tuple[Segments, npt.NDArray[np.int64]]:
        document, docnos = pd.factorize(inp["docno"])
        document = document.astype(np.int64)
        if EVIDENCE in inp.columns:
            evidence = inp[EVIDENCE].to_numpy()[np.unique(document, return_index=True)[1]]
        else:
            known = self.index.sources(docnos, [EVIDENCE])
            evidence = [known.get(docno, {}).get(EVIDENCE) for docno in docnos]
            held = np.array([docno in known for docno in docnos], dtype=bool)
            document = np.where(held[document], document, -1)
        builder = ColumnsBuilder()
        with self.index.errors():
            for packed in evidence:
                quantities, around = unpack(packed) if packed else ([], None)
                builder.add(quantities, around=around)
        total = self.index.documents if len(docnos) else 0  # PyTerrier inspects with empty frames: send no request
        results = _Results({}, [builder.in_memory()])
        queries, _ = index_queries(inp)
        terms = {term for query in queries for term in query.words}
        units = {one.unit for query in queries for one in query.constraints}
        results.counts = self.index.counts([*terms, *(default_registry().family(unit) or unit for unit in units)])
        held = np.zeros(1 << 16, dtype=np.int64)
        for term in terms:
            held[term] = results.counts[term]
        results.columns = Columns(results.parts, documents=total, term_documents=held)
        return results, document


class OpenSearchQuantityAware(OpenSearchBM25):
    """Retriever, Q -> R. A score is the BM25 score, divided by the query's highest BM25 score, plus `alpha` times the
    quantity score. The candidates are the best documents by BM25 and the documents that meet the constraints.

    Args:
        index: the index.
        alpha: the weight of the quantity score; with 0, the ranking is that of BM25.
        scoring: the scoring options, see `score.make_scoring`.
        num_results: the maximum number of results per query, at most 10,000.
        matched: whether to add the column `matched`: lists of quantities that met a constraint.
        text: whether to add the column `text`.

    Columns in: `qid`, `query`. If you parse queries yourself, also `constraints`, or `condition`, `value` and `unit`.
    Columns out: the queries' columns, `docno`, `score`, `rank`. A query without a quantity keeps BM25's order.
    """

    schematic = {"label": "OpenSearchAware"}  # noqa: RUF012 (PyTerrier's own convention)
    _conditioned, _with_evidence = True, True

    def __init__(
        self,
        index: Engine,
        alpha: float,
        scoring: Scoring,
        num_results: int = 1000,
        matched: bool = False,
        text: bool = False,
    ) -> None:
        super().__init__(index, num_results, text)
        if not math.isfinite(alpha):
            raise ValueError(f"alpha must be finite, got {alpha!r}")
        self.alpha, self.scoring, self.matched = alpha, scoring, matched

    def scorer(self, scoring: Scoring | None = None) -> OpenSearchScorer:
        """Return a scorer, R -> R, that uses only quantities. `scoring` overrides this object's scoring options."""
        return OpenSearchScorer(self.index, scoring or self.scoring)

    def _search(self, words: Query, met: list[Query]) -> list[Query]:
        if not met:
            return super()._search(words, met)
        half = math.ceil(max(RANKED, self.num_results) / 2)
        return [
            {"query": {"bool": {"must": [words]}}, "size": half},
            {"query": {"bool": {"filter": met, "should": [words]}}, "size": half},
        ]

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        found, scorer = super().transform(inp), self.scorer()
        query, (scores, queries) = numbered(found), scorer.scored(found)
        note = scorer.note(found["qid"].unique(), queries)
        found = ranked(found, query, normalise(found["score"], query, "max") + self.alpha * scores)
        found = found[found["rank"] < self.num_results].reset_index(drop=True)
        found = (_with_matched(found, scorer) if self.matched else found).drop(columns=EVIDENCE)
        found.attrs[SCORED_BY] = note
        return found
