"""All programs of the usual forms over a few numbers: what the generators choose from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.tables.operands import Operand
from pyterrier_quantity.tables.program import Program

FORMS: Final = (
    "subtract", "percentage change", "divide", "multiply", "average", "sum", "share of sum", "change of average",
    "lookup",
)  # fmt: skip
"""The forms of calculation that generators learn; "change of average" is (a+b)/2 - (b+c)/2, "share of sum" (a+b)/c."""
COMPARE: Final = "compare"
"""Whether the first is greater: for templates, "yes" or "no"."""

_PAIRS: Final = ("subtract", "percentage change", "divide")
MOST_SUMMANDS: Final = 6


@dataclass(frozen=True)
class Candidate:
    """A form filled with operands.

    Args:
        form: one of `FORMS`, or `COMPARE`.
        operands: in the order of the form.
    """

    form: str
    operands: tuple[Operand, ...]

    @property
    def program(self) -> Program:
        """The program, its numbers as written; scaled where their scales differ."""
        numbers = [operand.written for operand in self.operands]
        if len({operand.scale for operand in self.operands if operand.unit != "percentage"}) > 1:
            numbers = [_scaled(operand) for operand in self.operands]
        return Program.parse(_TEXTS[self.form](numbers), (operand.docno for operand in self.operands))

    @property
    def result(self) -> float | None:
        """What the program gives, None where it is not executable."""
        found = self.program.execute()
        return found if isinstance(found, float) else None


def comparisons(pool: Sequence[Operand]) -> Iterator[Candidate]:
    """Every number against every other one."""
    return (Candidate(COMPARE, pair) for pair in itertools.permutations(pool, 2))


def candidates(pool: Sequence[Operand]) -> Iterator[Candidate]:
    """The candidates over the operands: pairs in both orders, and groups that share a row or a column.

    Args:
        pool: the numbers of the retrieved facts; their count is squared in the number of candidates.
    """
    for operand in pool:
        yield Candidate("lookup", (operand,))
    for pair in itertools.permutations(pool, 2):
        for form in _PAIRS:
            yield Candidate(form, pair)
    for pair in itertools.combinations(pool, 2):
        yield Candidate("average", pair)
        yield Candidate("sum", pair)
        yield Candidate("multiply", pair)
    for group in _lines(pool):
        for size in range(3, min(len(group), MOST_SUMMANDS) + 1):
            for chosen in itertools.combinations(group, size) if len(group) <= MOST_SUMMANDS else ():
                yield Candidate("average", chosen)
                yield Candidate("sum", chosen)
    yield from _of_three(pool)


def _of_three(pool: Sequence[Operand]) -> Iterator[Candidate]:
    for column in _groups(pool, axis=1):
        for first, second in itertools.combinations(column, 2):
            for whole in column:
                if whole not in (first, second):
                    yield Candidate("share of sum", (first, second, whole))
    for row in _groups(pool, axis=0):
        for three in itertools.permutations(row, 3) if len(row) <= 4 else ():
            yield Candidate("change of average", three)


def _lines(pool: Sequence[Operand]) -> list[list[Operand]]:
    """The operands that share a row, or a column: by best first as given."""
    return [group[:MOST_SUMMANDS] for axis in (0, 1) for group in _groups(pool, axis)]


def _groups(pool: Sequence[Operand], axis: int) -> list[list[Operand]]:
    groups: dict[tuple[str, int], list[Operand]] = {}
    for operand in pool:
        if operand.is_cell:
            report = operand.docno.rpartition("#")[0]
            groups.setdefault((report, operand.place[axis]), []).append(operand)
    return [group for group in groups.values() if len(group) > 2]


def _scaled(operand: Operand) -> str:
    return operand.written if operand.unit == "percentage" else f"{operand.value * operand.scale:.15g}"


def _added(numbers: Sequence[str]) -> str:
    """Steps that add numbers up, one after another."""
    steps = [f"add({numbers[0]}, {numbers[1]})"]
    steps += [f"add(#{place}, {number})" for place, number in enumerate(numbers[2:])]
    return ", ".join(steps)


def _averaged(numbers: Sequence[str]) -> str:
    return f"{_added(numbers)}, divide(#{len(numbers) - 2}, const_{len(numbers)})"


_TEXTS: Final = {
    "subtract": lambda n: f"subtract({n[0]}, {n[1]})",
    "percentage change": lambda n: f"subtract({n[0]}, {n[1]}), divide(#0, {n[1]})",
    "divide": lambda n: f"divide({n[0]}, {n[1]})",
    "multiply": lambda n: f"multiply({n[0]}, {n[1]})",
    "average": _averaged,
    "sum": _added,
    "share of sum": lambda n: f"add({n[0]}, {n[1]}), divide(#0, {n[2]})",
    "change of average": lambda n: (
        f"add({n[0]}, {n[1]}), divide(#0, const_2), add({n[1]}, {n[2]}), divide(#2, const_2), subtract(#1, #3)"
    ),
    "lookup": lambda n: f"add({n[0]}, 0)",
    COMPARE: lambda n: f"greater({n[0]}, {n[1]})",
}
