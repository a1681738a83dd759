"""The experiments on tables: the files that they write, figures on questions with known answers, bad files."""

import json

import pandas as pd
import programs
import pytest
import tables
from lib.table_questions import folds, load
from tables_material import reports

from pyterrier_quantity.tables import TemplateGenerator, facts
from pyterrier_quantity.tables.generator import read_weights


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
    assert programs.main([*given, "--weights", str(tmp_path / "weights.tsv")]) == 0
    found = pd.read_csv(tmp_path / "programs.csv").set_index("facts")
    assert list(found.columns) == ["generator", "execution", "program"]
    assert found.loc["gold derivations", "execution"] == 1.0
    assert found.loc["gold cells", "execution"] > 0.9
    assert found.loc["learned rows", "execution"] > 0.9
    assert (found["program"] <= found["execution"]).all()
    assert "published execution accuracy" in capsys.readouterr().out
    weights = read_weights(tmp_path / "weights.tsv")
    question = load(file).questions[0]
    program, _ = TemplateGenerator(weights).generate(question.text, list(facts(reports()[0])))[0]
    assert question.is_right(program.execute())


def test_no_report_is_trained_and_tested_on():
    every = [str(n % 7) for n in range(30)]
    tested = set()
    for train, test in folds(every, 3):
        assert not train & test
        assert train | test == set(every)
        tested |= test
    assert tested == set(every)
