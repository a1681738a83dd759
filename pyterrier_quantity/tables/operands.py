"""The numbers that programs can take from facts, each with the names around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.tables.cell_values import read_value
from pyterrier_quantity.tables.facts import Cell


@dataclass(frozen=True)
class Operand:
    """A number of a cell or sentence.

    Args:
        docno: of the cell's or sentence's fact.
        row_docno: of the row's fact, or the sentence's.
        written: as an argument of a program.
        value: the number as written, without scale; percentages in points.
        unit, scale: what it is measured in; unit "-" where nothing says so.
        row, column, section: the names around a cell; the row of a sentence is its text.
        place: row and column; (-1, -1) in a sentence.
        fact: the place of the fact among those given.
    """

    docno: str
    row_docno: str
    written: str
    value: float
    unit: str
    scale: float
    row: str
    column: str
    section: str
    place: tuple[int, int]
    fact: int

    @property
    def is_cell(self) -> bool:
        """Whether it stands in a table."""
        return self.place[0] >= 0


def operands(facts: Iterable[Mapping[str, Any]]) -> list[Operand]:
    """The numbers of facts, cells and those of sentences, in the facts' order; each cell once."""
    found: list[Operand] = []
    seen: set[str] = set()
    for position, fact in enumerate(facts):
        for cell in fact["cells"]:
            if cell.number is not None and cell.docno not in seen:
                seen.add(cell.docno)
                found.append(_of_cell(cell, position))
        if not fact["cells"]:
            found += [o for quantity in fact["quantities"] if (o := _of_sentence(fact, quantity, position))]
    return found


def _of_cell(cell: Cell, position: int) -> Operand:
    row_docno = cell.docno[: cell.docno.rindex("c")]
    return Operand(
        cell.docno, row_docno, cell.written, cell.number or 0.0, cell.measure.unit or "-", cell.measure.scale or 1.0,
        cell.row, cell.column, cell.section, cell.place, position,
    )  # fmt: skip


def _of_sentence(fact: Mapping[str, Any], quantity: Quantity, position: int) -> Operand | None:
    """None for ranges, of which no single number is meant."""
    if quantity.low != quantity.high:
        return None
    value = read_value(fact["text"][quantity.start : quantity.end])
    number, scale = (value.number, value.scale) if value else (quantity.low, 1.0)
    written = value.written if value else f"{quantity.low:.12g}"
    return Operand(
        fact["docno"], fact["docno"], written, number, quantity.unit, scale, fact["text"], "", "", (-1, -1), position
    )
