"""How near words stand to quantities: one document, and several at once."""

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


@given(
    position=st.integers(0, 40),
    places=st.lists(st.integers(0, 40), min_size=1, unique=True),
    behind=st.sampled_from([1.0, 2.0]),
)
def test_one_document_is_as_near_as_its_nearest_place(position, places, behind):
    found = nearness(np.array([position]), np.array(sorted(places)), WordWeights(half_distance=4.0, behind=behind))
    assert found.tolist() == pytest.approx([plain(position, places, 4.0, behind)])


@given(
    documents=st.lists(
        st.tuples(st.integers(0, 20), st.lists(st.integers(0, 20), min_size=1, unique=True)), min_size=1, max_size=5
    )
)
def test_each_document_sees_its_own_places_only(documents):
    span = 22
    position = np.array([at for at, _ in documents])
    offset = span * np.arange(len(documents))
    places = np.array(sorted(span * number + place for number, (_, own) in enumerate(documents) for place in own))
    found = nearness(offset + position, places, EVEN, offset, span)
    assert found.tolist() == pytest.approx([plain(at, own, 4.0, 1.0) for at, own in documents])
