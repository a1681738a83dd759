"""`ColBERTIndex`: the token vectors of a corpus on disk, for exact MaxSim."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity.index.stored import StoredIndex
from pyterrier_quantity.neural import codec
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.places import Places

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert_indexer import ColBERTIndexer
    from pyterrier_quantity.neural.colbert_search import ColBERTIndexScorer, ColBERTRetriever

KIND: Final = _arrays.Kind(
    "colbert_index",
    "token_vectors",
    2,
    called="ColBERT index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[neural]",
)
PROBE: Final = "A probe of the encoder: 42 kilometres per hour."
"""Encoded by the model of an index and by the model that searches it, to tell whether they are the same."""


class ModelMismatchError(ValueError):
    """The index was built by another model than the one that is to search it."""


class ColBERTIndex(StoredIndex):
    """The token vectors of a corpus, memory-mapped.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    Build it by `ColBERTIndex(path).indexer(model).index(documents)`.
    """

    KIND = KIND
    ARTIFACT_TYPE = KIND.type
    ARTIFACT_FORMAT = KIND.format
    ARTIFACT_PACKAGE_HINT = KIND.package

    def indexer(
        self,
        model: ColBERT | str,
        dtype: str = "int8",
        overwrite: bool = False,
        text_field: str = "text",
        resume: bool = False,
    ) -> ColBERTIndexer:
        """An indexer; see `ColBERTIndexer`."""
        from pyterrier_quantity.neural.colbert_indexer import ColBERTIndexer

        return ColBERTIndexer(self, model, dtype, overwrite, text_field, resume)

    def scorer(self, model: ColBERT | str | None = None) -> ColBERTIndexScorer:
        """R -> R by the stored vectors; see `ColBERTIndexScorer`."""
        from pyterrier_quantity.neural.colbert_search import ColBERTIndexScorer

        return ColBERTIndexScorer(self, model)

    def retriever(self, model: ColBERT | str | None = None, num_results: int = 1000) -> ColBERTRetriever:
        """Q -> R by exact MaxSim over all documents; see `ColBERTRetriever`."""
        from pyterrier_quantity.neural.colbert_search import ColBERTRetriever

        return ColBERTRetriever(self, model, num_results)

    def model(self, given: ColBERT | str | None = None) -> ColBERT:
        """The model to encode queries with: the one given, or the one that built the index.

        Raises:
            ModelMismatchError: if it is another than the one that built the index, naming both.
        """
        model = given if isinstance(given, ColBERT) else ColBERT(given or self.meta["model"])
        expected, found = np.array(self.meta["probe"], dtype=np.float32), probe(model)
        if len(expected) != len(found) or not cosine(expected, found) > 0.99:
            raise ModelMismatchError(
                f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions), the model given is "
                f"{model.name} ({len(found)} dimensions); search it with its own model, or build it again"
            )
        return model

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each document's tokens begin, and the end of the last."""
        return np.asarray(self._arrays["offsets"]).astype(np.int64)

    def tokens(self, where: slice | npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The token vectors at these positions."""
        vectors = np.asarray(self._arrays["vectors"]).reshape(-1, self.meta["dimension"])
        return codec.decode(vectors[where], np.asarray(self._arrays["steps"])[where] if self._quantised else None)

    def places(self, where: npt.NDArray[np.int64]) -> Places:
        """Where the tokens at these positions begin in their texts, in characters; see `places.NOWHERE`."""
        return np.asarray(self._arrays["places"])[where]

    @property
    def _quantised(self) -> bool:
        return self.meta["columns"]["vectors"]["dtype"].endswith("i1")


def probe(model: ColBERT) -> npt.NDArray[np.float32]:
    """The mean token vector of a fixed sentence."""
    return np.asarray(model.encode([PROBE])[0].mean(axis=0), dtype=np.float32)


def cosine(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    """The cosine of two vectors."""
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
