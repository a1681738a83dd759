"""Encode queries and documents as learned sparse vectors (SPLADE), for PyTerrier's pre-tokenised columns."""

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
    """Base class of models that represent a text as term weights. The arguments are those of `LazyModel`."""

    TAKES = "SparseEncoder"
    KINDS = (Kind.SPARSE, Kind.MASKED)
    GATE = 12.0

    @cached_property
    def vocabulary(self) -> list[str]:
        """The terms of the model's vocabulary, in order of their ids."""
        known = self.loaded.tokenizer.get_vocab()
        size = max(max(known.values()) + 1, self.loaded.get_embedding_dimension() or 0)
        terms = [str(number) for number in range(size)]
        for term, number in known.items():
            terms[number] = term
        return terms

    @cached_property
    def terms(self) -> list[str]:
        """The name of each dimension of the vectors: a term, or "[q12]" for a dimension that compares values."""
        return self.vocabulary + ([f"[q{slot}]" for slot in range(SLOTS)] if self.numeric else [])

    def with_quantities(self, sparse: Any, texts: Sequence[str], task: str) -> Any:
        """Return the sparse vectors of texts, with additional columns for values if the model compares values."""
        if self.numeric is None:
            return sparse
        found = self.numeric.query_vectors(texts) if task == "query" else self.numeric.documents(texts)
        return need("scipy.sparse").hstack([sparse, found], format="csr")


class Splade(SparseModel):
    """A SPLADE model, with encoders for retrieval with PISA or Terrier, and a scorer.

    The arguments are those of `LazyModel`. The model can be any sparse model of sentence-transformers, or a masked
    language model that was trained as SPLADE (`naver/splade-...`).

    Raises, on first use:
        ModelKindError: if the model is of the wrong kind. ImportError: if torch or sentence-transformers is missing;
        the message names the extra.
    """

    OTHERWISE = "not a SPLADE model; use ColBERT(model) for token vectors, dense(model) for single vectors"
    outputs = ("sparse",)

    def query_encoder(self, top_k: int | None = None, scale: float = 100.0) -> TextEncoder:
        """Return a transformer, Q -> Q, that adds `query_toks`: up to `top_k` terms, with weights times `scale`."""
        return TextEncoder(self, "query", "query", top_k, scale)

    def doc_encoder(self, text_field: str = "text", top_k: int | None = None, scale: float = 100.0) -> TextEncoder:
        """Return a transformer, D -> D, that adds `toks`: up to `top_k` terms, with weights times `scale`."""
        return TextEncoder(self, "document", text_field, top_k, scale)

    def scorer(self, text_field: str = "text") -> TextScorer:
        """Return a transformer, R -> R, that scores texts by the dot product with the query; see `TextScorer`."""
        return TextScorer(self, text_field)

    @staticmethod
    def score(query: Encoded, documents: Encoded) -> npt.NDArray[np.float32]:
        """Return the scores of documents for one query, an array of shape (documents,)."""
        return dot(query.sparse, documents.sparse)

    def encode(self, texts: Sequence[str], task: str = "document", k: int | None = None) -> Encoded:
        """Return the sparse vectors of stripped texts. Only the `k` highest weights of each text are kept (all if `k`
        is None). The task is "query" or "document". An empty text has no terms."""
        filled, found = self.encoded(texts, task, save_to_cpu=True, max_active_dims=k)
        found = need("torch").empty(0, 0).to_sparse() if found is None else found.coalesce()
        (row, term), shape = found.indices().numpy(), (len(texts), len(self.vocabulary))
        places = np.array(filled, dtype=np.int64)[row], term
        sparse = need("scipy.sparse").csr_matrix((found.values().float().numpy(), places), shape)
        return Encoded(sparse=self.with_quantities(sparse, texts, task))


def dot(query: Any, documents: Any) -> npt.NDArray[np.float32]:
    """Return an array with the dot product of a query and each document. Both arguments are CSR matrices."""
    return (documents @ query.T).toarray().ravel()
