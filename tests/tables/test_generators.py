"""Generators of programs, their ensembles, and answers from ranked facts."""

from __future__ import annotations

import json
import math
import pickle

import pandas as pd
import pyterrier as pt
import pytest
from neural_material import MINILM
from tables_material import reports

from pyterrier_quantity import cli
from pyterrier_quantity.tables import (
    CandidateBM25,
    Example,
    LogLinearGenerator,
    Mixed,
    NeuralGenerator,
    NotTrainedError,
    Program,
    ReportFacts,
    SentenceVectors,
    TableAnswers,
    TemplateGenerator,
    Vote,
    best_score,
    facts,
)

TABLE = [
    ["(in millions)", "2019", "2018"],
    ["Fees", "$ 120", "$ 100"],
    ["Rent", "30", "40"],
    ["Total costs", "$ 150", "$ 140"],
]


def examples():
    found = []
    for report in reports():
        known = list(facts(report))
        for q in report["questions"]:
            gold = Program.from_expression(q["derivation"]).execute()
            found.append(Example(q["question"], known, None, lambda result, gold=gold: abs(result - gold) < 1e-4))
    return found


def right(generator, some) -> float:
    firsts = [generator.generate(e.question, e.facts, e.scores)[0][0].execute() for e in some]
    return sum(e.is_right(result) for e, result in zip(some, firsts, strict=True)) / len(firsts)


class TestTemplates:
    @pytest.mark.parametrize(
        ("question", "result"),
        [
            ("What was the change in fees from 2018 to 2019?", 20.0),
            ("What was the percentage change in rent between 2018 and 2019?", -0.25),
            ("What was the average rent in 2018 and 2019?", 35.0),
            ("What is the ratio of rent to total costs in 2019?", 0.2),
            ("What percentage of total costs was rent in 2019?", 0.2),
            ("What is the difference between fees and rent in 2019?", 90.0),
            ("What was the sum of fees in 2018 and 2019?", 220.0),
            ("What were the fees in 2018?", 100.0),
            ("Was the rent in 2019 greater than in 2018?", "no"),
        ],
    )
    def test_classes_of_questions(self, question, result):
        program, score = TemplateGenerator().generate(question, list(facts([TABLE])))[0]
        assert program.execute() == result
        assert score <= 0

    def test_programs_name_their_facts(self):
        program, _ = TemplateGenerator().generate(
            "What was the change in fees from 2018 to 2019?", list(facts([TABLE]))
        )[0]
        assert program.sources == ("table#r1c1", "table#r1c2")

    def test_numbers_of_different_scale_are_scaled(self):
        report = {"table": TABLE, "paragraphs": ["Interest was $2,500,000 in 2019."], "caption": ""}
        known = [
            next(f for f in facts(report) if f["docno"] == "table#r1c1"),
            *facts({**report, "table": [["a"]]}, "text"),
        ]
        found = TemplateGenerator().generate("What is the total of fees and interest in 2019?", known)
        assert 122_500_000.0 in [program.execute() for program, _ in found]

    def test_no_numbers_no_programs(self):
        assert TemplateGenerator().generate("What was the change in fees?", []) == []


class TestTrained:
    @pytest.mark.parametrize("make", [LogLinearGenerator, lambda: NeuralGenerator(SentenceVectors(MINILM))])
    def test_learns_forms_and_arguments(self, make, tmp_path):
        every = examples()
        generator = make().fit(every[:20])
        assert right(generator, every[20:]) == 1.0
        generator.save(tmp_path / "g.npz")
        loaded = make().load(tmp_path / "g.npz")
        e = every[-1]
        assert loaded.generate(e.question, e.facts) == generator.generate(e.question, e.facts)
        assert pickle.loads(pickle.dumps(generator)).generate(e.question, e.facts) == generator.generate(
            e.question, e.facts
        )

    def test_the_same_seed_gives_the_same(self):
        every = examples()
        one, other = LogLinearGenerator(epochs=3).fit(every), LogLinearGenerator(epochs=3).fit(every)
        assert one.generate(every[0].question, every[0].facts) == other.generate(every[0].question, every[0].facts)

    def test_scores_are_logarithms_of_probabilities(self):
        every = examples()
        found = LogLinearGenerator(epochs=3).fit(every).generate(every[0].question, every[0].facts)
        assert 0 < sum(math.exp(score) for _, score in found) <= 1 + 1e-9
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)

    def test_refused(self, tmp_path):
        with pytest.raises(NotTrainedError, match="fit"):
            LogLinearGenerator().generate("x", [])
        with pytest.raises(ValueError, match="nothing to learn"):
            LogLinearGenerator().fit([Example("x", list(facts([TABLE])), None, lambda result: False)])
        with pytest.raises(ValueError, match="epochs"):
            LogLinearGenerator(epochs=0)
        LogLinearGenerator(epochs=1).fit(examples()).save(tmp_path / "g.npz")
        with pytest.raises(ValueError, match=r"g\.npz.*neural"):
            NeuralGenerator(SentenceVectors(MINILM)).load(tmp_path / "g.npz")


def output(*programs: tuple[str, float]):
    return [(Program.parse(text), score) for text, score in programs]


class TestEnsembles:
    def test_the_higher_score(self):
        assert str(best_score([output(("add(1, 2)", -0.9)), output(("add(1, 3)", -0.5))])[0][0]) == "add(1, 3)"

    def test_ties_and_failures_go_to_the_executable(self):
        assert str(best_score([output(("divide(1, 0)", -0.1)), output(("add(1, 3)", -0.5))])[0][0]) == "add(1, 3)"
        assert best_score([[], []]) == []

    @pytest.mark.parametrize(
        ("cells", "rows", "other_score", "chosen"),
        [
            (-0.001, -0.5, -0.1, "add(1, 1)"),
            (-0.5, -0.001, -0.1, "add(2, 2)"),
            (-0.5, -0.5, -0.2, "add(2, 2)"),
            (-0.5, -0.6, -0.1, "add(3, 3)"),
        ],
    )
    def test_the_mixed_rule_of_the_paper(self, cells, rows, other_score, chosen):
        outputs = [output(("add(1, 1)", cells)), output(("add(2, 2)", rows)), output(("add(3, 3)", other_score)),
                   output(("add(4, 4)", -9.0))]  # fmt: skip
        assert str(Mixed()(outputs)[0][0]) == chosen

    def test_the_mixed_rule_replaces_what_fails(self):
        outputs = [output(("divide(1, 0)", -0.001)), [], output(("add(3, 3)", -5.0)), []]
        assert str(Mixed()(outputs)[0][0]) == "add(3, 3)"

    def test_votes_add_up_over_programs_of_one_result(self):
        outputs = [output(("add(1, 2)", math.log(0.4)), ("add(2, 1)", math.log(0.3)), ("add(9, 9)", math.log(0.2))),
                   output(("add(9, 9)", math.log(0.45)), ("add(1, 2)", math.log(0.1)))]  # fmt: skip
        best, score = Vote()(outputs)[0]
        assert best.execute() == 3.0
        assert math.exp(score) == pytest.approx(0.4)

    def test_refused(self):
        with pytest.raises(ValueError, match="four"):
            Mixed()([[]])
        with pytest.raises(ValueError, match="2 weights for 1"):
            Vote((1.0, 2.0))([[]])


class TestAnswers:
    @pytest.mark.parametrize(
        ("question", "answer", "value", "unit"),
        [
            ("What was the change in fees from 2018 to 2019?", "20,000,000 dollar", 20e6, "dollar"),
            ("What was the percentage change in rent between 2018 and 2019?", "-25 %", -25.0, "percentage"),
            ("What is the ratio of rent to total costs in 2019?", "0.2", 0.2, "-"),
            ("Was the rent in 2019 greater than in 2018?", "no", None, ""),
        ],
    )
    def test_number_unit_and_evidence(self, question, answer, value, unit):
        ask = ReportFacts([TABLE]) >> CandidateBM25() >> TableAnswers()
        found = ask.search(question).iloc[0]
        assert (found["qanswer"], found["unit"]) == (answer, unit)
        assert found["value"] == value if value is not None else pd.isna(found["value"])
        assert found["evidence"]
        assert found["reason"] == ""

    @pytest.mark.parametrize(
        ("question", "reason"),
        [("Why did fees rise?", "no number"), ("How are fees presented?", "no number"), ("Who owns it?", "no number")],
    )
    def test_a_question_without_a_number_says_so(self, question, reason):
        found = (ReportFacts([TABLE]) >> TableAnswers()).search(question).iloc[0]
        assert found["qanswer"] == ""
        assert reason in found["reason"]

    def test_facts_without_numbers(self):
        found = (ReportFacts([[["a", "b"], ["c", "d"]]]) >> TableAnswers()).search("What is the total?").iloc[0]
        assert (found["qanswer"], found["reason"]) == ("", "the retrieved facts hold no number")

    def test_contract(self):
        transformer = TableAnswers([TemplateGenerator()], depth=3)
        results = ReportFacts([TABLE]).search("What was the change in fees from 2018 to 2019?")
        out = transformer(results)
        assert out["qid"].tolist() == ["1"]
        assert list(transformer(results.head(0)).columns) == list(out.columns)
        assert transformer == pickle.loads(pickle.dumps(transformer))
        assert pt.inspect.transformer_inputs(transformer)
        with pytest.raises(pt.validate.InputValidationError, match="cells"):
            transformer(results.drop(columns="cells"))
        with pytest.raises(ValueError, match="depth"):
            TableAnswers(depth=0)


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "costs.csv").write_text("\n".join(",".join(row) for row in TABLE))
        return tmp_path

    def test_a_calculation_over_a_folder_of_tables(self, folder, capsys):
        assert cli.main(["answer", str(folder), "What was the percentage change in rent from 2018 to 2019?"]) == 0
        printed = capsys.readouterr().out
        assert "-25 %" in printed
        assert "subtract(30, 40), divide(#0, 40)" in printed
        assert "costs#r2c1: the Rent of 2019 is **30** ;" in printed

    def test_as_json(self, folder, capsys):
        assert cli.main(["answer", str(folder), "--json", "What was the change in fees from 2018 to 2019?"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["value"], found["unit"], found["program"]) == (20e6, "dollar", "subtract(120, 100)")
        assert [item["docno"] for item in found["evidence"]] == ["costs#r1c1", "costs#r1c2"]
