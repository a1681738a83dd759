"""Convert arithmetic expressions, such as the gold derivations of TAT-QA, to programs."""

import ast
import re
from typing import Final

from pyterrier_quantity.tables import Program
from pyterrier_quantity.tables.program import ProgramError, Step, add_step, shown

_LONGEST: Final = 2000
"""The maximum number of characters in an expression."""


def derivation(text: str) -> Program:
    """Convert an expression to a program: "(44.1-56.7)/56.7", "[(4,411+4,044)/2] - 3", "15% * $2.2".

    Divisors and subtrahends that are small integers remain numbers. Malformed text gives a program without steps, whose
    `execute` returns the reason.
    """
    try:
        return Program(tuple(expression_steps(str(text))))
    except ProgramError as error:
        return Program((), str(error))


_TOKEN: Final = re.compile(
    r"\s*(?:[$€£¥]\s*)?(?:(?P<number>(?:\d[\d,]*(?:\.\d*)?|\.\d+)\s*(?:%|thousand|million|billion)?)"
    r"|(?P<sign>[-+*/^()−–—×÷xX\[\]{}]))\s*"
)
_SIGNS: Final = str.maketrans(dict(zip("−–—×xX÷^[{]}", (*"---***/", "**", *"(())"), strict=True)))
_OPERATORS: Final = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "exp"}


def expression_steps(text: str) -> list[Step]:
    """Return the steps of an arithmetic expression, in the order of Python's operators. A single number is added to
    zero.

    Raises:
        ProgramError: if the expression is malformed. The message names the error and its position.
    """
    numbers: list[str] = []
    formula, position = "", 0
    text = text.strip().rstrip("=").strip()
    while position < len(text) <= _LONGEST:
        found = _TOKEN.match(text, position)
        if not found:
            raise ProgramError(f"{text[position : position + 20]!r} is no arithmetic")
        position = found.end()
        if found["number"]:
            formula += f" n{len(numbers)} "
            numbers.append(" ".join(found["number"].split()).rstrip(","))
        else:
            formula += found["sign"].translate(_SIGNS)
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
    """Return the name of a part of a formula: a number or a step. Steps of the part are appended to `steps`."""
    if isinstance(node, ast.Name):
        return numbers[int(node.id[1:])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        operand = _read(node.operand, numbers, steps)
        if isinstance(node.op, ast.UAdd):
            return operand
        if not operand.startswith("#"):
            return operand[1:] if operand.startswith("-") else f"-{operand}"
        return add_step(steps, "multiply", [operand, "const_m1"])
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATORS:
        raise ProgramError("an operator is missing, or one too many is there")
    return add_step(steps, _OPERATORS[type(node.op)], [_read(side, numbers, steps) for side in (node.left, node.right)])
