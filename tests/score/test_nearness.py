"""How near words stand to quantities: one document, and several at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity.constants import WordWeights
from pyterrier_quantity.score.fit import nearness

EVEN = WordWeights(half_distance=4.0, behind=1.0)


def plain(position: int, places: list[int], reach: float, behind: float) -> float:
    """The definition, place by place."""
    distances = [behind * (place - position) if place >= position else position - 1 - place for place in places]
    return reach / (reach + min(distances))


class TestOneDocument:
    def test_the_word_before_and_the_word_behind_touch_it(self):
        assert nearness(np.array([3]), np.array([2]), EVEN).tolist() == [1.0]
        assert nearness(np.array([3]), np.array([3]), EVEN).tolist() == [1.0]

    def test_at_reach_it_is_half(self):
        assert nearness(np.array([5, 9]), np.array([0]), EVEN).tolist() == pytest.approx([0.5, 1 / 3])

    def test_words_behind_may_count_as_farther(self):
        assert nearness(np.array([3]), np.array([5]), WordWeights(half_distance=4.0, behind=2.0)).tolist() == [0.5]

    @given(
        position=st.integers(0, 40),
        places=st.lists(st.integers(0, 40), min_size=1, unique=True),
        behind=st.sampled_from([1.0, 2.0]),
    )
    def test_is_the_nearest_place(self, position, places, behind):
        found = nearness(np.array([position]), np.array(sorted(places)), WordWeights(half_distance=4.0, behind=behind))
        assert found.tolist() == pytest.approx([plain(position, places, 4.0, behind)])


class TestSeveralDocuments:
    @given(
        documents=st.lists(
            st.tuples(st.integers(0, 20), st.lists(st.integers(0, 20), min_size=1, unique=True)), min_size=1, max_size=5
        )
    )
    def test_each_sees_its_own_places_only(self, documents):
        span = 22
        position = np.array([at for at, _ in documents])
        offset = span * np.arange(len(documents))
        places = np.array(sorted(span * number + place for number, (_, own) in enumerate(documents) for place in own))
        found = nearness(offset + position, places, EVEN, offset, span)
        assert found.tolist() == pytest.approx([plain(at, own, 4.0, 1.0) for at, own in documents])
