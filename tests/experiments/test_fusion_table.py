"""The fusion table: which rankers are fused, how topics are dealt, and that its figures are the rules' own."""

from pathlib import Path

import fusion_table
import pandas as pd
import pytest
from fusion_table import ALONE, LINEAR, MEASURES, OPTIMISTIC, RULES
from lib.collection import per_query
from scripts import call

from pyterrier_quantity import fusion

WHOLE = "BM25 (whole query)"


@pytest.fixture(scope="module")
def runs() -> dict[str, pd.DataFrame]:
    """Two runs of five topics: each has the relevant document first for some."""
    one = [(str(q), f"d{d}", 10.0 - d, d) for q in range(5) for d in range(4)]
    other = [(str(q), f"d{3 - d}", 3.0 - d, d) for q in range(5) for d in range(4)]
    columns = ["qid", "docno", "score", "rank"]
    return {"one": pd.DataFrame(one, columns=columns), "other": pd.DataFrame(other, columns=columns)}


def test_every_rule_has_its_row(finquant: Path, tmp_path: Path) -> None:
    places = "--work", tmp_path / "work", "--out", tmp_path / "out"
    call(fusion_table, finquant, "--fuse", WHOLE, ALONE, "--steps", 4, "--quiet", *places)
    table = pd.read_csv(tmp_path / "out" / "fusion-1-finquant-small.csv", index_col="fusion")
    reranked = f"{WHOLE}, reranked by {ALONE}"
    assert list(table.index) == [f"{WHOLE} alone", ALONE, LINEAR, OPTIMISTIC, *RULES, reranked]
    assert table.loc[reranked, "nDCG@10"] > table.loc[f"{WHOLE} alone", "nDCG@10"]
    measures = ["nDCG@10", "R@100", "nDCG", "AP", "P@10"]
    assert table[measures].stack().between(0, 1).all()
    assert table.loc[OPTIMISTIC, "nDCG@10"] >= table.loc[LINEAR, "nDCG@10"]
    assert table["p"].drop(LINEAR).between(0, 1).all()
    for name in (LINEAR, OPTIMISTIC):
        assert sum(map(float, table.loc[name, "weights"].split())) == pytest.approx(1, abs=0.02)
    shown = (tmp_path / "out" / "fusion-1-finquant-small.md").read_text()
    assert "| paper |" not in shown.splitlines()[0]


def test_rows_are_the_rules_of_the_package(runs: dict[str, pd.DataFrame]) -> None:
    topics = pd.DataFrame({"qid": [str(q) for q in range(5)], "query": [f"topic {q}" for q in "abcde"]})
    qrels = pd.DataFrame([(str(q), "d0" if q < 4 else "d3", 1) for q in range(5)], columns=["qid", "docno", "label"])
    found, weights = fusion_table.fused(runs, topics, qrels, steps=4)
    for name, rule in RULES.items():
        pd.testing.assert_frame_equal(found[name], fusion.fuse(list(runs.values()), rule, num_results=1000))
    assert weights[OPTIMISTIC][0] > 0.5
    values = per_query(found["one alone"], qrels, topics["qid"], MEASURES)
    assert list(values["nDCG@10"]) == pytest.approx([1, 1, 1, 1, 0.430677], abs=1e-5)
    assert list(values["AP"]) == [1, 1, 1, 1, 0.25]
