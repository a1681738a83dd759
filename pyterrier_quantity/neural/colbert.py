"""Late interaction (ColBERT): token vectors of queries and documents, compared by MaxSim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.maxsim import maxsim
from pyterrier_quantity.neural.models import Kind, LazyModel, ModelKindError, model_kind
from pyterrier_quantity.neural.numeric_terms import Asked, Terms
from pyterrier_quantity.neural.rankers import TextScorer
from pyterrier_quantity.neural.stored_terms import StoredTerms

TokenVectors = npt.NDArray[np.float32]
"""(tokens, dimension), each of length 1."""

Encoded = tuple[TokenVectors, Asked]
"""A query's token vectors, and its quantities as terms."""


class ColBERT(LazyModel):
    """A late-interaction model.

    The arguments are those of `LazyModel`. Stanford's ColBERT checkpoints, PyLate's, and sentence-transformers'
    multi-vector models load with their own projection. Other encoders have none: their own token vectors are used.

    Raises, on first use:
        ModelKindError: if the model is of another kind (SPLADE).
        ImportError: naming the extra, if torch or sentence-transformers is missing.
    """

    TAKES = "MultiVectorEncoder"
    GATE = 3.0

    def _load(self) -> Any:
        kind = model_kind(self.name)
        if kind is Kind.SPARSE:
            raise ModelKindError(f"{self.name} is {kind.value}, which has no token vectors; use Splade(model)")
        st = need("sentence_transformers")
        if kind is Kind.MULTI:
            return st.MultiVectorEncoder(self.name, **self._loading())
        encoder = st.SentenceTransformer(self.name, **self._loading())
        modules = need("sentence_transformers.multi_vector_encoder.modules")
        normal = need("sentence_transformers.base.modules").Normalize(module_input_name="token_embeddings")
        return st.MultiVectorEncoder(
            modules=[encoder[0], modules.MultiVectorMask(), normal], device=self.device, prompts=encoder.prompts
        )

    @property
    def dimension(self) -> int:
        """The length of a token vector."""
        return int(self.loaded.get_embedding_dimension())

    def scorer(self, text_field: str = "text") -> ColBERTScorer:
        """R -> R, MaxSim over the text; see `ColBERTScorer`."""
        return ColBERTScorer(self, text_field)

    def encode(self, texts: Sequence[str], task: str = "document") -> list[TokenVectors]:
        """Token vectors of texts, in their order; an empty text has none.

        Args:
            texts: cleaned strings.
            task: "query" or "document".
        """
        result = [np.empty((0, self.dimension), dtype=np.float32)] * len(texts)
        encode = self.loaded.encode_query if task == "query" else self.loaded.encode_document
        limit, cut = self.loaded.max_seq_length or np.inf, 0
        for numbers, batch in self.batches(texts, task):
            vectors = encode(batch, batch_size=len(batch), show_progress_bar=False)
            for number, tokens in zip(numbers, vectors, strict=True):
                result[number] = tokens.float().cpu().numpy()
                cut += len(tokens) >= limit
        self.warn_of_cut(cut)
        return result


class ColBERTScorer(TextScorer):
    """R -> R: MaxSim between the query's and the text's token vectors, and their quantities' if those are terms.

    Args:
        model: the model.
        text_field: the column that holds the text; an empty text scores 0.

    Columns in: `qid`, `docno`, `query`, and the text. Each distinct text is encoded once. Rows keep their order.
    Source: ColBERT (Khattab and Zaharia, 2020).
    """

    def __init__(self, model: ColBERT, text_field: str = "text") -> None:
        self.model, self.text_field = model, text_field

    def _encode(self, texts: Sequence[str], task: str) -> list[Any]:
        """Each query as `Encoded`, each document as its token vectors and terms."""
        vectors, numeric = self.model.encode(texts, task), self.model.numeric
        if numeric is None:
            return [(tokens, []) for tokens in vectors]
        terms: Sequence[Asked | Terms] = numeric.queries(texts) if task == "query" else numeric.documents(texts)
        return list(zip(vectors, terms, strict=True))

    def _score(self, query: Encoded, documents: Sequence[tuple[TokenVectors, Terms]]) -> npt.ArrayLike:
        length = np.array([len(vectors) for vectors, _ in documents], dtype=np.int64)
        words = maxsim(query[0], np.concatenate([vectors for vectors, _ in documents]), np.cumsum(length) - length)
        return words + StoredTerms.of([terms for _, terms in documents]).met(query[1])
