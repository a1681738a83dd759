"""Fuse the results of several rankers into one ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.frames.frame import best_first, numbered, ranks
from pyterrier_quantity.frames.transformer import Configured, check_choice, check_transformers
from pyterrier_quantity.fusion.normalise import check_method, normalise

RULES: Final = ("linear", "combsum", "combmnz", "rrf", "isr", "logisr", "borda")
MISSING: Final = ("zero", "share")
"""The options of "borda" for a document that a ranker did not return."""


def fuse(results: Sequence[pd.DataFrame], *settings: Any, **options: Any) -> pd.DataFrame:
    """Fuse the results of several rankers, one frame for each, into one R. The settings are those of `Fusion`."""
    return Fusion([pt.Transformer.identity()] * len(results), *settings, **options).fuse(results)


class Fusion(Configured):
    """Q -> R or R -> R: fuse several rankers that get the same input.

    Args:
        rankers: pipelines, all Q -> R or all R -> R.
        rule: one of `RULES`; see the functions with these names.
        weights: one for each ranker; None for equal weights of 1.
        norm: how scores are normalised within a query (see `normalise`): one method, or one for each ranker; None for
            no normalisation. Used by the rules that add scores: linear, combsum, combmnz.
        k: the constant of "rrf".
        num_results: the maximum number of documents per query; None for all.
        sigma: added to the number of rankers in the logarithm of "logisr". With 1, a document that only one ranker
            returned keeps ln 2 of its score; with .01, almost nothing, so documents of several rankers come first.
        missing: how "borda" treats a document that a ranker did not return. The ranker's first document has n points.
            "zero": n is the length of its list; a missing document has none. "share": n is the number of documents that
            any ranker returned; the points left over after the list are divided equally among the missing documents.

    Columns in: those of the rankers. Columns out: the same, sorted by query and rank, with every document that a ranker
    returned. A document has score 0 for a ranker that did not return it. Other columns come from the first ranker that
    returned the document. Columns that this ranker does not have are NaN.

    Raises:
        ValueError: if the rule, the normalisation or `missing` is unknown, or `sigma` is negative; if the number of
            weights or normalisations differs from that of the rankers; if a weight is negative or not finite.
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
        missing: str = "zero",
    ) -> None:
        if not rankers:
            raise ValueError("there is nothing to fuse: give at least one ranker")
        check_transformers(**{f"ranker {number}": one for number, one in enumerate(rankers)})
        check_choice("fusion rule", rule, RULES)
        check_choice("missing", missing, MISSING)
        if not (math.isfinite(sigma) and sigma >= 0):
            raise ValueError(f"sigma must be finite and not negative, got {sigma!r}")
        self.rankers, self.rule, self.norm, self.k, self.num_results = list(rankers), rule, norm, k, num_results
        self.sigma, self.missing = sigma, missing
        self.weights = None if weights is None else list(weights)
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
        """Return the fused score of each pair of query and document.

        Args:
            query: the number of each pair's query, [pair].
            score: each ranker's normalised scores, [ranker, pair]; 0 if it did not return the pair.
            rank: each ranker's ranks, [ranker, pair], from 0; infinite if it did not return the pair.
        """
        weights = np.array(self.weights or [1.0] * len(score))
        found = np.isfinite(rank)
        if self.rule == "rrf":
            # The best rank counts 1, as in the paper; in pyterrier-alpha's RRFusion it counts 0.
            return weights @ (1.0 / (self.k + rank + 1.0))
        if self.rule == "borda":
            return weights @ self._points(query, found, np.where(found, rank, 0.0))
        parts = 1.0 / (rank + 1.0) ** 2 if self.rule.endswith("isr") else score
        rankers = found.sum(axis=0)
        factor = {"combmnz": rankers, "isr": rankers, "logisr": np.log(rankers + self.sigma)}.get(self.rule, 1.0)
        return (weights @ parts) * factor

    def _points(self, query: Ints, found: npt.NDArray[np.bool_], rank: Floats) -> Floats:
        """Return each ranker's points for each pair by Borda's rule, [ranker, pair]."""
        returned = np.stack([np.bincount(query, weights=row)[query] for row in found])
        if self.missing == "zero":
            return np.where(found, returned - rank, 0.0) / np.maximum(returned, 1.0)
        pairs = np.bincount(query)[query]
        # The points left over after a ranker's list are divided among the documents that it did not return.
        return np.where(found, pairs - rank, (pairs - returned + 1.0) / 2.0) / pairs
