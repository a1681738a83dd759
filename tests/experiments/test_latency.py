"""Latency: what is timed, how indexes of any size are drawn, and the tables and the plot that come of it."""

from __future__ import annotations

import sys
from pathlib import Path

import latency
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from authors_folder import write_folder
from lib import timing
from lib.growth import FORMS
from lib.resample import drawn_documents, resampled

from pyterrier_quantity import QuantityIndex, QuantityQueryParser
from pyterrier_quantity.datasets import get_dataset

CHOSEN = ["BM25_filter (ours)", "QBM25 (ours)", "QBM25 (ours, union)"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> QuantityIndex:
    path = tmp_path_factory.mktemp("latency") / "index"
    return QuantityIndex(path).index(get_dataset("demo").get_corpus_iter(verbose=False))


@pytest.fixture(scope="module")
def grown(index: QuantityIndex, tmp_path_factory: pytest.TempPathFactory) -> tuple[QuantityIndex, np.ndarray]:
    drawn = drawn_documents(index, 20_000)
    return resampled(index, drawn, tmp_path_factory.mktemp("grown") / "index"), drawn


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


def test_drawn_indexes_hold_the_documents_drawn(index: QuantityIndex, grown: tuple[QuantityIndex, np.ndarray]) -> None:
    found, drawn = grown
    assert len(found) == len(drawn)
    assert found.meta["quantities"] == pytest.approx(20_000, rel=0.05)
    for place in (0, 1, 31, 32, 33, 500, len(drawn) - 1):
        (docno,) = index.docnos.docnos(drawn[place : place + 1])
        assert found.quantities(str(place)) == index.quantities(docno) != []
    assert len(np.unique(drawn)) < len(drawn)


def test_a_drawn_index_is_what_indexing_the_drawn_documents_gives(index: QuantityIndex, tmp_path: Path) -> None:
    drawn = drawn_documents(index, 300)
    texts = {d["docno"]: d["text"] for d in get_dataset("demo").get_corpus_iter(verbose=False)}
    documents = [{"docno": str(at), "text": texts[docno]} for at, docno in enumerate(index.docnos.docnos(drawn))]
    built = QuantityIndex(tmp_path / "built").index(documents)
    copied = resampled(index, drawn, tmp_path / "copied")
    ours, theirs = (found.opened.segments[0].columns for found in (built, copied))
    np.testing.assert_array_equal(ours.terms, theirs.terms)
    np.testing.assert_array_equal(ours.term_documents, theirs.term_documents)
    np.testing.assert_array_equal(ours.position, theirs.position)
    queries = QuantityQueryParser()(get_dataset("demo").get_topics()[["qid", "query"]])
    one, other = (found.retriever()(queries) for found in (built, copied))
    pd.testing.assert_frame_equal(*(run.sort_values(["qid", "docno"])[["qid", "docno", "score"]].reset_index(drop=True)
                                    for run in (one, other)))  # fmt: skip


def test_nothing_to_draw_from(tmp_path: Path) -> None:
    empty = QuantityIndex(tmp_path / "none").index([{"docno": "a", "text": "no figures at all"}])
    with pytest.raises(ValueError, match="holds no quantities"):
        drawn_documents(empty, 100)


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


def test_given_results_stand_in_for_the_base(index: QuantityIndex) -> None:
    topics = get_dataset("demo").get_topics()[["qid", "query"]].head(30)
    queries = QuantityQueryParser()(topics)
    base = QuantityQueryParser() >> index.retriever(num_results=50)
    given = timing.Given(base(queries))
    for form in FORMS.values():
        real, part = form(base, index), form(given, index)
        for frame in (topics, topics.head(1), topics.iloc[[3]]):
            columns = ["qid", "docno", "score"]
            pd.testing.assert_frame_equal(part(frame)[columns], real(frame)[columns])


def test_tables_and_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = write_folder(tmp_path / "small"), tmp_path / "out"
    given = ["latency.py", folder, "--systems", *CHOSEN, "--sizes", "1000", "3000", "--rounds", "1", "--singles", "1",
             "--quiet", "--work", tmp_path / "work", "--out", out]  # fmt: skip
    monkeypatch.setattr(sys, "argv", [str(part) for part in given])
    latency.main()
    table = pd.read_csv(out / "latency-small.csv", index_col="system")
    assert list(table.index) == [latency.WHOLE, *CHOSEN, latency.ALONE]
    times = table[["ms", "ms, single"]]
    assert (times > 0).all(axis=None)
    assert (table.loc[CHOSEN, ["/ base", "part, ms", "part / base", "/ base, single"]] > 0).all(axis=None)
    grown = pd.read_csv(out / "latency-growth-small.csv", index_col=["quantities", "system"])
    sizes = grown.index.unique("quantities")
    assert [round(size, -3) for size in sizes] == [1000, 3000]
    assert list(grown.loc[sizes[0]].index) == list(table.index)
    assert (grown[["documents", "MB", "building, s", "opening, ms", "candidates, ms"]] > 0).all(axis=None)
    assert (out / "latency-growth-small.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "latency-growth-small.svg").read_text()
    assert "| candidates, ms |" in (out / "latency-growth-small.md").read_text()
    assert "Latency by size: small drawn anew, 12 queries" in capsys.readouterr().out
    assert not list((tmp_path / "work").glob("growth.*"))


def test_without_sizes_nothing_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = write_folder(tmp_path / "small"), tmp_path / "out"
    given = ["latency.py", folder, "--systems", "QBM25 (paper)", "--rounds", "1", "--singles", "1", "--quiet",
             "--clock", "processor", "--work", tmp_path / "work", "--out", out, "--sizes"]  # fmt: skip
    monkeypatch.setattr(sys, "argv", [str(part) for part in given])
    latency.main()
    assert {path.name for path in out.iterdir()} == {f"latency-small.{suffix}" for suffix in ("csv", "json", "md")}
    text = (out / "latency-small.md").read_text()
    assert "Clock: processor" in text
    line = next(line for line in text.splitlines() if "QBM25 (paper)" in line)
    assert line.endswith("| 311 | 34.56 |")
