"""`HybridIndex`: what one pass of a hybrid model gives of a corpus, on disk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _recorded
from pyterrier_quantity.index.stored import StoredIndex
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.hybrid import Hybrid
from pyterrier_quantity.neural.index_kinds import HYBRID, ModelMismatchError, cosine, hybrid_limits, vector_probe
from pyterrier_quantity.neural.models import need
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.toks import SparseVector

if TYPE_CHECKING:
    from pyterrier_quantity.neural.hybrid_indexer import HybridIndexer
    from pyterrier_quantity.neural.hybrid_search import HybridIndexScorer, HybridRetriever

class HybridIndex(StoredIndex):
    """Vectors in a FlexIndex, terms in PISA, each document's terms beside them for exact scores, and token vectors.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    Build it by `HybridIndex(path).indexer(model).index(documents)`. An item takes four bytes for each number of its
    vector, and six for each of its terms (a number and a weight) beside PISA's postings.
    """

    KIND = HYBRID
    ARTIFACT_TYPE = HYBRID.type
    ARTIFACT_FORMAT = HYBRID.format
    ARTIFACT_PACKAGE_HINT = HYBRID.package

    def indexer(
        self,
        model: Hybrid | str,
        k: int | None = None,
        overwrite: bool = False,
        text_field: str = "text",
        resume: bool = False,
        dtype: str = "int8",
    ) -> HybridIndexer:
        """An indexer; see `HybridIndexer`."""
        from pyterrier_quantity.neural.hybrid_indexer import HybridIndexer

        return HybridIndexer(self, model, k, overwrite, text_field, resume, dtype)

    def scorer(self, model: Hybrid | str | None = None, alpha: float | None = None) -> HybridIndexScorer:
        """R -> R by what is stored; see `HybridIndexScorer`."""
        from pyterrier_quantity.neural.hybrid_search import HybridIndexScorer

        return HybridIndexScorer(self, model, alpha)

    def retriever(
        self, model: Hybrid | str | None = None, alpha: float | None = None, num_results: int = 1000
    ) -> HybridRetriever:
        """Q -> R; see `HybridRetriever`."""
        from pyterrier_quantity.neural.hybrid_search import HybridRetriever

        return HybridRetriever(self, model, alpha, num_results)

    def model(self, given: Hybrid | str | None = None) -> Hybrid:
        """The model to encode queries with: the one given, or the one that built the index.

        Raises:
            ModelMismatchError: if it is another than the one that built the index, naming both; or if it takes
                quantities as terms, and the index has none.
        """
        model = given if isinstance(given, Hybrid) else self._own(given)
        if model.numeric and self.meta.get("terms") != FORM:
            lacks = "by a version with other terms" if self.meta.get("terms") else "without quantities as terms"
            raise ModelMismatchError(
                f"{self.path} was built {lacks}, which the model given asks for; build it again with this model"
            )
        expected, found = np.array(self.meta["probe"], dtype=np.float32), vector_probe(model)
        if len(expected) != len(found) or not cosine(expected, found) > 0.99:
            raise ModelMismatchError(
                f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions), the model given is "
                f"{model.name} ({len(found)} dimensions); search it with its own model, or build it again"
            )
        return model

    def verify(self) -> None:
        super().verify()
        for name in ("flex", "pisa"):
            _recorded.compare(self.part / name, everything=True)
        if (self.part / "tokens").is_dir():
            self.tokens.verify()

    @staticmethod
    def _limits(meta: Mapping[str, Any], lengths: Mapping[str, int]) -> Mapping[str, int | None]:
        return hybrid_limits(meta, lengths)

    def _own(self, name: str | None) -> Hybrid:
        """The model by its name, or the one that built the index, with quantities as they were then."""
        return Hybrid(name or self.meta["model"], quantities=self.meta.get("quantities"))

    @property
    def vocabulary(self) -> int:
        """How many terms a document may have, by number."""
        return int(self.meta["vocabulary"])

    @property
    def terms_kept(self) -> int:
        """How many of a text's heaviest terms are kept."""
        return int(self.meta["k"])

    @cached_property
    def flex(self) -> Any:
        """The vectors, a `pyterrier_dr.FlexIndex`."""
        _recorded.compare(self.part / "flex")
        return need("pyterrier_dr", "dense").FlexIndex(str(self.part / "flex"), verbose=False)

    @cached_property
    def pisa(self) -> Any:
        """The terms, a `pyterrier_pisa.PisaIndex`, with weights times 100."""
        _recorded.compare(self.part / "pisa")
        return need("pyterrier_pisa", "pisa").PisaIndex(str(self.part / "pisa"), stemmer="none", threads=1)

    @cached_property
    def tokens(self) -> ColBERTIndex:
        """The token vectors.

        Raises:
            FileNotFoundError: if the model that built the index did not give them.
        """
        if not (self.part / "tokens").is_dir():
            raise FileNotFoundError(
                f"{self.path} holds no token vectors; build it by a Hybrid whose outputs are dense, sparse, tokens"
            )
        return ColBERTIndex(self.part / "tokens")

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        """(documents, dimension), memory-mapped."""
        return np.asarray(self.flex.np_vecs())

    def sparse(self, row: int) -> SparseVector:
        """The terms of the document in a row."""
        begin, end = self._arrays["offsets"][row : row + 2].tolist()
        return self._arrays["term"][begin:end], self._arrays["weight"][begin:end]
