"""Programs of the ten operations over numbers and table rows: executed, compared, explained. Nothing runs as code."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from pyterrier_quantity.tables.cell_values import is_nil, read_value
from pyterrier_quantity.tables.facts import Cell, cells
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.steps import (
    CONSTANTS,
    OVER_ROWS,
    NotExecutable,
    ProgramError,
    Step,
    expression_steps,
    number,
    read_steps,
    reference,
    shown,
)


@dataclass(frozen=True)
class Program:
    """Steps in FinQA's language, the last one's result the answer.

    Args:
        steps: in order; empty for a text that is no program.
        problem: why the text is not a program.
        sources: docnos of the facts that its numbers were taken from, where a generator says so.
    """

    steps: tuple[Step, ...]
    problem: str = ""
    sources: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, text: str, sources: Iterable[str] = ()) -> Program:
        """A program from text: "subtract(9, 8), divide(#0, 8)", or nested, "divide(subtract(9, 8), 8)".

        Malformed text makes a program without steps, whose `execute` gives the reason.
        """
        return cls._read(read_steps, text, sources)

    @classmethod
    def from_expression(cls, text: str, sources: Iterable[str] = ()) -> Program:
        """A program from arithmetic as people write it: "(44.1-56.7)/56.7", "[(4,411+4,044)/2] - 3", "15% * $2.2".

        Divisors and subtracted ones that are small whole numbers stay numbers. Malformed text as in `parse`.
        """
        return cls._read(expression_steps, text, sources)

    @classmethod
    def _read(cls, steps: Callable[[str], list[Step]], text: str, sources: Iterable[str]) -> Program:
        try:
            return cls(tuple(steps(str(text))), "", tuple(sources))
        except ProgramError as error:
            return cls((), str(error), tuple(sources))

    def execute(self, table: Any = None) -> float | str | NotExecutable:
        """The result: a number rounded to five decimals, "yes" or "no", or `NotExecutable` with the reason.

        Args:
            table: where rows are looked up by name: anything that `facts` takes; needed for `table_*` only.

        Raises:
            TableError: if a table is given and needed that cannot be read.
        """
        if not self.steps:
            return NotExecutable(self.problem or "the program is empty")
        return rounded(results(self.steps, table)[-1])

    def equivalent(self, other: Program) -> bool:
        """Whether both compute the same whatever the numbers are: as formulas over numbers as symbols.

        Constants and small whole numbers keep their value. A power is expanded if its exponent is a known whole number;
        others are compared by base and exponent. A program without steps, or one that always divides by zero, is
        equivalent to none.
        """
        return equivalent(self.steps, other.steps)

    def explain(self, facts: Any = (), table: Any = None) -> str:
        """The steps in words, a line each, every number with the cell or sentence that it stands in.

        Args:
            facts: D or R as frame or dictionaries, as `facts` makes them; those in `sources` are looked at first.
            table: for `table_*`, as in `execute`.
        """
        if not self.steps:
            return str(self.execute())
        known = facts.to_dict("records") if hasattr(facts, "to_dict") else list(facts)
        known.sort(key=lambda fact: fact["docno"] not in self.sources)
        return explained(self.steps, table, known)

    def __str__(self) -> str:
        return ", ".join(map(str, self.steps))


Result = float | str

_COMPUTE: Final[Mapping[str, Callable[[float, float], Any]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
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


EXACT: Final = frozenset({0.0, *CONSTANTS.values()})
"""Whole numbers that mean themselves; any other number might have been another one."""
_PRIME: Final = 2**127 - 1


def equivalent(first: Sequence[Step], second: Sequence[Step]) -> bool:
    """See `Program.equivalent`.

    Each number that might have been another one, and each row, stands for a value modulo a prime of 127 bits that is
    drawn by its name. Two different quotients of polynomials agree there with a chance of their degree in 2^127
    (Schwartz 1980, Zippel 1979), and powers of any size take no longer than their exponent's digits.
    """
    one, other = _formula(first), _formula(second)
    return one is not None and one == other


def _formula(steps: Sequence[Step]) -> int | None:
    """The last step's value; None for a program without steps, or that divides by nought."""
    done: list[int] = []
    for step in steps:
        try:
            done.append(_of_step(step, done) % _PRIME)
        except ValueError:  # pow has no inverse of 0
            return None
    return done[-1] if done else None


def _of_step(step: Step, done: Sequence[int]) -> int:
    if step.operation in OVER_ROWS:
        return _drawn(step.operation, " ".join(step.first.lower().split()))
    first, second = (_symbol(argument, done) for argument in (step.first, step.second))
    if step.operation == "exp" and (exponent := _whole(step.second)) is not None:
        return pow(first, exponent, _PRIME)
    if step.operation == "divide":
        return first * pow(second, -1, _PRIME)
    if step.operation in ("add", "subtract", "multiply"):
        return int(_COMPUTE[step.operation](first, second))
    return _drawn(step.operation, first, second)


def _symbol(argument: str, done: Sequence[int]) -> int:
    step, whole = reference(argument), _whole(argument)
    if step is not None:
        return done[step]
    if whole is not None:
        return whole % _PRIME
    value = number(argument) or 0.0
    return _drawn(f"{abs(value):.12g}") * (-1 if value < 0 else 1)


def _whole(argument: str) -> int | None:
    """The value of a number that means itself; None for others, and for what an earlier step gives."""
    value = number(argument)
    return int(value) if value in EXACT and not argument.endswith("%") else None


def _drawn(*name: object) -> int:
    """The value of what has this name, the same in every program."""
    return int.from_bytes(blake2b(repr(name).encode(), digest_size=16).digest()) % _PRIME
