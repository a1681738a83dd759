"""The calculations that may answer a question: the usual forms over the numbers of its best facts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables.cell_values import CellValue, read_value
from pyterrier_quantity.tables.facts import Cell
from pyterrier_quantity.tables.program import Program

MOST_OPERANDS: Final = 12
"""So many numbers, those of the best facts, are combined: the candidates grow with their square."""
MOST_SUMMANDS: Final = 6


def _added(numbers: Sequence[str]) -> str:
    steps = [f"add({numbers[0]}, {numbers[1]})"]
    steps += [f"add(#{place}, {number})" for place, number in enumerate(numbers[2:])]
    return ", ".join(steps)


FORMS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    "lookup": lambda n: f"add({n[0]}, 0)",
    "subtract": lambda n: f"subtract({n[0]}, {n[1]})",
    "percentage change": lambda n: f"subtract({n[0]}, {n[1]}), divide(#0, {n[1]})",
    "divide": lambda n: f"divide({n[0]}, {n[1]})",
    "multiply": lambda n: f"multiply({n[0]}, {n[1]})",
    "average": lambda n: f"{_added(n)}, divide(#{len(n) - 2}, const_{len(n)})",
    "sum": _added,
    "compare": lambda n: f"greater({n[0]}, {n[1]})",
}
"""The forms of calculation, and what makes each one's program of its numbers as written."""
_ORDERED: Final = ("subtract", "percentage change", "divide", "compare")
_UNORDERED: Final = ("multiply", "average", "sum")


@dataclass(frozen=True)
class Operand:
    """A number of a cell or sentence.

    Args:
        docno: of the cell's or sentence's fact.
        written: as an argument of a program.
        value: the number as written, without scale; percentages in points.
        unit, scale: what it is measured in; unit "-" where nothing says so.
        fact: the place of the fact among those given.
        text: of the sentence; "" for a cell.
        cell: where it stands; None in a sentence.
        span: where the number stands in the fact's text.
    """

    docno: str
    written: str
    value: float
    unit: str
    scale: float
    fact: int
    text: str = ""
    cell: Cell | None = None
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Candidate:
    """A form filled with operands, in the order of the form."""

    form: str
    operands: tuple[Operand, ...]

    @property
    def program(self) -> Program:
        """The program, its numbers as written; scaled where their scales differ."""
        numbers = [operand.written for operand in self.operands]
        if len({operand.scale for operand in self.operands if operand.unit != "percentage"}) > 1:
            numbers = [_scaled(operand) for operand in self.operands]
        return Program.parse(FORMS[self.form](numbers), (operand.docno for operand in self.operands))


def operands(facts: Iterable[Mapping[str, Any]]) -> list[Operand]:
    """The numbers of facts, cells and those of sentences, in the facts' order; each cell once."""
    found: dict[object, Operand] = {}
    for place, fact in enumerate(facts):
        end = -1
        for cell in fact["cells"]:
            start, end = end + 1 + cell.text.rindex(cell.value), end + 1 + len(cell.text)
            if cell.number is not None and cell.docno not in found:
                span = start, start + len(cell.value)
                unit, scale = cell.measure.unit or BARE, cell.measure.scale or 1.0
                found[cell.docno] = Operand(cell.docno, cell.written, cell.number, unit, scale, place, "", cell, span)
        for quantity in () if fact["cells"] else fact["quantities"]:
            if quantity.low == quantity.high:  # of a range no single number is meant
                found[place, quantity.start] = _of_sentence(fact, quantity, place)
    return list(found.values())


def _of_sentence(fact: Mapping[str, Any], quantity: Quantity, place: int) -> Operand:
    docno, text = fact["docno"], fact["text"]
    span = quantity.start, quantity.end
    value = read_value(text[slice(*span)]) or CellValue(quantity.low, None, 1.0, f"{quantity.low:.12g}")
    return Operand(docno, value.written, value.number, quantity.unit, value.scale, place, text, span=span)


def candidates(pool: Sequence[Operand]) -> Iterator[Candidate]:
    """The candidates over a few numbers: pairs, and sums and averages of several in one row or column."""
    for operand in pool:
        yield Candidate("lookup", (operand,))
    for pair in itertools.permutations(pool, 2):
        for form in _ORDERED:
            yield Candidate(form, pair)
    for pair in itertools.combinations(pool, 2):
        for form in _UNORDERED:
            yield Candidate(form, pair)
    for line in _lines(pool):
        for size in range(3, len(line) + 1):
            for chosen in itertools.combinations(line, size):
                yield Candidate("average", chosen)
                yield Candidate("sum", chosen)


def _lines(pool: Sequence[Operand]) -> list[list[Operand]]:
    """The first operands of each row and column that has three of them."""
    lines: dict[tuple[str, int, int], list[Operand]] = {}
    for operand in pool:
        for axis, place in enumerate(operand.cell.place if operand.cell else ()):
            lines.setdefault((operand.docno.rpartition("#")[0], axis, place), []).append(operand)
    return [line[:MOST_SUMMANDS] for line in lines.values() if len(line) > 2]


def _scaled(operand: Operand) -> str:
    return operand.written if operand.unit == "percentage" else f"{operand.value * operand.scale:.15g}"
