"""Latency: what is timed, and the table that comes of it."""

import sys
from pathlib import Path

import latency
import pandas as pd
import pyterrier as pt
import pytest
from authors_folder import write_folder
from lib import timing

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


class Slow(pt.Transformer):
    """Takes so many seconds a query; some calls are held up."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.clock, self.seconds = clock, seconds
        self.heard: list[str] = []

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.heard += list(inp["query"])
        self.clock.now += self.seconds * len(inp) + (0 if len(self.heard) % 3 else 5)
        return inp


def test_times_are_a_query_s_and_the_parts_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    queries = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"]})
    base, whole, part = Slow(clock, 2), Slow(clock, 6), Slow(clock, 4)
    asked = [timing.Asked("base", None, base), timing.Asked("whole", "base", whole, part)]
    found = timing.measured(asked, queries, timing.Timing(rounds=3, singles=2))
    assert found.loc["base"].drop("base").dropna().to_dict() == {"ms": 2000, "ms, single": 2000}
    assert found.loc["whole"].to_dict() == {
        "base": "base", "ms": 6000, "/ base": 3, "part, ms": 4000, "part / base": 2,
        "ms, single": 6000, "/ base, single": 3, "part, ms, single": 4000, "part / base, single": 2,
    }  # fmt: skip
    assert len(set(base.heard)) == len(base.heard)


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
