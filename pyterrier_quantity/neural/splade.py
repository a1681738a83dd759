"""SPLADE: learned sparse vectors of queries and documents, as PyTerrier's pre-tokenised columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.models import Kind, LazyModel, ModelKindError, model_kind, prompt_of, texts_cut
from pyterrier_quantity.neural.numeric_terms import SLOTS
from pyterrier_quantity.neural.rankers import TextScorer
from pyterrier_quantity.neural.sparse_vectors import (
    NOTHING,
    SparseVector,
    all_terms,
    dot,
    heaviest,
    max_pooled,
    spread,
    terms_column,
    with_quantities,
)
from pyterrier_quantity.neural.text_encoders import Columns, DocumentEncoder, QueryEncoder


class Splade(LazyModel):
    """A SPLADE model: encoders for retrieval with PISA or Terrier, and a scorer.

    The arguments are those of `LazyModel`. Any sparse model of sentence-transformers loads, and any masked language
    model with SPLADE's head (`naver/splade-...`).

    Raises, on first use:
        ModelKindError: if the model is of another kind.
        ImportError: naming the extra, if torch or sentence-transformers is missing.
    """

    TAKES = "SparseEncoder"
    GATE = 12.0

    def _load(self) -> Any:
        kind = model_kind(self.name)
        if kind not in (Kind.SPARSE, Kind.MASKED):
            raise ModelKindError(
                f"{self.name} is {kind.value}, not a SPLADE model; "
                "use ColBERT(model) for token vectors, dense(model) for single vectors"
            )
        return need("sentence_transformers").SparseEncoder(self.name, **self._loading())

    def query_encoder(self, top_k: int | None = None, scale: float = 100.0) -> QueryEncoder:
        """Q -> Q with `query_toks`; see `QueryEncoder`."""
        return QueryEncoder(self, top_k, scale)

    def doc_encoder(self, text_field: str = "text", top_k: int | None = None, scale: float = 100.0) -> DocumentEncoder:
        """D -> D with `toks`; see `DocumentEncoder`."""
        return DocumentEncoder(self, text_field, top_k, scale)

    def columns(self, texts: list[str], task: str, k: int | None, scale: float) -> Columns:
        """The terms of texts as a column; see `text_encoders`."""
        vectors = self.encode(texts, task, k) if texts else []
        return terms_column(vectors, self.terms if texts else [], task, scale)

    def scorer(self, text_field: str = "text") -> SpladeScorer:
        """R -> R, the dot product of query and document; see `SpladeScorer`."""
        return SpladeScorer(self, text_field)

    @cached_property
    def terms(self) -> list[str]:
        """The vocabulary, by number; behind it, if quantities are terms, theirs."""
        return all_terms(self.loaded, self.numeric)

    def encode(self, texts: Sequence[str], task: str = "document", top_k: int | None = None) -> list[SparseVector]:
        """Sparse vectors of texts, in their order; an empty text has no active term.

        Args:
            texts: cleaned strings.
            task: "query" or "document".
            top_k: only this many of the heaviest terms; None: all.
        """
        result = [NOTHING] * len(texts)
        pool = self._pooled if _has_splade_head(self.loaded) else self._encoded
        cut = 0
        for numbers, batch in self.batches(texts, task):
            weights, full = pool(batch, task)
            cut += full
            for number, vector in zip(numbers, heaviest(weights, top_k), strict=True):
                result[number] = vector
        self.warn_of_cut(cut)
        if self.numeric:
            return with_quantities(result, texts, task, self.numeric, len(self.terms) - SLOTS)
        return result

    def _pooled(self, texts: list[str], task: str) -> tuple[Any, int]:
        """Weights over the vocabulary, and how many texts fill the window."""
        torch, model = need("torch"), self.loaded
        features = model.preprocess(texts, prompt=prompt_of(model, task))
        features = {k: v.to(model.device) if hasattr(v, "to") else v for k, v in features.items()}
        with torch.inference_mode():
            mask = features["attention_mask"]
            weights = max_pooled(model[0](features)["token_embeddings"], mask)
        return weights, texts_cut(mask, model.max_seq_length)

    def _encoded(self, texts: list[str], task: str) -> tuple[Any, int]:
        """The same by sentence-transformers, for models of another form (inference-free queries, routers)."""
        encode = self.loaded.encode_query if task == "query" else self.loaded.encode_document
        weights = encode(texts, batch_size=len(texts), convert_to_sparse_tensor=False, show_progress_bar=False)
        lengths = self.loaded.tokenizer(texts, truncation=True, max_length=self.loaded.max_seq_length)["input_ids"]
        return weights.float(), sum(len(ids) >= (self.loaded.max_seq_length or np.inf) for ids in lengths)


def _has_splade_head(model: Any) -> bool:
    """Whether the model is an encoder with a masked-language head, and max pooling by SPLADE's log(1 + ReLU)."""
    head = model[-1]
    return (
        len(model) == 2
        and type(head).__name__ == "SpladePooling"
        and head.pooling_strategy == "max"
        and head.activation_function == "relu"
    )


class SpladeScorer(TextScorer):
    """R -> R: the dot product of the query's and the text's sparse vectors.

    Args:
        splade: the model.
        text_field: the column that holds the text; an empty text scores 0.

    Columns in: `qid`, `docno`, `query`, and the text. Each distinct text is encoded once. Rows keep their order.
    """

    def __init__(self, splade: Splade, text_field: str = "text") -> None:
        self.splade, self.text_field = splade, text_field

    def _encode(self, texts: Sequence[str], task: str) -> list[Any]:
        return self.splade.encode(texts, task)

    def _score(self, query: Any, documents: Sequence[Any]) -> npt.ArrayLike:
        return dot(spread(query, len(self.splade.terms)), documents)
