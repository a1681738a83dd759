"""Compare the aggregation formulas with loops that follow the paper word by word."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity.counts.count_transformers import agreement, central, consistent, distances

VALUES = st.lists(st.integers(min_value=0, max_value=10**6), min_size=1, max_size=6)
SHARES = st.floats(min_value=0.0, max_value=1.0)


@st.composite
def evidence(draw):
    """Values, relevances and symmetric sentence distances of a few counts."""
    values = draw(VALUES)
    number = len(values)
    relevance = np.array(draw(st.lists(SHARES, min_size=number, max_size=number)))
    upper = np.triu(np.array(draw(st.lists(SHARES, min_size=number**2, max_size=number**2))).reshape(number, -1), 1)
    return values, relevance, upper + upper.T


def naive_order(first: int, second: int) -> float:
    if first == second:
        return 0.0
    if 0 in (first, second):
        return math.inf
    return math.log10(max(first, second) / min(first, second))


def naive_distance(values, sentences, a, one, other):
    return a * sentences[one][other] + (1 - a) * min(1.0, naive_order(values[one], values[other]))


class TestFormulas:
    @given(evidence(), SHARES)
    def test_distance(self, found, a):
        values, _, sentences = found
        got = distances(values, sentences, a)
        for one in range(len(values)):
            for other in range(len(values)):
                assert got[one, other] == pytest.approx(naive_distance(values, sentences, a, one, other), abs=1e-9)

    @given(evidence(), SHARES, SHARES, st.integers(min_value=1, max_value=7))
    def test_consistent(self, found, a, b, k):
        values, relevance, sentences = found
        distance = distances(values, sentences, a)
        got = consistent(relevance, distance, b, k)
        for one in range(len(values)):
            others = [(distance[one, other], -relevance[other]) for other in range(len(values)) if other != one]
            nearest = [-negative for _, negative in sorted(others)[:k]] or [relevance[one]]
            expected = b * relevance[one] + (1 - b) * sum(nearest) / len(nearest)
            assert got[one] == pytest.approx(expected, abs=1e-9)

    @given(evidence(), SHARES)
    def test_central(self, found, a):
        values, relevance, sentences = found
        got = central(relevance, distances(values, sentences, a))
        number = len(values)
        for one in range(number):
            total = sum(naive_distance(values, sentences, a, one, other) for other in range(number) if other != one)
            expected = relevance[one] * ((number - 1) / max(total, 1e-9) if number > 1 else 1.0)
            assert got[one] == pytest.approx(expected, rel=1e-6)

    @given(evidence(), SHARES)
    def test_agreement(self, found, exact):
        values, relevance, _ = found
        got = agreement(values, relevance, exact)
        for one, value in enumerate(values):
            gain = sum(
                weight * (exact * (value == other) + (1 - exact) * (1 - min(1.0, naive_order(value, other))))
                for other, weight in zip(values, relevance, strict=True)
            )
            assert got[one] == pytest.approx(gain / (0.05 + sum(relevance)), abs=1e-9)
            assert 0.0 <= got[one] <= 1.0


def test_an_outlier_of_high_relevance_loses_to_counts_that_agree():
    values = [42000, 360, 365, 380]
    assert np.argmax(agreement(values, np.array([0.5, 0.3, 0.3, 0.3]), exact=0.6)) != 0
