"""What programs are made of: operations, steps, arguments; and the reader of their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pyterrier_quantity.tables.cell_values import read_value

ARITHMETIC: Final = ("add", "subtract", "multiply", "divide", "exp", "greater")
OVER_ROWS: Final = ("table_max", "table_min", "table_sum", "table_average")
OPERATIONS: Final = (*ARITHMETIC, *OVER_ROWS)
CONSTANTS: Final = {
    **{f"const_{n}": float(n) for n in (*range(1, 11), *(10**k for k in range(2, 10)))},
    "const_m1": -1.0,
}

_STEP: Final = re.compile(r"\s*([A-Za-z_]+)\s*\(")
REFERENCE: Final = re.compile(r"#(\d+)$")


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
    """What a program that has no result gives in place of one; false in a condition.

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
    found = REFERENCE.match(argument)
    return int(found[1]) if found else None


def read_steps(text: str, steps: list[Step]) -> None:
    position = 0
    if not text.strip():
        raise ProgramError("the program is empty")
    while position < len(text):
        _, position = _read_step(text, position, steps)
        rest = text[position:].lstrip()
        if rest and not rest.startswith(","):
            raise ProgramError(f"a comma is missing before {rest[:20]!r}")
        position = len(text) - len(rest) + 1 if rest else len(text)
        if rest and not rest[1:].strip():
            raise ProgramError("the program ends in a comma")


def _read_step(text: str, position: int, steps: list[Step], depth: int = 0) -> tuple[str, int]:
    """Reads one operation, those nested in it first; its reference, and where it ends."""
    found = _STEP.match(text, position)
    if not found:
        raise ProgramError(f"an operation is expected at {text[position : position + 20]!r}")
    if depth > 50:
        raise ProgramError("operations are nested too deeply")
    name = found[1].lower()
    if name not in OPERATIONS:
        raise ProgramError(f"unknown operation {found[1]!r}; one of {', '.join(OPERATIONS)}")
    arguments, position = _read_arguments(text, found.end(), steps, depth)
    if name in OVER_ROWS:
        arguments = [", ".join(arguments[:-1] if arguments[-1] == "none" else arguments), "none"]
    elif len(arguments) == 1:
        arguments = arguments[0].split(",", 1)
    if len(arguments) != 2 or not all(arguments):
        raise ProgramError(f"{name} takes two arguments, got {len([a for a in arguments if a])}")
    arguments = [argument.strip() for argument in arguments]
    for argument in arguments:
        if name in ARITHMETIC and (problem := _argument_problem(argument, len(steps))):
            raise ProgramError(problem)
    steps.append(Step(name, *arguments))
    return f"#{len(steps) - 1}", position


def _argument_problem(argument: str, steps: int) -> str:
    step = reference(argument)
    if step is not None:
        return "" if step < steps else f"{argument} refers to a step that is not done before it"
    return "" if number(argument) is not None else f"{argument!r} is no number, constant or earlier step"


def _read_arguments(text: str, position: int, steps: list[Step], depth: int) -> tuple[list[str], int]:
    """The arguments up to the closing bracket. A comma between digits, "1,200", separates thousands."""
    arguments: list[str] = []
    while True:
        if (found := _STEP.match(text, position)) and found[1].lower() in OPERATIONS:
            argument, position = _read_step(text, position, steps, depth + 1)
        else:
            argument, position = _read_plain(text, position)
        arguments.append(argument)
        rest = text[position:].lstrip()
        position = len(text) - len(rest)
        if not rest:
            raise ProgramError("a closing bracket is missing")
        position += 1
        if rest[0] == ")":
            return arguments, position
        if rest[0] != ",":
            raise ProgramError(f"a comma is missing before {rest[:20]!r}")


def _read_plain(text: str, position: int) -> tuple[str, int]:
    """A number, constant, reference or row name; brackets within it are its own."""
    level, start = 0, position
    for place, sign in _signs(text, position):
        if level == 0 and (sign == ")" or (sign == "," and not _within_number(text, start, place))):
            return text[start:place].strip(), place
        level += (sign == "(") - (sign == ")")
    raise ProgramError("a closing bracket is missing")


def _signs(text: str, position: int) -> Iterator[tuple[int, str]]:
    return ((place, text[place]) for place in range(position, len(text)) if text[place] in "(),")


def _within_number(text: str, start: int, comma: int) -> bool:
    before = re.fullmatch(r"[\s$€£(+-]*\d{1,3}(?:,\d{3})*", text[start:comma])
    return bool(before) and bool(re.match(r",\d{3}(?!\d)", text[comma:]))


def records(facts: Any) -> list[Mapping[str, Any]]:
    """Facts as dictionaries, from a frame or from dictionaries."""
    return facts.to_dict("records") if hasattr(facts, "to_dict") else list(facts)
