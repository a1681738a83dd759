"""Aggregation of the counts in many snippets to one answer: by maximum relevance, consistency, centrality, agreement.

Source: CardiO, section 3 (count aggregation), Eq. 1, 2 and 4. Agreement is this package's own method.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from pyterrier_quantity.counts.count_measures import closeness
from pyterrier_quantity.counts.relevance import Vectors

METHODS: Final = ("agreement", "max", "consistent", "central")

_TINY: Final = 1e-9
"""Replacement for a sum of distances that is 0, to divide by."""

_DOUBT: Final = 0.05
"""Relevance that supports no count, so that a few weak counts do not give a high confidence."""


def order_closeness(values: Sequence[float]) -> Vectors:
    """Return 1 - min(1, D_order) for every two counts: (counts, counts)."""
    return np.array([[closeness(first, second) for second in values] for first in values])


def distances(values: Sequence[float], sentences: Vectors, a: float) -> Vectors:
    """Return D(c, c') = a * D_sentence(c, c') + (1 - a) * min(1, D_order(c, c')), for every two counts (Eq. 4)."""
    return a * sentences + (1.0 - a) * (1.0 - order_closeness(values))


def consistent(relevance: Vectors, distance: Vectors, b: float, k: int) -> Vectors:
    """Return F(c) = b * R(c) + (1 - b) * R_cons(c); R_cons is the mean R of the k nearest other counts (Eq. 1).
    Among equally near counts, the more relevant ones are used. A single count is its own neighbour."""
    if len(relevance) < 2:
        return relevance.copy()
    others = distance + np.diag(np.full(len(relevance), np.inf))
    nearest = [np.lexsort((-relevance, row))[: min(k, len(relevance) - 1)] for row in others]
    support = np.array([relevance[near].mean() for near in nearest])
    return b * relevance + (1.0 - b) * support


def central(sentence_relevance: Vectors, distance: Vectors) -> Vectors:
    """Return C(c) = (N - 1) / (sum of D(c, c') over the others) * Rel(sentence_c, q) (Eq. 2); Rel for one count."""
    number = len(sentence_relevance)
    if number < 2:
        return sentence_relevance.copy()
    total = distance.sum(axis=1) - np.diag(distance)
    return (number - 1) / np.maximum(total, _TINY) * sentence_relevance


def agreement(
    values: Sequence[float],
    relevance: Vectors,
    exact: float,
    same: Callable[[float, float], bool] = operator.eq,
    doubt: float = _DOUBT,
) -> Vectors:
    """Return the expected agreement of each value with the true one: (values,).

    The probability of a value to be the true one is proportional to its relevance.

    U(c) = sum over c' of R(c') * (1 if c is the same as c', else (1 - exact) * (1 - min(1, D_order(c, c')))) / (doubt +
    sum R), in [0, 1]. For counts, this is the expected mean of EP and OMP. An outlier in magnitude cannot win.
    """
    alike = np.array([[same(one, other) for other in values] for one in values], dtype=bool)
    gain = np.where(alike, 1.0, (1.0 - exact) * order_closeness(values))
    return gain @ relevance / (doubt + relevance.sum())
