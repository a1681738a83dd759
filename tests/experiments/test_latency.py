"""Latency: what is timed, and the table that comes of it."""

import sys
from pathlib import Path

import latency
import pandas as pd
import pytest
from authors_folder import write_folder

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.datasets import get_dataset

CHOSEN = ["BM25_filter (whole query)", "QBM25 (paper)", "QBM25 (ours)", "QBM25 (ours, union)"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> QuantityIndex:
    path = tmp_path_factory.mktemp("latency") / "index"
    return QuantityIndex(path).index(get_dataset("demo").get_corpus_iter(verbose=False))


class Clock:
    """Time that passes only when told."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = write_folder(tmp_path / "small"), tmp_path / "out"
    given = ["latency.py", folder, "--systems", *CHOSEN, "--rounds", "1", "--singles", "1", "--quiet",
             "--clock", "processor", "--work", tmp_path / "work", "--out", out]  # fmt: skip
    monkeypatch.setattr(sys, "argv", [str(part) for part in given])
    latency.main()
    table = pd.read_csv(out / "latency-small.csv", index_col="system")
    assert list(table.index) == ["BM25 (keywords)", "BM25 (whole query)", *CHOSEN, latency.ALONE]
    assert (table[["ms", "ms, single"]] > 0).all(axis=None)
    assert (table.loc[CHOSEN, ["/ base", "part, ms", "part / base", "/ base, single"]] > 0).all(axis=None)
    assert {path.name for path in out.iterdir()} == {f"latency-small.{suffix}" for suffix in ("csv", "json", "md")}
    text = (out / "latency-small.md").read_text()
    assert "Clock: processor" in text
    line = next(line for line in text.splitlines() if "QBM25 (paper)" in line)
    assert line.endswith("| 311 | 34.56 |")
