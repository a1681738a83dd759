"""The experiments on tables: the files that they write, figures on questions with known answers, bad files."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import programs
import pytest
import tables
from lib.program_runs import ensembles
from lib.program_weights import Example, fitted
from lib.table_questions import folds, load
from tables_material import reports

from pyterrier_quantity.tables import Program, TemplateGenerator, facts


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("questions") / "reports.json"
    path.write_text(json.dumps(reports()))
    return path


def test_recall_of_every_system_and_kind(file, tmp_path):
    assert tables.main([str(file), "--out", str(tmp_path), "--folds", "2", "--quiet"]) == 0
    found = pd.read_csv(tmp_path / "tables.csv")
    assert list(found.columns) == ["system", "kind", "recall@3", "recall@5"]
    assert set(found["kind"]) == {"cell", "row"}
    best = found.set_index(["system", "kind"])["recall@3"]
    assert best["learned", "cell"] == best["learned", "row"] == 1.0
    assert (found["recall@3"] <= found["recall@5"]).all()


def test_accuracy_over_every_kind_of_facts(file, tmp_path, capsys):
    given = [str(file), "--out", str(tmp_path), "--folds", "2", "--repeats", "1", "--quiet"]
    assert programs.main([*given, "--weights", str(tmp_path / "weights.json")]) == 0
    found = pd.read_csv(tmp_path / "programs.csv").set_index("facts")
    assert list(found.columns) == ["generator", "execution", "program"]
    assert found.loc["gold derivations", "execution"] == 1.0
    assert found.loc["gold cells", "execution"] > 0.9
    assert found.loc["learned rows", "execution"] > 0.9
    assert (found["program"] <= found["execution"]).all()
    assert "published execution accuracy" in capsys.readouterr().out
    weights = json.loads((tmp_path / "weights.json").read_text())["weights"]
    question = load(file).questions[0]
    program, _ = TemplateGenerator(weights).generate(question.text, list(facts(reports()[0])))[0]
    assert question.is_right(program.execute())


def test_the_papers_generators_and_ensembles(file, tmp_path, monkeypatch):
    network, sequence = programs.PRESETS["small"]
    short = replace(network, epochs=1), replace(sequence, steps=1, max_length=32, device="cpu")
    monkeypatch.setitem(programs.PRESETS, "small", short)
    given = [str(file), "--out", str(tmp_path), "--folds", "2", "--repeats", "1", "--reports", "4", "--quiet"]
    assert programs.main([*given, "--network", "small"]) == 0
    found = pd.read_csv(tmp_path / "programs.csv").set_index(["generator", "facts"])["execution"]
    kinds = [f"{facts} {kind}" for kind in ("cells", "rows") for facts in ("gold", "learned")]
    both = "learned cells and rows"
    expected = {(name, kind) for name in ("network", "sequence") for kind in kinds}
    expected |= {("networks, the better one", both), ("sequences, the better one", both)}
    expected |= {("mixed", "learned rows"), ("mixed", both)}
    assert {one for one in found.index if one[0] != "templates" and one[1] != "gold derivations"} == expected
    assert found.between(0, 1).all()


def test_ensembles_of_the_paper_take_the_surer_program():
    right, wrong = ([(Program.parse(text), score)] for text, score in (("add(1, 2)", -0.1), ("add(3, 4)", -0.2)))
    kinds = ("learned cells", "learned rows")
    outputs = {("network", kinds[0]): [wrong], ("network", kinds[1]): [right],
               ("sequence", kinds[0]): [right], ("sequence", kinds[1]): [wrong]}  # fmt: skip
    found = ensembles(outputs, [[]])
    assert found["networks, the better one", "learned cells and rows"] == [right]
    assert found["sequences, the better one", "learned cells and rows"] == [right]
    assert found["mixed", "learned rows"] == [right]  # the network is in doubt, the sequence model no less
    assert found["mixed", "learned cells and rows"] == [right]


def test_weights_need_a_right_candidate():
    with pytest.raises(ValueError, match="nothing to learn"):
        fitted([Example("What was the change?", list(facts([["a", "1"]])), None, lambda result: False)])


def test_recall_by_hand():
    run = pd.DataFrame({"qid": list("1112"), "docno": list("abca"), "rank": [0, 1, 3, 0]})
    qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["b", "c", "z"], "label": 1})
    assert tables.recall(run, qrels, 3) == 0.25
    assert tables.recall(run, qrels, 5) == 0.5


def test_no_report_is_trained_and_tested_on():
    every = [str(n % 7) for n in range(30)]
    tested = set()
    for train, test in folds(every, 3):
        assert not train & test
        assert train | test == set(every)
        tested |= test
    assert tested == set(every)


@pytest.mark.parametrize(
    ("content", "reason"), [("[]", "arithmetic"), ('[{"table": {}}]', "TAT-QA"), ("{", "Expecting")]
)
def test_bad_files(tmp_path, content, reason, capsys):
    (tmp_path / "bad.json").write_text(content)
    assert programs.main([str(tmp_path / "bad.json")]) == 2
    assert reason in capsys.readouterr().err
    assert tables.main([str(tmp_path / "missing.json")]) == 2


def test_answers_in_percent_count_in_both_readings(file):
    question = next(q for q in load(file).questions if q.scale == "percent")
    assert question.is_right(question.result)
    assert question.is_right(question.answer / 100)
    assert not question.is_right(question.result + 0.01)
    assert not question.is_right("yes")
