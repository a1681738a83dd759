"""What folders of neural indexes hold, and how an index knows the model that it was built by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert import ColBERT
    from pyterrier_quantity.neural.hybrid import Hybrid

HYBRID: Final = _arrays.Kind(
    "hybrid_index",
    "dense_sparse",
    2,
    called="hybrid index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[dense,pisa]",
)
COLBERT: Final = _arrays.Kind(
    "colbert_index",
    "token_vectors",
    3,
    called="ColBERT index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[neural]",
)
PROBE: Final = "A probe of the encoder: 42 kilometres per hour."
"""Encoded by the model of an index and by the model that searches it, to tell whether they are the same."""


class ModelMismatchError(ValueError):
    """The index was built by another model than the one that is to search it."""


def token_probe(model: ColBERT) -> npt.NDArray[np.float32]:
    """The mean token vector of a fixed sentence."""
    return np.asarray(model.encode([PROBE])[0].mean(axis=0), dtype=np.float32)


def vector_probe(model: Hybrid) -> npt.NDArray[np.float32]:
    """The vector of a fixed sentence."""
    return model.encode([PROBE], outputs=("dense",)).dense[0]


def cosine(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    """The cosine of two vectors."""
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
