"""Tables in HTML pages. A merged cell's text is repeated in all rows and columns that it covers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.tables.table import Grid, Table, TableError, check_area, clean

MOST_SPAN: Final = 1000
"""Maximum colspan, as in the HTML standard."""
_AREA: Final = re.compile(r"\b(?:[ckm]?m|ft|in|mi|yd|s)$")
"""Unit of length or time at the end of a text; a superscript after it is an exponent, not a footnote mark."""
_HEADINGS: Final = ("p", "h1", "h2", "h3", "h4", "h5", "h6")


def html_tables(text: str, name: str) -> Iterator[Table]:
    """Yield the innermost tables of a page, each with its caption and the paragraphs since the previous table.

    Args:
        text: HTML, which need not be well-formed.
        name: name of the first table; the second is "name.2". The last table also gets the paragraphs after it.

    Raises:
        ImportError: if lxml is missing; the message names the extra.
        TableError: if the text is not HTML, or if merged cells blow the table up to many times its written size.
    """
    if not text.strip():
        return
    try:
        page = need("lxml.html", "tables").fromstring(f"<div>{text}</div>")
    except (need("lxml.etree", "tables").LxmlError, ValueError) as error:
        raise TableError(f"this is not HTML ({error}): remove what is not text from it") from error
    _make_readable(page)
    found: list[tuple[Any, list[str]]] = []
    paragraphs: list[str] = []
    for element in page.iter("table", "p", "li"):
        if element.tag != "table":
            if not element.xpath("boolean(ancestor::table)") and (paragraph := _text(element)):
                paragraphs.append(paragraph)
        elif element.xpath("not(.//table) and .//tr"):
            found.append((element, paragraphs))
            paragraphs = []
    for number, (table, around) in enumerate(found, 1):
        behind = paragraphs if number == len(found) else []
        grid, header_rows = _grid(table)
        title = name if number == 1 else f"{name}.{number}"
        yield Table(title, grid, _caption(table), (*around, *behind), header_rows)


def _grid(table: Any) -> tuple[Grid, int | None]:
    """Return the rows of cells, and the number of header rows at the top according to the markup."""
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
            texts.update(dict.fromkeys(covered, _text(cell)))
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
    """Replace line breaks by blanks; remove footnote marks (but not the 2 of "km2"), scripts and hidden text."""
    for element in list(page.iter("br")):
        element.tail = f" {element.tail or ''}"
    for element in list(page.iter("sup", "script", "style")):
        previous = element.getprevious()
        before = (element.getparent().text if previous is None else previous.tail) or ""
        is_exponent = _AREA.search(before[-9:]) and element.text_content().strip() in ("2", "3")
        if element.tag != "sup" or not is_exponent:
            element.drop_tree()


def _text(element: Any) -> str:
    return clean(element.text_content())


def _caption(table: Any) -> str:
    """Return the table's caption, or else the heading or paragraph directly before the table."""
    before = table.getprevious()
    headings = [before] if before is not None and before.tag in _HEADINGS else []
    return next(map(_text, [*table.xpath("./caption"), *headings]), "")
