"""The fusion rules by name. Each function returns a `Fusion`.

Sources: math-dense-retrieval, section 3.4 and Table 4, with the rules of the tool polyfuse; Fox and Shaw (CombSUM,
CombMNZ); Cormack et al. (RRF); Mourao et al. (ISR, log-ISR); Aslam and Montague (Borda).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyterrier as pt

from pyterrier_quantity.fusion.fuse import Fusion


def linear(*rankers: pt.Transformer, weights: Sequence[float] | None = None, **options: Any) -> Fusion:
    """The weighted sum of normalised scores, with weights of any size. For options, see `fuse`."""
    return Fusion(rankers, "linear", weights, **options)


def convex(*rankers: pt.Transformer, weights: Sequence[float], **options: Any) -> Fusion:
    """The convex combination: weights that sum to 1. If one weight is left out, the last ranker gets the rest.

    Raises:
        ValueError: if the weights do not sum to 1.
    """
    given = list(weights)
    if len(given) == len(rankers) - 1:
        given.append(1.0 - sum(given))
    if abs(sum(given) - 1.0) > 1e-6 or min(given) < -1e-9:
        raise ValueError(f"the weights of a convex combination must lie in [0, 1] and sum to 1, got {list(weights)}")
    return Fusion(rankers, "linear", [max(w, 0.0) for w in given], **options)


def CombSUM(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """The sum of normalised scores."""
    return Fusion(rankers, "combsum", **options)


def CombMNZ(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """The sum of normalised scores, times the number of rankers that returned the document."""
    return Fusion(rankers, "combmnz", **options)


def RRF(*rankers: pt.Transformer, k: float = 60.0, **options: Any) -> Fusion:
    """Reciprocal rank fusion: the sum of 1 / (k + rank), with ranks from 1."""
    return Fusion(rankers, "rrf", k=k, **options)


def ISR(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Inverse square rank: the sum of 1 / rank², times the number of rankers that returned the document."""
    return Fusion(rankers, "isr", **options)


def LogISR(*rankers: pt.Transformer, sigma: float = 1.0, **options: Any) -> Fusion:
    """Inverse square rank with ln(number of rankers + sigma) instead of the number of rankers."""
    return Fusion(rankers, "logisr", sigma=sigma, **options)


def Borda(*rankers: pt.Transformer, missing: str = "zero", **options: Any) -> Fusion:
    """Borda count: the first of a ranker's n documents gets n points, the second n - 1, and so on, all divided by n.

    Args:
        rankers: Q -> R or R -> R.
        missing: "zero": a document that a ranker did not return gets no points from it. "share": n is the number of
            documents that any ranker returned; the points left over after a ranker's list are divided among the rest.
        options: see `fuse`.
    """
    return Fusion(rankers, "borda", missing=missing, **options)
