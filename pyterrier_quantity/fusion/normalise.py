"""Normalise scores, so that the scores of several rankers, or quantity scores, can be added."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.frames.frame import numbered, ranks
from pyterrier_quantity.frames.transformer import Configured, check_choice

METHODS: Final = ("max", "minmax", "zscore", "sum", "rank")


def normalise(score: npt.ArrayLike, query: Ints, method: str) -> Floats:
    """Return the normalised score of each row, an array of shape (rows,). Scores of each query are scaled separately.

    Args:
        score: the score of each row.
        query: the zero-based index of each row's query.
        method: "max" divides scores by the highest score of the query. "minmax" scales scores to the range from 0 to 1;
            equal scores become 1. "zscore" scales scores to mean 0 and standard deviation 1. "sum" subtracts the lowest
            score, and then divides scores by their sum. "rank" replaces the scores of n rows with 1 for the highest,
            1 - 1/n for the second, and so on, down to 1/n.

    Raises:
        ValueError: if the method is unknown, or if a score is not finite.
    """
    check_method(method)
    values = np.asarray(score, dtype=np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        place = int(np.flatnonzero(~finite)[0])
        fault = f"column 'score', row {place}: {values[place]} is not finite and cannot be normalised"
        raise ValueError(f"{fault}; drop such results first")
    queries = int(query.max(initial=-1)) + 1
    if method == "rank":
        return 1.0 - ranks(query, values) / np.bincount(query)[query]
    highest, lowest = np.full(queries, -np.inf), np.full(queries, np.inf)
    np.maximum.at(highest, query, values)
    np.minimum.at(lowest, query, values)
    if method == "max":
        # If no score is positive (log probabilities), scores are divided by a positive number, to keep their order.
        divisor = np.where(highest > 0, highest, np.abs(lowest))
        return _ratio(values, divisor[query], 0.0)
    count = np.bincount(query, minlength=queries).astype(np.float64)
    if method == "zscore":
        mean = np.bincount(query, weights=values, minlength=queries) / np.maximum(count, 1)
        centred = values - mean[query]
        deviation = np.sqrt(np.bincount(query, weights=centred**2, minlength=queries) / np.maximum(count, 1))
        # Equal scores may have a mean that differs from them by a rounding error.
        deviation[highest == lowest] = 0.0
        return _ratio(centred, deviation[query], 0.0)
    above = values - lowest[query]
    if method == "minmax":
        return _ratio(above, (highest - lowest)[query], 1.0)
    total = np.bincount(query, weights=above, minlength=queries)
    return _ratio(above, total[query].astype(np.float64), 1.0 / count[query])


def check_method(method: str) -> None:
    check_choice("normalisation", method, METHODS)


def _ratio(values: Floats, divisor: Floats, otherwise: float | Floats) -> Floats:
    return np.divide(values, divisor, out=np.full(len(values), otherwise), where=divisor > 0)


class Normalise(Configured):
    """Transformer, R -> R, that normalises the scores of each query.

    Args:
        method: "max", "minmax", "zscore", "sum" or "rank"; see `normalise`.

    Columns in: `qid`, `docno`, `score`. Columns out: the same rows, with new `score` and `rank`.
    """

    def __init__(self, method: str = "max") -> None:
        check_method(method)
        self.method = method

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "score"], context=self)
        query = numbered(inp)
        score = normalise(inp["score"], query, self.method)
        return inp.assign(score=score, rank=ranks(query, score))
