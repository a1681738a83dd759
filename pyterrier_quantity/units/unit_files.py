"""Load unit files: tab-separated values with a header line of column names, in which `#` starts a comment line.

Only the column `name` is required:

| column | content |
| --- | --- |
| name | canonical name: singular, lower case |
| family | the dimension; units of one family can be converted into each other (default: the name itself) |
| factor | the unit's size in the family's reference unit (default 1) |
| offset | the number to add after multiplication by the factor, for temperatures (default 0) |
| surfaces | spellings, separated by `|`; plurals are added, unless the spelling starts with `=`; case is ignored |
| symbols | symbols, separated by `|`; case matters |
| before | signs that are written before the number |
| inside | symbols that replace the decimal point: with `k`, 4k7 is 4.7 k |
| si | the SI prefixes of the unit, separated by spaces: `k m µ`; after `+`, only in this letter case |
| scale | if `name` is a known unit: how many of it a new spelling stands for (1e9 cubic feet for `bcf`) |
| pint | a pint expression for computing the factor, instead of `factor` |

A spelling or symbol that ends with `?` is a unit only if nearby words confirm it. A symbol that starts with `~` is used
only with SI prefixes.
"""

import functools
import re
import tokenize
from pathlib import Path
from typing import Any, NamedTuple

from pyterrier_quantity._extras import need
from pyterrier_quantity.units.model import UnitFileError

DATA = Path(__file__).parent / "data"
COLUMNS = "name family factor offset surfaces symbols before inside words after code si scale pint dimensions".split()
_NUMBERS = ("factor", "offset", "scale")
_FINITE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?")


class Row(NamedTuple):
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
    """Return the rows of a unit file, without the header, comments and empty lines.

    Args:
        key: the name of the column that no line may leave empty.

    Raises:
        UnitFileError: if the file is malformed.
        OSError: if the file cannot be read.
    """
    path = str(path)
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UnitFileError(f"{path}: not UTF-8 text ({error}); save the file as UTF-8") from None
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    rows = [(number, line.rstrip("\r").split("\t")) for number, line in filled]
    if not rows:
        raise UnitFileError(f"{path}: the file is empty; its first line must name the columns: name, tab, family, ...")
    header = _header(path, *rows[0], key)
    return [_row(path, number, header, cells, key) for number, cells in rows[1:]]


def _header(path: str, number: int, cells: list[str], key: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    where = f"{path}, line {number}"
    if unknown := [cell for cell in header if cell not in (*COLUMNS, key)]:
        columns = ", ".join(COLUMNS)
        raise UnitFileError(f"{where}: unknown column {unknown[0]!r}; use some of: {columns} (tabs between them)")
    if key not in header:
        raise UnitFileError(f"{where}: the header lacks the column {key!r}; add it")
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


REFERENCES = {row.get("family"): row.get("pint") for row in read_table(DATA / "references.tsv", key="family")}
"""A dictionary from each family to the pint expression of the family's reference unit."""

_PINT_ERRORS = (AttributeError, TypeError, AssertionError, SyntaxError, tokenize.TokenError, KeyError, ArithmeticError)


@functools.cache
def _registry() -> Any:
    return need("pint", "units").UnitRegistry()


def pint_factor(expression: str, family: str = "") -> tuple[str, float]:
    """Return the family (dimension) of a pint expression, and its size in the family's reference unit.

    Args:
        expression: a unit in pint's syntax: "foot", "100*kilogram", "metre**3/second".
        family: the required family. By default, the first family in `REFERENCES` with the expression's dimension.

    Raises:
        ValueError: if pint does not know the expression, or if no such family has the expression's dimension.
        ImportError: if pint is not installed.
    """
    registry = _registry()
    try:
        quantity = 1.0 * registry.parse_expression(expression)
        fitting = (name for name, unit in REFERENCES.items() if registry.Unit(unit).is_compatible_with(quantity))
        found = family or next(fitting, "")
        if found not in REFERENCES:
            raise ValueError(f"no family of {', '.join(REFERENCES)} fits")
        exact = quantity.to(REFERENCES[found]).magnitude
    except _PINT_ERRORS as error:
        raise ValueError(f"pint cannot read {expression!r} as {family or 'a unit'}: {error}") from None
    return found, float(f"{exact:.15g}")
