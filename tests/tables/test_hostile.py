"""Tables and programs that are large or odd: time that grows with their size, and one clear error."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pyterrier_quantity.tables import NotExecutable, Program

PROGRAMS: dict[str, Callable[[int], object]] = {
    "a number of many groups": lambda n: Program.parse("add(" + "111," * n + "111, 1)").execute(),
    "a row of many commas": lambda n: Program.parse("table_sum(" + "a, " * n + "b, none)").execute(),
    "blanks in a number": lambda n: Program.parse("add(1" + " " * n + "1, 1)").execute(),
    "many steps": lambda n: Program.parse(", ".join(["add(1, 2)"] * (n // 10))).explain(),
    "an expression of brackets": lambda n: Program.from_expression("(" * n + "1").execute(),
}


def seconds(make: Callable[[int], object], size: int) -> float:
    start = time.process_time()
    make(size)
    return time.process_time() - start


@pytest.mark.parametrize("make", PROGRAMS.values(), ids=PROGRAMS)
def test_time_grows_with_the_size(make: Callable[[int], object]) -> None:
    """Four times the size takes at most seven times as long; quadratic is sixteen."""
    if (large := seconds(make, 20_000)) > 0.05:
        assert min(large, seconds(make, 20_000)) < 7 * min(seconds(make, 5_000) for _ in range(2))


class TestPrograms:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("add(#" + "1" * 5000 + ", 1)", "is no number, constant or earlier step"),
            ("add(" + "9" * 5000 + ", 1)", "is no number"),
            ("add(" * 990 + "1", "nested too deeply"),
            ("power" * 1000 + "(1, 2)", "unknown operation"),
            ("table_sum(Long, none)", "holds no number"),
            ("table_sum(Large, none), multiply(#0, #0)", "no finite number"),
            ("exp(10, 1000000000)", "too large"),
        ],
        ids=lambda text: text[:20],
    )
    def test_a_short_reason(self, text, reason):
        found = Program.parse(text).execute([["", "2019"], ["Long", "9" * 400], ["Large", "9" * 250]])
        assert isinstance(found, NotExecutable)
        assert reason in found.reason
        assert len(found.reason) < 250

    def test_signs_without_end(self):
        assert Program.from_expression("-" * 990 + "1").execute() == 1.0

    @pytest.mark.parametrize("power", ["exp(10, 1000000000)", "exp(const_1000000000, const_1000000000)"])
    def test_powers_of_any_size_are_compared(self, power):
        program = Program.parse(power)
        assert program.equivalent(Program.parse(f"multiply({power}, 1)"))
        assert not program.equivalent(Program.parse(f"multiply({power}, 2)"))
        tower = ", ".join([power, *(f"exp(#{n}, #{n})" for n in range(20))])
        assert not Program.parse(tower).equivalent(program)
