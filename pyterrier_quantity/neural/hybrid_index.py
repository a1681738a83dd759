"""Store a hybrid model's dense and sparse vectors of a corpus on disk, and search them exhaustively."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.flat_arrays import Array, starts_of
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural.colbert_index import COLBERT, ColBERTIndex
from pyterrier_quantity.neural.hybrid import SCORES, TERMS, Hybrid, mixed
from pyterrier_quantity.neural.neural_index import HOW_TO_BUILD, PROBE, NeuralIndex, NeuralIndexer, rounded
from pyterrier_quantity.neural.rankers import Encoded, Ints
from pyterrier_quantity.storage import array_file, file_records
from pyterrier_quantity.storage.index_folder import Kind, new_folder

HYBRID: Final = Kind("hybrid_index", "dense_sparse", 7, "hybrid index", HOW_TO_BUILD, "pyterrier-quantity[dense]")
VECTORS, TOKENS = "flex", "token_index"
"""Subfolders of a hybrid index for dense vectors and for token vectors."""


class HybridIndex(NeuralIndex):
    """Index of a hybrid model's encodings: dense vectors in a FlexIndex, postings of terms, and optional token vectors.
    `HybridIndex(path).indexer(model).index(documents)` builds an index in the folder `path`."""

    KIND = HYBRID
    MODEL = Hybrid
    GROWN: ClassVar = {**ColBERTIndex.GROWN, "dense": "<f4", "term": "<i4", "weight": "<f4", "terms": "<i8"}
    SCORES = SCORES
    WHAT = "Terms, vectors and, where asked, token vectors of a collection, from one pass of one model."
    BUILD = "from pyterrier_quantity.neural import HybridIndex\nHybridIndex('index').indexer(model).index(documents)"

    def indexer(self, model: Any, **options: Any) -> NeuralIndexer:
        """Return an indexer; see `NeuralIndexer`. If "tokens" is among the model's outputs, token vectors are indexed.
        If "dense" or "sparse" is not among the outputs, raise a ValueError."""
        if isinstance(model, Hybrid) and (missing := {"dense", "sparse"} - set(model.outputs)):
            raise ValueError(f"a hybrid index needs the model's output {sorted(missing)[0]!r}; add it to outputs")
        need("pyterrier_dr", "dense")  # fail early: pyterrier_dr is used only after all documents are encoded
        return super().indexer(model, **options)

    @staticmethod
    def columns(model: Hybrid, texts: Sequence[str], encoded: Encoded) -> dict[str, Array]:
        sparse = encoded.sparse
        found = {"dense": encoded.dense, "term": sparse.indices, "weight": sparse.data, "terms": np.diff(sparse.indptr)}
        return found | ({} if encoded.tokens is None else ColBERTIndex.columns(model, texts, encoded))

    @classmethod
    def write(cls, folder: Path, model: Any, docnos: Sequence[str], grown: Mapping[str, Array], k: int | None) -> None:
        if not docnos:
            raise ValueError("the corpus is empty: there is nothing to index")
        vectors = zip(docnos, grown["dense"].reshape(len(docnos), -1), strict=True)
        flex = need("pyterrier_dr", "dense").FlexIndex(str(folder / VECTORS), verbose=False)
        flex.index({"docno": docno, "doc_vec": vector} for docno, vector in vectors)
        file_records.record(folder / VECTORS)
        if "tokens" in model.outputs:
            with new_folder(folder / TOKENS, False, COLBERT) as part:
                ColBERTIndex.write(part, model, docnos, grown, k)
        parts = grown["weight"], grown["term"], starts_of(grown["terms"])
        postings = need("scipy.sparse").csr_matrix(parts, shape=(len(docnos), len(model.terms))).tocsc()
        arrays = {"weight": postings.data, "row": postings.indices, "begin": postings.indptr}
        array_file.write(folder, arrays | build_lookup(docnos), cls.about(model, docnos) | {"k": k or TERMS})

    def encode(self, model: Hybrid, texts: list[str], task: str, k: int | None = None) -> Encoded:
        if task == "query":
            return model.encode(texts, task, int(self.meta["k"]), outputs=("dense", "sparse"))
        return model.encode(texts, task, k or TERMS)

    @staticmethod
    def probe(model: Hybrid) -> list[float]:
        """Return the dense vector of a fixed text, to check later that queries are encoded by the same model."""
        return rounded(model.encode([PROBE], outputs=("dense",)).dense[0])

    def verify(self) -> None:
        super().verify()
        file_records.compare(self._arrays.folder / VECTORS, everything=True)
        if (self._arrays.folder / TOKENS).is_dir():
            self.tokens.verify()

    @cached_property
    def flex(self) -> Any:
        """The dense vectors as a `pyterrier_dr.FlexIndex`."""
        file_records.compare(self._arrays.folder / VECTORS)
        return need("pyterrier_dr", "dense").FlexIndex(str(self._arrays.folder / VECTORS), verbose=False)

    @cached_property
    def tokens(self) -> ColBERTIndex:
        """The token vectors as a `ColBERTIndex`. If the index has no token vectors, raise a FileNotFoundError."""
        if not (self._arrays.folder / TOKENS).is_dir():
            raise FileNotFoundError(f"{self.path} has no token vectors; build it with all outputs of a Hybrid")
        return ColBERTIndex(self._arrays.folder / TOKENS)

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        """The dense vectors of the documents, a memory-mapped array of shape (documents, dimension)."""
        return np.asarray(self.flex.np_vecs())

    @cached_property
    def postings(self) -> Any:
        """The weights of the terms in documents, a SciPy CSC matrix of shape (documents, terms)."""
        parts = tuple(self._arrays[name] for name in ("weight", "row", "begin"))
        return need("scipy.sparse").csc_matrix(parts, shape=(len(self), len(parts[2]) - 1))

    def scores(self, query: Encoded, rows: Ints | slice, alpha: float) -> npt.NDArray[np.float64]:
        terms = query.sparse
        known = terms.indices < self.postings.shape[1]
        sparse = self.postings[:, terms.indices[known]] @ terms.data[known]
        return mixed(alpha, self.vectors[rows] @ query.dense, sparse[rows])

    def all_scores(self, queries: Encoded, number: int, alpha: float) -> Iterator[npt.NDArray[np.float64]]:
        return (self.scores(queries[place], slice(None), alpha) for place in range(number))
