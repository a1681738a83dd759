"""Paired significance tests over queries, and Holm's correction for several of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

ROUNDS = 100_000
EXACT = 16
"""Up to so many queries that differ, Fisher's test goes through all arrangements."""
_CHUNK = 2_000
_ROUNDING = 1e-12


def permutation_p(one: pd.Series, other: pd.Series, rounds: int = ROUNDS, seed: int = 0) -> float:
    """Two-sided p of approximate randomisation (Riezler and Maxwell, 2005): (extreme + 1) / (rounds + 1).

    Each round swaps the two systems' values of every query by the toss of a coin, and counts as extreme if the means
    then differ at least as much as they do. Never below 1 / (rounds + 1).
    """
    difference = _difference(one, other)
    return (_extreme(difference, rounds, seed) + 1) / (rounds + 1)


def fisher_p(one: pd.Series, other: pd.Series, rounds: int = ROUNDS, seed: int = 0) -> float:
    """Two-sided p of Fisher's randomisation test (Smucker et al., 2007): the share of extreme arrangements.

    Of all arrangements where at most `EXACT` queries differ; else of a sample, where 0 means below 1 / rounds.
    """
    difference = _difference(one, other)
    differing = difference[difference != 0]
    if len(differing) > EXACT:
        return _extreme(difference, rounds, seed) / rounds
    signs = np.array(list(product((-1.0, 1.0), repeat=len(differing)))).reshape(2 ** len(differing), -1)
    return float(np.mean(np.abs(signs @ differing) >= abs(differing.sum()) - _ROUNDING))


def t_p(one: pd.Series, other: pd.Series) -> float:
    """Two-sided p of the paired t-test; 1 where no query differs."""
    from scipy import stats

    difference = _difference(one, other)
    return float(stats.ttest_rel(one, other.reindex(one.index)).pvalue) if difference.any() else 1.0


TESTS = {"permutation": permutation_p, "fisher": fisher_p, "t": t_p}


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values with Holm's correction (1979), in the same order."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected.tolist()


def _difference(one: pd.Series, other: pd.Series) -> np.ndarray:
    if set(one.index) != set(other.index) or one.index.has_duplicates:
        raise ValueError("the systems were judged on other queries; a paired test needs the same")
    return (one - other.reindex(one.index)).to_numpy(dtype=float)


def _extreme(difference: np.ndarray, rounds: int, seed: int) -> int:
    """How many of the rounds give a sum of differences at least as far from 0 as the real one."""
    generator = np.random.default_rng(seed)
    real, count = abs(difference.sum()) - _ROUNDING, 0
    for start in range(0, rounds, _CHUNK):
        size = (min(_CHUNK, rounds - start), len(difference))
        signs = generator.integers(0, 2, size, dtype=np.int8) * 2 - 1
        count += int((np.abs(signs @ difference) >= real).sum())
    return count
