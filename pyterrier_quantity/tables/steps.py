"""What programs are made of: operations, steps and their arguments; and the reader of their text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.tables.cell_values import read_value

ARITHMETIC: Final = ("add", "subtract", "multiply", "divide", "exp", "greater")
OVER_ROWS: Final = ("table_max", "table_min", "table_sum", "table_average")
OPERATIONS: Final = (*ARITHMETIC, *OVER_ROWS)
CONSTANTS: Final = {
    **{f"const_{n}": float(n) for n in (*range(1, 11), *(10**k for k in range(2, 10)))},
    "const_m1": -1.0,
}
DEEPEST: Final = 50
"""So deep may operations be nested."""

_STEP: Final = re.compile(r"\s*([A-Za-z_]+)\s*\(")
_GROUPED: Final = re.compile(r"[\s$€£(+-]*\d{1,3}(?:,\d{3})+(?!\d)")
"""A number with separated thousands: its commas part no arguments."""
_SIGN: Final = re.compile(r"[(),]")
_BLANK: Final = re.compile(r"\s*")
_REFERENCE: Final = re.compile(r"#(\d{1,9})$")


class ProgramError(ValueError):
    """Why a text is no program."""


@dataclass(frozen=True)
class Step:
    """One operation with its two arguments as written: a number, "const_N", "#i", or a row's name and "none"."""

    operation: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.operation}({self.first}, {self.second})"


@dataclass(frozen=True)
class NotExecutable:
    """The result of a program that cannot be computed; false in a condition.

    Args:
        reason: what is wrong with the program, or with one of its steps.
    """

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"not executable: {self.reason}"


def number(argument: str) -> float | None:
    """The value of a number as written, percent as hundredths, or of a constant; None for anything else."""
    if argument in CONSTANTS:
        return CONSTANTS[argument]
    value = read_value(argument)
    if value is None:
        return None
    return value.number / 100 if value.percent else value.number * value.scale


def reference(argument: str) -> int | None:
    """The step that "#2" refers to; None for anything else."""
    found = _REFERENCE.match(argument)
    return int(found[1]) if found else None


def shown(text: object) -> str:
    """A text for a message: the start of a long one."""
    whole = str(text)
    return whole if len(whole) <= 60 else f"{whole[:57]}..."


def read_steps(text: str) -> list[Step]:
    """The steps of a program, those that are nested before those around them.

    Raises:
        ProgramError: saying what is wrong where.
    """
    if not text.strip():
        raise ProgramError("the program is empty")
    steps: list[Step] = []
    _read_list(text, 0, steps)
    return steps


def _skipped(text: str, position: int) -> int:
    """The place behind the blanks at a position."""
    return len(_BLANK.match(text, position)[0]) + position  # type: ignore[index]


def _read_step(text: str, position: int, steps: list[Step], depth: int) -> tuple[str, int]:
    """Reads one operation, those nested in it first; its reference, and where it ends."""
    found = _STEP.match(text, position)
    if not found:
        raise ProgramError(f"an operation is expected at {text[position : position + 20]!r}")
    if depth > DEEPEST:
        raise ProgramError("operations are nested too deeply")
    name = found[1].lower()
    if name not in OPERATIONS:
        raise ProgramError(f"unknown operation {shown(found[1])!r}; one of {', '.join(OPERATIONS)}")
    arguments, position = _read_list(text, found.end(), steps, depth + 1)
    if name in OVER_ROWS:
        arguments = [", ".join(arguments[:-1] if arguments[-1] == "none" else arguments), "none"]
    elif len(arguments) == 1:
        arguments = arguments[0].split(",", 1)
    if len(arguments) != 2 or not all(arguments):
        raise ProgramError(f"{name} takes two arguments, got {len([a for a in arguments if a])}")
    first, second = (argument.strip() for argument in arguments)
    if name in ARITHMETIC:
        _check_argument(first, len(steps))
        _check_argument(second, len(steps))
    steps.append(Step(name, first, second))
    return f"#{len(steps) - 1}", position


def _check_argument(argument: str, steps: int) -> None:
    step = reference(argument)
    if step is not None and step >= steps:
        raise ProgramError(f"{argument} refers to a step that is not done before it")
    if step is None and number(argument) is None:
        raise ProgramError(f"{shown(argument)!r} is no number, constant or earlier step")


def _read_list(text: str, position: int, steps: list[Step], depth: int = 0) -> tuple[list[str], int]:
    """The arguments up to the closing bracket and the place behind it; at depth 0 the steps up to the text's end."""
    arguments: list[str] = []
    while True:
        if depth == 0 or ((found := _STEP.match(text, position)) and found[1].lower() in OPERATIONS):
            argument, position = _read_step(text, position, steps, depth)
        else:
            argument, position = _read_plain(text, position)
        arguments.append(argument)
        position = _skipped(text, position)
        sign = text[position : position + 1]
        if sign == (")" if depth else ""):
            return arguments, position + 1
        if not sign:
            raise ProgramError("a closing bracket is missing")
        if sign != ",":
            raise ProgramError(f"a comma is missing before {text[position : position + 20]!r}")
        position = _skipped(text, position + 1)
        if not depth and position == len(text):
            raise ProgramError("the program ends in a comma")


def _read_plain(text: str, start: int) -> tuple[str, int]:
    """A number, constant, reference or row name; brackets within it are its own, as are commas between thousands."""
    grouped = _GROUPED.match(text, start)
    level = grouped[0].count("(") if grouped else 0
    for found in _SIGN.finditer(text, grouped.end() if grouped else start):
        if level == 0 and found[0] in "),":
            return text[start : found.start()].strip(), found.start()
        level += (found[0] == "(") - (found[0] == ")")
    raise ProgramError("a closing bracket is missing")
