"""Fuse rankers by a rule. Each function is named after its rule and returns a `Fusion`.

Sources: Fox and Shaw (CombSUM, CombMNZ); Cormack et al. (RRF); Mourao et al. (ISR, log-ISR); Aslam, Montague (Borda).
"""

from collections.abc import Sequence
from typing import Any

import pyterrier as pt

from pyterrier_quantity.fusion.fuse import Fusion


def linear(*rankers: pt.Transformer, weights: Sequence[float] | None = None, **options: Any) -> Fusion:
    """Return a `Fusion` that scores documents by the weighted sum of normalised scores."""
    return Fusion(rankers, "linear", weights, **options)


def convex(*rankers: pt.Transformer, weights: Sequence[float], **options: Any) -> Fusion:
    """Return a `Fusion` that scores documents by the weighted sum of normalised scores, with weights that add up to 1.
    The last weight may be left out: (0.7,) -> (0.7, 0.3).

    Raises:
        ValueError: if the weights do not add up to 1.
    """
    given = list(weights)
    if len(given) == len(rankers) - 1:
        given.append(1.0 - sum(given))
    if abs(sum(given) - 1.0) > 1e-6 or min(given) < -1e-9:
        raise ValueError(f"convex weights must be from 0 to 1 and add up to 1, got {list(weights)}")
    return Fusion(rankers, "linear", [max(w, 0.0) for w in given], **options)


def CombSUM(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Return a `Fusion` that scores documents by the sum of normalised scores."""
    return Fusion(rankers, "combsum", **options)


def CombMNZ(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Return a `Fusion` that multiplies the sum of a document's scores by the number of rankers that return it."""
    return Fusion(rankers, "combmnz", **options)


def RRF(*rankers: pt.Transformer, k: float = 60.0, **options: Any) -> Fusion:
    """Return a `Fusion` that scores by the sum of 1 / (k + rank), with ranks from 1 (reciprocal rank fusion)."""
    return Fusion(rankers, "rrf", k=k, **options)


def ISR(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Return a `Fusion` that scores by the sum of 1 / rank², times the number of rankers that return the document."""
    return Fusion(rankers, "isr", **options)


def LogISR(*rankers: pt.Transformer, sigma: float = 1.0, **options: Any) -> Fusion:
    """Return a `Fusion` that scores by the sum of 1 / rank², times ln(n + sigma), if n rankers return the document."""
    return Fusion(rankers, "logisr", sigma=sigma, **options)


def Borda(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Return a `Fusion` that scores by points. Of the n documents of a ranker, the first gets n / n points, the second
    (n - 1) / n, and so on. A document that the ranker did not return gets no points."""
    return Fusion(rankers, "borda", **options)
