"""Read tables from HTML, Markdown, CSV and JSON, from files and folders, and from data in memory."""

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.frames.frame import is_missing
from pyterrier_quantity.tables.table import Grid, Table, TableError, check_area, clean

MOST_SPAN: Final = 1000
"""Maximum colspan, as in the HTML standard."""
_AREA: Final = re.compile(r"\b(?:[ckm]?m|ft|in|mi|yd|s)$")  # a superscript 2 or 3 after such a unit is an exponent
# XPath of the heading or paragraph directly before an element.
_HEADING: Final = f"preceding-sibling::*[1][{' or '.join(f'self::{tag}' for tag in 'p h1 h2 h3 h4 h5 h6'.split())}]"


def html_tables(text: str, name: str) -> Iterator[Table]:
    """Yield the innermost tables of an HTML page, each with its caption and the paragraphs since the previous table.

    The last table also has the paragraphs that follow it. The tables are called "NAME", "NAME.2" and so on.

    Raises:
        ImportError: if lxml is missing; the message names the extra.
        TableError: if the text is not HTML, or if a large table consists mostly of copies of merged cells.
    """
    if not text.strip():
        return
    try:
        page = need("lxml.html", "tables").fromstring(f"<div>{text}</div>")
    except (need("lxml.etree", "tables").LxmlError, ValueError) as error:
        raise TableError(f"this is not HTML ({error}): remove characters that are not text") from error
    _make_readable(page)
    found: list[tuple[Any, list[str]]] = []
    paragraphs: list[str] = []
    for element in page.iter("table", "p", "li"):
        if element.tag != "table":
            if not element.xpath("boolean(ancestor::table)") and (paragraph := clean(element.text_content())):
                paragraphs.append(paragraph)
        elif element.xpath("not(.//table) and .//tr"):
            found.append((element, paragraphs))
            paragraphs = []
    for number, (table, around) in enumerate(found, 1):
        after = paragraphs if number == len(found) else []
        grid, header_rows = _html_grid(table)
        caption = next((clean(one.text_content()) for one in table.xpath("./caption") + table.xpath(_HEADING)), "")
        title = name if number == 1 else f"{name}.{number}"
        yield Table(title, grid, caption, (*around, *after), header_rows)


def _html_grid(table: Any) -> tuple[Grid, int | None]:
    """Return the cells of an HTML table by row, and the number of header rows that are marked at its top, or None."""
    rows = list(table.iter("tr"))
    texts: dict[tuple[int, int], str] = {}
    marked, written = [], 0
    for number, row in enumerate(rows):
        cells = list(row.iterchildren("td", "th"))
        marked.append(row.getparent().tag == "thead" or all(cell.tag == "th" for cell in cells))
        written, column = written + len(cells), 0
        for cell in cells:
            while (number, column) in texts:
                column += 1
            down, right = min(_span(cell, "rowspan"), len(rows) - number), _span(cell, "colspan")
            covered = product(range(number, number + down), range(column, column + right))
            texts.update(dict.fromkeys(covered, clean(cell.text_content())))
            check_area(len(texts), written)
    width = max((column + 1 for _, column in texts), default=0)
    check_area(len(rows) * width, written)
    grid = tuple(tuple(texts.get((row, column), "") for column in range(width)) for row in range(len(rows)))
    header = next((n for n, is_header in enumerate(marked) if not is_header), len(marked))
    return grid, header or None


def _span(cell: Any, attribute: str) -> int:
    value = cell.get(attribute, "1").strip()[:9]
    return min(max(int(value), 1), MOST_SPAN) if value.isdecimal() else 1


def _make_readable(page: Any) -> None:
    """Replace line breaks with spaces. Remove scripts, styles and footnote marks, but not the exponent of "km2"."""
    for element in list(page.iter("br")):
        element.tail = f" {element.tail or ''}"
    for element in list(page.iter("sup", "script", "style")):
        previous = element.getprevious()
        before = (element.getparent().text if previous is None else previous.tail) or ""
        is_exponent = _AREA.search(before[-9:]) and element.text_content().strip() in ("2", "3")
        if element.tag != "sup" or not is_exponent:
            element.drop_tree()


DELIMITERS: Final = ",;\t|"
_ENDINGS: Final = {"html": "html htm xhtml", "markdown": "md markdown", "csv": "csv tsv", "json": "json"}
SUFFIXES: Final = {f".{ending}": form for form, endings in _ENDINGS.items() for ending in endings.split()}
_ROWS: Final = ("table", "rows", "data")


def read(path: str | Path) -> list[Table]:
    """Return the tables of a file, or of all table files in a folder.

    Args:
        path: a folder, or a file that ends in .html, .htm, .xhtml, .md, .markdown, .csv, .tsv or .json. The tables of
            "name.csv" are called "name", "name.2" and so on.

    Raises:
        FileNotFoundError: if the path does not exist.
        TableError: if a file contains no table or has an unknown ending; the message names the file.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
        if not files:
            raise TableError(f"{path} contains no table file; known endings: {', '.join(SUFFIXES)}")
        return [table for file in files for table in read(file)]
    if not path.exists():
        raise FileNotFoundError(f"no table file at {path}")
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise TableError(f"{path}: unknown ending {path.suffix!r}; one of {', '.join(SUFFIXES)}")
    try:
        return parse(path.read_text(encoding="utf-8-sig"), form, path.stem)
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: this is not UTF-8 ({error}); save it as UTF-8") from error
    except TableError as error:
        raise TableError(f"{path}: {error}") from error


def parse(text: str, form: str | None = None, name: str = "table") -> list[Table]:
    """Return the tables in a text.

    Args:
        text: HTML, Markdown, CSV or JSON.
        form: "html", "markdown", "csv" or "json". If None, it is detected from the text.
        name: name of the first table. The second table is called "NAME.2".

    Raises:
        TableError: if the text contains no table. For malformed CSV or JSON, the message names the line.
    """
    form = form or _form(text)
    readers = {"html": html_tables, "markdown": _markdown, "csv": _csv, "json": _json}
    if form not in readers:
        raise TableError(f"unknown form {form!r}; one of {', '.join(readers)}")
    found = list(readers[form](text, name))
    if not found:
        raise TableError(f"no table in this {form}: {text[:60]!r}")
    return found


def as_tables(source: Any, name: str = "table") -> Iterator[Table]:
    """Yield the tables of any source that the function `facts` accepts. Tables without a name are called `name`.

    Raises:
        TableError: if the source is not a table.
        FileNotFoundError: if the source is a path that does not exist.
    """
    try:
        yield from _tables(source, name)
    except RecursionError as error:
        raise TableError("lists are nested too deeply for a table; give rows of cells") from error


def _tables(source: Any, name: str) -> Iterator[Table]:
    if isinstance(source, Table):
        yield source
    elif isinstance(source, Path) or (isinstance(source, str) and _names_file(source)):
        yield from read(source)
    elif isinstance(source, str):
        yield from parse(source, name=name)
    elif isinstance(source, pd.DataFrame):
        named = source if isinstance(source.index, pd.RangeIndex) else source.reset_index()
        header = [[*named.columns.get_level_values(level)] for level in range(named.columns.nlevels)]
        yield Table(name, _grid([*header, *named.itertuples(index=False)]), header_rows=len(header))
    elif isinstance(source, Mapping):
        yield _mapping(source, name)
    elif isinstance(source, Iterable):
        yield from _several(list(source), name)
    else:
        kind = type(source).__name__
        raise TableError(f"{kind} is not a table: give HTML, Markdown, CSV, JSON, a path, rows or a DataFrame")


def _several(items: Sequence[Any], name: str) -> Iterator[Table]:
    inner = [cell for item in items if isinstance(item, list | tuple) for cell in item]
    nested = any(isinstance(cell, list | tuple | Mapping) for cell in inner)
    if items and not nested and all(isinstance(item, list | tuple) for item in items):
        yield Table(name, _grid(items))
    elif items and all(isinstance(item, Mapping) and not _is_report(item) for item in items):
        yield _records(items, name)
    else:
        for number, item in enumerate(items, 1):
            yield from _tables(item, name if number == 1 else f"{name}.{number}")


def _is_report(item: Mapping[str, Any]) -> bool:
    return any(isinstance(item.get(key), list | tuple | Mapping) for key in _ROWS)


def _names_file(text: str) -> bool:
    if "\n" in text or len(text) > 1024 or text.lstrip()[:1] in ("[", "{", "<"):
        return False
    return os.path.exists(text) or Path(text).suffix.lower() in SUFFIXES


def _form(text: str) -> str:
    start = text.lstrip()[:1]
    if "<table" in text.lower():
        return "html"
    if start in ("[", "{"):
        return "json"
    # Markdown has a line between header and rows.
    ruled = any({"|", "-"} <= set(line) <= set("|-: \t") for line in text.splitlines())
    return "markdown" if ruled else "csv"


def _markdown(text: str, name: str) -> Iterator[Table]:
    parser = need("markdown_it", "tables").MarkdownIt("commonmark", {"html": True}).enable("table")
    yield from html_tables(parser.render(text), name)


def _csv(text: str, name: str) -> Iterator[Table]:
    """Yield the table in a CSV or TSV text. Lines with a single cell before the table become the caption."""
    texts = [line for line in text.splitlines() if line.strip()]
    delimiter = max(DELIMITERS, key=lambda sign: _columns(texts, sign))
    rows = [row for row in _csv_rows(io.StringIO(text, newline=""), delimiter) if any(cell.strip() for cell in row)]
    start = next((n for n, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1), 0)
    above = [cell.strip() for row in rows[:start] for cell in row if cell.strip()]
    rows = rows[start:]
    if max(map(len, rows), default=0) > 1:
        yield Table(name, _grid(rows), " ".join(above))


_LONGEST_CELL: Final = 131_072


def _csv_rows(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    reader, rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True), []
    try:
        for row in reader:
            if max(map(len, row), default=0) > _LONGEST_CELL:  # csv.field_size_limit would change the whole process
                raise csv.Error(f"a cell has more than {_LONGEST_CELL:,} characters")
            rows.append(row)
        return rows
    except csv.Error as error:
        raise TableError(f"line {reader.line_num}: this is not CSV ({error}); is a quotation mark missing?") from error


def _columns(lines: Sequence[str], delimiter: str) -> int:
    counts = [len(row) for row in _csv_rows(lines, delimiter)]
    return max(counts) if sum(count > 1 for count in counts) * 2 > len(counts) else 1


def _json(text: str, name: str) -> Iterator[Table]:
    try:
        loaded = json.loads(text)
    except RecursionError as error:
        raise TableError("line 1: this JSON is nested too deeply for a table; give rows of cells") from error
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise TableError(f"line {line}: this is not JSON ({error}); fix the line") from error
    return as_tables(loaded, name)


def _records(records: Sequence[Mapping[str, Any]], name: str, caption: str = "", texts: Sequence[str] = ()) -> Table:
    columns = list(dict.fromkeys(key for record in records for key in record))
    check_area(len(records) * len(columns), sum(map(len, records)))
    rows: list[list[Any]] = [columns, *([record.get(column) for column in columns] for record in records)]
    return Table(name, _grid(rows), caption, tuple(texts), header_rows=1)


def _mapping(given: Mapping[str, Any], name: str) -> Table:
    """Return the table in a dictionary: a report of TAT-QA or FinQA, or lists of values keyed by column name."""
    if not _is_report(given):
        if not given or not all(isinstance(column, list | tuple) for column in given.values()):
            raise TableError(f"this dictionary is not a table, with {sorted(map(str, given))}; give 'table' or 'rows'")
        if len(set(map(len, given.values()))) > 1:
            raise TableError("this dictionary's columns differ in length; fill the shorter ones with None")
        return Table(name, _grid([list(given), *zip(*given.values(), strict=True)]), header_rows=1)
    inner = given.get("table", given)
    if not isinstance(inner, Mapping):
        inner = {"table": inner}
    rows = _list(next((inner[key] for key in _ROWS if key in inner), None), "'table', 'rows' or 'data'", "rows")
    header = inner.get("header") or inner.get("columns")
    title = str(next(filter(None, (given.get("name"), given.get("id"), given.get("uid"), inner.get("uid"))), name))
    stated = (place.get(key) for place in (given, inner) for key in ("caption", "title"))
    caption, paragraphs = str(next(filter(None, stated), "")), _paragraphs(given)
    if rows and all(isinstance(row, Mapping) for row in rows):
        return _records(rows, title, caption, paragraphs)
    if header:
        return Table(title, _grid([_list(header, "'header'", "names"), *rows]), caption, paragraphs, 1)
    return Table(title, _grid(rows), caption, paragraphs)


def _list(value: Any, key: str, of: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise TableError(f"{key} must be a list of {of}, got {type(value).__name__}")
    return value


def _paragraphs(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a report's paragraphs, from the keys `paragraphs` (TAT-QA), `pre_text` and `post_text` (FinQA)."""
    given: list[Any] = []
    for key in ("paragraphs", "pre_text", "post_text"):
        value = report.get(key) or []
        given += [value] if isinstance(value, str) else _list(value, f"'{key}'", "texts")
    if given and all(isinstance(item, Mapping) for item in given):
        if not all(isinstance(item.get("order", 0), int | float) and "text" in item for item in given):
            raise TableError("'paragraphs': each needs a 'text', and its 'order' must be a number")
        given.sort(key=lambda item: item.get("order", 0))
    return tuple(str(item.get("text", "") if isinstance(item, Mapping) else item) for item in given)


def _grid(rows: Iterable[Any]) -> Grid:
    return tuple(tuple(map(_text, _list(row, f"row {number}", "cells"))) for number, row in enumerate(rows, 1))


def _text(cell: Any) -> str:
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    try:
        return str(cell)
    except ValueError as error:  # whole numbers of thousands of digits
        raise TableError(f"a cell cannot be written as text ({error}); give it as text") from error
