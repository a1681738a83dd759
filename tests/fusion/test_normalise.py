"""Normalisation of scores within each query."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pyterrier_quantity import Normalise
from pyterrier_quantity.fusion import METHODS, normalise

SCORES = st.floats(min_value=-1e6, max_value=1e6).map(lambda score: round(score, 6))
LISTS = st.lists(st.tuples(st.integers(0, 4), SCORES), max_size=30)

every = pytest.mark.parametrize("method", METHODS)


def run(scores, qids=None) -> pd.DataFrame:
    qids = ["q"] * len(scores) if qids is None else qids
    return pd.DataFrame({"qid": qids, "docno": [f"d{n}" for n in range(len(scores))], "score": scores})


def normalised(method: str, scores, qids=None) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Normalise(method)(run(scores, qids))["score"].tolist()


@pytest.mark.parametrize(
    ("method", "scores", "expected"),
    [
        ("max", [10, 5, 2], [1, 0.5, 0.2]),
        ("max", [4, 0, -2], [1, 0, -0.5]),
        ("max", [-1, -2, -4], [-0.25, -0.5, -1]),
        ("max", [0, -2], [0, -1]),
        ("max", [-7], [-1]),
        ("minmax", [10, 5, 2], [1, 3 / 8, 0]),
        ("minmax", [-1, -2, -4], [1, 2 / 3, 0]),
        ("minmax", [3, 3], [1, 1]),
        ("zscore", [1, 2, 3], [-(1.5**0.5), 0, 1.5**0.5]),
        ("zscore", [0.1, 0.1, 0.1], [0, 0, 0]),
        ("sum", [5, 4, 2], [3 / 5, 2 / 5, 0]),
        ("sum", [-1, -2, -4], [3 / 5, 2 / 5, 0]),
        ("rank", [10, 2, 5], [1, 1 / 3, 2 / 3]),
        ("rank", [3, 3], [1, 0.5]),
    ],
)
def test_values_by_hand(method, scores, expected):
    assert normalised(method, [float(score) for score in scores]) == pytest.approx(expected)
    assert normalised(method, scores) == pytest.approx(expected)


@every
def test_each_query_for_itself(method):
    both = normalised(method, [4.0, 9.0, 3.0, 1.0, 3.0], ["a", "b", "a", "b", "b"])
    a, b = normalised(method, [4.0, 3.0]), normalised(method, [9.0, 1.0, 3.0])
    assert both == [a[0], b[0], a[1], b[1], b[2]]


@every
@given(LISTS)
def test_the_order_of_scores_stays(method, rows):
    scores, qids = [score for _, score in rows], [f"q{number}" for number, _ in rows]
    result = normalised(method, scores, qids)
    assert np.isfinite(result).all()
    for i, (qid, score) in enumerate(rows):
        for j, (other, lower) in enumerate(rows):
            if qid == other and lower < score:
                assert result[i] >= result[j]
                if score - lower > 1e-3:
                    assert result[i] > result[j]


@every
@given(LISTS)
def test_ranges(method, rows):
    assume(rows)
    result = np.array(normalised(method, [score for _, score in rows], [number for number, _ in rows]))
    low, high = {"max": (-np.inf, 1), "zscore": (-np.inf, np.inf)}.get(method, (0, 1))
    assert (result >= low).all()
    assert (result <= high + 1e-12).all()
    groups = pd.Series(result).groupby([number for number, _ in rows])
    if method == "sum":
        assert groups.sum().tolist() == pytest.approx([1.0] * groups.ngroups)
    if method == "zscore":
        assert groups.mean().tolist() == pytest.approx([0.0] * groups.ngroups, abs=1e-6)
    if method == "rank":
        assert groups.max().tolist() == [1.0] * groups.ngroups


@every
def test_rows_keep_their_order_and_ranks_are_new(method):
    inp = run([2.0, 9.0, 5.0, 5.0], ["b", "a", "b", "a"]).assign(rank=[7, 7, 7, 7], text=list("wxyz"))
    out = Normalise(method)(inp)
    assert out["docno"].tolist() == inp["docno"].tolist()
    assert out["text"].tolist() == list("wxyz")
    assert out["rank"].tolist() == [1, 0, 0, 1]
    assert list(inp["rank"]) == [7, 7, 7, 7]


@pytest.mark.parametrize("bad", ["mean", "", None, "MAX"])
def test_an_unknown_method(bad):
    with pytest.raises(ValueError, match=r"unknown normalisation .*; one of max, minmax, zscore, sum, rank"):
        Normalise(bad)
    with pytest.raises(ValueError, match="unknown normalisation"):
        normalise([1.0], np.zeros(1, dtype=np.int64), bad)
