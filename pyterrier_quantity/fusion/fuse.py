"""One list of documents out of several rankers' lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import best_first, ranks
from pyterrier_quantity._transformer import Configured, check_choice
from pyterrier_quantity.fusion.normalise import check_method, normalise

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RULES: Final = ("linear", "combsum", "combmnz", "rrf", "isr", "logisr", "borda")

MISSING: Final = ("zero", "share")
"""What Borda gives a document that a ranker did not return."""


@dataclass(frozen=True)
class Lists:
    """Several rankers' results over the same pairs of query and document, one row a ranker.

    Args:
        query: the number of each pair's query.
        score: each ranker's normalised score, 0 where it did not return the pair.
        rank: each ranker's rank, from 0; infinite where it did not return the pair.
        k, sigma, missing: see `fuse`.
    """

    query: Ints
    score: Floats
    rank: Floats
    k: float
    sigma: float
    missing: str

    @property
    def found(self) -> npt.NDArray[np.bool_]:
        return np.isfinite(self.rank)


def _sum(lists: Lists, weights: Floats) -> Floats:
    return weights @ lists.score


def _combmnz(lists: Lists, weights: Floats) -> Floats:
    return (weights @ lists.score) * lists.found.sum(axis=0)


def _rrf(lists: Lists, weights: Floats) -> Floats:
    # The best rank counts 1, as in the paper; pyterrier-alpha's RRFusion counts it 0.
    return weights @ (1.0 / (lists.k + lists.rank + 1.0))


def _isr(lists: Lists, weights: Floats) -> Floats:
    return (weights @ (1.0 / (lists.rank + 1.0) ** 2)) * lists.found.sum(axis=0)


def _logisr(lists: Lists, weights: Floats) -> Floats:
    return (weights @ (1.0 / (lists.rank + 1.0) ** 2)) * np.log(lists.found.sum(axis=0) + lists.sigma)


def _borda(lists: Lists, weights: Floats) -> Floats:
    returned = np.stack([np.bincount(lists.query, weights=row)[lists.query] for row in lists.found.astype(np.float64)])
    rank = np.where(lists.found, lists.rank, 0.0)
    if lists.missing == "zero":
        return weights @ (np.where(lists.found, returned - rank, 0.0) / np.maximum(returned, 1.0))
    pairs = np.bincount(lists.query)[lists.query].astype(np.float64)
    # What a ranker did not return shares the points of the places that it left empty.
    return weights @ (np.where(lists.found, pairs - rank, (pairs - returned + 1.0) / 2.0) / pairs)


_COMBINE: Final[dict[str, Callable[[Lists, Floats], Floats]]] = {
    "linear": _sum,
    "combsum": _sum,
    "combmnz": _combmnz,
    "rrf": _rrf,
    "isr": _isr,
    "logisr": _logisr,
    "borda": _borda,
}


def fuse(results: Sequence[pd.DataFrame], *settings: Any, **options: Any) -> pd.DataFrame:
    """Several rankers' results as one: R, by the settings of a `Fusion`, one frame in the place of each ranker."""
    return Fusion([pt.Transformer.identity()] * len(results), *settings, **options).fuse(results)


def _first_of_each(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Each pair of query and document once, without score and rank; queries stay in the order of the frames."""
    stacked = pd.concat(
        [f.drop(columns=["rank"], errors="ignore").assign(score=0.0) for f in frames if len(f)]
        or [frames[0].assign(score=0.0, rank=0)]
    )
    return stacked[~stacked.duplicated(["qid", "docno"])].reset_index(drop=True)


def _lists(
    frames: Sequence[pd.DataFrame], merged: pd.DataFrame, norms: Sequence[str | None]
) -> tuple[Ints, Floats, Floats]:
    """The first three of `Lists`."""
    query, qids = pd.factorize(merged["qid"])
    place = pd.MultiIndex.from_arrays([merged["qid"], merged["docno"]])
    score = np.zeros((len(frames), len(merged)))
    rank = np.full((len(frames), len(merged)), np.inf)
    for row, (frame, norm) in enumerate(zip(frames, norms, strict=True)):
        if not len(frame):
            continue
        number = pd.Index(qids).get_indexer(frame["qid"]).astype(np.int64)
        values = frame["score"].to_numpy(dtype=np.float64)
        where = place.get_indexer(pd.MultiIndex.from_arrays([frame["qid"], frame["docno"]]))
        rank[row, where] = ranks(number, values)
        score[row, where] = values if norm is None else normalise(values, number, norm)
    return query.astype(np.int64), score, rank


def _check_weights(rankers: int, weights: Sequence[float] | None) -> None:
    if weights is None:
        return
    if len(weights) != rankers:
        raise ValueError(f"{len(weights)} weights for {rankers} rankers")
    if not all(math.isfinite(w) and w >= 0 for w in weights):
        raise ValueError(f"weights must be finite and not negative, got {list(weights)}")


class Fusion(Configured):
    """Q -> R or R -> R: several rankers over the same input, fused.

    Args:
        rankers: pipelines, all Q -> R or all R -> R.
        rule: one of `RULES`; see the functions of the same names.
        weights: one for each ranker; None: 1 each.
        norm: how scores are normalised within a query (see `normalise`), for all rankers or one for each; None: not.
            Used by the rules that add scores: linear, combsum, combmnz.
        k: the constant of "rrf".
        num_results: documents per query; None: all.
        sigma: added to the number of rankers under the logarithm of "logisr". With 1 a document of one ranker keeps
            ln 2 of its score, with .01 hardly any, so that what several rankers return comes first.
        missing: what "borda" gives a document that a ranker did not return. "zero": nothing; the best document gets as
            many points as the list is long. "share": an equal part of the points that the ranker did not give; the best
            document gets as many points as there are documents of any ranker.

    Columns in: those of the rankers. Columns out: theirs, sorted by query and rank, with every document that a ranker
    returned; one that did not return it gives it 0. Other columns come from the first ranker that has the document;
    columns that only some have are NaN where none gave a value.

    Raises:
        ValueError: on an unknown rule, normalisation or `missing`, a negative `sigma`, weights or normalisations of
            another number than the rankers, and weights that are negative or not finite.
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
        check_choice("fusion rule", rule, RULES)
        check_choice("missing", missing, MISSING)
        if not (math.isfinite(sigma) and sigma >= 0):
            raise ValueError(f"sigma must be finite and not negative, got {sigma!r}")
        self.rankers, self.rule, self.norm, self.k, self.num_results = list(rankers), rule, norm, k, num_results
        self.sigma, self.missing = sigma, missing
        self.weights = None if weights is None else list(weights)
        _check_weights(len(rankers), weights)
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
        """The rankers' results, fused by this fusion's settings."""
        frames = [frame.reset_index(drop=True) for frame in results]
        for frame in frames:
            pt.validate.columns(frame, includes=["qid", "docno", "score"])
        merged = _first_of_each(frames)
        if not len(merged):
            return merged
        lists = Lists(*_lists(frames, merged, self._norms), self.k, self.sigma, self.missing)
        score = _COMBINE[self.rule](lists, np.array(self.weights or [1.0] * len(frames)))
        order = best_first(lists.query, score)
        fused = merged.take(order).reset_index(drop=True)
        fused["score"], fused["rank"] = score[order], ranks(lists.query[order], score[order])
        if self.num_results is not None:
            fused = fused[fused["rank"] < self.num_results].reset_index(drop=True)
        return fused

    def fuse_rank_cutoff(self, k: int) -> Fusion | None:
        if self.num_results is not None and k >= self.num_results:
            return None
        return self._with(num_results=k)
