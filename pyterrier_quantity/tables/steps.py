"""What programs are made of: operations, steps and their arguments; and the readers of programs and of arithmetic."""

from __future__ import annotations

import ast
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
    for part in _parted(text):
        _add_step(part, steps)
    return steps


def _parted(text: str) -> list[str]:
    """What stands between commas; those within brackets are its own, as are commas between thousands."""
    parts, start, level, read = [], 0, 0, 0
    for sign in (*_SIGN.finditer(text), None):
        if level == 0 and read <= start and (grouped := _GROUPED.match(text, start)):
            level, read = grouped[0].count("("), grouped.end()
        end = sign.start() if sign else len(text)
        if sign and end < read:
            continue
        if level == 0 and (sign is None or sign[0] == ","):
            parts.append(text[start:end].strip())
            start = end + 1
        elif sign:
            level += (sign[0] == "(") - (sign[0] == ")")
        if level < 0:
            raise ProgramError(f"a comma is missing before {text[end : end + 20]!r}")
        if level > DEEPEST:
            raise ProgramError("operations are nested too deeply")
    if level:
        raise ProgramError("a closing bracket is missing")
    return parts


def _add_step(text: str, steps: list[Step]) -> str:
    """Reads one operation, those nested in it first, and adds their steps; its reference."""
    found = _STEP.match(text)
    if not found:
        raise ProgramError(f"an operation is expected at {text[:20]!r}" if text else "the program ends in a comma")
    name = found[1].lower()
    if name not in OPERATIONS:
        raise ProgramError(f"unknown operation {shown(found[1])!r}; one of {', '.join(OPERATIONS)}")
    if not text.endswith(")"):
        raise ProgramError(f"a comma is missing before {text[text.rfind(')') + 1 :].strip()[:20]!r}")
    arguments = [_argument(part, steps) for part in _parted(text[found.end() : -1])]
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
    return f"#{len(steps) - 1}"


def _argument(text: str, steps: list[Step]) -> str:
    """A number, constant, reference or row name as it is; the reference of an operation, which is added."""
    found = _STEP.match(text)
    return _add_step(text, steps) if found and found[1].lower() in OPERATIONS else text


def _check_argument(argument: str, steps: int) -> None:
    step = reference(argument)
    if step is not None and step >= steps:
        raise ProgramError(f"{argument} refers to a step that is not done before it")
    if step is None and number(argument) is None:
        raise ProgramError(f"{shown(argument)!r} is no number, constant or earlier step")


_TOKEN: Final = re.compile(
    r"\s*(?:[$€£¥]\s*)?(?:(?P<number>(?:\d[\d,]*(?:\.\d*)?|\.\d+)\s*(?:%|thousand|million|billion)?)"
    r"|(?P<sign>[-+*/^()−–—×÷xX\[\]{}]))\s*"
)
_SIGNS: Final = str.maketrans({"−": "-", "–": "-", "—": "-", "×": "*", "x": "*", "X": "*", "÷": "/", "^": "**"})
_BRACKETS: Final = str.maketrans("[{]}", "(())")
_OPERATIONS: Final = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "exp"}
LONGEST: Final = 2000


def expression_steps(text: str) -> list[Step]:
    """The steps of an arithmetic expression, in the order of Python's operators; a number alone is added to nothing.

    Raises:
        ProgramError: saying what is wrong where.
    """
    numbers: list[str] = []
    formula, position = "", 0
    text = text.strip().rstrip("=").strip()
    while position < len(text) <= LONGEST:
        found = _TOKEN.match(text, position)
        if not found:
            raise ProgramError(f"{text[position : position + 20]!r} is no arithmetic")
        position = found.end()
        if found["number"]:
            formula += f" n{len(numbers)} "
            numbers.append(" ".join(found["number"].split()).rstrip(","))
        else:
            formula += found["sign"].translate(_SIGNS).translate(_BRACKETS)
    if not formula:
        raise ProgramError("the expression is too long" if text else "the expression is empty")
    steps: list[Step] = []
    try:
        result = _read(ast.parse(formula.strip(), mode="eval").body, numbers, steps)
    except SyntaxError as error:
        raise ProgramError(f"{shown(text)!r} is no arithmetic: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise ProgramError("the expression is nested too deeply") from error
    return steps or [Step("add", result, "0")]


def _read(node: ast.expr, numbers: list[str], steps: list[Step]) -> str:
    """What a part of a formula is called, a number or a step, the steps that it takes added to those before."""
    if isinstance(node, ast.Name):
        return numbers[int(node.id[1:])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        operand = _read(node.operand, numbers, steps)
        if isinstance(node.op, ast.UAdd):
            return operand
        if not operand.startswith("#"):
            return operand[1:] if operand.startswith("-") else f"-{operand}"
        steps.append(Step("multiply", operand, "const_m1"))
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        first, second = _read(node.left, numbers, steps), _read(node.right, numbers, steps)
        steps.append(Step(_OPERATIONS[type(node.op)], first, second))
    else:
        raise ProgramError("an operator is missing, or one too many is there")
    return f"#{len(steps) - 1}"
