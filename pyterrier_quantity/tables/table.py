"""Represent tables, and find their structure: header rows, row names and section headings."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyterrier_quantity.tables.cell_values import DASHES, is_measure, is_nil, is_period, measure_of, read_value, unnoted

Row = tuple[str, ...]
Grid = tuple[Row, ...]
MOST_CELLS: Final = 1_000_000
"""Maximum number of cells of a table in which most cells are padding or copies of merged cells."""
MOST_HEADERS: Final = 8
"""Maximum number of header rows, and of columns with row names."""
LONGEST_NAME: Final = 300
"""Maximum length in characters of a row or column name. Longer names are cut."""
_SIGNS_BEFORE: Final = frozenset("$ € £ ¥ US$ C$ A$ HK$ ( $(".split())
_SIGNS_AFTER: Final = frozenset(") % )% * )*".split())
_LED: Final = re.compile(rf"[({DASHES}]?\s*[\d.{DASHES}]")
_ENDED: Final = re.compile(r"\d\s*$")


class TableError(ValueError):
    """Raised for a source without a readable table. The message names the file or line, and suggests a fix."""


@dataclass(frozen=True)
class Table:
    """A table as texts: the cells, and the texts around the table.

    Args:
        name: name of the table, the prefix of docnos such as "name#r3c2".
        grid: rows of cell texts; shorter rows are padded with empty cells.
        caption: the title, or the line that introduces the table.
        paragraphs: texts around the table, each of one or more sentences.
        header_rows: number of header rows at the top, or None if unknown.

    Raises:
        TableError: if one row is so long that nearly all of a large table would be padding.
    """

    name: str
    grid: Grid
    caption: str = ""
    paragraphs: tuple[str, ...] = ()
    header_rows: int | None = None
    width: int = field(init=False)

    def __post_init__(self) -> None:
        width = max((len(row) for row in self.grid), default=0)
        check_area(len(self.grid) * width, sum(map(len, self.grid)))
        filled = tuple(tuple(map(clean, row)) + ("",) * (width - len(row)) for row in self.grid)
        object.__setattr__(self, "grid", filled)
        object.__setattr__(self, "width", width)


def clean(text: object) -> str:
    """Return a cell's text with each sequence of whitespace replaced by one space."""
    return " ".join(str(text).split())


def check_area(area: int, written: int) -> None:
    """Check that a table does not mostly consist of padding or copies of merged cells. Raise a TableError if the
    number of cells (`area`) exceeds both 1,000,000 and four times the number of cells in the source (`written`)."""
    if area > MOST_CELLS and area > 4 * written:
        fault = f"the table would have more than {MOST_CELLS:,} cells, but its source has only {written:,}"
        raise TableError(f"{fault}: shorten its longest rows or its merged cells, or split it")


@dataclass(frozen=True)
class Line:
    """A table row that contains data, with the names of the row and of its columns.

    Args:
        number: index of the row in the table, from 0.
        name: name of the row: the text of its first cells.
        section: the headings above the row, outermost first.
        columns: the name of each column. Names may change in the middle of a table.
        cells: text of each cell of the row. The cells that name the row are replaced by "".
        headers: the header rows that apply to the row.
    """

    number: int
    name: str
    section: str
    columns: Row
    cells: Row
    headers: tuple[Row, ...]


def lines(table: Table) -> Iterator[Line]:
    """Yield the rows of a table that contain data, with the names of rows, columns and sections."""
    if not table.width:
        return
    grid = [_joined_signs(row) for row in table.grid]
    top = min(_header_count(grid) if table.header_rows is None else table.header_rows, MOST_HEADERS, len(grid))
    while top < min(len(grid), MOST_HEADERS) and _is_measures(grid[top]):
        top += 1
    stub = _stub(grid[top:], table.width)
    headers = tuple(grid[:top])
    columns = _columns(headers, table.width, stub)
    section: list[str] = []
    was_heading, was_header = False, True
    for number, row in enumerate(grid[top:], top):
        name = _joined(_plain(cell) for cell in row[:stub] if cell)
        body = (*("",) * stub, *row[stub:])
        if not any(body):
            section = [*section, name][:MOST_HEADERS] if was_heading else [name] if name else section
            was_heading = bool(name)
        elif _is_header_within(row, stub):
            headers = (*headers, row)[-MOST_HEADERS:] if was_header else (row,)
            columns = _columns(headers, table.width, stub)
            was_header, was_heading = True, False
        else:
            yield Line(number, name, ", ".join(section)[:LONGEST_NAME], columns, body, headers)
            was_heading = was_header = False
            section = [] if name.lower().startswith("total") else section


def _header_count(grid: Sequence[Row]) -> int:
    """Return the number of header rows: the rows before the first number that is not a year or a date."""
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


def _is_measures(row: Row) -> bool:
    body = [cell for cell in row if cell]
    return bool(body) and not row[0].isalpha() and all(map(is_measure, body)) and not any(map(_is_datum, body))


def _is_datum(cell: str) -> bool:
    return (read_value(cell) is not None and not is_period(cell)) or is_nil(cell)


def _is_header_within(row: Row, stub: int) -> bool:
    """Return whether a row between data rows is a header: it has no numbers, and its first `stub` cells are empty."""
    body = [cell for cell in row[stub:] if cell]
    if any(row[:stub]) or any(map(_is_datum, body)):
        return False
    return all(is_period(cell) or is_measure(cell) for cell in body) or len(body) > 1


def _stub(rows: Sequence[Row], width: int) -> int:
    """Return the number of columns that name the rows: the first column, and columns next to it with mostly words."""
    last_filled = [max((n for n in range(width) if row[n]), default=-1) for row in rows]
    last_number = max((n for row in rows for n in range(width) if row[n] and read_value(row[n])), default=-1)
    stub = 1
    while stub < min(width - 1, MOST_HEADERS) and stub < last_number:
        words = [row[stub] for row in rows if row[stub] and read_value(row[stub]) is None and not is_nil(row[stub])]
        named = all(row[stub] for row, last in zip(rows, last_filled, strict=True) if last > stub)
        if len(words) < 0.8 * len(rows) or not named:
            break
        stub += 1
    return stub if width > 1 else 0


def _plain(cell: str) -> str:
    return unnoted(cell).strip().rstrip(":")


def _joined(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(names))[:LONGEST_NAME]


def _columns(headers: Sequence[Row], width: int, stub: int) -> Row:
    """Return the joined header texts of each column, without units. The first `stub` columns name the rows."""
    names = []
    for cells in zip(*(_spread(row, width, stub) for row in headers), strict=True) if headers else [()] * width:
        parts = [part for part in map(_plain, cells) if part]
        words = [part for part in parts if not is_measure(part)]
        names.append(_joined(words or [part for part in parts if measure_of(part).scale is None]))
    return tuple(names)


def _spread(row: Row, width: int, stub: int) -> Row:
    """Return a header row with each text copied to the empty cells on its right, if each text has the same number of
    such cells: `Sales | | Cost |` -> `Sales | Sales | Cost | Cost`. The first `stub` cells are kept."""
    filled = [column for column in range(stub, width) if row[column]]
    free = width - stub
    if not filled or len(filled) == free:
        return row
    block, rest = divmod(free, len(filled))
    if rest or any((column - stub) // block != n for n, column in enumerate(filled)):
        return row
    return (*row[:stub], *(row[column] for column in filled for _ in range(block)))


def _joined_signs(row: Row) -> Row:
    """Merge a cell with only a currency sign or closing bracket into the number next to it: `$ | 5` -> ` | $5`."""
    cells = list(row)
    for n in range(len(cells) - 1):
        if cells[n] in _SIGNS_BEFORE and _LED.match(cells[n + 1]):
            cells[n], cells[n + 1] = "", cells[n] + cells[n + 1]
    for n in range(1, len(cells)):
        if cells[n] in _SIGNS_AFTER and (_ENDED.search(cells[n - 1]) or is_nil(cells[n - 1])):
            cells[n], cells[n - 1] = "", cells[n - 1] + cells[n]
    return tuple(cells)
