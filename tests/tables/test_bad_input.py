"""Bad input of tables, programs and questions; what is expected was written before any of it was read."""

from typing import ClassVar

import pandas as pd
import pytest

from pyterrier_quantity.tables import CandidateBM25, Program, ReportFacts, TableAnswers, facts

Cells = dict[tuple[str, str], float]


def read(table: object) -> Cells:
    """The number of each cell by the names of its row and column."""
    return {(f["row"], f["column"]): f["quantities"][0].low for f in facts(table) if f["quantities"]}


def csv(*rows: str) -> str:
    return "\n".join(rows)


def markdown(*rows: str) -> str:
    lines = [f"| {' | '.join(row.split(';'))} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0].split(";")), *lines[1:]])


class TestRaggedRows:
    EXPECTED: ClassVar[Cells] = {
        ("Revenue", "2019"): 100.0, ("Revenue", "2018"): 90.0, ("Costs", "2019"): 60.0, ("Taxes", "2019"): 10.0,
        ("Taxes", "2018"): 8.0,
    }  # fmt: skip

    @pytest.mark.parametrize(
        "table",
        [
            csv("Item,2019,2018", "Revenue,100,90", "Costs,60", "Taxes,10,8,see note"),
            markdown("Item;2019;2018", "Revenue;100;90", "Costs;60", "Taxes;10;8;see note"),
            [[["Item", "2019", "2018"], ["Revenue", "100", "90"], ["Costs", "60"], ["Taxes", 10, 8, "see note"]]],
            "<table><tr><th>Item<th>2019<th>2018<tr><td>Revenue<td>100<td>90<tr><td>Costs<td>60"
            "<tr><td>Taxes<td>10<td>8<td>see note</table>",
        ],
        ids=["csv", "markdown", "rows", "html"],
    )
    def test_what_is_missing_states_nothing_and_what_is_too_much_shifts_nothing(self, table):
        found = read(table)
        assert {key: found.get(key) for key in self.EXPECTED} == self.EXPECTED
        assert ("Costs", "2018") not in found

    def test_empty_rows_and_columns_are_passed_over(self):
        found = read(csv(",2019,,2018", "", "Revenue,100,,90", ",,,", "Costs,60,,50"))
        assert found == {
            ("Revenue", "2019"): 100.0, ("Revenue", "2018"): 90.0, ("Costs", "2019"): 60.0, ("Costs", "2018"): 50.0,
        }  # fmt: skip


class TestMergedCells:
    def test_a_header_over_two_columns(self):
        found = read(
            "<table><tr><th rowspan=2>Region<th colspan=2>Sales<th>Staff<tr><th>2019<th>2018<th>2019"
            "<tr><td>North<td>5<td>4<td>30<tr><td>South<td>7<td>6<td>40</table>"
        )
        assert found == {
            ("North", "Sales 2019"): 5.0, ("North", "Sales 2018"): 4.0, ("North", "Staff 2019"): 30.0,
            ("South", "Sales 2019"): 7.0, ("South", "Sales 2018"): 6.0, ("South", "Staff 2019"): 40.0,
        }  # fmt: skip

    def test_a_name_over_two_rows(self):
        found = read(
            "<table><tr><th>Plant<th>Product<th>Tonnes<tr><td rowspan=2>Zenda<td>Steel<td>50<tr><td>Tin<td>20"
            "<tr><td>Strelsau<td>Steel<td>70</table>"
        )
        assert found == {("Zenda Steel", "Tonnes"): 50.0, ("Zenda Tin", "Tonnes"): 20.0,
                         ("Strelsau Steel", "Tonnes"): 70.0}  # fmt: skip

    @pytest.mark.parametrize("span", ["0", "-1", "x", "", "99999999"])
    def test_spans_that_are_none(self, span):
        found = read(f"<table><tr><th>Fee<th>2019<tr><td colspan='{span}'>Adults<td>12</table>")
        assert 12.0 in found.values()


class TestFootnoteMarks:
    @pytest.mark.parametrize("mark", ["*", "**", "†", "‡", "¹", " (a)", "(1)", " [2]", "[b]", "<sup>3</sup>"])
    def test_behind_a_number_a_row_and_a_header(self, mark):
        found = read(
            f"<table><tr><th>Item<th>Sales{mark}<th>Staff<tr><td>North{mark}<td>5,200{mark}<td>30"
            f"<tr><td>South<td>41<td>4{mark}</table>"
        )
        assert found == {
            ("North", "Sales"): 5200.0, ("North", "Staff"): 30.0, ("South", "Sales"): 41.0, ("South", "Staff"): 4.0,
        }  # fmt: skip

    def test_a_bracketed_number_alone_is_negative_and_no_mark(self):
        assert read([[["Item", "2019"], ["Change", "(1)"], ["Sales (1)", "7"]]]) == {
            ("Change", "2019"): -1.0, ("Sales", "2019"): 7.0,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "value", "unit"),
    [
        (["(44.1)", "( 44.1 )", "-44.1", "−44.1", "(44.1)*", "(44.1) (2)"], -44.1, "-"),
        (["(1,234)"], -1234.0, "-"),
        (["$(0.45)", "($0.45)"], -0.45, "dollar"),
        (["(8.2)%", "(8.2%)"], -8.2, "percentage"),
    ],
)
def test_brackets_for_negatives_as_accounts_write_them(cells, value, unit):
    for cell in cells:
        fact = next(iter(facts([[["Item", "2019"], ["Result", cell], ["Sales", "7"]]])))
        assert (fact["quantities"][0].low, fact["quantities"][0].unit) == (value, unit)


TABLE = [["", "2019", "2018"], ["Fees", "10", "4"], ["Note", "see", "below"]]


def test_a_generator_of_such_programs_leaves_an_answer_empty_with_the_reason():
    class Broken:
        def generate(self, question, facts, scores=None):
            return [(Program.parse("divide(4, 0)"), -0.1), (Program.parse("add(4, #7)"), -0.2)]

    row = (ReportFacts([TABLE]) >> TableAnswers(Broken())).search("What was the change in fees?").iloc[0]
    assert row["qanswer"] == ""
    assert "division by zero" in row["reason"]


NO_NUMBER = ["who wrote Emma?", "why did fees rise?", "is the river clean", ""]


@pytest.mark.parametrize("question", NO_NUMBER)
def test_a_question_that_asks_for_no_number_is_answered_empty(question):
    asked = pd.DataFrame({"qid": ["1", "2"], "query": [question, "What was the change in fees from 2018 to 2019?"]})
    out = (ReportFacts([TABLE]) >> CandidateBM25() >> TableAnswers())(asked)
    assert out["value"].fillna(-1).tolist() == [-1.0, 6.0]
    assert out["reason"].tolist() == ["the question does not ask for a number that a program could compute", ""]
