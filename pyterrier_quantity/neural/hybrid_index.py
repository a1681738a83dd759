"""`HybridIndex`: what one pass of a hybrid model gives of a corpus, on disk, and exact search over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays, _recorded
from pyterrier_quantity._arrays import GrowingColumn
from pyterrier_quantity._extras import need
from pyterrier_quantity._index_folder import Kind, new_folder
from pyterrier_quantity._ragged import starts_of
from pyterrier_quantity._shared_artifact import Card
from pyterrier_quantity._transformer import check_counts
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural.colbert_index import COLBERT, ColBERTIndex, TokenWriter
from pyterrier_quantity.neural.encodings import Encoded
from pyterrier_quantity.neural.hybrid import SCORES, TERMS, Hybrid, check_alpha, mixed
from pyterrier_quantity.neural.neural_index import PROBE, NeuralIndex, NeuralIndexer, rounded
from pyterrier_quantity.neural.rankers import Ints, StoredRetriever, StoredScorer, StoredSearcher

HYBRID: Final = Kind(
    "hybrid_index",
    "dense_sparse",
    6,
    called="hybrid index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[dense]",
)
VECTORS, TOKENS = "flex", "token_index"
"""The folders of the vectors and of the token vectors within a hybrid index."""
_GROWN: Final = {"dense": "<f4", "term": "<i4", "weight": "<f4", "count": "<i8"}
"""What is kept while it grows: vectors, and each document's terms, one after the other."""


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
    def probe(model: Hybrid) -> list[float]:
        """The vector of `PROBE`."""
        return rounded(model.encode([PROBE], outputs=("dense",)).dense[0])

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

    @cached_property
    def postings(self) -> Any:
        """Of each term the documents that have it, and its weights there: a SciPy CSC matrix (documents, terms)."""
        parts = tuple(self._arrays[name] for name in ("weight", "row", "begin"))
        return need("scipy.sparse").csc_matrix(parts, shape=(len(self), len(parts[2]) - 1))

    def sparse_scores(self, query: Any) -> npt.NDArray[np.float32]:
        """The dot product of a query's terms, a CSR matrix of one row, and those of each document, in their order."""
        known = query.indices < self.postings.shape[1]
        return self.postings[:, query.indices[known]] @ query.data[known]


class HybridIndexer(NeuralIndexer):
    """Encodes documents into a `HybridIndex`, each in one pass.

    Args:
        index: where to.
        model: the model, or its name; with "tokens" among its outputs the index holds token vectors, too.
        k: how many of a text's heaviest terms are kept; None: 256.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.

    Raises:
        ValueError: if the model's outputs lack "dense" or "sparse"; by `index` on an empty corpus.
    """

    def __init__(
        self,
        index: HybridIndex,
        model: Hybrid | str,
        k: int | None = None,
        overwrite: bool = False,
        text_field: str = "text",
    ) -> None:
        super().__init__(index, model, overwrite, text_field)
        if missing := {"dense", "sparse"} - set(self.model.outputs):
            raise ValueError(f"a hybrid index needs the model's output {sorted(missing)[0]!r}; add it to outputs")
        self.k = k or TERMS

    def _encoded(self, texts: list[str]) -> Encoded:
        return self.model.encode(texts, "document", self.k)

    def _writer(self, folder: Path) -> _Writer:
        return _Writer(self.model, self.k, folder)


class _Writer:
    """Collects vectors, terms and, where the model makes them, token vectors, and writes them."""

    def __init__(self, model: Hybrid, k: int, folder: Path) -> None:
        self._model, self._k = model, k
        self._grown = {name: GrowingColumn(dtype, folder) for name, dtype in _GROWN.items()}
        self._late = model.token_encoder() if "tokens" in model.outputs else None
        self._tokens = TokenWriter(self._late, folder) if self._late else None

    def add(self, texts: Sequence[str], encoded: Encoded) -> None:
        """Add documents: their texts, and what the model makes of these."""
        sparse = encoded.sparse
        for name, column in zip(
            _GROWN, (encoded.dense, sparse.indices, sparse.data, np.diff(sparse.indptr)), strict=True
        ):
            self._grown[name].append(column)
        if self._tokens and self._late:
            stripped = [text.strip() for text in texts]
            self._tokens.add(texts, self._late.with_values(encoded.tokens, stripped, "document"))

    def write(self, folder: Path, docnos: Sequence[str]) -> None:
        """Write an index of all that was added, by these docnos, to an empty folder."""
        if not docnos:
            raise ValueError("the corpus is empty: there is nothing to index")
        grown = {name: column.array() for name, column in self._grown.items()}
        vectors = zip(docnos, grown["dense"].reshape(len(docnos), -1), strict=True)
        flex = need("pyterrier_dr", "dense").FlexIndex(str(folder / VECTORS), verbose=False)
        flex.index({"docno": docno, "doc_vec": vector} for docno, vector in vectors)
        _recorded.record(folder / VECTORS)
        if self._tokens:
            with new_folder(folder / TOKENS, False, COLBERT) as part:
                self._tokens.write(part, docnos)
        parts, shape = (
            (grown["weight"], grown["term"], starts_of(grown["count"])),
            (len(docnos), len(self._model.terms)),
        )
        postings = need("scipy.sparse").csr_matrix(parts, shape=shape).tocsc()
        arrays = {"weight": postings.data, "row": postings.indices, "begin": postings.indptr}
        _arrays.write(folder, arrays | build_lookup(docnos), HybridIndex.about(self._model, docnos) | {"k": self._k})


class _HybridSearcher(StoredSearcher):
    """Encodes queries by a hybrid model, and scores by both of its parts."""

    index: HybridIndex
    model: Hybrid | str | None
    alpha: float | None

    def _encoded(self, texts: list[str]) -> Encoded:
        return self.encoder.encode(texts, "query", self.index.terms_kept, outputs=("dense", "sparse"))

    def _score(self, query: Encoded, rows: Ints | slice) -> npt.NDArray[np.float64]:
        """The scores of the documents in these rows, and beside them those of each part."""
        alpha = self.encoder.alpha if self.alpha is None else self.alpha
        return mixed(alpha, self.index.vectors[rows] @ query.dense, self.index.sparse_scores(query.sparse)[rows])


class HybridIndexScorer(_HybridSearcher, StoredScorer):
    """R -> R: the hybrid score of the query and the stored vector and terms of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.
        alpha: the weight of the dense part, between 0 and 1; None: the model's own.

    Columns in: `qid`, `docno`, `query`. Columns out: the same, `score`, `dense_score` and `sparse_score` (the dot
    products of the vectors and of the terms), `rank`. Rows keep their order.
    """

    COLUMNS = SCORES

    def __init__(self, index: HybridIndex, model: Hybrid | str | None = None, alpha: float | None = None) -> None:
        check_alpha(alpha)
        self.index, self.model, self.alpha = index, model, alpha


class HybridRetriever(_HybridSearcher, StoredRetriever):
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

    COLUMNS = SCORES

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

    def _all(self, queries: Encoded, number: int) -> Iterator[npt.NDArray[np.float64]]:
        return (self._score(queries[place], slice(None)).T for place in range(number))
