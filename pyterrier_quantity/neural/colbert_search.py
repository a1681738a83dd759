"""Late interaction over a `ColBERTIndex`: reranking by stored vectors, and retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.maxsim import maxsim, maxsim_many, ragged
from pyterrier_quantity.neural.models import clean_text

_SCAN: Final = 1 << 12
"""Token vectors that the retriever looks at a time: few enough to stay in a processor's cache."""
_TOGETHER: Final = 64
"""Queries that the retriever answers in one pass over the vectors."""


class Searcher(Configured):
    index: ColBERTIndex
    model: ColBERT | str | None

    @cached_property
    def encoder(self) -> ColBERT:
        """The model, checked against the index once."""
        return self.index.model(self.model)

    def __getstate__(self) -> dict[str, Any]:
        return self._config()


class ColBERTIndexScorer(Searcher):
    """R -> R: MaxSim between the query and the stored vectors of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.

    Columns in: `qid`, `docno`, `query`. Rows keep their order.
    """

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None) -> None:
        self.index, self.model = index, model

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        result = inp.drop(columns=["score", "rank"], errors="ignore")
        if not len(inp):
            return result.assign(score=np.empty(0), rank=np.empty(0, dtype=np.int64))
        document = self.index.docnos.rows(inp["docno"])
        query, queries = pd.factorize(pd.Series([clean_text(q) for q in inp["query"]]))
        query[document < 0] = len(queries)
        score = np.zeros(len(inp))
        rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query, minlength=len(queries)))[:-1])
        for vectors, chosen in zip(self.encoder.encode(list(queries), "query"), rows, strict=False):
            chosen = chosen[document[chosen] >= 0]
            where, starts = ragged(document[chosen], self.index.offsets)
            score[chosen] = maxsim(vectors, self.index.tokens(where), starts)
        number = pd.factorize(inp["qid"])[0].astype(np.int64)
        return result.assign(score=score, rank=ranks(number, score))


class ColBERTRetriever(Searcher):
    """Q -> R: the documents with the highest MaxSim, exactly, by a pass over all vectors.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        num_results: documents per query.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`. An empty query finds nothing.
    """

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None, num_results: int = 1000) -> None:
        self.index, self.model, self.num_results = index, model, num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        vectors = self.encoder.encode([clean_text(q) for q in inp["query"]], "query") if len(inp) else []
        found = [
            pair for start in range(0, len(inp), _TOGETHER) for pair in self._search(vectors[start : start + _TOGETHER])
        ]
        count = [len(rows) for rows, _ in found]
        result = inp.iloc[np.repeat(np.arange(len(inp)), count)].reset_index(drop=True)
        rows = np.concatenate([r for r, _ in found]) if found else np.empty(0, dtype=np.int64)
        result["docno"] = pd.Series(self.index.docnos.docnos(rows) if len(rows) else [], dtype=object)
        result["score"] = np.concatenate([s for _, s in found]) if found else np.empty(0)
        result["rank"] = np.concatenate([np.arange(n) for n in count]) if count else np.empty(0, dtype=np.int64)
        return result

    def _search(self, queries: list[Any]) -> Iterator[tuple[Any, Any]]:
        """The best rows and their scores, of each query."""
        offsets, documents = self.index.offsets, len(self.index)
        scores = np.zeros((len(queries), documents), dtype=np.float32)
        first = 0
        while first < documents:
            last = int(np.searchsorted(offsets, offsets[first] + _SCAN, side="right")) - 1
            last = min(max(last, first + 1), documents)
            tokens = self.index.tokens(slice(offsets[first], offsets[last]))
            part = maxsim_many(queries, tokens, offsets[first:last] - offsets[first])
            scores[:, first:last] = part
            first = last
        for query, row in zip(queries, scores, strict=True):
            size = min(self.num_results, documents) if len(query) else 0
            best = np.argpartition(-row, size - 1)[:size] if size else np.empty(0, dtype=np.int64)
            best = best[np.lexsort((best, -row[best]))]
            yield best, row[best].astype(np.float64)

    def fuse_rank_cutoff(self, k: int) -> ColBERTRetriever | None:
        return ColBERTRetriever(self.index, self.model, k) if k < self.num_results else None
