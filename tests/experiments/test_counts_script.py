"""experiments/counts.py: what it reads, measures and writes."""

import json
import sys

import counts
import pandas as pd
import pytest

from pyterrier_quantity import cli

QUESTIONS = [
    {"qid": str(n), "query": f"How many {things} has {name}?", "answer": float(answer),
     "snippets": [f"{name} has {answer} {things}.", f"In {name} people counted {answer} {things} in 1999.",
                  f"Nobody knows how many of the 5000 visitors of {name} came twice."]}
    for n, (name, things, answer) in enumerate(
        [("Zenda", "lakes", 12), ("Strelsau", "bridges", 41), ("Graustark", "castles", 7), ("Evallonia", "mines", 230),
         ("Orsinia", "rivers", 19), ("Bordavia", "islands", 88)])
]  # fmt: skip


@pytest.fixture
def ran(monkeypatch, capsys):
    """Runs the script with arguments; what it printed, and what it said is wrong."""

    def run(*argv: str, code: int = 0) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["counts.py", *argv])
        assert cli.run("counts.py", counts.main) == code
        return capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    return path


def test_tables(ran, file, tmp_path):
    shown = ran(str(file), "--encoder", "none", "--quiet", "--out", str(tmp_path / "out"))[0]
    table = pd.read_csv(tmp_path / "out" / "counts.csv").set_index("system")
    assert {"EP", "OMP", "OMR"} <= set(table.columns)
    assert table.loc["agreement (default)", ["EP", "OMP", "OMR"]].tolist() == [1.0, 1.0, 1.0]
    lexical = {f"{method}, lexical relevance" for method in ("max", "consistent", "central")}
    others = {"vote over all counts", "agreement + peers"} | lexical
    assert others <= set(table.index)
    assert (table[["EP", "OMP", "OMR"]].stack().between(0, 1)).all()
    assert "CardiO (vanilla)" in shown
    curve = pd.read_csv(tmp_path / "out" / "counts-calibration.csv")
    assert set(curve["system"]) == {"agreement + peers", "agreement + peers, from their own texts"}
    estimates = curve.groupby("system")["estimates"]
    assert (estimates.first() == 0).all()  # no answer is weaker than 0
    assert curve[curve["threshold"] == 0.0]["OMR"].tolist() == [1.0, 1.0]
    ceiling = table.loc["ceiling: the closest count", ["EP", "OMP"]]
    assert (ceiling >= table[["EP", "OMP"]]).all(axis=None)
