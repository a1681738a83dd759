"""Tables of HTML pages, merged cells spread over the rows and columns that they cover."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pyterrier_quantity.neural.models import need
from pyterrier_quantity.tables.table import Table, clean

MOST_SPAN: Final = 1000
"""HTML's own limit of colspan."""
_AREA: Final = re.compile(r"\b(?:[ckm]?m|ft|in|mi|yd|s)$")
"""A unit that takes an exponent."""


def html_tables(text: str, name: str) -> Iterator[Table]:
    """The innermost tables of a page, with their captions and the page's paragraphs.

    Args:
        text: HTML, well formed or not.
        name: of the first table; the second one is "name.2".

    Raises:
        ImportError: naming the extra, if lxml is missing.
    """
    if not text.strip():
        return
    page = need("lxml.html", "tables").fromstring(f"<div>{text}</div>")
    _readable(page)
    paragraphs = tuple(filter(None, (_text(p) for p in page.iter("p", "li") if not p.xpath("ancestor::table"))))
    found = [table for table in page.iter("table") if not table.xpath(".//table") and table.xpath(".//tr")]
    for number, table in enumerate(found, 1):
        grid, header_rows = _cells(table)
        yield Table(name if number == 1 else f"{name}.{number}", grid, _caption(table), paragraphs, header_rows)


def _cells(table: Any) -> tuple[tuple[tuple[str, ...], ...], int | None]:
    """The grid, and how many rows at the top are header rows by their markup."""
    rows: list[dict[int, str]] = []
    pending: dict[int, tuple[int, str]] = {}
    marked = []
    for row in table.iter("tr"):
        filled, pending = _row(row, pending)
        rows.append(filled)
        marked.append(row.getparent().tag == "thead" or all(cell.tag == "th" for cell in row.iterchildren("td", "th")))
    width = max((max(row, default=-1) + 1 for row in rows), default=0)
    grid = tuple(tuple(row.get(column, "") for column in range(width)) for row in rows)
    header = next((n for n, is_header in enumerate(marked) if not is_header), len(marked))
    return grid, header or None


def _row(row: Any, pending: dict[int, tuple[int, str]]) -> tuple[dict[int, str], dict[int, tuple[int, str]]]:
    """One row's texts by column, and what its cells and those above still cover below."""
    filled = {column: text for column, (_, text) in pending.items()}
    below = {column: (left - 1, text) for column, (left, text) in pending.items() if left > 1}
    column = 0
    for cell in row.iterchildren("td", "th"):
        while column in filled:
            column += 1
        text, down = _text(cell), _span(cell, "rowspan")
        for covered in range(column, column + _span(cell, "colspan")):
            filled[covered] = text
            if down > 1:
                below[covered] = (down - 1, text)
    return filled, below


def _span(cell: Any, attribute: str) -> int:
    value = cell.get(attribute, "1").strip()
    return min(max(int(value), 1), MOST_SPAN) if value.isdecimal() else 1


def _readable(page: Any) -> None:
    """Line breaks become blanks; footnote marks, scripts and what is hidden go. The 2 of "km2" is no footnote mark."""
    for element in list(page.iter("br")):
        element.tail = f" {element.tail or ''}"
    for element in list(page.xpath("//sup | //script | //style")):
        if element.tag == "sup" and _AREA.search(_before(element)) and element.text_content().strip() in ("2", "3"):
            continue
        element.drop_tree()


def _before(element: Any) -> str:
    previous = element.getprevious()
    return (element.getparent().text if previous is None else previous.tail) or ""


def _text(element: Any) -> str:
    return clean(element.text_content())


def _caption(table: Any) -> str:
    """The caption, or the heading or paragraph that stands right before the table."""
    captions = table.xpath("./caption")
    if captions:
        return _text(captions[0])
    before = table.getprevious()
    return _text(before) if before is not None and before.tag in ("p", "h1", "h2", "h3", "h4", "h5", "h6") else ""
