"""Readers of users' files: lines, JSON and tables, with errors that state the place and the remedy."""

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

from pyterrier_quantity.storage.folders import write_text

_LARGEST_CELL: Final = 1 << 30
"""Maximum number of characters in a cell; the csv module's default is too small for long texts."""
_BREAKS: Final = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "))


class CollectionError(ValueError):
    """Raised if a file is malformed; the message names file, line and remedy.

    Args:
        path: the file.
        line: from 1; None if the error concerns the whole file.
        problem: the error and its remedy.
    """

    def __init__(self, path: Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}" if line else f"{path}: {problem}")
        self.path, self.line = path, line


class MissingFileError(CollectionError, FileNotFoundError):
    """Raised if a file or folder of a collection is missing."""


def existing(path: str | Path | None, part: str) -> Path | None:
    """Return the path, or None if none is given. If the file does not exist, raise a FileNotFoundError."""
    if path is None:
        return None
    path = Path(path)
    if path.is_dir():
        raise FileNotFoundError(f"{part} {str(path)!r} is a folder; give a file")
    if not path.exists():
        raise FileNotFoundError(f"no {part} file {str(path)!r}; looked in {Path.cwd()}")
    return path


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a UTF-8 file, plain or gzip, without line ends; blank lines are skipped."""
    for number, line in enumerate(raw_lines(path), 1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def raw_lines(path: Path) -> Iterator[str]:
    """Yield all lines of a UTF-8 file, plain or gzip, with line ends."""
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
    """Return the content of a JSON file, or of one line of it if `text` is given.

    Raises:
        CollectionError: if it is not JSON, or nested too deeply.
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
    except (ValueError, RecursionError) as error:  # for thousands of digits or brackets
        raise CollectionError(path, line, f"JSON that is too large or nested too deeply: {error}") from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects in a JSON lines file, with their line numbers.

    Raises:
        CollectionError: if a line is not an object; the message names the first.
    """
    for number, text in lines(path):
        record = read_json(path, text, number)
        if not isinstance(record, dict):
            raise CollectionError(path, number, f"a JSON {type(record).__name__} where an object is expected")
        yield number, record


def delimiter(path: Path) -> str:
    """Return the delimiter of a CSV file: the most frequent of comma, semicolon and tab in its header."""
    header = re.sub('"[^"]*"', "", next((text for _, text in lines(path)), ""))
    return max(",;\t", key=header.count)


def read_table(
    path: Path, delimiter: str, quoted: bool = True, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV or TSV file, each with the number of its first line (quoted cells may contain line
    breaks). Empty lines are skipped.

    Raises:
        CollectionError: if a quotation mark is not closed.
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
    """Yield the rows of a table as dictionaries by column, each with the number of its first line.

    Args:
        path: a UTF-8 file, plain or gzip. Only comma-separated cells may contain line breaks.
        needed: columns that must exist and be filled.
        optional: columns that are "" if they are missing; other columns are dropped. None: all columns are kept.
        empty: the needed columns that may be empty.
        spaced: columns whose leading and trailing blanks are kept.
        delimiter: the delimiter of cells.
        quoted: whether cells may be in quotation marks, as spreadsheets write them.
        headless: whether the header is optional. A first line that begins with the first needed column is a header.

    Raises:
        CollectionError: if the header lacks a needed column or names a column twice, or if a row has too many cells or
            lacks a needed cell. The message names file and line.
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
            problem = (
                f"{len(cells)} columns where {len(header)} are expected ({', '.join(header)}), separated by {parted}"
            )
        elif blank := [name for name in needed if name not in empty and not row[name].strip()]:
            problem = f"column {blank[0]!r} is empty; fill it in, separated by {parted}, or drop the line"
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
    """Write a table atomically: at any moment, the file is either the old one or the new one.

    Each tab and line break within a cell becomes one blank, so that offsets in a text stay valid.

    Args:
        quoted: whether to write quotation marks around cells where needed. Topics are read without them.
    """
    stream = io.StringIO()
    cells = ([str(cell).translate(_BREAKS) for cell in row] for row in (header, *rows))
    if quoted:
        csv.writer(stream, dialect="excel-tab", lineterminator="\n").writerows(cells)
    else:
        stream.writelines("\t".join(row) + "\n" for row in cells)
    write_text(path, stream.getvalue())


def plain_number(path: Path, line: int, column: str, cell: str) -> float:
    """Return the finite number in a cell.

    Raises:
        CollectionError: if the cell contains anything else.
    """
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        told = f"column {column!r} is {cell!r}; a plain number is expected, such as 1200000 or 17.5"
        raise CollectionError(path, line, told)
    return value
