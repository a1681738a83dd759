"""Late interaction over a `ColBERTIndex`: reranking by stored vectors, and retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import check_counts
from pyterrier_quantity.neural.centroids import candidates
from pyterrier_quantity.neural.colbert import ColBERT, Encoded, TokenVectors
from pyterrier_quantity.neural.maxsim import maxsim, maxsim_many, ragged
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.stored_search import NOTHING_FOUND, Found, StoredScorer, StoredSearcher, result_frame

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert_index import ColBERTIndex

_SCAN: Final = 1 << 12
"""Token vectors that the retriever looks at a time: few enough to stay in a processor's cache."""
_TOGETHER: Final = 64
"""Queries that the retriever answers in one pass over the vectors."""


class Searcher(StoredSearcher):
    """Encodes queries by a ColBERT model, and scores by MaxSim and terms."""

    index: ColBERTIndex
    model: ColBERT | str | None

    def _encoded(self, texts: list[str]) -> list[Encoded]:
        """The queries' token vectors, and their terms."""
        numeric = self.encoder.numeric
        terms = numeric.queries(texts) if numeric else [[]] * len(texts)
        return list(zip(self.encoder.encode(texts, "query"), terms, strict=True))

    def _score(self, query: Encoded, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The scores of some documents."""
        where, starts = ragged(rows, self.index.offsets)
        score = maxsim(query[0], self.index.tokens(where), starts)
        return score + self.index.terms.met(query[1], rows) if self.index.terms else score


class ColBERTIndexScorer(Searcher, StoredScorer):
    """R -> R: MaxSim between the query and the stored vectors of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.

    Columns in: `qid`, `docno`, `query`. Rows keep their order.
    """

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None) -> None:
        self.index, self.model = index, model


class ColBERTRetriever(Searcher):
    """Q -> R: the documents with the highest MaxSim, exactly by a pass over all vectors, or among candidates.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        num_results: documents per query.
        candidates: only this many documents, by the centroids of their vectors, are scored; a few thousand find nearly
            what all would in a fraction of the time. None: all.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`. An empty query finds nothing.

    Raises:
        ValueError: if results are below 1, or candidates fewer than results; on use, if it is not of 2 or 4 bits.
    """

    def __init__(
        self,
        index: ColBERTIndex,
        model: ColBERT | str | None = None,
        num_results: int = 1000,
        candidates: int | None = None,
    ) -> None:
        check_counts(num_results=num_results)
        if candidates is not None and candidates < num_results:
            raise ValueError(f"candidates must be at least the {num_results} results, got {candidates!r}")
        self.index, self.model, self.num_results, self.candidates = index, model, num_results, candidates

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = self._encoded([clean_text(q) for q in inp["query"]]) if len(inp) else []
        found = list(self._all(queries) if self.candidates is None else map(self._near, queries))
        return result_frame(inp, found, self.index)

    def _all(self, encoded: list[Encoded]) -> Iterator[Found]:
        """The best rows of all and their scores, of each query."""
        documents = np.arange(len(self.index))
        for start in range(0, len(encoded), _TOGETHER):
            queries = encoded[start : start + _TOGETHER]
            for (query, asked), scores in zip(queries, self._scores([vectors for vectors, _ in queries]), strict=True):
                if asked and self.index.terms:
                    scores += self.index.terms.met(asked)
                yield self._best(documents, scores) if len(query) else NOTHING_FOUND

    def _scores(self, queries: list[TokenVectors]) -> npt.NDArray[np.float32]:
        """(queries, documents), by one pass over the vectors."""
        offsets, documents = self.index.offsets, len(self.index)
        scores = np.zeros((len(queries), documents), dtype=np.float32)
        first = 0
        while first < documents:
            last = int(np.searchsorted(offsets, offsets[first] + _SCAN, side="right")) - 1
            last = min(max(last, first + 1), documents)
            tokens = self.index.tokens(slice(offsets[first], offsets[last]))
            scores[:, first:last] = maxsim_many(queries, tokens, offsets[first:last] - offsets[first])
            first = last
        return scores

    def _near(self, query: Encoded) -> Found:
        """The best rows among the candidates and their scores."""
        if not len(query[0]) or not len(self.index):
            return NOTHING_FOUND
        if self.index.quantiser is None:
            raise ValueError(
                f"{self.index.path} has no centroids to find candidates by; make it smaller first: "
                ".compressed(path, dtype='2bit')"
            )
        rows = candidates(self.index, query[0], self.candidates or 0)
        return self._best(rows, self._score(query, rows))

    def _best(self, rows: npt.NDArray[np.int64], score: npt.NDArray[np.float32]) -> Found:
        size = min(self.num_results, len(rows))
        best = np.argpartition(-score, size - 1)[:size] if size else np.empty(0, dtype=np.int64)
        best = best[np.lexsort((rows[best], -score[best]))]
        return rows[best], score[best].astype(np.float64)

    def fuse_rank_cutoff(self, k: int) -> ColBERTRetriever | None:
        return ColBERTRetriever(self.index, self.model, k, self.candidates) if k < self.num_results else None
