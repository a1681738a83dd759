"""Paired significance tests over queries for several comparisons at once, and Holm's correction for their number."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests

ROUNDS = 100_000
EXACT = 16
"""The maximum number of differing queries for which Fisher's test enumerates all arrangements."""
_CHUNK = 4_000
_ROUNDING = 1e-12

Array = NDArray[np.float64]


def differences(one: pd.Series, other: pd.Series) -> Array:
    """Return one system's value minus the other's for every query.

    Raises:
        ValueError: if the systems were not evaluated on the same queries.
    """
    if set(one.index) != set(other.index) or one.index.has_duplicates:
        raise ValueError("the systems were judged on different queries; a paired test needs the same")
    return (one - other.reindex(one.index)).to_numpy(dtype=np.float64)


def permutation(compared: Array, rounds: int = ROUNDS, seed: int = 0) -> Array:
    """Return the two-sided p of approximate randomisation (Riezler and Maxwell, 2005): (extreme + 1) / (rounds + 1).

    Each round randomly swaps the two systems' values of every query. It is extreme if the means then differ at least as
    much as observed. p is never below 1 / (rounds + 1).

    Args:
        compared: an array of differences, of shape (queries, comparisons), or (queries,) for one comparison.
    """
    return (_extreme(compared, rounds, seed) + 1) / (rounds + 1)


def fisher(compared: Array, rounds: int = ROUNDS, seed: int = 0) -> Array:
    """Return the two-sided p of Fisher's randomisation test (Smucker et al., 2007): the share of extreme arrangements.

    All arrangements are enumerated if at most `EXACT` queries differ. Otherwise a sample is used, in which 0 means
    below 1 / rounds. The arguments are those of `permutation`.
    """
    sampled = np.atleast_1d(_extreme(compared, rounds, seed) / rounds)
    for at, difference in enumerate(np.atleast_2d(compared.T)):
        differing = difference[difference != 0]
        if len(differing) <= EXACT:
            signs = np.array(list(product((-1.0, 1.0), repeat=len(differing)))).reshape(2 ** len(differing), -1)
            sampled[at] = np.mean(np.abs(signs @ differing) >= abs(differing.sum()) - _ROUNDING)
    return sampled.reshape(compared.shape[1:])


def t(compared: Array) -> Array:
    """Return the two-sided p of the paired t-test, or 1 if no query differs."""
    from scipy import stats

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(compared.any(axis=0), stats.ttest_1samp(compared, 0.0).pvalue, 1.0)


TESTS = {"permutation": permutation, "fisher": fisher, "t": t}


def permutation_p(one: pd.Series, other: pd.Series) -> float:
    """Return the result of `permutation` for two systems, given their values by query."""
    return float(permutation(differences(one, other)))


def holm(p_values: Sequence[float] | Array) -> list[float]:
    """Return the p-values with Holm's correction (1979), in the same order."""
    return multipletests(p_values, method="holm")[1].tolist() if len(p_values) else []


def _extreme(compared: Array, rounds: int, seed: int) -> Array:
    """Return the number of rounds in which the sum of differences is at least as far from 0 as the observed sum."""
    generator = np.random.default_rng(seed)
    queries = len(compared)
    real, count = np.abs(compared.sum(axis=0)) - _ROUNDING, np.zeros(compared.shape[1:])
    for start in range(0, rounds, _CHUNK):
        size = min(_CHUNK, rounds - start)
        tosses = np.frombuffer(generator.bytes(-(-size * queries // 8)), dtype=np.uint8)
        signs = np.unpackbits(tosses, count=size * queries).reshape(size, queries) * 2.0 - 1.0
        count += (np.abs(signs @ compared) >= real).sum(axis=0)
    return count
