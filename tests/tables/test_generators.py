"""The generator of programs, and answers from ranked facts."""

import math

import pandas as pd
import pytest

from pyterrier_quantity import cli
from pyterrier_quantity.tables import CandidateBM25, Program, ReportFacts, TableAnswers, TemplateGenerator, facts
from pyterrier_quantity.tables.generator import read_question

TABLE = [
    ["(in millions)", "2019", "2018"],
    ["Fees", "$ 120", "$ 100"],
    ["Rent", "30", "40"],
    ["Total costs", "$ 150", "$ 140"],
]
CHANGE = "What was the change in fees from 2018 to 2019?"


class TestTemplates:
    @pytest.mark.parametrize(
        ("question", "result"),
        [
            (CHANGE, 20.0),
            ("What was the percentage change in rent between 2018 and 2019?", -0.25),
            ("What was the average rent in 2018 and 2019?", 35.0),
            ("What percentage of total costs was rent in 2019?", 0.2),
            ("What is the difference between fees and rent in 2019?", 90.0),
            ("Was the rent in 2019 greater than in 2018?", "no"),
            ("What were the highest costs in 2019?", 150.0),
        ],
    )
    def test_classes_of_questions(self, question, result):
        program, score = TemplateGenerator().generate(question, list(facts([TABLE])))[0]
        assert program.execute() == result
        assert score <= 0

    @pytest.mark.parametrize(
        ("question", "result"),
        [
            ("What percentage of total costs were wages and rent in 2019?", 0.6),
            ("What percentage of total costs was rent in 2019?", 0.15),
            ("What was the change in the average price per litre from 2018 to 2019?", -2.0),
            ("What was the average price per litre in 2018 and 2019?", 9.0),
            ("What is the difference in wages between 2018 and 2019?", 10.0),
            ("What was the change in wages between 2018 and 2019?", -10.0),
        ],
    )
    def test_calculations_within_calculations(self, question, result):
        table = [["", "2019", "2018"], ["Wages", "90", "100"], ["Rent", "30", "20"], ["Fuel", "80", "60"],
                 ["Total costs", "200", "180"], ["Average price per litre", "8", "10"]]  # fmt: skip
        ask = ReportFacts([table], ["cell"]) >> CandidateBM25()
        known = ask.search(question).sort_values("score", ascending=False).head(5)
        found = TemplateGenerator().generate(question, known.to_dict("records"), known["score"].tolist())
        assert found[0][0].execute() == result

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("What was the change in the average rent?", "change"),
            ("By how much did the increase in the percentage of sales differ?", "change"),
            ("What is the difference in weighted-average lives?", "difference"),
            ("What was the average increase in rent?", "average"),
            ("What was the growth rate of the increase in average rent?", "percentage change"),
            ("How much did the rent change, in percent of costs?", "percentage change"),
        ],
    )
    def test_the_outer_calculation_is_the_class(self, text, kind):
        assert read_question(text).kind == kind

    @pytest.mark.parametrize(("rent", "proposed"), [("20", True), ("30", False), ("-20", False)])
    def test_parts_are_less_than_the_whole_and_have_its_sign(self, rent, proposed):
        table = [["", "2019"], ["Wages", "90"], ["Rent", rent], ["Total", "120"]]
        found = TemplateGenerator().generate("What share of the total are wages and rent?", list(facts([table])))
        assert (f"add(90, {rent}), divide(#0, 120)" in [str(program) for program, _ in found]) == proposed

    @pytest.mark.parametrize(
        ("columns", "question", "program"),
        [
            (("Q3 2019", "Q4 2019"), "What was the revenue in Q4 2019?", "add(12, 0)"),
            (("Q3 2019", "Q4 2019"), "What was the change in revenue from Q3 to Q4 2019?", "subtract(12, 10)"),
            (("First quarter", "Third quarter"), "What was the revenue in the third quarter?", "add(12, 0)"),
            (("March 31, 2019", "June 30, 2019"), "What was the revenue at June 30, 2019?", "add(12, 0)"),
        ],
    )
    def test_quarters_and_months_name_columns(self, columns, question, program):
        table = [["", *columns], ["Revenue", "10", "12"], ["Costs", "7", "9"]]
        assert str(TemplateGenerator().generate(question, list(facts([table])))[0][0]) == program

    @pytest.mark.parametrize(
        ("text", "years"),
        [
            ("rent from 2017-2019", ("2017", "2019", "2018")),
            ("rent in 2018/19", ("2019",)),
            ("rent in 2018-2019", ("2019",)),
        ],
    )
    def test_a_long_span_of_years_names_both_ends(self, text, years):
        assert read_question(text).periods == years

    def test_a_dash_is_not_the_lowest(self):
        found = TemplateGenerator().generate(
            "What was the lowest rent?", list(facts([[["", "2019"], ["Rent", "30"], ["Fees", "—"]]]))
        )
        assert [program.execute() for program, _ in found] == [30.0]

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

    def test_scores_are_logarithms_of_probabilities(self):
        scores = [score for _, score in TemplateGenerator().generate(CHANGE, list(facts([TABLE])))]
        assert 0 < sum(map(math.exp, scores)) <= 1 + 1e-9
        assert scores == sorted(scores, reverse=True)


class TestAnswers:
    @pytest.mark.parametrize(
        ("question", "answer", "value", "unit"),
        [
            (CHANGE, "20,000,000 dollar", 20e6, "dollar"),
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

    def test_facts_without_numbers(self):
        found = (ReportFacts([[["a", "b"], ["c", "d"]]]) >> TableAnswers()).search("What is the total?").iloc[0]
        assert (found["qanswer"], found["reason"]) == ("", "the retrieved facts contain no number")

    def test_a_generator_of_ones_own(self):
        class Model:
            def generate(self, question, facts, scores=None):
                return [(Program.parse("divide(1, 0)"), -0.1), (Program.parse("add(120, 30)"), -0.2)]

        found = (ReportFacts([TABLE]) >> TableAnswers(Model())).search("What is the total?").iloc[0]
        assert (found["value"], found["program"]) == (150.0, "add(120, 30)")

    def test_a_program_over_a_row_has_the_table(self):
        class Model:
            def generate(self, question, facts, scores=None):
                return [(Program.parse("table_average(Fees, none)"), -0.1)]

        found = (ReportFacts([TABLE]) >> TableAnswers(Model(), depth=1)).search("What is the average of fees?").iloc[0]
        assert found["qanswer"] == "110,000,000 dollar"
        assert found["evidence"] == ["table#r1c1", "table#r1c2"]


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
