"""Reading the files that users bring: lines, JSON and tables, with errors that say where and what to do."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity._folder import write_text

_LARGEST_CELL: Final = 1 << 30
"""Characters of a cell; Python's own limit refuses long texts."""
_BREAKS: Final = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "))


class CollectionError(ValueError):
    """A collection's file is not what it should be; the message names file, line and remedy.

    Args:
        path: the file.
        line: from 1; None where the file as a whole is wrong.
        problem: what is wrong and what to do.
    """

    def __init__(self, path: Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}" if line else f"{path}: {problem}")
        self.path, self.line = path, line


class MissingFileError(CollectionError, FileNotFoundError):
    """A file or folder of the collection is not there."""


def existing(path: str | Path | None, part: str) -> Path | None:
    """The path, if given; raises FileNotFoundError if there is no such file."""
    if path is None:
        return None
    path = Path(path)
    if path.is_dir():
        raise FileNotFoundError(f"{part} {str(path)!r} is a folder; give a file")
    if not path.exists():
        raise FileNotFoundError(f"no {part} file {str(path)!r}; looked in {Path.cwd()}")
    return path


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a UTF-8 file, plain or gzip, blank ones and line ends left out."""
    for number, line in enumerate(raw_lines(path), 1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def raw_lines(path: Path) -> Iterator[str]:
    """All lines of a UTF-8 file, plain or gzip, with their ends."""
    number = 0
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as stream:
            for number, raw in enumerate(stream, 1):
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        told = f"not UTF-8 at byte {error.start} of the line; convert the file, for example with iconv -t utf-8"
        raise CollectionError(path, number, told) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CollectionError(path, number + 1, f"broken gzip file ({error}); fetch or compress it again") from error


def read_json(path: Path, text: str | None = None, line: int | None = None) -> Any:
    """What a JSON file says, or this line of one.

    Raises:
        CollectionError: if it is no JSON, or nested too deeply to be read.
    """
    if text is None:
        text = "".join(raw_lines(path))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        remedy = "; each line must be one whole JSON object" if line else ""
        told = f"not JSON: {error.msg} at column {error.colno}{remedy}"
        raise CollectionError(path, line or error.lineno, told) from error
    except CollectionError:
        raise
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise CollectionError(path, line, f"JSON that is too large or nested too deeply: {error}") from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON lines file, with their lines.

    Raises:
        CollectionError: naming the first line that holds something else.
    """
    for number, text in lines(path):
        record = read_json(path, text, number)
        if not isinstance(record, dict):
            raise CollectionError(path, number, f"a JSON {type(record).__name__} where an object is expected")
        yield number, record


def delimiter(path: Path) -> str:
    """What parts the columns of a CSV file: a comma, a semicolon or a tab, of which its header holds most."""
    header = re.sub('"[^"]*"', "", next((text for _, text in lines(path)), ""))
    return max(",;\t", key=header.count)


def read_table(
    path: Path, delimiter: str, quoted: bool = True, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV or TSV file, with the lines in which they begin: a quoted cell may span several. Empty lines
    are left out.

    Raises:
        CollectionError: if the quotation marks do not fit.
    """
    csv.field_size_limit(_LARGEST_CELL)
    quotes: dict[str, Any] = {"strict": strict} if quoted else {"quoting": csv.QUOTE_NONE}
    rows = csv.reader(raw_lines(path), delimiter=delimiter, **quotes)
    line = 1
    try:
        for cells in rows:
            if cells:
                yield line, cells
            line = rows.line_num + 1
    except csv.Error as error:
        raise CollectionError(path, line, f"not a table: {error}; close each quotation mark") from error


def read_rows(
    path: Path,
    needed: Sequence[str],
    optional: Sequence[str] | None = (),
    *,
    empty: Collection[str] = (),
    spaced: Collection[str] = (),
    delimiter: str = "\t",
    quoted: bool = True,
    headless: bool = False,
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table by the names of its columns, each with the line in which it begins.

    Args:
        path: UTF-8, plain or gzip. Cells with a comma between them may span lines, those with a tab may not.
        needed: columns that must be there and filled.
        optional: columns that are "" where they are not there, and others are left out; None: all that are there.
        empty: the needed ones that need not be filled.
        spaced: those whose cells keep the blanks at their ends.
        delimiter: what parts the cells.
        quoted: whether quotation marks stand around cells, as spreadsheets write them.
        headless: the first line may be a row: it is one unless it begins with the first needed column.

    Raises:
        CollectionError: naming file and line, if the header lacks a column or names one twice, or if a row has too many
            cells or lacks one that is needed.
    """
    table = read_table(path, delimiter, quoted, strict=delimiter == ",")
    if delimiter == "\t":
        table = ((line, cells) for line, cells in table if any(map(str.strip, cells)))
    line, first = next(table, (0, []))
    if not line:
        raise CollectionError(path, 1, f"the file is empty; its first line must name the columns {', '.join(needed)}")
    header = [cell.strip() for cell in first]
    if headless and header[0] != needed[0]:
        header, table = list(needed), chain([(line, first)], table)
    _check_header(path, line, header, needed)
    names = header if optional is None else (*needed, *optional)
    parted = "single tabs" if delimiter == "\t" else f"single {delimiter!r}; cells that hold one are quoted"
    for line, cells in table:
        row = dict.fromkeys(names, "") | dict(zip(header, cells, strict=False))
        problem = ""
        if delimiter == "\t" and (broken := [name for name, cell in row.items() if "\n" in cell]):
            problem = f"a quotation mark in column {broken[0]!r} is not closed; close it, or double it if it is a sign"
        elif len(cells) > len(header):
            problem = f"{len(cells)} columns where {len(header)} are expected ({', '.join(header)}), parted by {parted}"
        elif blank := [name for name in needed if name not in empty and not row[name].strip()]:
            problem = f"column {blank[0]!r} is empty; fill it in, parted by {parted}, or drop the line"
        if problem:
            raise CollectionError(path, line, problem)
        yield line, {name: row[name] if name in spaced else row[name].strip() for name in names}


def _check_header(path: Path, line: int, header: Sequence[str], needed: Sequence[str]) -> None:
    if missing := [name for name in needed if name not in header]:
        told = f"the header has no column {missing[0]!r}, only {', '.join(header)[:200]}; it needs {', '.join(needed)}"
        raise CollectionError(path, line, told)
    if double := {name for name in header if name and header.count(name) > 1}:
        raise CollectionError(path, line, f"the header names {', '.join(sorted(double))} twice; drop one")


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], quoted: bool = True) -> None:
    """Write a table so that the file is at every moment either the old one or the new one.

    Tabs and line breaks within cells become blanks, each one blank, so that places in a text stay what they are.

    Args:
        quoted: quote cells with quotation marks, as spreadsheets do; not in topics, which are taken as typed.
    """
    stream = io.StringIO()
    cells = ([str(cell).translate(_BREAKS) for cell in row] for row in (header, *rows))
    if quoted:
        csv.writer(stream, dialect="excel-tab", lineterminator="\n").writerows(cells)
    else:
        stream.writelines("\t".join(row) + "\n" for row in cells)
    write_text(path, stream.getvalue())


def plain_number(path: Path, line: int, column: str, cell: str) -> float:
    """A cell's finite number.

    Raises:
        CollectionError: if it holds anything else.
    """
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        told = f"column {column!r} is {cell!r}; a plain number is expected, such as 1200000 or 17.5"
        raise CollectionError(path, line, told)
    return value
