"""`HybridIndex`: what one pass of a hybrid model gives of a corpus, on disk, and exact search over it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity import _recorded
from pyterrier_quantity._extras import need
from pyterrier_quantity._frames import retrieved
from pyterrier_quantity._ragged import ragged_ranges
from pyterrier_quantity._shared_artifact import Card
from pyterrier_quantity._transformer import check_counts
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.hybrid import Hybrid, Pair, check_alpha
from pyterrier_quantity.neural.hybrid_indexer import HYBRID, TOKENS, VECTORS, HybridIndexer, vector_probe
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.neural_index import NeuralIndex
from pyterrier_quantity.neural.rankers import (
    NOTHING_FOUND,
    Ints,
    StoredScorer,
    StoredSearcher,
    best_found,
)
from pyterrier_quantity.neural.sparse_vectors import SparseVector
from pyterrier_quantity.pipelines.rankers import DENSE_SCORE, SPARSE_SCORE


class HybridIndex(NeuralIndex):
    """Vectors in a FlexIndex, terms with the documents that have them, and token vectors.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    Build it by `HybridIndex(path).indexer(model).index(documents)`. An item takes four bytes for each number of its
    vector, and eight for each of its terms.
    """

    KIND = HYBRID
    MODEL = Hybrid
    ARTIFACT_TYPE = HYBRID.type
    ARTIFACT_FORMAT = HYBRID.format
    ARTIFACT_PACKAGE_HINT = HYBRID.package
    CARD = Card(
        "Terms, vectors and, where asked, token vectors of a collection, from one pass of one model.",
        "artifact.retriever().search('car with more than 500 hp')  # loads the model that built it",
        "from pyterrier_quantity.neural import HybridIndex\n"
        "HybridIndex('corpus.index').indexer(model).index(documents)",
    )

    def indexer(
        self,
        model: Hybrid | str,
        k: int | None = None,
        overwrite: bool = False,
        text_field: str = "text",
    ) -> HybridIndexer:
        """An indexer; see `HybridIndexer`."""
        return HybridIndexer(self, model, k, overwrite, text_field)

    def scorer(self, model: Hybrid | str | None = None, alpha: float | None = None) -> HybridIndexScorer:
        """R -> R by what is stored; see `HybridIndexScorer`."""
        return HybridIndexScorer(self, model, alpha)

    def retriever(
        self, model: Hybrid | str | None = None, alpha: float | None = None, num_results: int = 1000
    ) -> HybridRetriever:
        """Q -> R; see `HybridRetriever`."""
        return HybridRetriever(self, model, alpha, num_results)

    @staticmethod
    def probed(model: Hybrid) -> npt.NDArray[np.float32]:
        return vector_probe(model)

    @property
    def has_terms(self) -> bool:
        return "terms" in self.meta

    def verify(self) -> None:
        super().verify()
        _recorded.compare(self.part / VECTORS, everything=True)
        if (self.part / TOKENS).is_dir():
            self.tokens.verify()

    @property
    def terms_kept(self) -> int:
        """How many of a text's heaviest terms are kept."""
        return int(self.meta["k"])

    @cached_property
    def flex(self) -> Any:
        """The vectors, a `pyterrier_dr.FlexIndex`."""
        _recorded.compare(self.part / VECTORS)
        return need("pyterrier_dr", "dense").FlexIndex(str(self.part / VECTORS), verbose=False)

    @cached_property
    def tokens(self) -> ColBERTIndex:
        """The token vectors.

        Raises:
            FileNotFoundError: if the model that built the index did not give them.
        """
        if not (self.part / TOKENS).is_dir():
            raise FileNotFoundError(
                f"{self.path} holds no token vectors; build it by a Hybrid whose outputs are dense, sparse, tokens"
            )
        return ColBERTIndex(self.part / TOKENS)

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        """(documents, dimension), memory-mapped."""
        return np.asarray(self.flex.np_vecs())

    def sparse_scores(self, query: SparseVector) -> npt.NDArray[Any]:
        """The dot product of a query's terms and those of each document, in the order of the rows."""
        terms, weights = query
        begin = self._arrays["term_begin"]
        known = terms < len(begin) - 1
        terms, weights = terms[known], weights[known]
        count = begin[terms + 1] - begin[terms]
        where = ragged_ranges(begin[terms], count)
        products = self._arrays["weight"][where] * np.repeat(weights, count)
        return np.bincount(self._arrays["row"][where], weights=products, minlength=len(self))


class _HybridSearcher(StoredSearcher):
    """Encodes queries by a hybrid model, and scores by both of its parts."""

    index: HybridIndex
    model: Hybrid | str | None
    alpha: float | None

    def _encoded(self, texts: list[str]) -> list[Pair]:
        found = self.encoder.encode(texts, "query", self.index.terms_kept, outputs=("dense", "sparse"))
        return list(zip(found.dense, found.sparse, strict=True))

    def _score(self, query: Pair, rows: Ints | slice) -> npt.NDArray[np.float64]:
        """The scores of the documents in these rows, and beside them those of their vectors alone."""
        alpha = self.encoder.alpha if self.alpha is None else self.alpha
        dense = self.index.vectors[rows] @ query[0]
        sparse = self.index.sparse_scores(query[1])[rows]
        return np.stack([alpha * dense + (1 - alpha) * sparse, dense, sparse], axis=1)


class HybridIndexScorer(_HybridSearcher, StoredScorer):
    """R -> R: the hybrid score of the query and the stored vector and terms of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.
        alpha: the weight of the dense part, between 0 and 1; None: the model's own.

    Columns in: `qid`, `docno`, `query`. Columns out: the same, `score`, `dense_score` and `sparse_score` (the dot
    products of the vectors and of the terms), `rank`. Rows keep their order.
    """

    COLUMNS = ("score", DENSE_SCORE, SPARSE_SCORE)

    def __init__(self, index: HybridIndex, model: Hybrid | str | None = None, alpha: float | None = None) -> None:
        check_alpha(alpha)
        self.index, self.model, self.alpha = index, model, alpha


class HybridRetriever(_HybridSearcher):
    """Q -> R: the documents with the highest hybrid score, by a pass over all vectors.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        alpha: the weight of the dense part, between 0 and 1; None: the model's own.
        num_results: documents per query.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`, and `dense_score` and
    `sparse_score`, the dot products of the vectors, by which `quantity_aware` trusts the ranker, and of the terms. An
    empty query finds nothing.

    Raises:
        ValueError: if alpha is out of range, or `num_results` no whole number of at least 1.
    """

    def __init__(
        self,
        index: HybridIndex,
        model: Hybrid | str | None = None,
        alpha: float | None = None,
        num_results: int = 1000,
    ) -> None:
        check_alpha(alpha)
        check_counts(num_results=num_results)
        self.index, self.model, self.alpha, self.num_results = index, model, alpha, num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        texts = [clean_text(query) for query in inp["query"]]
        encoded = self._encoded(texts) if texts else []
        found, parts = [NOTHING_FOUND] * len(texts), [np.empty((0, 2))]
        for number in (number for number, text in enumerate(texts) if text):
            scores = self._score(encoded[number], slice(None))
            found[number] = best_found(scores[:, 0], self.num_results)
            parts.append(scores[found[number][0], 1:])
        named = zip((DENSE_SCORE, SPARSE_SCORE), np.concatenate(parts).T, strict=True)
        result = retrieved(inp, [(self.index.docnos.docnos(rows), score) for rows, score in found])
        return result.assign(**dict(named))

    def fuse_rank_cutoff(self, k: int) -> HybridRetriever | None:
        return HybridRetriever(self.index, self.model, self.alpha, k) if k < self.num_results else None
