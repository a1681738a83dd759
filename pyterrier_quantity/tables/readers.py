"""Tables from HTML, Markdown, CSV and JSON, from files and folders of them, and from what is in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from pyterrier_quantity._frames import is_missing
from pyterrier_quantity.tables.html import html_tables
from pyterrier_quantity.tables.table import Table

DELIMITERS: Final = ",;\t|"
SUFFIXES: Final = {
    ".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown",
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl",
}  # fmt: skip


class TableError(ValueError):
    """A source that holds no table that can be read."""


def read(path: str | Path) -> list[Table]:
    """The tables of a file, or of all the table files of a folder.

    Args:
        path: a file ending in .html, .htm, .xhtml, .md, .markdown, .csv, .tsv, .json or .jsonl, or a folder; a file's
            name without its ending names its tables, "name.2" the second one of a file.

    Raises:
        FileNotFoundError: if nothing is there.
        TableError: naming the file, if it holds no table or ends in something else.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
        if not files:
            raise TableError(f"{path} holds no table file; known endings: {', '.join(SUFFIXES)}")
        return [table for file in files for table in read(file)]
    if not path.exists():
        raise FileNotFoundError(f"no table file at {path}")
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise TableError(f"{path}: unknown ending {path.suffix!r}; one of {', '.join(SUFFIXES)}")
    try:
        found = parse(path.read_text(encoding="utf-8-sig"), form, path.stem)
    except ValueError as error:
        raise TableError(f"{path}: {error}") from error
    return found


def parse(text: str, form: str | None = None, name: str = "table") -> list[Table]:
    """The tables of a text.

    Args:
        text: HTML, Markdown, CSV or JSON.
        form: "html", "markdown", "csv", "json" or "jsonl"; None: what the text looks like.
        name: of the tables; "name.2" is the second one.

    Raises:
        TableError: if the text holds no table.
    """
    form = form or _form(text)
    readers = {"html": html_tables, "markdown": _markdown, "csv": _csv, "json": _json, "jsonl": _jsonl}
    if form not in readers:
        raise TableError(f"unknown form {form!r}; one of {', '.join(readers)}")
    found = list(readers[form](text, name))
    if not found:
        raise TableError(f"no table in this {form}: {text[:60]!r}")
    return found


def as_tables(source: Any, name: str = "table") -> Iterator[Table]:
    """The tables of whatever a user has at hand.

    Args:
        source: a `Table`, a DataFrame, rows of cells, a dictionary (see the documentation of `facts`), a path, a text
            in HTML, Markdown, CSV or JSON, or any iterable of these.
        name: of what has no name of its own.

    Raises:
        TableError, FileNotFoundError: if it is none of them.
    """
    if isinstance(source, Table):
        yield source
    elif isinstance(source, Path):
        yield from read(source)
    elif isinstance(source, str):
        yield from read(source) if _names_file(source) else parse(source, name=name)
    elif isinstance(source, pd.DataFrame):
        yield _frame(source, name)
    elif isinstance(source, Mapping):
        yield _mapping(source, name)
    elif isinstance(source, Iterable):
        yield from _several(list(source), name)
    else:
        kind = type(source).__name__
        raise TableError(f"{kind} is no table: give HTML, Markdown, CSV, JSON, a path, rows or a DataFrame")


def _several(items: Sequence[Any], name: str) -> Iterator[Table]:
    if items and all(_is_row(item) for item in items):
        yield Table(name, _grid(items))
        return
    if items and all(isinstance(item, Mapping) and not _is_report(item) for item in items):
        yield _records(items, name)
        return
    names = _numbered(name)
    for item in items:
        yield from as_tables(item, next(names))


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}.{number}"
        number += 1


def _is_row(item: Any) -> bool:
    return isinstance(item, list | tuple) and all(not isinstance(cell, list | tuple | Mapping) for cell in item)


def _is_report(item: Mapping[str, Any]) -> bool:
    return any(isinstance(item.get(key), list | tuple | Mapping) for key in ("table", "rows", "data"))


def _names_file(text: str) -> bool:
    return len(text) < 1024 and "\n" not in text and (Path(text).suffix.lower() in SUFFIXES or Path(text).exists())


def _form(text: str) -> str:
    start = text.lstrip()[:1]
    if "<table" in text.lower():
        return "html"
    if start in ("[", "{"):
        return "json"
    return "markdown" if _has_rule(text) else "csv"


def _has_rule(text: str) -> bool:
    """Markdown's line between header and rows."""
    return any("-" in line and set(line) <= set("|-: \t") and "|" in line for line in text.splitlines())


def _markdown(text: str, name: str) -> Iterator[Table]:
    from pyterrier_quantity.neural.models import need

    parser = need("markdown_it", "tables").MarkdownIt("commonmark", {"html": True}).enable("table")
    yield from html_tables(parser.render(text), name)


def _csv(text: str, name: str) -> Iterator[Table]:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return
    delimiter = max(DELIMITERS, key=lambda sign: min(_columns(lines, sign), key=lambda n: (n == 1, n)))
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True))
    if max(map(len, rows)) < 2:
        return
    caption, rows = _title(rows)
    yield Table(name, _grid(rows), caption)


def _columns(lines: Sequence[str], delimiter: str) -> list[int]:
    """How many columns the widest lines have, by this delimiter."""
    counts = [len(row) for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True)]
    return [max(counts)] if sum(count > 1 for count in counts) * 2 > len(counts) else [1]


def _title(rows: list[list[str]]) -> tuple[str, list[list[str]]]:
    """Lines of one cell above the table are its caption."""
    start = next((n for n, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1), 0)
    above = [cell.strip() for row in rows[:start] for cell in row if cell.strip()]
    return " ".join(above), [row for row in rows[start:] if any(cell.strip() for cell in row)]


def _jsonl(text: str, name: str) -> Iterator[Table]:
    yield from as_tables([_loads(line) for line in text.splitlines() if line.strip()], name)


def _json(text: str, name: str) -> Iterator[Table]:
    yield from as_tables(_loads(text), name)


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TableError(f"this is no JSON: {error}") from error


def _frame(frame: pd.DataFrame, name: str) -> Table:
    named = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
    header: list[Any] = list(
        zip(*(column if isinstance(column, tuple) else (column,) for column in named.columns), strict=True)
    )
    return Table(name, _grid([*header, *named.itertuples(index=False)]), header_rows=len(header))


def _records(records: Sequence[Mapping[str, Any]], name: str) -> Table:
    columns = list(dict.fromkeys(key for record in records for key in record))
    rows: list[list[Any]] = [columns, *([record.get(column) for column in columns] for record in records)]
    return Table(name, _grid(rows), header_rows=1)


def _mapping(given: Mapping[str, Any], name: str) -> Table:
    if not _is_report(given):
        if not given or not all(isinstance(column, list | tuple) for column in given.values()):
            raise TableError(f"this dictionary is no table: it has {sorted(map(str, given))}; give 'table' or 'rows'")
        return _records(pd.DataFrame(dict(given)).to_dict("records"), name)
    inner = given.get("table", given)
    if not isinstance(inner, Mapping):
        inner = {"table": inner}
    rows = next(inner[key] for key in ("table", "rows", "data") if key in inner)
    header = inner.get("header") or inner.get("columns")
    title = next((str(given[key]) for key in ("name", "id", "uid") if given.get(key)), None)
    title = title or str(inner.get("uid") or name)
    if rows and isinstance(rows[0], Mapping):
        made = _records(rows, title)
        return Table(title, made.grid, _caption(given, inner), _paragraphs(given), 1)
    grid = _grid([header, *rows] if header else rows)
    return Table(title, grid, _caption(given, inner), _paragraphs(given), 1 if header else None)


def _caption(*places: Mapping[str, Any]) -> str:
    return next((str(place[key]) for place in places for key in ("caption", "title") if place.get(key)), "")


def _paragraphs(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Of TAT-QA's form (`paragraphs` with `text` and `order`), FinQA's (`pre_text`, `post_text`), or plain texts."""
    given = list(report.get("paragraphs") or [])
    given += [*(report.get("pre_text") or []), *(report.get("post_text") or [])]
    if all(isinstance(item, Mapping) for item in given):
        given.sort(key=lambda item: item.get("order", 0))
    return tuple(str(item["text"] if isinstance(item, Mapping) else item) for item in given)


def _grid(rows: Iterable[Iterable[Any]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple("" if is_missing(cell) else _text(cell) for cell in row) for row in rows)


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
