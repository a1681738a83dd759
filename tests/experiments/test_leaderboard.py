"""The leaderboard: rankings, quantities, counts and programs of all that folders hold, with the published figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import leaderboard
import pandas as pd
import pytest
from authors_folder import write_folder
from tables_material import reports

SYSTEMS = ["BM25 (whole query)", "QBM25 (paper)", "QBM25 (ours)"]
TEXTS = {"a": "The chamber was at 250 kPa.", "b": "The chamber was at 90000 Pa.", "c": "The chamber was at 900 kPa."}


def measured(
    monkeypatch: pytest.MonkeyPatch, out: Path, *arguments: object, systems: Sequence[str] = SYSTEMS
) -> pd.DataFrame:
    """What the script writes: a figure by collection, system and measure."""
    given = [*map(str, arguments), "--work", str(out / "work"), "--out", str(out), "--systems", *systems, "--quiet"]
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", *given])
    leaderboard.main()
    return pd.read_csv(out / "leaderboard.csv").set_index(["collection", "system", "measure"])


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """A folder with one small collection of every kind."""
    home = tmp_path / "everything"
    for name in ("corpora", "gold", "extraction", "counts", "tables"):
        (home / name).mkdir(parents=True)
    lines = [json.dumps({"docno": docno, "text": text}) for docno, text in TEXTS.items()]
    (home / "corpora/lab.jsonl").write_text("\n".join(lines) + "\n")
    (home / "gold/lab.topics.tsv").write_text(
        "qid\tquery\n1\tchamber below 100 kPa\n2\tchamber above 500 kPa\n3\tchamber under 95 kPa\n"
    )
    (home / "gold/lab.qrels").write_text("1 0 b 1\n2 0 c 1\n3 0 b 1\n")
    stated = [{"text": text, "quantities": [{"value": value, "normalized_unit": unit}]}
              for text, value, unit in zip(TEXTS.values(), ("250", "90000", "900"),
                                           ("kilopascal", "pascal", "kilopascal"), strict=True)]  # fmt: skip
    (home / "extraction/lab.json").write_text(json.dumps(stated))
    (home / "extraction/lab.other.json").write_text(json.dumps([[], [], []]))
    asked = [{"qid": str(n), "query": f"How many lakes has {name}?", "answer": count,
              "snippets": [f"{name} has {count} lakes."]}
             for n, (name, count) in enumerate([("Zenda", 12), ("Strelsau", 41), ("Orsinia", 7), ("Evallonia", 23),
                                                ("Graustark", 19)])]  # fmt: skip
    (home / "counts/lakes.jsonl").write_text("".join(json.dumps(question) + "\n" for question in asked))
    (home / "tables/reports.json").write_text(json.dumps(reports()))
    return home


def test_every_kind_is_measured(everything: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, tmp_path, everything, "--folds", 2)["value"]
    assert found["lab", "QBM25 (ours)", "nDCG@10"] == 1.0
    assert found["lab, F1", "ours", "unit"] == 1.0
    assert not [key for key in found.index if key[:2] == ("lab, F1", "other, stored")]  # it read nothing
    assert found["lakes", "agreement (default)", "EP"] == 1.0
    assert found["reports, cell facts", "learned", "recall@5"] == 1.0
    assert found["reports, programs over gold cells", "templates", "execution"] > 0.9
    shown = (tmp_path / "leaderboard-numbers.md").read_text()
    assert "| lakes: agreement (default) | EP 1.000, OMP 1.000, OMR 1.000 |" in shown
    assert "CoQEx .329 .665 .626" in shown


def test_cross_unit_queries_in_the_published_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "benchmarks"
    (folder / "corpus_v2").mkdir(parents=True)
    for docno, text in TEXTS.items():
        (folder / f"corpus_v2/{docno}.txt").write_text(text)
    asked = {"id": "x", "query": "chamber below 100 kPa", "numeric_range": "0:100:kPa", "type": "cross_unit"}
    (folder / "queries_v2.json").write_text(json.dumps({"some_queries": [asked | {"relevant_docs": ["b.txt"]}]}))
    found = measured(monkeypatch, tmp_path, folder)
    assert found["value"]["quantity:clio", "QBM25 (ours)", "P@5"] == pytest.approx(0.2)
    assert "CLIO .99" in found["published"]["quantity:clio", "QBM25 (ours)", "P@5"]


def test_topics_are_drawn_once_and_for_all(everything: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("extraction", "counts", "tables"):
        (everything / kind).rename(tmp_path / kind)
    first = measured(monkeypatch, tmp_path, everything, "--sample", 2)
    assert "queries: lab 2." in (tmp_path / "leaderboard-rankings.md").read_text()
    pd.testing.assert_frame_equal(first, measured(monkeypatch, tmp_path, everything, "--sample", 2))


def test_all_collections_and_the_published_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finquant = write_folder(tmp_path / "finquant-small")
    measured(monkeypatch, tmp_path, finquant, "quantity:demo", "--sample", 20)
    table = pd.read_csv(tmp_path / "leaderboard-rankings.csv", index_col="system")
    assert list(table) == ["finquant-small", "quantity:demo", "mean"]
    assert set(table.index) == set(SYSTEMS)
    assert table["mean"].is_monotonic_decreasing
    assert table["mean"].tolist() == pytest.approx(((table.iloc[:, 0] + table.iloc[:, 1]) / 2).tolist())
    shown = (tmp_path / "leaderboard-rankings.md").read_text()
    line = next(line for line in shown.splitlines() if line.startswith("| QBM25 (paper) |"))
    assert line.endswith("| .41 | .37 |")
    assert "queries: finquant-small 12, quantity:demo 20." in shown


def test_who_finds_nothing_has_zeros(everything: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("extraction", "counts", "tables"):
        (everything / kind).rename(tmp_path / kind)
    (everything / "gold/lab.topics.tsv").write_text("qid\tquery\n1\tchamber above 5000 kPa\n")
    (everything / "gold/lab.qrels").write_text("1 0 b 1\n")
    systems = ["BM25_filter (ours)", "BM25 (whole query)"]
    found = measured(monkeypatch, tmp_path, everything, systems=systems)["value"]
    assert found["lab", "BM25_filter (ours)", "nDCG@10"] == 0.0
