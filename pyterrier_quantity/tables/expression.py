"""Arithmetic as people write it, with brackets of all kinds, as the steps of a program."""

from __future__ import annotations

import ast
import re
from typing import Final

from pyterrier_quantity.tables.steps import ProgramError, Step, shown

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
