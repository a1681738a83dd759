"""Split tables into facts: documents with one cell, one row or one nearby sentence, and the quantities in it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pyterrier_quantity.english.stems import sentences
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables import cell_values
from pyterrier_quantity.tables.cell_values import CellValue, Measure, is_nil
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.table import LONGEST_NAME, Line, Table, clean, lines

KINDS: Final = ("cell", "row", "text")
_WORD: Final = re.compile(r"[^\W\d_][\w&'-]*")


@dataclass(frozen=True)
class Cell:
    """A table cell with the names of its row and column.

    Args:
        docno: docno of the cell as a document, such as "report#r3c2".
        row, column: names of the cell's row and column.
        section: the headings above the row.
        value: text of the cell, without footnote marks.
        place: the row number and the column number of the cell in the table, from 0.
        number: the number without its scale: 5 for "5 million", 0 for a dash. None for any other text.
        written: the number as it is written in a calculation, such as "5%", or "" if the cell is not a number.
        measure: unit and scale of the number, from the cell, headers or captions.
    """

    docno: str
    row: str
    column: str
    section: str
    value: str
    place: tuple[int, int]
    number: float | None
    written: str
    measure: Measure

    @property
    def text(self) -> str:
        """The cell as a sentence in the template of the FinQA dataset: "the Revenue of 2019 is 9 ;"."""
        of = f" of {self.column}" if self.column else ""
        name = f"{self.section} {self.row}".strip() or "value"
        return f"the {name}{of} is {self.value} ;"


def facts(tables: Any, kind: str = "cell") -> Iterator[dict[str, Any]]:
    """Yield the facts of tables as documents (D). A fact is a cell, a row, or a sentence near a table.

    Args:
        tables: a `Table`; a path to a file or folder; a text in HTML, Markdown, CSV or JSON; a DataFrame; rows of
            cells; a dictionary with `table` (or `rows`, `data`), and optionally `header`, `caption`, `paragraphs`,
            `name` or `uid`, as in the datasets TAT-QA and FinQA; or any iterable of such tables.
        kind: "cell": a document for each cell that is not empty; "row": a document for each row with data; "text": a
            document for each sentence near a table.

    Returns:
        Dictionaries with these keys:
        `docno`: "report#r3c2" for a cell, "report#r3" for a row, "report#s1" for a sentence, counted from 0;
        `text`: "the ROW of COLUMN is VALUE ;", or the sentence; `quantities`: a list of `Quantity` with spans in
        `text`; `report`: the table's name; `row`, `column`, `value`: texts, or "" if they do not apply; `cells`: a list
        of `Cell`, empty for a sentence; `table`: the `Table`.

    Raises:
        ValueError: if `kind` is unknown.
        TableError: if a source is not a table; the message names the file.
    """
    check_choice("kind", kind, KINDS)
    return (fact for table in as_tables(tables) for fact in _facts(table, kind))


def cells(table: Table) -> Iterator[list[Cell]]:
    """Yield a list of the non-empty cells for each table row that contains data."""
    introducing = sorted(table.paragraphs, key=lambda text: not re.search(r"\bfollow|\btable|:\s*$", text))
    general = cell_values.caption_measure(table.caption) | cell_values.text_measure([table.caption, *introducing])
    signs: dict[int, str] = {}
    for line in lines(table):
        # Header cells that do not name a column, such as "(kg)", state the unit and scale of the whole table.
        corner = line.columns[0] if cell_values.is_measure(line.columns[0]) else None
        shared, found, names = Measure(), [], {"", *line.columns} - {corner}
        for text in (text for row in line.headers for text in row if text not in names):
            stated = cell_values.measure_of(text)
            shared |= replace(stated, unit=None) if stated.unit == "percentage" and text != corner else stated
        shared |= general
        for column, text in enumerate(line.cells):
            if text:
                value = cell_values.read_value(text)
                if value and value.before:
                    signs[column] = value.before
                # Accounts show a currency at the top and at totals only: it also applies to the cells below.
                of_column = Measure(signs.get(column) or shared.unit, shared.scale)
                found.append(_cell(table.name, line, column, value, of_column))
        if found:
            yield found


def _cell(name: str, line: Line, column: int, value: CellValue | None, of_column: Measure) -> Cell:
    text = line.cells[column]
    above = [row[column][:LONGEST_NAME] for row in line.headers if row[column]]
    measure = cell_values.cell_measure([*above, line.columns[column], line.name, line.section], of_column)
    if value and (value.percent or (value.unit and measure.unit == "percentage")):
        measure = Measure(value.unit, 1.0)
    elif value:
        measure = Measure(value.unit or measure.unit, value.scale if value.scale != 1.0 else measure.scale)
    written = value.written if value else "0" * is_nil(text)
    written += "%" * bool(value and measure.unit == "percentage" and not value.percent)
    number = value.number if value else 0.0 if is_nil(text) else None
    names = f"{name}#r{line.number}c{column}", line.name, line.columns[column], line.section, cell_values.unnoted(text)
    return Cell(*names, (line.number, column), number, written, measure)


def _quantities(cell: Cell, start: int) -> list[Quantity]:
    """Return the quantities in a cell, with their spans in a text in which the cell begins at the offset `start`."""
    concept = tuple(_WORD.findall(f"{cell.section} {cell.row} {cell.column}"))
    unit, scale = cell.measure.unit or BARE, cell.measure.scale or 1.0
    if is_nil(cell.value):
        return []
    if cell.number is not None:
        value = _unrounded(cell.number * scale)
        return [Quantity(value, value, unit, "=", start, start + len(cell.value), concept)]
    found = []
    for one in cell_values.read_several(cell.value):
        one = replace(one, start=start + one.start, end=start + one.end, concept=concept)
        if one.unit == BARE:
            one = replace(one, low=_unrounded(one.low * scale), high=_unrounded(one.high * scale), unit=unit)
        found.append(one)
    return found


def _unrounded(value: float) -> float:
    return float(f"{value:.15g}")


def _facts(table: Table, kind: str) -> Iterator[dict[str, Any]]:
    about = {"report": table.name, "row": "", "column": "", "value": "", "cells": [], "table": table}
    if kind == "text":
        paragraphs = map(clean, (table.caption, *table.paragraphs))
        stated = [text for given in paragraphs for begin, end in sentences(given) if (text := given[begin:end].strip())]
        for number, read in enumerate(RuleExtractor().extract_batch(stated)):
            yield {"docno": f"{table.name}#s{number}", "text": stated[number], "quantities": read, **about}
        return
    for row in cells(table):
        for chosen in [[cell] for cell in row] if kind == "cell" else [row]:
            text, quantities, first = "", list[Quantity](), chosen[0]
            for cell in chosen:
                text += f" {cell.text}" if text else cell.text
                quantities += _quantities(cell, text.rindex(cell.value))
            docno = first.docno if kind == "cell" else f"{table.name}#r{first.place[0]}"
            names = {"column": first.column, "value": first.value} if kind == "cell" else {}
            found = {"docno": docno, "text": text, "quantities": quantities}
            yield {**found, **about, "row": first.row, "cells": chosen, **names}


def tables_of(known: Iterable[Mapping[str, Any]]) -> list[Table]:
    """Return the distinct tables of the facts (cells, rows or sentences) in `known`, in the order of the facts."""
    return list({id(fact["table"]): fact["table"] for fact in known if fact.get("table") is not None}.values())
