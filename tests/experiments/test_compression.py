"""Forms of an index of token vectors, candidates, and documents that are spliced of others."""

from __future__ import annotations

from pathlib import Path

import compression
import numpy as np
import pandas as pd
import pytest
from lib.splicing import spliced
from neural_material import DOCUMENTS, MINILM, queries

from pyterrier_quantity.neural import ColBERTIndex


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> ColBERTIndex:
    folder = tmp_path_factory.mktemp("small")
    return ColBERTIndex(folder / "index").indexer(MINILM, dtype="2bit").index(DOCUMENTS)


def test_halves_are_spliced(small: ColBERTIndex, tmp_path: Path) -> None:
    large = spliced(small, tmp_path / "large", 40, seed=3)
    large.verify()
    assert len(large) == 40
    known, first, second = len(small), *np.random.default_rng(3).integers(len(small), size=(2, 40 - len(small)))
    ends = small.offsets
    np.testing.assert_array_equal(large.tokens(slice(0, ends[-1])), small.tokens(slice(0, ends[-1])))
    for row, (a, b) in enumerate(zip(first, second, strict=True), start=known):
        halves = slice(ends[a], (ends[a] + ends[a + 1]) // 2), slice((ends[b] + ends[b + 1]) // 2, ends[b + 1])
        expected = np.concatenate([small.tokens(half) for half in halves])
        np.testing.assert_array_equal(large.tokens(slice(*large.offsets[row : row + 2])), expected)
    exact, near = (large.retriever(MINILM, 5, candidates)(queries("price of oil")) for candidates in (None, 40))
    np.testing.assert_allclose(near["score"], exact["score"], rtol=1e-5)


def test_shared() -> None:
    exact = pd.DataFrame({"qid": "1", "docno": list("abcd"), "rank": range(4)})
    run = pd.DataFrame({"qid": "1", "docno": list("bxad"), "rank": range(4)})
    assert compression.shared(run, exact, 2) == 0.5
    assert compression.shared(run, exact, 4) == 0.75


def test_a_small_run(tmp_path: Path) -> None:
    given = [
        "quantity:demo",
        "--sample",
        "3",
        "--pool",
        "2",
        "--device",
        "cpu",
        "--quiet",
        "--candidates",
        "5",
        "20",
        "--work",
        str(tmp_path / "work"),
        "--out",
        str(tmp_path),
    ]
    compression.main(given)
    forms = pd.read_csv(tmp_path / "compression-quantity-demo.csv", index_col=0)
    assert list(forms.index) == list(compression.FORMS)
    assert forms.loc["int8", ["of int8", "ColBERT, p", "QColBERT, p"]].tolist() == [1, 1, 1]
    assert forms.loc["2bit, pooled", "of int8"] < forms.loc["4bit", "of int8"] < 1
    (written,) = tmp_path.glob("candidates-quantity-demo-*.csv")
    candidates = pd.read_csv(written, index_col=0)
    assert candidates.index.tolist() == ["all", "5", "20"]
    assert candidates.loc["all", "of the first 10"] == 1
    assert candidates.loc["20", "of the first 100"] > candidates.loc["5", "of the first 100"]
    compression.main([*given, "--spliced", "60"])
    assert (tmp_path / "candidates-quantity-demo-60.csv").exists()
