"""How token vectors are stored: float16, int8 with a step size each, or a centroid and a residual of a few bits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.residual import BITS

PLAIN: Final = ("int8", "float16")
"""Each vector by itself."""
DTYPES: Final = (*PLAIN, *BITS)


def check(dtype: str) -> None:
    """Raise a ValueError unless vectors can be stored so."""
    if dtype not in DTYPES:
        raise ValueError(f"unknown dtype {dtype!r} of token vectors; one of {', '.join(DTYPES)}")


def encode(vectors: npt.NDArray[np.float32], dtype: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.float16]]:
    """Stored values, and the step size of each vector (none for float16), in one of `PLAIN`."""
    if dtype == "float16":
        return vectors.astype("<f2"), np.empty(0, dtype="<f2")
    step = (np.abs(vectors).max(axis=1) / 127 if len(vectors) else np.empty(0)).astype("<f2")
    wide = np.maximum(step.astype(np.float32), 1e-7)[:, None]
    return np.clip(np.rint(vectors / wide), -127, 127).astype(np.int8), step


def decode(values: npt.NDArray[Any], step: npt.NDArray[np.float16] | None) -> npt.NDArray[np.float32]:
    """The vectors, nearly as they were."""
    vectors = values.astype(np.float32)
    if step is not None:
        vectors *= step.astype(np.float32)[:, None]
    return vectors
