"""How token vectors are stored: float16, int8 with a step size each, or a centroid and a residual of a few bits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.models import need

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.uint16]

BITS: Final = {"4bit": 4, "2bit": 2}
PLAIN: Final = ("int8", "float16")
"""Each vector by itself."""
DTYPES: Final = (*PLAIN, *BITS)
_SAMPLE_A_CENTROID: Final = 32
"""Vectors that each centroid is fitted to, on average."""
_BATCH: Final = 8192
_DECODED: Final = 512
"""Vectors that are decoded at a time: few enough to stay in a processor's cache."""


def check_dtype(dtype: str) -> None:
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


@dataclass(frozen=True)
class Quantiser:
    """How vectors are coded.

    Args:
        centroids: (centroids, dimension).
        scale: (dimension,), the spread of the residuals in each dimension.
        cutoffs: (2 ** bits - 1,), between which levels a scaled residual falls.
        levels: (2 ** bits,), the mean of the scaled residuals between two cutoffs.

    Source: ColBERTv2 (Santhanam et al., 2022), section 3.3; the scale by dimension is this package's.
    """

    centroids: Floats
    scale: Floats
    cutoffs: Floats
    levels: Floats

    @property
    def bits(self) -> int:
        return len(self.levels).bit_length() - 1

    @property
    def width(self) -> int:
        """Bytes of a vector's residual."""
        return -(-self.centroids.shape[1] * self.bits // 8)

    def nearest(self, vectors: Floats) -> Codes:
        """The number of each vector's centroid."""
        return (vectors @ self.centroids.T - self._half_norms).argmax(axis=1).astype(np.uint16)

    def encode(self, vectors: Floats) -> tuple[Codes, Bytes]:
        """The centroids' numbers, and the residuals, packed."""
        codes = self.nearest(vectors)
        level = np.searchsorted(self.cutoffs, (vectors - self.centroids[codes]) / self.scale).astype(np.uint8)
        parts = 8 // self.bits
        level = np.pad(level, ((0, 0), (0, -level.shape[1] % parts)))
        shifts = np.arange(parts, dtype=np.uint8) * np.uint8(self.bits)
        return codes, (level.reshape(len(level), self.width, parts) << shifts).sum(axis=2, dtype=np.uint8)

    def decode(self, codes: Codes, packed: Bytes) -> Floats:
        """The vectors, nearly as they were, of length 1."""
        dimension = self.centroids.shape[1]
        vectors = np.empty((len(codes), dimension), dtype=np.float32)
        for start in range(0, len(codes), _DECODED):
            part = slice(start, start + _DECODED)
            found = self._table.take(packed[part]).view(np.float32)[:, :dimension]
            found *= self.scale
            found += self.centroids.take(codes[part], axis=0)
            length = np.sqrt(np.einsum("ij,ij->i", found, found))
            np.divide(found, np.maximum(length, 1e-9)[:, None], out=vectors[part])
        return vectors

    @cached_property
    def _half_norms(self) -> Floats:
        return (self.centroids**2).sum(axis=1) / 2

    @cached_property
    def _table(self) -> npt.NDArray[np.void]:
        """(256,): what each byte of a residual holds, its numbers as one item, which is looked up faster."""
        shifts = np.arange(0, 8, self.bits)
        numbers = self.levels[(np.arange(256)[:, None] >> shifts) & (2**self.bits - 1)].astype(np.float32)
        return numbers.view(np.dtype((np.void, numbers[0].nbytes))).ravel()


def fit(sample: Floats, bits: int, centroids: int, seed: int = 0) -> Quantiser:
    """A quantiser fitted to some of the vectors that it is to code.

    Args:
        sample: (vectors, dimension), at least one.
        bits: of a number of the residual, 2 or 4.
        centroids: how many; at most as many as vectors are used.
        seed: of the clustering.
    """
    number = min(centroids, len(sample))
    clustering = need("sklearn.cluster").MiniBatchKMeans(
        number, init="random", n_init=1, batch_size=_BATCH, max_iter=8, random_state=seed, reassignment_ratio=0
    )
    found = np.ascontiguousarray(clustering.fit(sample).cluster_centers_, dtype=np.float32).astype("<f2")
    rough = Quantiser(found.astype(np.float32), *(np.ones(1, dtype=np.float32),) * 3)
    residual = np.concatenate([part - rough.centroids[rough.nearest(part)] for part in _batches(sample)])
    scale = np.maximum(residual.std(axis=0), 1e-6)
    scaled = (residual / scale).ravel()
    scaled = scaled[:: max(1, len(scaled) // 1_000_000)]
    cutoffs = np.quantile(scaled, np.arange(1, 2**bits) / 2**bits).astype(np.float32)
    level = np.searchsorted(cutoffs, scaled)
    count = np.bincount(level, minlength=2**bits)
    levels = np.bincount(level, weights=scaled, minlength=2**bits) / np.maximum(count, 1)
    return Quantiser(rough.centroids, scale, cutoffs, levels.astype(np.float32))


def centroids_for(vectors: int) -> int:
    """How many centroids suit so many vectors: the power of two about twice their root, at most 16,384."""
    return int(2 ** np.clip(np.round(np.log2(2 * np.sqrt(max(vectors, 1)))), 0, 14))


def sample_size(centroids: int) -> int:
    """To how many vectors so many centroids are fitted."""
    return centroids * _SAMPLE_A_CENTROID


def _batches(vectors: Floats) -> Iterable[Floats]:
    return (vectors[start : start + _BATCH] for start in range(0, len(vectors), _BATCH))
