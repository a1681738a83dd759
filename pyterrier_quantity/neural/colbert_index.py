"""`ColBERTIndex`: the token vectors of a corpus on disk, for exact MaxSim."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._column import damaged
from pyterrier_quantity.index.stored import StoredIndex
from pyterrier_quantity.neural import codec
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.index_kinds import COLBERT, ModelMismatchError, cosine, token_limits, token_probe
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.places import Places
from pyterrier_quantity.neural.residual import Quantiser
from pyterrier_quantity.neural.stored_terms import COLUMNS, StoredTerms

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert_indexer import ColBERTIndexer
    from pyterrier_quantity.neural.colbert_search import ColBERTIndexScorer, ColBERTRetriever

class ColBERTIndex(StoredIndex):
    """The token vectors of a corpus, memory-mapped.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    Build it by `ColBERTIndex(path).indexer(model).index(documents)`.
    """

    KIND = COLBERT
    ARTIFACT_TYPE = COLBERT.type
    ARTIFACT_FORMAT = COLBERT.format
    ARTIFACT_PACKAGE_HINT = COLBERT.package

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
        from pyterrier_quantity.neural.colbert_indexer import ColBERTIndexer

        return ColBERTIndexer(self, model, dtype, overwrite, text_field, resume, pool)

    def compressed(
        self, path: str | Path, dtype: str = "2bit", pool: float = 1.5, overwrite: bool = False
    ) -> ColBERTIndex:
        """A smaller index of the same documents, made from the stored vectors; see `compress`."""
        from pyterrier_quantity.neural.compress import compress

        return compress(self, ColBERTIndex(path), dtype, pool, overwrite)

    def scorer(self, model: ColBERT | str | None = None) -> ColBERTIndexScorer:
        """R -> R by the stored vectors; see `ColBERTIndexScorer`."""
        from pyterrier_quantity.neural.colbert_search import ColBERTIndexScorer

        return ColBERTIndexScorer(self, model)

    def retriever(
        self, model: ColBERT | str | None = None, num_results: int = 1000, candidates: int | None = None
    ) -> ColBERTRetriever:
        """Q -> R by MaxSim over all documents, or over candidates; see `ColBERTRetriever`."""
        from pyterrier_quantity.neural.colbert_search import ColBERTRetriever

        return ColBERTRetriever(self, model, num_results, candidates)

    def model(self, given: ColBERT | str | None = None) -> ColBERT:
        """The model to encode queries with: the one given, or the one that built the index.

        Raises:
            ModelMismatchError: if it is another than the one that built the index, naming both; or if it takes
                quantities as terms, and the index has none.
        """
        model = given if isinstance(given, ColBERT) else self._own(given)
        if model.numeric and (self.terms is None or self.meta.get("terms") != FORM):
            lacks = "without quantities as terms" if self.terms is None else "by a version with other terms"
            raise ModelMismatchError(
                f"{self.path} was built {lacks}, which the model given asks for; build it again with this model"
            )
        expected, found = np.array(self.meta["probe"], dtype=np.float32), token_probe(model)
        if len(expected) != len(found) or not cosine(expected, found) > 0.99:
            raise ModelMismatchError(
                f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions), the model given is "
                f"{model.name} ({len(found)} dimensions); search it with its own model, or build it again"
            )
        return model

    @staticmethod
    def _limits(meta: Mapping[str, Any], lengths: Mapping[str, int]) -> Mapping[str, int | None]:
        return token_limits(meta, lengths)

    def _own(self, name: str | None) -> ColBERT:
        """The model by its name, or the one that built the index, with quantities as they were then."""
        return ColBERT(name or self.meta["model"], quantities=self.meta.get("quantities"))

    @cached_property
    def terms(self) -> StoredTerms | None:
        """The documents' quantities as terms; None in an index of a model that takes them otherwise."""
        return StoredTerms(*(self._whole(name) for name in COLUMNS)) if COLUMNS[0] in self._arrays else None

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each document's tokens begin, and the end of the last."""
        offsets = np.asarray(self._arrays["offsets"]).astype(np.int64)
        if (np.diff(offsets) < 0).any():
            raise damaged(self._arrays["offsets"], "a document ends before it begins")
        return offsets

    def tokens(self, where: slice | npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The token vectors at these positions."""
        if self.quantiser:
            return self.quantiser.decode(self.codes[where], self._residuals[where])
        vectors = self._whole("vectors").reshape(-1, self.meta["dimension"])
        return codec.decode(vectors[where], self._whole("steps")[where] if vectors.dtype == np.int8 else None)

    @cached_property
    def quantiser(self) -> Quantiser | None:
        """What the vectors are coded by, in an index of 2 or 4 bits a number."""
        if "codes" not in self._arrays:
            return None
        parts = (self._whole(name).astype(np.float32) for name in ("centroids", "scale", "cutoffs", "levels"))
        centroids, *others = parts
        return Quantiser(centroids.reshape(-1, self.meta["dimension"]), *others)

    @property
    def codes(self) -> npt.NDArray[np.uint16]:
        """The number of each token's centroid, in an index of 2 or 4 bits a number."""
        return self._whole("codes")

    @property
    def lists(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """The rows of each centroid's documents, one list after the other, and where the lists begin."""
        return self._whole("list_rows"), self._whole("list_offsets")

    @property
    def _residuals(self) -> npt.NDArray[np.uint8]:
        assert self.quantiser
        return self._whole("residuals").reshape(-1, self.quantiser.width)

    def _whole(self, name: str) -> npt.NDArray[Any]:
        """A column as NumPy's own array, memory-mapped, compared with its digests once."""
        return np.asarray(self._arrays[name])

    def places(self, where: npt.NDArray[np.int64]) -> Places:
        """Where the tokens at these positions begin in their texts, in characters; see `places.NOWHERE`."""
        return np.asarray(self._arrays["places"])[where]
