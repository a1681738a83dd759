"""The tests of significance, against values computed by hand and by SciPy."""

import numpy as np
import pandas as pd
import pytest
from lib.significance import differences, fisher, holm, permutation, permutation_p, t
from scipy import stats


def test_fisher_by_hand():
    # Four queries, all better by 1: of 16 arrangements of signs only ++++ and ---- are as far apart.
    assert fisher(np.array([1.0, 1.0, 1.0, 1.0])) == pytest.approx(2 / 16)
    # The sum is 2; the eight sums are 6, 4, 2, 0 and their negatives.
    assert fisher(np.array([3.0, 1.0, -2.0])) == pytest.approx(6 / 8)
    assert fisher(np.array([0.0, 0.0, 0.0])) == 1.0


def test_all_tests_agree_with_scipy():
    generator = np.random.default_rng(1)
    one, other = generator.random(12), generator.random(12) + 0.25
    exact = stats.permutation_test((one, other), lambda x, y, axis: np.mean(x - y, axis=axis),
                                   permutation_type="samples", n_resamples=np.inf, vectorized=True).pvalue  # fmt: skip
    assert fisher(one - other) == pytest.approx(exact)
    assert permutation(one - other) == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 100_000) ** 0.5)
    assert t(one - other) == pytest.approx(stats.ttest_rel(one, other).pvalue)


def test_holm_by_hand():
    # Sorted .01 .03 .04, times 3 2 1 is .03 .06 .04, and no corrected value is below the one before it.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_queries_are_paired_by_name():
    one, other = pd.Series({"a": 1.0, "b": 0.5}), pd.Series({"b": 0.25, "a": 0.5})
    assert differences(one, other).tolist() == [0.5, 0.25]
    assert permutation_p(one, other) == pytest.approx(0.5, abs=0.01)
    with pytest.raises(ValueError, match="different queries"):
        differences(one, other.rename({"b": "c"}))
