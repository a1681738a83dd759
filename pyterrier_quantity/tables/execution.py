"""Executing programs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyterrier_quantity.tables.facts import Cell, cells
from pyterrier_quantity.tables.program_parts import OVER_ROWS, NotExecutable, Step, number, reference
from pyterrier_quantity.tables.readers import as_tables

if TYPE_CHECKING:
    from pyterrier_quantity.tables.program import Program


Result = float | str


class _RefusedError(Exception):
    """A step that has no result."""


def execute(program: Program, table: Any = None) -> Result | NotExecutable:
    """See `Program.execute`."""
    if not program.steps:
        return NotExecutable(program.problem or "the program is empty")
    done: list[Result] = []
    for place, step in enumerate(program.steps):
        try:
            done.append(_row_step(step, table) if step.operation in OVER_ROWS else _step(step, done))
        except (_RefusedError, OverflowError) as error:
            return NotExecutable(f"step {place}, {step}: {error}")
        except ZeroDivisionError:
            return NotExecutable(f"step {place}, {step}: division by zero")
    return round(done[-1], 5) if isinstance(done[-1], float) else done[-1]


def _step(step: Step, done: list[Result]) -> Result:
    first, second = (_value(argument, done) for argument in (step.first, step.second))
    if step.operation == "greater":
        return "yes" if first > second else "no"
    compute = {
        "add": lambda: first + second, "subtract": lambda: first - second, "multiply": lambda: first * second,
        "divide": lambda: first / second, "exp": lambda: first**second,
    }  # fmt: skip
    result = compute[step.operation]()
    if isinstance(result, complex) or not math.isfinite(result):
        raise _RefusedError("the result is no finite number")
    return result


def _value(argument: str, done: list[Result]) -> float:
    step = reference(argument)
    if step is not None and step >= len(done):
        raise _RefusedError(f"{argument} refers to a step that is not done before it")
    value = number(argument) if step is None else done[step]
    if not isinstance(value, float):
        raise _RefusedError(f"{argument} is no number")
    return value


def _row_step(step: Step, table: Any) -> float:
    numbers = [cell.number for cell in row_cells(step.first, table) if cell.number is not None]
    if not numbers:
        raise _RefusedError(f"the row {step.first!r} holds no number")
    compute: dict[str, Callable[[list[float]], float]] = {
        "table_max": max, "table_min": min, "table_sum": math.fsum,
        "table_average": lambda values: math.fsum(values) / len(values),
    }  # fmt: skip
    return float(compute[step.operation](numbers))


def row_cells(name: str, table: Any) -> list[Cell]:
    """The cells of the first row of this name, whatever its case, blanks, brackets and footnote marks.

    Raises:
        _RefusedError: if there is no table, or no such row.
    """
    if table is None:
        raise _RefusedError(f"no table is given in which to look up {name!r}")
    rows = [row for one in as_tables(table) for row in cells(one)]
    for plain in (_plain, _without_brackets):
        for row in rows:
            if plain(name) in (plain(row[0].row), plain(f"{row[0].section} {row[0].row}")):
                return row
    raise _RefusedError(f"the table has no row {name!r}")


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.lower()))


def _without_brackets(name: str) -> str:
    return _plain(re.sub(r"\([^()]*\)", " ", name))
