"""Programs: the ten operations, malformed ones refused with a reason, comparison as formulas, explanations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lib.derivations import derivation

from pyterrier_quantity.tables import NotExecutable, Program, facts

TABLE = [
    ["", "2019", "2018"],
    ["Fees (1)", "$ 10", "$ (4)"],
    ["Rent, net", "3", "5"],
    ["Note", "see", "below"],
    ["Dues", "(4)", "—"],
]


class TestExecution:
    @pytest.mark.parametrize(
        ("text", "result"),
        [
            ("add(1, 2)", 3.0),
            ("subtract(5829, 5735), divide(#0, 5735)", 0.01639),
            ("divide(subtract(5829, 5735), 5735)", 0.01639),
            ("subtract(1,200, 1,100)", 100.0),
            ("multiply(15%, const_100)", 15.0),
            ("exp(2, 10)", 1024.0),
            ("exp(10,400)", NotExecutable),
            ("divide(1, 3)", 0.33333),
            ("add(const_m1, const_1000000000)", 999_999_999.0),
            ("subtract((5,625), $3)", -5628.0),
            ("greater(2, 1)", "yes"),
            ("table_max(Fees, none)", 10.0),
            ("table_min(fees (1), none)", -4.0),
            ("table_average(rent net), divide(#0, const_2)", 2.0),
            ("table_max(Dues, none)", -4.0),
            ("table_average(Dues, none)", -4.0),
        ],
    )
    def test_results(self, text, result):
        found = Program.parse(text).execute(TABLE)
        assert isinstance(found, NotExecutable) if result is NotExecutable else found == result

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "empty"),
            ("add(1, 2", "closing bracket"),
            ("add(1)", "two arguments"),
            ("add(1, #0)", "not done before"),
            ("add(1, 2), add(#3, 1)", "not done before"),
            ("power(1, 2)", "unknown operation 'power'"),
            ("add(one, 2)", "not a number"),
            ("add(1, 2) add(3, 4)", "comma is missing"),
            ("add(, 1, 2)", "an argument is missing before ','"),
            ("add(1, 2,)", "an argument is missing before ')'"),
            ("__import__(os, none)", "unknown operation"),
            ("divide(1, 0)", "division by zero"),
            ("subtract(1, 1), divide(2, #0)", "division by zero"),
            ("exp(-8, 0.5)", "not a finite number"),
            ("greater(1, 2), add(#0, 1)", "#0 is not a number"),
            ("table_sum(Nothing, none)", "no row 'Nothing'"),
            ("table_sum(Note, none)", "no number"),
        ],
    )
    def test_what_has_no_result_says_why(self, text, reason):
        found = Program.parse(text).execute(TABLE)
        assert isinstance(found, NotExecutable)
        assert not found
        assert reason in str(found)

    @given(st.text(alphabet="add(subtract,table_sum)#0123 .%-const_m$", max_size=60))
    def test_no_text_raises(self, text):
        Program.parse(text).execute(TABLE)
        derivation(text).execute(TABLE)


class TestExpressions:
    @pytest.mark.parametrize(
        ("text", "result"),
        [
            ("(44.1-56.7)/56.7", -0.22222),
            ("[(4,411+4,044)/2] -[(4,044+3,316)/2]", 547.5),
            ("-5,637-(-3,990)", -1647.0),
            ("(2.7%+2.0%+1.0%)/3", 0.019),
            ("$10 × 3", 30.0),
            ("2 + 3 * 4", 14.0),
        ],
    )
    def test_arithmetic_as_people_write_it(self, text, result):
        assert derivation(text).execute() == result

    @pytest.mark.parametrize("text", ["", "1 +", "(1", "1)", "* 2", "one + 2", "1 2", "().__class__"])
    def test_what_is_no_arithmetic(self, text):
        assert isinstance(derivation(text).execute(), NotExecutable)

    @given(
        st.recursive(
            st.integers(1, 99).map(str),
            lambda e: st.tuples(e, st.sampled_from("+-*"), e).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
            max_leaves=8,
        )
    )
    def test_agrees_with_python(self, text):
        assert derivation(text).execute() == pytest.approx(float(eval(text)))  # the generated text above


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("subtract(58, 57), divide(#0, 57)", "divide(58, 57), subtract(#0, const_1)", True),
        ("add(12, 34)", "add(34, 12)", True),
        ("add(12, 12)", "multiply(12, const_2)", True),
        ("add(1,200, 34)", "add(34, 1200)", True),
        ("add(12, 34), divide(#0, const_2)", "divide(12, 2), divide(34, 2), add(#0, #1)", True),
        ("divide(12, 34)", "divide(12, 35)", False),
        ("table_sum(Fees, none)", "table_sum(fees, none)", True),
        ("table_max(#1, none)", "table_max(#1, none)", True),  # a row of that name
        ("table_sum(Fees, none)", "table_max(Fees, none)", False),
        ("divide(12, 0)", "divide(12, 0)", False),
    ],
)
def test_programs_are_equivalent_as_formulas(first, second, same):
    assert Program.parse(first).equivalent(Program.parse(second)) is same


class TestExplaining:
    def test_every_number_with_its_cell(self):
        lines = Program.parse("subtract(10, -4), divide(#0, -4)").explain(facts([TABLE])).splitlines()
        assert lines[0] == "#0 subtract(10 [Fees, 2019], -4 [Fees, 2018]) = 14"
        assert lines[1] == "#1 divide(#0, -4 [Fees, 2018]) = -3.5"

    def test_numbers_of_sentences(self):
        given_ = facts({"table": TABLE, "paragraphs": ["The fund paid $2.5 million."]}, "text")
        assert "table#s0: The fund paid $2.5 million." in Program.parse("add(2.5, const_1)").explain(given_)

    def test_sources_come_first(self):
        twice = [["", "a", "b"], ["x", "10", "10"], ["y", "1", "2"]]
        program = Program.parse("add(10, 1)", sources=["table#r1c2"])
        assert program.explain(facts([twice])).startswith("#0 add(10 [x, b], 1 [y, a])")
