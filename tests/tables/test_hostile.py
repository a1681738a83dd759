"""Tables and programs that are large or odd: time that grows with their size, and one clear error."""

import json
import time
from collections.abc import Callable

import pytest
from lib.derivations import derivation

from pyterrier_quantity.tables import NotExecutable, Program, TableError, facts, parse

PROGRAMS: dict[str, Callable[[int], object]] = {
    "a number of many groups": lambda n: Program.parse("add(" + "111," * n + "111, 1)").execute(),
    "a row of many commas": lambda n: Program.parse("table_sum(" + "a, " * n + "b, none)").execute(),
    "blanks in a number": lambda n: Program.parse("add(1" + " " * n + "1, 1)").execute(),
    "many steps": lambda n: Program.parse(", ".join(["add(1, 2)"] * (n // 10))).explain(),
    "an expression of brackets": lambda n: derivation("(" * n + "1").execute(),
}

TABLES: dict[str, Callable[[int], object]] = {
    "columns": lambda n: read(",".join(f"c{i}" for i in range(n // 20)) + "\nx" + ",1" * (n // 20 - 1) + "\n"),
    "columns of words": lambda n: read([["name"] * (n // 10), ["word"] * (n // 10 - 1) + ["1"]]),
    "rows": lambda n: read("a,b\n" + "x,1\n" * (n // 10)),
    "sentences": lambda n: read({"rows": [["a", "b"]], "paragraphs": ["It rose. " * (n // 10)]}, "text"),
    "headings": lambda n: read([["a", "2019"], *[["of which", ""]] * (n // 20), *[["x", "1"]] * (n // 20)]),
    "headers": lambda n: read([["a", "High"], *[["", "2019", "2018"], ["", "5 m", "6 m"]] * (n // 20)]),
    "a long header": lambda n: read([["a", "word " * n], *[["x", "1"]] * (n // 50)]),
    "a long caption": lambda n: read({"rows": [["a", "b"], ["x", "1"]], "caption": "(in in " + " (," * n}),
    "tables of a page": lambda n: read("<p>So it is.<table><tr><td>a<td>1</table>" * (n // 50), "text"),
    "a cell of digits": lambda n: read([["a", "b"], ["x", "1 1," * n]]),
    "nested lists of a page": lambda n: read("<ul><li>a" * n + "<table><tr><td>a<td>1</table>", "text"),
    "delimiters": lambda n: read("a,b\n" + ";|" * n + "\n"),
}


def read(source: object, kind: str = "cell") -> int:
    """How many facts there are; none where the source is refused."""
    try:
        return sum(1 for _ in facts(source, kind))
    except TableError:
        return 0


def seconds(make: Callable[[int], object], size: int) -> float:
    start = time.process_time()
    make(size)
    return time.process_time() - start


@pytest.mark.parametrize("make", [*PROGRAMS.values(), *TABLES.values()], ids=[*PROGRAMS, *TABLES])
def test_time_grows_with_the_size(make: Callable[[int], object]) -> None:
    """Four times the size takes at most seven times as long; quadratic is sixteen."""
    if (large := seconds(make, 20_000)) > 0.05:
        assert min(large, seconds(make, 20_000)) < 7 * min(seconds(make, 5_000) for _ in range(2))


class TestPrograms:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("add(#" + "1" * 5000 + ", 1)", "is not a number, constant or earlier step"),
            ("add(" + "9" * 5000 + ", 1)", "is not a number"),
            ("add(" * 990 + "1", "nested too deeply"),
            ("power" * 1000 + "(1, 2)", "unknown operation"),
            ("table_sum(Long, none)", "contains no number"),
            ("table_sum(Large, none), multiply(#0, #0)", "not a finite number"),
            ("exp(10, 1000000000)", "too large"),
        ],
        ids=lambda text: text[:20],
    )
    def test_a_short_reason(self, text, reason):
        found = Program.parse(text).execute([["", "2019"], ["Long", "9" * 400], ["Large", "9" * 250]])
        assert isinstance(found, NotExecutable)
        assert reason in found.reason
        assert len(found.reason) < 250

    @pytest.mark.parametrize("power", ["exp(10, 1000000000)", "exp(const_1000000000, const_1000000000)"])
    def test_powers_of_any_size_are_compared(self, power):
        program = Program.parse(power)
        assert program.equivalent(Program.parse(f"multiply({power}, 1)"))
        assert not program.equivalent(Program.parse(f"multiply({power}, 2)"))
        tower = ", ".join([power, *(f"exp(#{n}, #{n})" for n in range(20))])
        assert not Program.parse(tower).equivalent(program)


DEEP = "[" * 2000 + "\n" + "]" * 2000


class TestTables:
    @pytest.mark.parametrize(
        ("source", "reason"),
        [
            ("a,b\nx," + "1" * 131_073 + "\n", "line 2: .*quotation mark"),
            ('a,b\n"' + "x,1\n" * 40_000, "quotation mark"),
            (DEEP, "line 1: .*nested too deeply"),
            ('{"rows":\n [[1, 2],\n}', "line 3: this is not JSON"),
            ("[" + "1" * 5000 + "]", "line 1: this is not JSON"),
            (json.loads("[" * 900 + "]" * 900), "nested too deeply|not a table"),
            ({"table": {"uid": "x"}}, "'table', 'rows' or 'data' must be a list of rows, got NoneType"),
            ({"rows": [[1, 2]], "paragraphs": [{"order": 1}]}, "each needs a 'text'"),
            (
                {"rows": [[1]], "paragraphs": [{"order": 1, "text": "a"}, {"order": "b", "text": "c"}]},
                "must be a number",
            ),
            ({"rows": [[1, 2]], "paragraphs": 7}, "'paragraphs' must be a list of texts, got int"),
            ({"rows": [[1, 2], {"a": 1}]}, "row 2 must be a list of cells, got dict"),
            ({"a": [1], "b": [1, 2]}, "columns differ in length"),
            ([["a", 10**5000]], "a cell cannot be written as text"),
            ([["a"] * 2000, *[["x"]] * 2000], "more than 1,000,000 cells"),
            ("<table><tr>" + "<td colspan=1000 rowspan=1000>1" * 20 + "<tr>" * 200 + "</table>", "merged cells"),
        ],
        ids=lambda value: value[:30] if isinstance(value, str) else type(value).__name__,
    )
    def test_one_error_that_says_where_and_what_to_do(self, source, reason):
        with pytest.raises(TableError, match=reason):
            list(facts(source))

    def test_a_text_of_one_line_is_no_file_name(self):
        rows = ",".join(f'["row number {n}","{n}","{n}"]' for n in range(12))
        assert read(f'[["name","2019","2020"],{rows}]') == 24
        assert read("a" * 300 + ",1\0") == 0

    def test_a_file_that_is_no_text_is_named(self, tmp_path):
        (tmp_path / "a.csv").write_bytes(b"a,\xff\n")
        with pytest.raises(TableError, match=r"a\.csv: .*UTF-8"):
            list(facts(tmp_path / "a.csv"))

    def test_numbers_too_large_for_a_float_are_words(self):
        found = list(facts([["in millions", "2019"], ["Long", "9" * 400], ["Large", "9" * 260], ["Few", "7"]]))
        assert [len(fact["quantities"]) for fact in found] == [0, 0, 1]

    def test_paragraphs_belong_to_the_table_that_they_introduce(self):
        text = "<p>In thousands:<table><tr><td>a<td>1</table><p>In millions:<table><tr><td>a<td>1</table><p>The end."
        assert [table.paragraphs for table in parse(text)] == [("In thousands:",), ("In millions:", "The end.")]
