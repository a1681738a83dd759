"""R -> R: drops the documents that do not meet a query's conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity._frames import ranks
from pyterrier_quantity.index.evidence import Scores
from pyterrier_quantity.index.scorer import Assessment, IndexScorer, ResultScorer
from pyterrier_quantity.score import make_scoring

if TYPE_CHECKING:
    from pyterrier_quantity.index.quantity_index import QuantityIndex


class IndexFilter(ResultScorer):
    """R -> R: drops documents that do not meet every constraint of their query.

    Args:
        index: the quantity index.
        keep_unknown: keep documents that state no quantity in a unit that could meet the constraint.
        convert: whether units that convert to the constraint's count, and any unit where it names none; False is the
            paper's filter (BM25_filter). Units that only partly match never count.

    Columns in: as `ResultScorer`. Columns out: the same rows with new ranks; scores stay, queries without a
    constraint lose nothing.
    """

    def __init__(self, index: QuantityIndex, keep_unknown: bool = False, convert: bool = True) -> None:
        self.index, self.keep_unknown, self.convert = index, keep_unknown, convert
        units = "convert" if convert else "strict"
        self._scorer = IndexScorer(index, make_scoring("binary", units=units, fit=False))

    def assess(self, inp: pd.DataFrame) -> Assessment:
        self._validate(inp)
        return self._scorer.assess(inp)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        found = self.assess(inp)
        scores, evidence = found.scores, found.scores.evidence
        met, known = np.zeros(len(scores.pair), dtype=bool), np.zeros(len(scores.pair), dtype=bool)
        known[evidence.pair] = True
        met[evidence.pair[evidence.met]] = True
        fails = ~(met | ~known) if self.keep_unknown else ~met
        fails &= ~_has_alternative(scores, found, ~fails)
        kept = np.bincount(scores.pair_row, weights=fails, minlength=len(inp)) == 0
        left = inp[kept].reset_index(drop=True)
        if "score" not in left.columns:
            return left
        return left.assign(rank=ranks(found.query[kept], left["score"].to_numpy(dtype=np.float64)))


def _has_alternative(scores: Scores, found: Assessment, met: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether another constraint of the same row, an alternative to the pair's own, is met."""
    numbers = np.array([c.alternative for need in found.needs for c in need.constraints], dtype=np.int64)
    number = numbers[scores.pair_constraint] if len(numbers) else np.zeros(len(scores.pair), dtype=np.int64)
    key = scores.pair_row * (number.max(initial=0) + 1) + number
    return (number > 0) & np.isin(key, key[met & (number > 0)])
