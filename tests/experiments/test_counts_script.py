"""experiments/counts.py: what it reads, measures and writes."""

import json

import counts
import pandas as pd
from scripts import call

QUESTIONS = [
    {"qid": str(n), "query": f"How many {things} has {name}?", "answer": float(answer),
     "snippets": [f"{name} has {answer} {things}.", f"In {name} people counted {answer} {things} in 1999.",
                  f"Nobody knows how many of the 5000 visitors of {name} came twice."]}
    for n, (name, things, answer) in enumerate(
        [("Zenda", "lakes", 12), ("Strelsau", "bridges", 41), ("Graustark", "castles", 7), ("Evallonia", "mines", 230),
         ("Orsinia", "rivers", 19), ("Bordavia", "islands", 88)])
]  # fmt: skip


def test_tables(tmp_path, capsys):
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    call(counts, file, "--encoder", "none", "--quiet", "--out", tmp_path / "out")
    shown = capsys.readouterr().out
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
