"""Unit files: tab-separated, a header line with the column names, `#` for comments.

Only `name` is required. The columns:

| column | content |
| --- | --- |
| name | canonical name: singular, lower case |
| family | what it measures; units of one family convert into each other (default: the name itself) |
| factor | how many of the family's reference unit one of it is (default 1) |
| offset | added after the factor, for temperatures (default 0) |
| surfaces | spellings, `|` between them; plurals are made, unless the spelling starts with `=`; case is ignored |
| symbols | symbols, `|` between them; case matters |
| before | signs that stand before the number |
| si | SI prefixes that the unit takes, blanks between: `k m µ` |
| scale | for an alias: the surface means so many of `name` |
| pint | a pint expression that gives the factor, instead of `factor` |

A spelling or symbol with `?` behind it is ambiguous: it counts only where the context supports it. A symbol with `~`
before it is used with SI prefixes only.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pyterrier_quantity.units.model import UnitFileError

DATA = Path(__file__).parent / "data"
COLUMNS = "name family factor offset surfaces symbols before words after code si scale pint dimensions".split()
_NUMBERS = ("factor", "offset", "scale")
_FINITE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?")


class Row(NamedTuple):
    """One line of a unit file."""

    path: str
    line: int
    cells: dict[str, str]

    def get(self, column: str) -> str:
        return self.cells.get(column, "")

    def many(self, column: str) -> list[str]:
        return [part for part in self.cells.get(column, "").split("|") if part]

    def number(self, column: str, default: float) -> float:
        cell = self.cells.get(column, "")
        return float(cell) if cell else default


def read_table(path: str | Path, key: str = "name") -> list[Row]:
    """Read a unit file.

    Args:
        path: the file.
        key: the column that every line must fill.

    Returns:
        One `Row` per line, comments and empty lines left out.

    Raises:
        UnitFileError: naming file, line and remedy.
        OSError: if the file cannot be read.
    """
    path = str(path)
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UnitFileError(f"{path}: not UTF-8 text ({error}); save the file as UTF-8") from None
    header: list[str] | None = None
    rows = []
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if header is None:
            header = _header(path, number, cells, key)
            continue
        rows.append(_row(path, number, header, cells, key))
    if header is None:
        raise UnitFileError(f"{path}: the file is empty; its first line must name the columns: name, tab, family, ...")
    return rows


def _header(path: str, number: int, cells: list[str], key: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    unknown = [cell for cell in header if cell not in COLUMNS and cell != key]
    if unknown:
        raise UnitFileError(
            f"{path}, line {number}: unknown column {unknown[0]!r} in the header; use some of: {', '.join(COLUMNS)}"
            " (tabs between them)"
        )
    if key not in header:
        raise UnitFileError(f"{path}, line {number}: the header lacks the column {key!r}; add it")
    return header


def _row(path: str, number: int, header: list[str], cells: list[str], key: str) -> Row:
    where = f"{path}, line {number}"
    if len(cells) > len(header):
        raise UnitFileError(f"{where}: {len(cells)} columns, but the header has {len(header)}; remove the surplus tabs")
    row = Row(path, number, {name: cell.strip() for name, cell in zip(header, cells, strict=False)})
    if not row.get(key):
        raise UnitFileError(f"{where}: the column {key!r} is empty; give the unit's name")
    for column in _NUMBERS:
        if (cell := row.get(column)) and not _FINITE.fullmatch(cell):
            raise UnitFileError(f"{where}: {column} is {cell!r}, not a finite number; write it like 0.3048 or 1e-6")
    if row.get("factor") and float(row.get("factor")) == 0:
        raise UnitFileError(f"{where}: factor is 0; it must say how many reference units one {row.get('name')} is")
    return row
