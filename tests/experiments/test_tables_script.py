"""The experiments on tables: the files that they write, figures on questions with known answers, bad files."""

from __future__ import annotations

import json

import pandas as pd
import programs
import pytest
import tables
from lib.program_runs import VOTED, Candidates, Validation, executed
from lib.table_questions import folds, load
from tables_material import reports

from pyterrier_quantity.tables import Program


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("questions") / "reports.json"
    path.write_text(json.dumps(reports()))
    return path


def test_recall_of_every_system_and_kind(file, tmp_path):
    assert tables.main([str(file), "--out", str(tmp_path), "--work", str(tmp_path), "--folds", "3", "--quiet"]) == 0
    found = pd.read_csv(tmp_path / "tables.csv")
    assert list(found.columns) == ["system", "kind", "recall@3", "recall@5"]
    assert set(found["kind"]) == {"cell", "row"}
    best = found.set_index(["system", "kind"])["recall@3"]
    assert best["classifier (MiniLM)", "cell"] == best["classifier (MiniLM)", "row"] == 1.0
    assert (found["recall@3"] <= found["recall@5"]).all()


def test_accuracy_of_every_generator_and_ensemble(file, tmp_path, capsys):
    given = [str(file), "--out", str(tmp_path), "--work", str(tmp_path), "--folds", "3", "--repeats", "2", "--quiet"]
    assert programs.main(given) == 0
    found = pd.read_csv(tmp_path / "programs.csv").set_index(["system", "facts"])
    assert list(found.columns) == ["execution", "program"]
    assert found.loc[("gold derivations", "gold"), "execution"] == 1.0
    assert found.loc[("log-linear", "gold cells"), "execution"] > 0.9
    assert found.loc[("vote ensemble", "retrieved"), "execution"] > 0.9
    assert found.loc[("vote ensemble", "gold"), "execution"] > 0.9
    assert (found["program"] <= found["execution"]).all()
    assert "votes over their best part, 2 cross-validations" in capsys.readouterr().out
    kept = pd.read_json(tmp_path / "programs.jsonl", lines=True)
    means = kept.groupby(["system", "facts"])["right"].mean()
    for system in ("neural", "retrieved rows"), ("vote ensemble", "gold"):
        assert means[system] == pytest.approx(found.loc[system, "execution"], abs=1e-4)
    assert set(kept["repeat"]) == {0, 1}


def test_votes_are_compared_with_the_part_that_is_best_over_all_repeats(file):
    collection = load(file)
    wrong = Program.parse("add(0, 0.123)")

    def outputs(right: int) -> list:
        return [[(question.program if n < right else wrong, -0.1)] for n, question in enumerate(collection.questions)]

    def found(better: int, other: int) -> dict:
        """The first two generators' right answers; the votes have all of them."""
        kinds = [facts for facts in VOTED if " " in facts]
        parts = {(name, facts): outputs(right) for name, right in (("a", better), ("b", other)) for facts in kinds}
        return parts | {("vote ensemble", facts): outputs(24) for facts in VOTED}

    table = programs.comparisons(collection, [found(12, 6), found(6, 18)]).set_index("facts")
    assert table["best part"]["gold"] == "b, gold cells"
    assert table["gain"]["retrieved"] == pytest.approx(0.5)
    assert table["p"]["gold"] < 0.001
    assert table["p (Holm)"]["gold"] == pytest.approx(2 * table["p"]["gold"])
    assert table["p (Holm)"].notna().sum() == 2


class TestChosenWeights:
    """The weight of the templates' votes comes from the folds that are not tested."""

    def test_a_tested_question_does_not_choose_its_own_weight(self, file):
        validation = Validation(Candidates(load(file), vectors=None), count=2)
        questions, (_, test) = validation.questions, validation.folds[0]
        wrong = Program.parse("add(0, 0.123)")

        def outputs(right_in_test: bool) -> list:
            return [[(question.program if (question.report in test) == right_in_test else wrong, -0.1)]
                    for question in questions]  # fmt: skip

        for right_in_test in (True, False):
            parts = {("templates", "gold cells"): outputs(right_in_test),
                     ("log-linear", "gold cells"): outputs(not right_in_test)}  # fmt: skip
            # What is right in one fold is wrong in the other: only a question's own fold could choose rightly.
            assert not executed(questions, validation._chosen_vote(parts)).any()


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
