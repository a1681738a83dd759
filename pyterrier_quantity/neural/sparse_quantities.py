"""Quantities as terms behind those of a sparse encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pyterrier_quantity.neural.numeric_terms import SLOTS, NumericTerms
from pyterrier_quantity.neural.toks import SparseVector, vocabulary


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
    return [joined(vector, {first + slot: weight for slot, weight in terms.items()})
            for vector, terms in zip(vectors, found, strict=True)]  # fmt: skip


def joined(vector: SparseVector, further: Mapping[int, float]) -> SparseVector:
    """A vector with further terms, the heaviest of all first."""
    terms = np.concatenate([vector[0], np.fromiter(further, np.int64, len(further))])
    weights = np.concatenate([vector[1], np.fromiter(further.values(), np.float32, len(further))])
    order = np.argsort(-weights, kind="stable")
    return terms[order], weights[order]
