"""Executing programs, and telling what each step does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.tables.cell_values import is_nil, read_value
from pyterrier_quantity.tables.facts import Cell, cells
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.steps import OVER_ROWS, NotExecutable, Step, number, reference, shown

Result = float | str

_COMPUTE: Final[Mapping[str, Callable[[float, float], Any]]] = {
    "add": lambda first, second: first + second,
    "subtract": lambda first, second: first - second,
    "multiply": lambda first, second: first * second,
    "divide": lambda first, second: first / second,
    "exp": lambda first, second: first**second,
}
_COMPUTE_ROW: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "table_max": max,
    "table_min": min,
    "table_sum": math.fsum,
    "table_average": lambda values: math.fsum(values) / len(values),
}


class _RefusedError(Exception):
    """A step that has no result."""


def results(steps: Sequence[Step], table: Any = None) -> list[Result | NotExecutable]:
    """What each step gives, unrounded; the last one is `NotExecutable` where a step has no result.

    Args:
        steps: of the program.
        table: anything that `facts` takes; for `table_*` only.
    """
    done: list[Result | NotExecutable] = []
    rows: list[list[Cell]] = []
    if table is not None and any(step.operation in OVER_ROWS for step in steps):
        rows = [row for one in as_tables(table) for row in cells(one)]
    for place, step in enumerate(steps):
        try:
            done.append(_over_row(step, rows, table is not None) if step.operation in OVER_ROWS else _step(step, done))
        except (_RefusedError, OverflowError) as error:
            problem = str(error) if isinstance(error, _RefusedError) else "the result is too large"
        except ZeroDivisionError:
            problem = "division by zero"
        else:
            continue
        done.append(NotExecutable(f"step {place}, {shown(step)}: {problem}"))
        break
    return done


def rounded(result: Result | NotExecutable) -> Result | NotExecutable:
    """A number with five decimals; anything else as it is."""
    return round(result, 5) if isinstance(result, float) else result


def _step(step: Step, done: Sequence[Result | NotExecutable]) -> Result:
    first, second = (_value(argument, done) for argument in (step.first, step.second))
    if step.operation == "greater":
        return "yes" if first > second else "no"
    return _finite(_COMPUTE[step.operation](first, second))


def _finite(result: Any) -> float:
    if isinstance(result, complex) or not math.isfinite(result):
        raise _RefusedError("the result is no finite number")
    return float(result)


def _value(argument: str, done: Sequence[Result | NotExecutable]) -> float:
    step = reference(argument)
    if step is not None and step >= len(done):
        raise _RefusedError(f"{argument} refers to a step that is not done before it")
    value = number(argument) if step is None else done[step]
    if not isinstance(value, float):
        raise _RefusedError(f"{shown(argument)} is no number")
    return value


def _over_row(step: Step, rows: Sequence[Sequence[Cell]], given: bool) -> float:
    if not given:
        raise _RefusedError(f"no table is given in which to look up {shown(step.first)!r}")
    numbers = [cell.number for cell in _row(step.first, rows) if cell.number is not None and not is_nil(cell.value)]
    if not numbers:
        raise _RefusedError(f"the row {shown(step.first)!r} holds no number")
    return _finite(_COMPUTE_ROW[step.operation](numbers))


def row_cells(steps: Sequence[Step], table: Any) -> list[Cell]:
    """The cells of the rows that an executable program looks up; arguments as `results`."""
    over = [step for step in steps if step.operation in OVER_ROWS]
    rows = [row for one in as_tables(table) for row in cells(one)] if over else []
    return [cell for step in over for cell in _row(step.first, rows)]


def _row(name: str, rows: Sequence[Sequence[Cell]]) -> Sequence[Cell]:
    """The first row of this name, whatever its case, blanks, brackets and footnote marks."""
    for plain in (_plain, _without_brackets):
        wanted = plain(name)
        for row in rows:
            if wanted in (plain(row[0].row), plain(f"{row[0].section} {row[0].row}")):
                return row
    raise _RefusedError(f"the table has no row {shown(name)!r}")


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.lower()))


def _without_brackets(name: str) -> str:
    return _plain(re.sub(r"\([^()]*\)", " ", name))


def explained(steps: Sequence[Step], table: Any, facts: Sequence[Mapping[str, Any]]) -> str:
    """A line for each step: its numbers with the cells or sentences that they stand in, and its result.

    Args:
        steps, table: as `results` takes them.
        facts: as `facts` makes them; of several that state a number the first is named.
    """
    places: dict[float | None, str] = {}
    for fact in facts:
        for value, place in _places(fact):
            places.setdefault(value, place)
    lines = []
    for position, (step, found) in enumerate(zip(steps, results(steps, table), strict=False)):
        result = rounded(found)
        written = f"{result:,.10g}" if isinstance(result, float) else str(result)
        lines.append(f"#{position} {step.operation}({', '.join(_arguments(step, places))}) = {written}")
    return "\n".join(lines)


def _places(fact: Mapping[str, Any]) -> Iterator[tuple[float | None, str]]:
    """The numbers of a fact, and where they stand: in a cell, by its names, or in a sentence, by its docno."""
    for cell in fact["cells"]:
        if cell.written:
            yield number(cell.written), ", ".join(filter(None, (cell.row or cell.section, cell.column))) or cell.docno
    for quantity in () if fact["cells"] else fact["quantities"]:
        written = read_value(fact["text"][quantity.start : quantity.end])
        yield number(written.written) if written else quantity.low, f"{fact['docno']}: {fact['text']}"


def _arguments(step: Step, places: Mapping[float | None, str]) -> Iterator[str]:
    if step.operation in OVER_ROWS:
        yield f"row {step.first!r}"
        return
    for argument in (step.first, step.second):
        place = None if reference(argument) is not None else places.get(number(argument))
        yield f"{argument} [{place}]" if place else argument
