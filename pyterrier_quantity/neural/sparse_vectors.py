"""Sparse vectors over a vocabulary, quantities as terms behind it, and PyTerrier's pre-tokenised columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.numeric_terms import SLOTS, NumericTerms

SparseVector = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]
"""The vocabulary's numbers of the active terms, and their weights, the heaviest first."""

NOTHING: Final[SparseVector] = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
"""The sparse vector of an empty text."""


def vocabulary(model: Any) -> list[str]:
    """The terms of a sparse encoder, by number."""
    known = model.tokenizer.get_vocab()
    size = max(max(known.values()) + 1, model.get_embedding_dimension() or 0)
    terms = [str(number) for number in range(size)]
    for term, number in known.items():
        terms[number] = term
    return terms


def max_pooled(logits: Any, mask: Any) -> Any:
    """SPLADE's weights, max over a text's tokens of log(1 + ReLU(logit)).

    The logits are max-pooled before ReLU and logarithm, which are monotone: the same weights from a single pass over
    the large tensor.

    Args:
        logits: (texts, tokens, vocabulary); written over where the mask is 0.
        mask: (texts, tokens), 0 where a text is filled up.
    """
    torch = need("torch")
    with torch.inference_mode():
        if not bool(mask.all()):
            logits.masked_fill_(mask.unsqueeze(-1) == 0, 0)
        return torch.log1p(torch.relu(logits.amax(dim=1).float()))


def heaviest(weights: Any, top_k: int | None) -> Iterator[SparseVector]:
    """Each row's heaviest terms.

    Args:
        weights: a tensor (texts, vocabulary).
        top_k: how many; None: all above 0.
    """
    torch = need("torch")
    active = int((weights > 0).sum(dim=1).max()) if len(weights) else 0
    values, numbers = torch.topk(weights, min(active, top_k or active), dim=1)
    counts = (values > 0).sum(dim=1).tolist()
    values, numbers = values.cpu().numpy(), numbers.cpu().numpy()
    for row, count in enumerate(counts):
        yield numbers[row, :count], values[row, :count]


def terms_column(
    vectors: Sequence[SparseVector], terms: Sequence[str], task: str, scale: float
) -> dict[str, list[Any]]:
    """The column `query_toks` or `toks`: dictionaries of terms and weights times `scale`.

    Args:
        terms: of the vocabulary.
        task: "query" or "document", whose weights are rounded; those that round to 0 are left out.
    """
    found = []
    for numbers, weights in vectors:
        scaled = (weights * scale).tolist() if task == "query" else np.rint(weights * scale).astype(np.int64).tolist()
        found.append({terms[n]: w for n, w in zip(numbers.tolist(), scaled, strict=True) if w})
    return {"query_toks" if task == "query" else "toks": found}


def dot(query: npt.NDArray[np.float32], documents: Sequence[SparseVector]) -> npt.NDArray[np.float64]:
    """The dot product of a query, as a weight for each term of the vocabulary, and documents."""
    return np.array([query[numbers] @ weights for numbers, weights in documents], dtype=np.float64)


def spread(vector: SparseVector, size: int) -> npt.NDArray[np.float32]:
    """A sparse vector as a weight for each term of a vocabulary of this size."""
    weights = np.zeros(size, dtype=np.float32)
    weights[vector[0]] = vector[1]
    return weights


def all_terms(model: Any, numeric: NumericTerms | None) -> list[str]:
    """The terms of a sparse encoder, by number; behind them, if quantities are terms, theirs."""
    return vocabulary(model) + ([f"[q{slot}]" for slot in range(SLOTS)] if numeric else [])


def with_quantities(
    vectors: Sequence[SparseVector], texts: Sequence[str], task: str, numeric: NumericTerms, first: int
) -> list[SparseVector]:
    """The vectors of texts, with the terms of their quantities.

    Args:
        task: "query" or "document".
        first: the number of the first such term.
    """
    found = numeric.query_vectors(texts) if task == "query" else numeric.documents(texts)
    return [
        joined(vector, {first + slot: weight for slot, weight in terms.items()})
        for vector, terms in zip(vectors, found, strict=True)
    ]


def joined(vector: SparseVector, further: Mapping[int, float]) -> SparseVector:
    """A vector with further terms, the heaviest of all first."""
    terms = np.concatenate([vector[0], np.fromiter(further, np.int64, len(further))])
    weights = np.concatenate([vector[1], np.fromiter(further.values(), np.float32, len(further))])
    order = np.argsort(-weights, kind="stable")
    return terms[order], weights[order]
