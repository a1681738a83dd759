"""The ten operations of programs, steps (one operation with its arguments), and the parser."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pyterrier_quantity.tables.cell_values import read_value

ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
    "greater": lambda first, second: "yes" if first > second else "no",
}
"""Operations on two numbers."""
OVER_ROWS: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "table_max": max,
    "table_min": min,
    "table_sum": math.fsum,
    "table_average": lambda values: math.fsum(values) / len(values),
}
"""Operations on the numbers of a table row."""
OPERATIONS: Final = (*ARITHMETIC, *OVER_ROWS)
CONSTANTS: Final = {
    **{f"const_{n}": float(n) for n in (*range(1, 11), *(10**k for k in range(2, 10)))},
    "const_m1": -1.0,
}
DEEPEST: Final = 50
"""Maximum depth of nested operations."""


class ProgramError(ValueError):
    """Error of a text that is not a program, or of a step without a result; the message states the reason."""


@dataclass(frozen=True)
class Step:
    """An operation and two arguments: numbers, "const_N", "#i" (step i's result), or a row's name and "none"."""

    operation: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.operation}({self.first}, {self.second})"


@dataclass(frozen=True)
class NotExecutable:
    """Result of a program that cannot be executed; its truth value is False.

    Args:
        reason: the error in the program, or in one of its steps.
    """

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"not executable: {self.reason}"


def number(argument: str) -> float | None:
    """Return the value of a number or constant: "5%" -> 0.05, "const_100" -> 100; None for anything else."""
    if argument in CONSTANTS:
        return CONSTANTS[argument]
    value = read_value(argument)
    if value is None:
        return None
    return value.number / 100 if value.percent else value.number * value.scale


def reference(argument: str) -> int | None:
    """Return the index of the step that "#2" refers to (2); None for anything else."""
    found = re.match(r"#(\d{1,9})$", argument)
    return int(found[1]) if found else None


def shown(text: object) -> str:
    """Return a text shortened to at most 60 characters for a message."""
    whole = str(text)
    return whole if len(whole) <= 60 else f"{whole[:57]}..."


_PART: Final = re.compile(
    rf"\s*(?=\S)(?:(?P<over>{'|'.join(OVER_ROWS)})\s*\((?P<row>(?:[^()]|\([^()]*\))*)\)"
    r"|(?P<operation>[A-Za-z_]+)\s*\(|(?P<end>\))|(?P<comma>,)"
    r"|(?P<argument>(?:[$€£]\s?)?\([^()]*\)[^(),]*|[\s$€£+-]*\d{1,3}(?:,\d{3})+(?!\d)[^(),]*|[^(),]+)|(?P<open>\())",
    re.I,
)
"""Lexical units of a program. Commas in brackets, in numbers ("1,234") and in row names do not separate arguments."""


def read_steps(text: str) -> list[Step]:
    """Return the steps of a program; nested operations become earlier steps.

    Raises:
        ProgramError: stating the error and its place.
    """
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
    """Return an argument as written. At a closing bracket, add the finished step and return a reference to it."""
    if part["row"] is not None:
        name = re.sub(r"(?:^|,)\s*none\s*$", "", part["row"]).strip()
        return add_step(steps, part["over"].lower(), [name, "none"] if name else [])
    if len(around) == 1:
        raise ProgramError(f"an operation is expected at {part[0].strip()[:20]!r}")
    return add_step(steps, *around.pop()) if part["end"] else part[0].strip()


def add_step(steps: list[Step], operation: str, arguments: list[str]) -> str:
    """Append a step and return a reference to it, such as "#0"."""
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
