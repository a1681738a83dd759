"""`ColBERTIndex`: the token vectors of a corpus on disk, and late interaction over them: reranking and retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._shared_artifact import Card
from pyterrier_quantity._transformer import check_counts
from pyterrier_quantity.neural.centroids import CentroidLists
from pyterrier_quantity.neural.colbert import ColBERT, Encoded, TokenVectors
from pyterrier_quantity.neural.colbert_indexer import SHARED_META, ColBERTIndexer, token_probe, write_smaller
from pyterrier_quantity.neural.index_kinds import COLBERT, NeuralIndex
from pyterrier_quantity.neural.maxsim import maxsim, maxsim_many, ragged
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.places import Places
from pyterrier_quantity.neural.rankers import NOTHING_FOUND, Found, StoredScorer, StoredSearcher, result_frame
from pyterrier_quantity.neural.stored_terms import COLUMNS, StoredTerms
from pyterrier_quantity.neural.token_coding import Quantiser, decode

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
        dtype: str = "int8",
        overwrite: bool = False,
        text_field: str = "text",
        resume: bool = False,
        pool: float = 1.0,
    ) -> ColBERTIndexer:
        """An indexer; see `ColBERTIndexer`."""
        return ColBERTIndexer(self, model, dtype, overwrite, text_field, resume, pool)

    def compressed(
        self, path: str | Path, dtype: str = "2bit", pool: float = 1.5, overwrite: bool = False
    ) -> ColBERTIndex:
        """A smaller index of the same documents, made from the stored vectors, without encoding them again.

        Args:
            path: where to.
            dtype: of the vectors, see `ColBERTIndexer`.
            pool: how many tokens of a document share a vector, on average.
            overwrite: replace an index at this path.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            ValueError: on an unknown dtype, a pool below 1, and if this index is compressed already.
        """
        if self.quantiser:
            raise ValueError(f"{self.path} is compressed already; compress the index that it was made of")
        kept = {name: value for name, value in self.meta.items() if name in SHARED_META}
        columns = {name: self._arrays[name] for name in self._arrays if name.startswith("docno_") or name in COLUMNS}
        target = ColBERTIndex(path)
        write_smaller(target, map(self._document, range(len(self))), columns, kept, dtype, pool, overwrite)
        return target

    def _document(self, row: int) -> tuple[TokenVectors, Places]:
        """A document's token vectors and places."""
        where = np.arange(self.offsets[row], self.offsets[row + 1])
        return self.tokens(where), self.places(where)

    def scorer(self, model: ColBERT | str | None = None) -> ColBERTIndexScorer:
        """R -> R by the stored vectors; see `ColBERTIndexScorer`."""
        return ColBERTIndexScorer(self, model)

    def retriever(
        self, model: ColBERT | str | None = None, num_results: int = 1000, candidates: int | None = None
    ) -> ColBERTRetriever:
        """Q -> R by MaxSim over all documents, or over candidates; see `ColBERTRetriever`."""
        return ColBERTRetriever(self, model, num_results, candidates)

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
        if self.quantiser:
            return self.quantiser.decode(self._arrays["codes"][where], self._residuals[where])
        vectors = self._arrays["vectors"].reshape(-1, self.meta["dimension"])
        return decode(vectors[where], self._arrays["steps"][where] if vectors.dtype == np.int8 else None)

    @cached_property
    def quantiser(self) -> Quantiser | None:
        """What the vectors are coded by, in an index of 2 or 4 bits a number."""
        if "codes" not in self._arrays:
            return None
        parts = (self._arrays[name].astype(np.float32) for name in ("centroids", "scale", "cutoffs", "levels"))
        centroids, *others = parts
        return Quantiser(centroids.reshape(-1, self.meta["dimension"]), *others)

    @cached_property
    def centroid_lists(self) -> CentroidLists:
        """The documents of each centroid, in an index of 2 or 4 bits a number."""
        assert self.quantiser
        centroids, begins = self.quantiser.centroids, self._arrays["list_offsets"]
        return CentroidLists(centroids, self._arrays["codes"], self.offsets, self._arrays["list_rows"], begins)

    @property
    def _residuals(self) -> npt.NDArray[np.uint8]:
        assert self.quantiser
        return self._arrays["residuals"].reshape(-1, self.quantiser.width)

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

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None) -> None:
        self.index, self.model = index, model


class ColBERTRetriever(TokenSearcher):
    """Q -> R: the documents with the highest MaxSim, exactly by a pass over all vectors, or among candidates.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        num_results: documents per query.
        candidates: score only this many documents, chosen by the centroids of their vectors. A few thousand find nearly
            the same in a fraction of the time. None: all.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`. An empty query finds nothing.

    Raises:
        ValueError: if `num_results` is below 1 or above `candidates`; on use, if the index is not of 2 or 4 bits.
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
        found = list(self._all(queries) if self.candidates is None else map(self._among_candidates, queries))
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

    def _among_candidates(self, query: Encoded) -> Found:
        """The best rows among the candidates and their scores."""
        if not len(query[0]) or not len(self.index):
            return NOTHING_FOUND
        if self.index.quantiser is None:
            raise ValueError(
                f"{self.index.path} has no centroids to find candidates by; make it smaller first: "
                ".compressed(path, dtype='2bit')"
            )
        rows = self.index.centroid_lists.candidates(query[0], self.candidates or 0)
        return self._best(rows, self._score(query, rows))

    def _best(self, rows: npt.NDArray[np.int64], score: npt.NDArray[np.float32]) -> Found:
        size = min(self.num_results, len(rows))
        best = np.argpartition(-score, size - 1)[:size] if size else np.empty(0, dtype=np.int64)
        best = best[np.lexsort((rows[best], -score[best]))]
        return rows[best], score[best].astype(np.float64)

    def fuse_rank_cutoff(self, k: int) -> ColBERTRetriever | None:
        return ColBERTRetriever(self.index, self.model, k, self.candidates) if k < self.num_results else None
