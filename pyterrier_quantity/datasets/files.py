"""Read lines, JSON and tables from users' files. Error messages name the file and line and suggest a fix."""

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

_LARGEST_CELL: Final = 1 << 30  # characters in a cell; the default of Python's csv module is too small for long texts
_BREAKS: Final = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "))


class CollectionError(ValueError):
    """Raised if a file of a collection is malformed.

    Args:
        path: the path of the file.
        line: the number of the malformed line, from 1, or None if the error concerns the whole file.
        problem: what is wrong, and how to correct it.
    """

    def __init__(self, path: Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}" if line else f"{path}: {problem}")
        self.path, self.line = path, line


class MissingFileError(CollectionError, FileNotFoundError):
    """Raised if a file or folder of a collection is missing."""


def existing(path: str | Path | None, part: str) -> Path | None:
    """Return a path that the user gave, or None if the path is None. Raise a FileNotFoundError if it is not an existing
    file. `part` names the file's content in the error message: "corpus"."""
    if path is None:
        return None
    path = Path(path)
    if path.is_dir():
        raise FileNotFoundError(f"{part} {str(path)!r} is a folder; give a file")
    if not path.exists():
        raise FileNotFoundError(f"no {part} file {str(path)!r}; looked in {Path.cwd()}")
    return path


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number, line) for each line of a UTF-8 file, plain or gzip. Blank lines are skipped."""
    for number, line in enumerate(raw_lines(path), 1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def raw_lines(path: Path) -> Iterator[str]:
    """Yield all lines of a UTF-8 file, plain or gzip, with line endings."""
    number = 0
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as stream:
            for number, raw in enumerate(stream, 1):
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        fault = f"not UTF-8 at byte {error.start} of the line; convert the file, for example with iconv -t utf-8"
        raise CollectionError(path, number, fault) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CollectionError(path, number + 1, f"broken gzip file ({error}); fetch or compress it again") from error


def read_json(path: Path, text: str | None = None, line: int | None = None) -> Any:
    """Return the value in a JSON file. If `text` is given, parse this text instead, which is line number `line` of the
    file. Raise a CollectionError if the text is not JSON, or is nested too deeply."""
    if text is None:
        text = "".join(raw_lines(path))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        remedy = "; each line must be one whole JSON object" if line else ""
        fault = f"not JSON: {error.msg} at column {error.colno}{remedy}"
        raise CollectionError(path, line or error.lineno, fault) from error
    except CollectionError:
        raise
    except (ValueError, RecursionError) as error:  # a number or a nesting that Python cannot parse
        raise CollectionError(path, line, f"JSON that is too large or nested too deeply: {error}") from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) for each line of a file. Raise a CollectionError if a line is not a JSON object."""
    for number, text in lines(path):
        record = read_json(path, text, number)
        if not isinstance(record, dict):
            raise CollectionError(path, number, f"a JSON {type(record).__name__} where an object is expected")
        yield number, record


def delimiter(path: Path) -> str:
    """Return the delimiter of a CSV file: the most frequent of comma, semicolon and tab in its first line."""
    header = re.sub('"[^"]*"', "", next((text for _, text in lines(path)), ""))
    return max(",;\t", key=header.count)


def read_table(
    path: Path, delimiter: str, quoted: bool = True, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of the first line, list of cells) for each row of a CSV or TSV file. Empty lines are skipped. If
    `quoted` is true, cells may be in quotation marks, and quoted cells may contain line breaks. If `strict` is true, a
    quotation mark that is not closed raises a CollectionError."""
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
    """Yield (number of the first line, dictionary of cells keyed by column) for each row of a table.

    Args:
        path: a UTF-8 file, plain or gzip. In a CSV file, quoted cells may contain line breaks.
        needed: the columns that must exist and be filled.
        optional: additional columns to yield ("" if they are missing), or None for all columns of the file.
        empty: the needed columns whose cells may be empty.
        spaced: the columns whose cells keep leading and trailing spaces.
        delimiter: the character between cells.
        quoted: whether cells may be in quotation marks, as spreadsheets write them.
        headless: whether the header may be missing. A line whose first cell names the first needed column is a header.

    Raises:
        CollectionError: if a needed column or cell is missing, a column occurs twice, or a row has too many cells.
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
        fault = f"the header has no column {missing[0]!r}, only {', '.join(header)[:200]}; it needs {', '.join(needed)}"
        raise CollectionError(path, line, fault)
    if double := {name for name in header if name and header.count(name) > 1}:
        raise CollectionError(path, line, f"the header names {', '.join(sorted(double))} twice; drop one")


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], quoted: bool = True) -> None:
    """Write a table with tabs between cells. The file is replaced in one step, so that no incomplete file remains. Each
    tab and line break within a cell becomes one space, so that offsets in a text stay valid. If `quoted` is true, cells
    that contain quotation marks are put into quotation marks."""
    stream = io.StringIO()
    cells = ([str(cell).translate(_BREAKS) for cell in row] for row in (header, *rows))
    if quoted:
        csv.writer(stream, dialect="excel-tab", lineterminator="\n").writerows(cells)
    else:
        stream.writelines("\t".join(row) + "\n" for row in cells)
    write_text(path, stream.getvalue())


def plain_number(path: Path, line: int, column: str, cell: str) -> float:
    """Return the number in a cell of a table: "2.5" -> 2.5. If the cell does not contain a finite number, raise a
    CollectionError that names the file, the line and the column."""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        fault = f"column {column!r} is {cell!r}; a plain number is expected, such as 1200000 or 17.5"
        raise CollectionError(path, line, fault)
    return value
