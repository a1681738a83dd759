"""Parse, execute and compare programs: calculations such as "divide(9, 8)" in the language of the FinQA dataset.
Programs are interpreted, never run as Python."""

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

ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
    "greater": lambda first, second: "yes" if first > second else "no",
}
OVER_ROWS: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "table_max": max,
    "table_min": min,
    "table_sum": math.fsum,
    "table_average": lambda values: math.fsum(values) / len(values),
}
OPERATIONS: Final = (*ARITHMETIC, *OVER_ROWS)
CONSTANTS: Final = {
    **{f"const_{n}": float(n) for n in (*range(1, 11), *(10**k for k in range(2, 10)))},
    "const_m1": -1.0,
}
DEEPEST: Final = 50
"""Maximum depth of nested operations."""


class ProgramError(ValueError):
    """Raised for a text that is not a program, or an operation that has no result. The message states the reason."""


@dataclass(frozen=True)
class Step:
    """One operation of a program and its two arguments, as strings: "add(12, const_100)". An argument is a number, a
    constant, the result of an earlier step ("#0") or, in "table_max(Revenue, none)", the name of a table row."""

    operation: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.operation}({self.first}, {self.second})"


@dataclass(frozen=True)
class NotExecutable:
    """The result of a program that cannot be executed. The object holds the reason and is falsy."""

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"not executable: {self.reason}"


def number(argument: str) -> float | None:
    """Return an operation's argument as a number: "5%" -> 0.05, "const_100" -> 100. Return None for any other text."""
    if argument in CONSTANTS:
        return CONSTANTS[argument]
    value = read_value(argument)
    if value is None:
        return None
    return value.number / 100 if value.percent else value.number * value.scale


def reference(argument: str) -> int | None:
    """Return the index of the step that an argument refers to, or None for any other text: "#2" -> 2."""
    found = re.match(r"#(\d{1,9})$", argument)
    return int(found[1]) if found else None


def shown(text: object) -> str:
    """Return a text shortened to at most 60 characters, for use in a message."""
    whole = str(text)
    return whole if len(whole) <= 60 else f"{whole[:57]}..."


_PART: Final = re.compile(  # a lexical unit; commas in brackets, numbers and row names do not separate arguments
    rf"\s*(?=\S)(?:(?P<over>{'|'.join(OVER_ROWS)})\s*\((?P<row>(?:[^()]|\([^()]*\))*)\)"
    r"|(?P<operation>[A-Za-z_]+)\s*\(|(?P<end>\))|(?P<comma>,)"
    r"|(?P<argument>(?:[$€£]\s?)?\([^()]*\)[^(),]*|[\s$€£+-]*\d{1,3}(?:,\d{3})+(?!\d)[^(),]*|[^(),]+)|(?P<open>\())",
    re.I,
)


def read_steps(text: str) -> list[Step]:
    """Parse a program: "divide(add(1, 2), 3)" -> add(1, 2), divide(#0, 3). Raise a ProgramError for other texts."""
    steps: list[Step] = []
    around: list[tuple[str, list[str]]] = [("", [])]  # open operations, and their arguments so far
    parted = True
    for part in _PART.finditer(text.strip()):
        if parted == (part.lastgroup in ("comma", "end")):
            missing = "an argument" if parted else "a comma"
            raise ProgramError(f"{missing} is missing before {part[0].strip()[:20]!r}")
        parted = part.lastgroup in ("operation", "comma")
        if part.lastgroup == "operation":
            around.append((part["operation"].lower(), []))
            if len(around) > DEEPEST:
                raise ProgramError("operations are nested too deeply")
        elif not parted:
            argument = _argument(part, steps, around)
            around[-1][1].append(argument)
    if len(around) > 1:
        raise ProgramError("a closing bracket is missing")
    if parted:
        raise ProgramError("the program ends in a comma" if steps else "the program is empty")
    return steps


def _argument(part: re.Match[str], steps: list[Step], around: list[tuple[str, list[str]]]) -> str:
    """Return the argument that ends with the token `part`. If `part` ends an operation, move the operation from
    `around` (the open operations) to `steps`, and return a reference to the step ("#0")."""
    if part["row"] is not None:
        name = re.sub(r"(?:^|,)\s*none\s*$", "", part["row"]).strip()
        return add_step(steps, part["over"].lower(), [name, "none"] if name else [])
    if len(around) == 1:
        raise ProgramError(f"an operation is expected at {part[0].strip()[:20]!r}")
    return add_step(steps, *around.pop()) if part["end"] else part[0].strip()


def add_step(steps: list[Step], operation: str, arguments: list[str]) -> str:
    """Append an operation and its arguments to the list of steps, and return a reference to the new step ("#0")."""
    if operation not in OPERATIONS:
        raise ProgramError(f"unknown operation {shown(operation)!r}; one of {', '.join(OPERATIONS)}")
    if len(arguments) == 1:  # "120,100" may be one number or two
        arguments = [argument.strip() for argument in arguments[0].split(",", 1)]
    if len(arguments) != 2 or not all(arguments):
        raise ProgramError(f"{operation} takes two arguments, got {sum(map(bool, arguments))}")
    for argument in arguments if operation in ARITHMETIC else ():
        step = reference(argument)
        if step is not None and step >= len(steps):
            raise ProgramError(f"{argument} refers to a step that is not done before it")
        if step is None and number(argument) is None:
            raise ProgramError(f"{shown(argument)!r} is not a number, constant or earlier step")
    steps.append(Step(operation, *arguments))
    return f"#{len(steps) - 1}"


Result = float | str


@dataclass(frozen=True)
class Program:
    """A calculation in the language of FinQA: "subtract(9, 8), divide(#0, 8)". The last step gives the answer.

    Args:
        steps: the operations in order; empty if the text could not be parsed.
        problem: why the text could not be parsed, or "" for a parsed text.
        sources: docnos of the facts that contain the program's numbers, if known.
    """

    steps: tuple[Step, ...]
    problem: str = ""
    sources: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, text: str, sources: Iterable[str] = ()) -> "Program":
        """Parse the text of a program: "subtract(9, 8), divide(#0, 8)" or "divide(subtract(9, 8), 8)". `sources` are
        the docnos of the facts with the program's numbers. For a malformed text, `execute` returns the reason."""
        try:
            return cls(tuple(read_steps(str(text))), "", tuple(sources))
        except ProgramError as error:
            return cls((), str(error), tuple(sources))

    def execute(self, table: Any = None) -> float | str | NotExecutable:
        """Return the result: a number rounded to five decimals, "yes", "no", or a `NotExecutable` with the reason.

        Args:
            table: the table in which operations such as `table_max` look up a row by name, in any form that `facts`
                accepts.

        Raises:
            TableError: if the program uses a row and the table cannot be read.
        """
        if not self.steps:
            return NotExecutable(self.problem or "the program is empty")
        return self._results(table)[-1]

    def equivalent(self, other: "Program") -> bool:
        """Return whether two programs are the same formula: True for "add(12, 34)" and "add(34, 12)".

        Zero and the values of constants (1 to 10, 100, 1000, ...) are compared as numbers; all other numbers count as
        variables. A program without steps, or a program that always divides by zero, is not equivalent to any program.
        Both programs are evaluated modulo a prime of 127 bits, with a pseudorandom value for each variable and row. Two
        different formulas give the same result with a probability of about degree / 2^127 (Schwartz 1980, Zippel 1979).
        """
        one = _formula(self.steps)
        return one is not None and one == _formula(other.steps)

    def explain(self, facts: Any = (), table: Any = None) -> str:
        """Return the steps as text, one per line, with the cell or sentence that each number comes from.

        Args:
            facts: facts as a frame D or R, or as dictionaries. Facts in the program's `sources` are preferred.
            table: the table in which operations such as `table_max` look up a row by name.
        """
        if not self.steps:
            return str(self.execute())
        known = facts.to_dict("records") if hasattr(facts, "to_dict") else list(facts)
        places: dict[float | None, str] = {}
        for fact in sorted(known, key=lambda fact: fact["docno"] not in self.sources):
            for value, place in _places(fact):
                places.setdefault(value, place)
        places[None] = ""  # references to earlier steps, and names of rows, are not numbers
        lines = []
        for position, (step, result) in enumerate(zip(self.steps, self._results(table), strict=False)):
            stated = ((one, places.get(number(one))) for one in (step.first, step.second))
            given = ", ".join(f"{one} [{place}]" if place else one for one, place in stated)
            given = f"row {step.first!r}" if step.operation in OVER_ROWS else given
            written = f"{result:,.10g}" if isinstance(result, float) else str(result)
            lines.append(f"#{position} {step.operation}({given}) = {written}")
        return "\n".join(lines)

    def looked_up(self, table: Any) -> list[Cell]:
        """Return the cells of the rows that a program uses: for "table_max(Revenue, none)", the row "Revenue"."""
        rows = self._rows(table)
        return [cell for step in self.steps if step.operation in OVER_ROWS for cell in _row(step.first, rows)]

    def _rows(self, table: Any) -> list[list[Cell]]:
        if table is None or all(step.operation in ARITHMETIC for step in self.steps):
            return []
        return [row for one in as_tables(table) for row in cells(one)]

    def _results(self, table: Any) -> list[Result | NotExecutable]:
        """Return the rounded result of each step. The list ends at the first step that fails, with `NotExecutable`."""
        rows, done = self._rows(table), list[Result | NotExecutable]()
        for place, step in enumerate(self.steps):
            try:
                if step.operation in OVER_ROWS and table is None:
                    raise ProgramError(f"no table is given in which to look up {shown(step.first)!r}")
                done.append(_result(step, done, rows))
            except (ProgramError, ZeroDivisionError, OverflowError) as error:
                problem: Any = "division by zero" if isinstance(error, ZeroDivisionError) else error
                problem = "the result is too large" if isinstance(error, OverflowError) else problem
                done.append(NotExecutable(f"step {place}, {shown(step)}: {problem}"))
                break
        return [round(result, 5) if isinstance(result, float) else result for result in done]

    def __str__(self) -> str:
        return ", ".join(map(str, self.steps))


def _result(step: Step, done: Sequence[object], rows: Sequence[Sequence[Cell]]) -> Result:
    if step.operation in ARITHMETIC:
        result = ARITHMETIC[step.operation](_value(step.first, done), _value(step.second, done))
    else:
        stated = (cell.number for cell in _row(step.first, rows) if not is_nil(cell.value))
        numbers = [value for value in stated if value is not None]
        if not numbers:
            raise ProgramError(f"the row {shown(step.first)!r} contains no number")
        result = OVER_ROWS[step.operation](numbers)
    if isinstance(result, complex) or (isinstance(result, float) and not math.isfinite(result)):
        raise ProgramError("the result is not a finite number")
    return result


def _value(argument: str, done: Sequence[object]) -> float:
    step = reference(argument)
    value = number(argument) if step is None else done[step] if step < len(done) else None
    if not isinstance(value, float):
        raise ProgramError(f"{shown(argument)} is not a number")
    return value


def _row(name: str, rows: Sequence[Sequence[Cell]]) -> Sequence[Cell]:
    """Return the first row with the given name, ignoring letter case, spaces and footnote marks."""
    for left_out in (r"[\W_]+", r"\([^()]*\)|[\W_]"):
        for row in rows:
            names = (name, row[0].row, f"{row[0].section} {row[0].row}")
            wanted, *known = (re.sub(left_out, " ", one.lower()).split() for one in names)
            if wanted in known:
                return row
    raise ProgramError(f"the table has no row {shown(name)!r}")


def _places(fact: Mapping[str, Any]) -> Iterator[tuple[float | None, str]]:
    """Yield each number in a fact, with its place: the row and column names of the cell, or the sentence."""
    for cell in fact["cells"]:
        if cell.written:
            yield number(cell.written), ", ".join(filter(None, (cell.row or cell.section, cell.column))) or cell.docno
    for quantity in () if fact["cells"] else fact["quantities"]:
        written = read_value(fact["text"][quantity.start : quantity.end])
        yield number(written.written) if written else quantity.low, f"{fact['docno']}: {fact['text']}"


EXACT: Final = frozenset({0.0, *CONSTANTS.values()})
"""Numbers that are compared by value when two programs are compared. All other numbers are treated as variables."""
_PRIME: Final = 2**127 - 1


def _formula(steps: Sequence[Step]) -> int | None:
    """Return a program's result modulo a prime, or None if the program has no steps or divides by zero."""
    done: list[int] = []
    for step in steps:
        if step.operation in OVER_ROWS:
            done.append(_drawn(step.operation, " ".join(step.first.lower().split())))
            continue
        first, second = (_symbol(argument, done) for argument in (step.first, step.second))
        exponent = _exact(step.second)
        try:
            if step.operation == "divide":
                found = first * pow(second, -1, _PRIME)
            elif step.operation == "exp" and exponent is not None:
                found = pow(first, exponent, _PRIME)
            elif step.operation in ("exp", "greater"):
                found = _drawn(step.operation, first, second)
            else:
                found = ARITHMETIC[step.operation](first, second)
        except ValueError:  # pow has no inverse of 0
            return None
        done.append(found % _PRIME)
    return done[-1] if done else None


def _symbol(argument: str, done: Sequence[int]) -> int:
    step, exact, value = reference(argument), _exact(argument), number(argument) or 0.0
    if step is not None:
        return done[step]
    return exact if exact is not None else _drawn(f"{abs(value):.12g}") * (-1 if value < 0 else 1)


def _exact(argument: str) -> int | None:
    value = number(argument)
    return int(value) if value in EXACT and not argument.endswith("%") else None


def _drawn(*name: object) -> int:
    return int.from_bytes(blake2b(repr(name).encode(), digest_size=16).digest()) % _PRIME
