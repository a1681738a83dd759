"""SPLADE: learned sparse vectors of queries and documents, as PyTerrier's pre-tokenised columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.models import Kind, LazyModel
from pyterrier_quantity.neural.numeric_terms import SLOTS
from pyterrier_quantity.neural.rankers import Encoded, TextEncoder, TextScorer


class SparseModel(LazyModel):
    """A model that represents texts by terms of its vocabulary; arguments are those of `LazyModel`."""

    TAKES = "SparseEncoder"
    KINDS = (Kind.SPARSE, Kind.MASKED)
    GATE = 12.0

    @cached_property
    def vocabulary(self) -> list[str]:
        """The model's vocabulary, by id."""
        known = self.loaded.tokenizer.get_vocab()
        size = max(max(known.values()) + 1, self.loaded.get_embedding_dimension() or 0)
        terms = [str(number) for number in range(size)]
        for term, number in known.items():
            terms[number] = term
        return terms

    @cached_property
    def terms(self) -> list[str]:
        """The vocabulary by id, followed by names for the slots of numeric terms if the model uses these."""
        return self.vocabulary + ([f"[q{slot}]" for slot in range(SLOTS)] if self.numeric else [])

    def with_quantities(self, sparse: Any, texts: Sequence[str], task: str) -> Any:
        """Append the columns of numeric terms to the CSR matrix of texts, if the model uses them."""
        if self.numeric is None:
            return sparse
        found = self.numeric.query_vectors(texts) if task == "query" else self.numeric.documents(texts)
        return need("scipy.sparse").hstack([sparse, found], format="csr")


class Splade(SparseModel):
    """A SPLADE model: encoders for retrieval with PISA or Terrier, and a scorer.

    The arguments are those of `LazyModel`. Any sparse model of sentence-transformers can be loaded, and any masked
    language model with SPLADE's head (`naver/splade-...`).

    Raises, on first use:
        ModelKindError: if the model is of another kind.
        ImportError: if torch or sentence-transformers is missing; the message names the extra.
    """

    OTHERWISE = "not a SPLADE model; use ColBERT(model) for token vectors, dense(model) for single vectors"
    outputs = ("sparse",)

    def query_encoder(self, top_k: int | None = None, scale: float = 100.0) -> TextEncoder:
        """Return an encoder of queries, Q -> Q with `query_toks`; see `TextEncoder`."""
        return TextEncoder(self, "query", "query", top_k, scale)

    def doc_encoder(self, text_field: str = "text", top_k: int | None = None, scale: float = 100.0) -> TextEncoder:
        """Return an encoder of documents, D -> D with `toks`; see `TextEncoder`."""
        return TextEncoder(self, "document", text_field, top_k, scale)

    def scorer(self, text_field: str = "text") -> TextScorer:
        """Return a scorer, R -> R, by the dot product of query and document; see `TextScorer`."""
        return TextScorer(self, text_field)

    @staticmethod
    def score(query: Encoded, documents: Encoded) -> npt.NDArray[np.float32]:
        """Return the score of each document for one query: (documents,)."""
        return dot(query.sparse, documents.sparse)

    def encode(self, texts: Sequence[str], task: str = "document", k: int | None = None) -> Encoded:
        """Encode cleaned texts as sparse vectors (`Encoded.sparse`). An empty text has no terms. The task is "query" or
        "document". For each text, the `k` terms with the highest weights are kept; None: all."""
        filled, found = self.encoded(texts, task, save_to_cpu=True, max_active_dims=k)
        found = need("torch").empty(0, 0).to_sparse() if found is None else found.coalesce()
        (row, term), shape = found.indices().numpy(), (len(texts), len(self.vocabulary))
        places = np.array(filled, dtype=np.int64)[row], term
        sparse = need("scipy.sparse").csr_matrix((found.values().float().numpy(), places), shape)
        return Encoded(sparse=self.with_quantities(sparse, texts, task))


def dot(query: Any, documents: Any) -> npt.NDArray[np.float32]:
    """Return the dot products of a query with each document, as rows of CSR matrices."""
    return (documents @ query.T).toarray().ravel()
