"""Fuse the results of several rankers into one ranking. For each rule, a function such as `RRF` returns a `Fusion`.

Sources: Fox and Shaw (CombSUM, CombMNZ); Cormack et al. (RRF); Mourao et al. (ISR, log-ISR); Aslam, Montague (Borda).
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.frames.frame import best_first, numbered, ranks
from pyterrier_quantity.frames.transformer import Configured, check_choice, check_transformers
from pyterrier_quantity.fusion.normalise import check_method, normalise

RULES: Final = ("linear", "combsum", "combmnz", "rrf", "isr", "logisr", "borda")


def fuse(results: Sequence[pd.DataFrame], *settings: Any, **options: Any) -> pd.DataFrame:
    """Return one ranking (R) from the results (R) of several rankers. For `settings` and `options`, see `Fusion`."""
    return Fusion([pt.Transformer.identity()] * len(results), *settings, **options).fuse(results)


class Fusion(Configured):
    """Transformer, Q -> R or R -> R, that runs several rankers and fuses their results into one ranking.

    Args:
        rankers: pipelines, all Q -> R or all R -> R.
        rule: "linear", "combsum", "combmnz", "rrf", "isr", "logisr" or "borda"; see `linear`, `CombSUM`, `RRF`, ...
        weights: one weight per ranker. If None, all weights are 1.
        norm: the method that normalises the scores of a query (see `normalise`), or a list with a method for each
            ranker. None leaves scores unchanged. Rules that use ranks ignore `norm`.
        k: the constant of "rrf". Larger values reduce the difference between high and low ranks.
        num_results: maximum number of documents per query, or None for all.
        sigma: the constant of "logisr". With smaller values, documents that several rankers return are ranked higher.

    Columns in: the columns that the rankers need. Columns out: the columns of the rankers' results, sorted by query and
    rank. Every document that a ranker returned is in the result. A ranker that did not return a document gives it the
    score 0. Other columns come from the first ranker that returned the document.

    Raises:
        ValueError: if `rule` or `norm` is unknown; if `sigma` or a weight is negative or not finite; or if the number
            of weights or normalisations differs from the number of rankers.
    """

    schematic = {"inner_pipelines_mode": "combine"}  # noqa: RUF012 (PyTerrier's own convention)

    def __init__(
        self,
        rankers: Sequence[pt.Transformer],
        rule: str = "linear",
        weights: Sequence[float] | None = None,
        norm: str | Sequence[str | None] | None = "minmax",
        k: float = 60.0,
        num_results: int | None = None,
        sigma: float = 1.0,
    ) -> None:
        if not rankers:
            raise ValueError("the list of rankers is empty: give at least one ranker")
        check_transformers(**{f"ranker {number}": one for number, one in enumerate(rankers)})
        check_choice("fusion rule", rule, RULES)
        if not (math.isfinite(sigma) and sigma >= 0):
            raise ValueError(f"sigma must be finite and not negative, got {sigma!r}")
        self.rankers, self.rule, self.norm, self.k, self.num_results = list(rankers), rule, norm, k, num_results
        self.sigma, self.weights = sigma, None if weights is None else list(weights)
        if weights is not None and len(weights) != len(rankers):
            raise ValueError(f"{len(weights)} weights for {len(rankers)} rankers")
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights or ()):
            raise ValueError(f"weights must be finite and not negative, got {self.weights}")
        if len(self._norms) != len(rankers):
            raise ValueError(f"{len(self._norms)} normalisations for {len(rankers)} rankers")
        for name in filter(None, self._norms):
            check_method(name)

    @property
    def _norms(self) -> list[str | None]:
        if self.norm is None or isinstance(self.norm, str):
            return [self.norm] * len(self.rankers)
        return list(self.norm)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return self.fuse([ranker(inp) for ranker in self.rankers])

    def fuse(self, results: Sequence[pd.DataFrame]) -> pd.DataFrame:
        for frame in results:
            pt.validate.columns(frame, includes=["qid", "docno", "score"])
        every = list(dict.fromkeys(name for frame in results for name in frame))
        filled = [number for number, frame in enumerate(results) if len(frame)]
        if not filled:
            return results[0].reindex(columns=every).reset_index(drop=True).assign(score=0.0, rank=0)
        stacked = pd.concat([results[n].drop(columns=["rank"], errors="ignore") for n in filled], ignore_index=True)
        pair = stacked.groupby(["qid", "docno"], sort=False).ngroup().to_numpy()
        merged = stacked[~stacked.duplicated(["qid", "docno"])].reset_index(drop=True)
        query = numbered(merged)
        score, rank = np.zeros((len(results), len(merged))), np.full((len(results), len(merged)), np.inf)
        ends = np.cumsum([len(results[n]) for n in filled])[:-1]
        for number, where in zip(filled, np.split(pair, ends), strict=True):
            values, norm = results[number]["score"].to_numpy(dtype=np.float64), self._norms[number]
            rank[number, where] = ranks(query[where], values)
            score[number, where] = values if norm is None else normalise(values, query[where], norm)
        fused = self._fused(query, score, rank)
        order = best_first(query, fused)
        place = ranks(query[order], fused[order])
        found = merged.reindex(columns=every).take(order).assign(score=fused[order], rank=place).reset_index(drop=True)
        return found if self.num_results is None else found[place < self.num_results].reset_index(drop=True)

    def _fused(self, query: Ints, score: Floats, rank: Floats) -> Floats:
        """Return the fused scores of pairs of a query and a document, an array of shape (pairs,). `query` is the index
        of each pair's query. `score` (normalised) and `rank` (from 0) have the shape (rankers, pairs). For a pair that
        a ranker did not return, the score is 0 and the rank is infinite."""
        weights = np.array(self.weights or [1.0] * len(score))
        found = np.isfinite(rank)
        if self.rule == "rrf":
            # The best rank counts as 1, as in Cormack et al. In RRFusion of pyterrier-alpha, it counts as 0.
            return weights @ (1.0 / (self.k + rank + 1.0))
        if self.rule == "borda":
            returned = np.stack([np.bincount(query, weights=row)[query] for row in found])
            points = np.where(found, returned - np.where(found, rank, 0.0), 0.0)
            return weights @ (points / np.maximum(returned, 1.0))
        parts = 1.0 / (rank + 1.0) ** 2 if self.rule.endswith("isr") else score
        rankers = found.sum(axis=0)
        factor = {"combmnz": rankers, "isr": rankers, "logisr": np.log(rankers + self.sigma)}.get(self.rule, 1.0)
        return (weights @ parts) * factor


def linear(*rankers: pt.Transformer, weights: Sequence[float] | None = None, **options: Any) -> Fusion:
    """Return a `Fusion` that scores documents by the weighted sum of normalised scores. For `options`, see `Fusion`."""
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
    """Return a `Fusion` that scores documents by reciprocal rank fusion: the sum of 1 / (k + rank)."""
    return Fusion(rankers, "rrf", k=k, **options)


def ISR(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Return a `Fusion` that scores a document by the sum of 1 / rank², times the number of rankers that return it."""
    return Fusion(rankers, "isr", **options)


def LogISR(*rankers: pt.Transformer, sigma: float = 1.0, **options: Any) -> Fusion:
    """Return a `Fusion` that scores a document by the sum of 1 / rank², times ln(n + sigma) if n rankers return it."""
    return Fusion(rankers, "logisr", sigma=sigma, **options)


def Borda(*rankers: pt.Transformer, **options: Any) -> Fusion:
    """Return a `Fusion` that scores documents by the sum of points. If a ranker returns n documents, the first gets 1
    point, the second (n - 1) / n points, and so on. A document that the ranker did not return gets no points."""
    return Fusion(rankers, "borda", **options)
