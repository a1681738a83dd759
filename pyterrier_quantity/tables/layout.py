"""Which rows of a table are headers, what each column and row is called, and where sections begin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.tables.cell_values import is_nil, is_period, read_value, without_footnote
from pyterrier_quantity.tables.program_measures import is_measure, phrase_measure
from pyterrier_quantity.tables.table import Table

MOST_HEADERS: Final = 8
_SIGNS_BEFORE: Final = frozenset("$ € £ ¥ US$ C$ A$ HK$ ( $( -".split())
_SIGNS_BEHIND: Final = frozenset(") % )% * )*".split())
_LED: Final = re.compile(r"[(\-−–—]?\s*[\d.—–-]")
_ENDED: Final = re.compile(r"\d\s*$")

Row = tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """A row that holds data.

    Args:
        number: the row's place in the grid, from 0.
        name: its first cells, those that name it.
        section: the headings above it, outermost first.
        columns: what each column is called at this row, by its place.
        cells: the row's texts by column, those of the name empty.
        headers: all texts of the header rows that hold here.
    """

    number: int
    name: str
    section: str
    columns: tuple[str, ...]
    cells: Row
    headers: tuple[str, ...]


def lines(table: Table) -> Iterator[Line]:
    """The rows with data, each with its names."""
    if not table.width:
        return
    grid = _joined_signs(table.grid)
    top = table.header_rows if table.header_rows is not None else header_count(grid)
    top = min(_titled(grid, top), len(grid))
    stub = _stub(grid[top:], table.width)
    headers: list[Row] = list(grid[:top])
    columns = _columns(headers, table.width, stub)
    section: list[str] = []
    was_heading, was_header = False, True
    for number, row in enumerate(grid[top:], top):
        name = _name(row[:stub])
        body = (*("",) * stub, *row[stub:])
        if not any(body):
            section = [*section, name] if was_heading else [name] if name else section
            was_heading = bool(name)
            continue
        if _is_header_within(row, stub):
            headers = [*headers, row] if was_header else [row]
            columns = _columns(headers, table.width, stub)
            was_header, was_heading = True, False
            continue
        yield Line(number, name, ", ".join(section), columns, body, tuple(cell for head in headers for cell in head))
        was_heading = was_header = False
        if name.lower().startswith("total"):
            section = []


def header_count(grid: Sequence[Row]) -> int:
    """How many rows at the top name columns: those before the first number, years and dates not counted as numbers."""
    count, named = 0, False
    for row in grid[:MOST_HEADERS]:
        body = [cell for cell in row[1:] if cell]
        if any(_is_datum(cell) for cell in body):
            break
        named_row = row[0] and (row[0].isalpha() or not is_measure(row[0]))
        if named and (not body or (named_row and not all(map(is_period, body)))):
            break
        named = named or bool(body)
        count += 1
    return count if named or count < len(grid) else 0


def _titled(grid: Sequence[Row], top: int) -> int:
    """Rows of measures below the header rows, "(in millions)" in the middle, belong to them."""
    while top < len(grid) and (body := [cell for cell in grid[top] if cell]):
        if grid[top][0].isalpha() or not all(map(is_measure, body)) or any(map(_is_datum, body)):
            break
        top += 1
    return top


def _is_datum(cell: str) -> bool:
    return (read_value(cell) is not None and not is_period(cell)) or is_nil(cell)


def _is_header_within(row: Row, stub: int) -> bool:
    """A row amid the data that names columns anew: no name, no number, several texts or measures."""
    body = [cell for cell in row[stub:] if cell]
    if any(row[:stub]) or any(map(_is_datum, body)):
        return False
    return all(is_period(cell) or is_measure(cell) for cell in body) or len(body) > 1


def _stub(rows: Sequence[Row], width: int) -> int:
    """How many columns on the left name the rows: the first one, and those that follow with words in most rows."""
    stub = 1
    while stub < width - 1:
        cells = [row[stub] for row in rows if row[stub]]
        words = [cell for cell in cells if read_value(cell) is None and not is_nil(cell)]
        numbers_right = any(read_value(cell) for row in rows for cell in row[stub + 1 :])
        if not numbers_right or len(words) < 0.8 * len(rows) or not _all_named(rows, stub):
            break
        stub += 1
    return stub if width > 1 else 0


def _all_named(rows: Sequence[Row], stub: int) -> bool:
    return all(row[stub] for row in rows if any(row[stub + 1 :]))


def _name(cells: Row) -> str:
    return " ".join(dict.fromkeys(without_footnote(cell).strip().rstrip(":") for cell in cells if cell))


def _columns(headers: Sequence[Row], width: int, stub: int) -> tuple[str, ...]:
    """Each column's name: the texts of the header rows above it, those of merged cells spread, measures left out."""
    spread = [_spread(row, width, stub) for row in headers]
    names = []
    for column in range(width):
        parts = [without_footnote(row[column]).strip().rstrip(":") for row in spread]
        words = [part for part in parts if part and not is_measure(part)]
        units = [part for part in parts if part and phrase_measure(part).scale is None]
        names.append(" ".join(dict.fromkeys(words or units)))
    return tuple(names)


def _spread(row: Row, width: int, stub: int) -> Row:
    """A header row with the texts of merged cells over all the columns that they stand above."""
    filled = [column for column in range(stub, width) if row[column]]
    free = width - stub
    if not filled or len(filled) == free:
        return row
    block, rest = divmod(free, len(filled))
    even = rest == 0 and all((column - stub) // block == n for n, column in enumerate(filled))
    spread = list(row)
    if even:
        for n, column in enumerate(filled):
            spread[stub + n * block : stub + (n + 1) * block] = [row[column]] * block
    return tuple(spread)


def _joined_signs(grid: Sequence[Row]) -> list[Row]:
    """Currency signs and closing brackets in cells of their own put to the number that they belong to."""
    return [_joined_row(row) for row in grid]


def _joined_row(row: Row) -> Row:
    if not any(cell in _SIGNS_BEFORE or cell in _SIGNS_BEHIND for cell in row):
        return row
    cells = list(row)
    for n in range(len(cells) - 1):
        if cells[n] in _SIGNS_BEFORE and _LED.match(cells[n + 1]):
            cells[n], cells[n + 1] = "", cells[n] + cells[n + 1]
    for n in range(1, len(cells)):
        if cells[n] in _SIGNS_BEHIND and _ENDED.search(cells[n - 1]):
            cells[n], cells[n - 1] = "", cells[n - 1] + cells[n]
    return tuple(cells)
