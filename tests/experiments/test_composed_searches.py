"""Tempting texts of small searches composed at random rank after the right ones."""

import pytest
from composed_searches import WRONG, composed_searches, scores


@pytest.fixture(scope="module")
def shares() -> dict[str, float]:
    """For each kind of wrong text, the share that ranks after both right texts."""
    after = dict.fromkeys(WRONG, 0)
    searches = list(composed_searches(40, seed=1))
    for search in searches:
        found = scores(search)
        for kind, score in zip(search.wrong, found[2:], strict=True):
            after[kind] += score < min(found[:2])
    return {kind: count / len(searches) for kind, count in after.items()}


@pytest.mark.parametrize("kind", ["unmet", "other thing", "accessory", "neighbour", "old value", "denied value"])
def test_tempting_texts_rank_after_right_ones(shares: dict[str, float], kind: str) -> None:
    assert shares[kind] >= 0.85


def test_searches_are_the_same_for_a_seed() -> None:
    assert list(composed_searches(20, seed=5)) == list(composed_searches(20, seed=5))
