"""The offset in its text of each token vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.models import prompt_of

NOWHERE: Final = 2**16 - 1
"""The offset of a token vector without a place in the text, such as that of [CLS]."""

Places = npt.NDArray[np.uint16]


def places(model: Any, texts: Sequence[str], counts: Sequence[int]) -> list[Places]:
    """Return the offsets, in characters, at which each document's token vectors begin in its text.

    Args:
        model: a `MultiVectorEncoder`, or a `SparseEncoder` whose every token has a vector.
        texts: the documents' texts; leading blanks count, although encoders do not see them.
        counts: number of vectors of each document.

    Returns:
        One array per document, with `NOWHERE` for markers. All tokens have `NOWHERE` if the tokenizer gives no offsets,
        or if tokens are pooled.
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
    """Return the offsets of each text's scored tokens; -1 for markers."""
    before = prompt_of(model, "document") or ""
    offsets = {"text": {"return_offsets_mapping": True}}
    features = model[0].preprocess(texts, prompt=before, task="document", processing_kwargs=offsets)
    spans = features.pop("offset_mapping").numpy().astype(np.int64)
    scored = _scored(model, features)
    begin = np.where(spans[..., 1] > spans[..., 0], spans[..., 0] - len(before), -1)
    return [row[kept] for row, kept in zip(begin, scored, strict=True)]


def _scored(model: Any, features: Any) -> npt.NDArray[np.bool_]:
    """Return a mask of the tokens that have a vector: all, except those that a late-interaction model skips."""
    skipping = next((module for module in model if type(module).__name__ == "MultiVectorMask"), None)
    if skipping is not None:
        features = skipping(features, task="document")
    return features["attention_mask"].bool().numpy()
