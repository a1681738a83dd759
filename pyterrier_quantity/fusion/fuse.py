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
from pyterrier_quantity._transformer import Configured
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


def fuse(
    results: Sequence[pd.DataFrame],
    rule: str = "linear",
    weights: Sequence[float] | None = None,
    norm: str | Sequence[str | None] | None = "minmax",
    k: float = 60.0,
    num_results: int | None = None,
    sigma: float = 1.0,
    missing: str = "zero",
) -> pd.DataFrame:
    """Several rankers' results as one.

    Args:
        results: frames R, with `qid`, `docno`, `score`.
        rule: one of `RULES`; see the functions of the same names.
        weights: one for each frame; None: 1 each.
        norm: how scores are normalised within a query (see `normalise`), for all frames or one for each; None: not.
            Used by the rules that add scores: linear, combsum, combmnz.
        k: the constant of "rrf".
        num_results: documents per query; None: all.
        sigma: added to the number of rankers under the logarithm of "logisr". With 1 a document of one ranker keeps
            ln 2 of its score, with .01 hardly any, so that what several rankers return comes first.
        missing: what "borda" gives a document that a ranker did not return. "zero": nothing; the best document gets as
            many points as the list is long. "share": an equal part of the points that the ranker did not give; the best
            document gets as many points as there are documents of any ranker.

    Returns:
        R, sorted by query and rank, with every document that a frame returned. A ranker that did not return a document
        gives it 0. Other columns come from the first frame that has the document; columns that only some frames have
        are NaN where none gave a value.

    Raises:
        ValueError: on an unknown rule, normalisation or `missing`, a negative `sigma`, weights or normalisations of
            another number than the frames, and weights that are negative or not finite.
    """
    check_rule(rule, len(results), weights, norm, sigma, missing)
    frames = [frame.reset_index(drop=True) for frame in results]
    for frame in frames:
        pt.validate.columns(frame, includes=["qid", "docno", "score"])
    merged = _first_of_each(frames)
    if not len(merged):
        return merged
    lists = Lists(*_lists(frames, merged, _norms(norm, len(frames))), k, sigma, missing)
    given = np.ones(len(frames)) if weights is None else np.asarray(weights, dtype=np.float64)
    score = _COMBINE[rule](lists, given)
    order = best_first(lists.query, score)
    fused = merged.take(order).reset_index(drop=True)
    fused["score"], fused["rank"] = score[order], ranks(lists.query[order], score[order])
    if num_results is not None:
        fused = fused[fused["rank"] < num_results].reset_index(drop=True)
    return fused


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


def _norms(norm: str | Sequence[str | None] | None, rankers: int) -> list[str | None]:
    return [norm] * rankers if norm is None or isinstance(norm, str) else list(norm)


def check_rule(
    rule: str, rankers: int, weights: Sequence[float] | None, norm: Any, sigma: float = 1.0, missing: str = "zero"
) -> None:
    """Raise a ValueError unless these fit together; see `fuse`."""
    if not rankers:
        raise ValueError("there is nothing to fuse: give at least one ranker")
    if rule not in RULES:
        raise ValueError(f"unknown fusion rule {rule!r}; one of {', '.join(RULES)}")
    if missing not in MISSING:
        raise ValueError(f"unknown missing {missing!r}; one of {', '.join(MISSING)}")
    if not (math.isfinite(sigma) and sigma >= 0):
        raise ValueError(f"sigma must be finite and not negative, got {sigma!r}")
    _check_weights(rankers, weights)
    norms = _norms(norm, rankers)
    if len(norms) != rankers:
        raise ValueError(f"{len(norms)} normalisations for {rankers} rankers")
    for name in filter(None, norms):
        check_method(name)


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
        rule, weights, norm, k, num_results, sigma, missing: see `fuse`.

    Columns in: those of the rankers. Columns out: theirs, sorted by query and rank.
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
        check_rule(rule, len(rankers), weights, norm, sigma, missing)
        self.sigma, self.missing = sigma, missing
        self.rankers, self.rule, self.norm, self.k, self.num_results = list(rankers), rule, norm, k, num_results
        self.weights = None if weights is None else list(weights)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return self.fuse([ranker(inp) for ranker in self.rankers])

    def fuse(self, results: Sequence[pd.DataFrame]) -> pd.DataFrame:
        """The rankers' results, fused by this fusion's settings."""
        return fuse(results, self.rule, self.weights, self.norm, self.k, self.num_results, self.sigma, self.missing)

    def fuse_rank_cutoff(self, k: int) -> Fusion | None:
        if self.num_results is not None and k >= self.num_results:
            return None
        return self._with(num_results=k)
