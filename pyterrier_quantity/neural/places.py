"""Character offsets of token vectors in their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.models import prompt_of

NOWHERE: Final = 2**16 - 1
"""Offset of tokens that are not in the text, such as [CLS]."""

Places = npt.NDArray[np.uint16]


def places(model: Any, texts: Sequence[str], counts: Sequence[int]) -> list[Places]:
    """Return the character offsets at which the tokens of each document begin.

    Args:
        model: a `MultiVectorEncoder`, or a `SparseEncoder` with a vector for every token.
        texts: the documents' texts; leading blanks count, although encoders do not see them.
        counts: number of token vectors of each document.

    Returns:
        One array per document, with `NOWHERE` for special tokens. All tokens have `NOWHERE` if the tokenizer does not
        return offsets, or if token vectors are pooled.
    """
    result = [np.full(count, NOWHERE, dtype=np.uint16) for count in counts]
    filled = [number for number, count in enumerate(counts) if count]
    if not getattr(model.tokenizer, "is_fast", False):
        return result
    begins = _begins(model, [texts[number].strip() for number in filled]) if filled else []
    for number, found in zip(filled, begins, strict=True):
        if len(found) == counts[number]:
            blanks = len(texts[number]) - len(texts[number].lstrip())
            result[number][:] = np.where(found < 0, NOWHERE, np.minimum(found + blanks, NOWHERE - 1))
    return result


def _begins(model: Any, texts: list[str]) -> list[npt.NDArray[np.int64]]:
    """Return the offsets of each text's tokens with vectors; -1 for special tokens."""
    before = prompt_of(model, "document") or ""
    offsets = {"text": {"return_offsets_mapping": True}}
    features = model[0].preprocess(texts, prompt=before, task="document", processing_kwargs=offsets)
    spans = features.pop("offset_mapping").numpy().astype(np.int64)
    scored = _scored(model, features)
    begin = np.where(spans[..., 1] > spans[..., 0], spans[..., 0] - len(before), -1)
    return [row[kept] for row, kept in zip(begin, scored, strict=True)]


def _scored(model: Any, features: Any) -> npt.NDArray[np.bool_]:
    """Return a mask of the tokens with vectors: all tokens except those that a late-interaction model skips."""
    skipping = next((module for module in model if type(module).__name__ == "MultiVectorMask"), None)
    if skipping is not None:
        features = skipping(features, task="document")
    return features["attention_mask"].bool().numpy()
