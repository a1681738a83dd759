"""`ColBERTIndex`: the token vectors of a corpus on disk, and late interaction over them: reranking and retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import retrieved
from pyterrier_quantity._shared_artifact import Card
from pyterrier_quantity._transformer import check_counts
from pyterrier_quantity.neural.colbert import ColBERT, Encoded, TokenVectors
from pyterrier_quantity.neural.colbert_indexer import COLBERT, ColBERTIndexer, token_probe
from pyterrier_quantity.neural.maxsim import maxsim, maxsim_many, ragged
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.neural_index import NeuralIndex
from pyterrier_quantity.neural.places import Places
from pyterrier_quantity.neural.rankers import (
    NOTHING_FOUND,
    Found,
    StoredScorer,
    StoredSearcher,
    best_found,
)
from pyterrier_quantity.neural.stored_terms import COLUMNS, StoredTerms

_SCAN: Final = 1 << 12
"""Token vectors that the retriever looks at a time: few enough to stay in a processor's cache."""
_TOGETHER: Final = 64
"""Queries that the retriever answers in one pass over the vectors."""


class ColBERTIndex(NeuralIndex):
    """The token vectors of a corpus, memory-mapped.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    Build it by `ColBERTIndex(path).indexer(model).index(documents)`.
    """

    KIND = COLBERT
    MODEL = ColBERT
    ARTIFACT_TYPE = COLBERT.type
    ARTIFACT_FORMAT = COLBERT.format
    ARTIFACT_PACKAGE_HINT = COLBERT.package
    CARD = Card(
        "The token vectors of a collection, for late interaction (ColBERT).",
        "artifact.retriever().search('car with more than 500 hp')  # loads the model that built it",
        "from pyterrier_quantity.neural import ColBERTIndex\n"
        "ColBERTIndex('corpus.index').indexer(model).index(documents)",
    )

    def indexer(
        self,
        model: ColBERT | str,
        overwrite: bool = False,
        text_field: str = "text",
    ) -> ColBERTIndexer:
        """An indexer; see `ColBERTIndexer`."""
        return ColBERTIndexer(self, model, overwrite, text_field)

    def scorer(self, model: ColBERT | str | None = None) -> ColBERTIndexScorer:
        """R -> R by the stored vectors; see `ColBERTIndexScorer`."""
        return ColBERTIndexScorer(self, model)

    def retriever(self, model: ColBERT | str | None = None, num_results: int = 1000) -> ColBERTRetriever:
        """Q -> R by MaxSim over all documents; see `ColBERTRetriever`."""
        return ColBERTRetriever(self, model, num_results)

    @staticmethod
    def probed(model: ColBERT) -> npt.NDArray[np.float32]:
        return token_probe(model)

    @property
    def has_terms(self) -> bool:
        return self.terms is not None

    @cached_property
    def terms(self) -> StoredTerms | None:
        """The documents' quantities as terms; None in an index of a model that takes them otherwise."""
        return StoredTerms(*(self._arrays[name] for name in COLUMNS)) if COLUMNS[0] in self._arrays else None

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each document's tokens begin, and the end of the last."""
        return self._arrays["offsets"].astype(np.int64)

    def tokens(self, where: slice | npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The token vectors at these positions."""
        vectors = self._arrays["vectors"].reshape(-1, self.meta["dimension"])[where].astype(np.float32)
        vectors *= self._arrays["steps"][where].astype(np.float32)[:, None]
        return vectors

    def places(self, where: npt.NDArray[np.int64]) -> Places:
        """Where the tokens at these positions begin in their texts, in characters; see `places.NOWHERE`."""
        return self._arrays["places"][where]


class TokenSearcher(StoredSearcher):
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


class ColBERTIndexScorer(TokenSearcher, StoredScorer):
    """R -> R: MaxSim between the query and the stored vectors of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.

    Columns in: `qid`, `docno`, `query`. Rows keep their order.
    """


class ColBERTRetriever(TokenSearcher):
    """Q -> R: the documents with the highest MaxSim, by a pass over all vectors.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        num_results: documents per query.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`. An empty query finds nothing.

    Raises:
        ValueError: if `num_results` is no whole number of at least 1.
    """

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None, num_results: int = 1000) -> None:
        check_counts(num_results=num_results)
        self.index, self.model, self.num_results = index, model, num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = self._encoded([clean_text(q) for q in inp["query"]]) if len(inp) else []
        return retrieved(inp, [(self.index.docnos.docnos(rows), score) for rows, score in self._all(queries)])

    def _all(self, encoded: list[Encoded]) -> Iterator[Found]:
        """The best rows of all and their scores, of each query."""
        for start in range(0, len(encoded), _TOGETHER):
            queries = encoded[start : start + _TOGETHER]
            for (query, asked), scores in zip(queries, self._scores([vectors for vectors, _ in queries]), strict=True):
                if asked and self.index.terms:
                    scores += self.index.terms.met(asked)
                yield best_found(scores, self.num_results) if len(query) else NOTHING_FOUND

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

    def fuse_rank_cutoff(self, k: int) -> ColBERTRetriever | None:
        return ColBERTRetriever(self.index, self.model, k) if k < self.num_results else None
