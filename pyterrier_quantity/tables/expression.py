"""Arithmetic as people write it, with brackets of all kinds, as the steps of a program."""

from __future__ import annotations

import re
from typing import Final

from pyterrier_quantity.tables.steps import ProgramError, Step, shown

_TOKEN: Final = re.compile(
    r"\s*(?:[$€£¥]\s*)?(?:(?P<number>(?:\d[\d,]*(?:\.\d*)?|\.\d+)\s*(?:%|thousand|million|billion)?)"
    r"|(?P<sign>[-+*/^()−–—×÷xX\[\]{}]))\s*"
)
_PLAIN_SIGN: Final = str.maketrans("−–—×xX÷[{]}", "---***/(())")
_OPERATION: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "^": "exp"}
_STRENGTH: Final = {"(": 0, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3, "negated": 4}
MOST_TOKENS: Final = 1000


def expression_steps(text: str) -> list[Step]:
    """The steps of an arithmetic expression, by Dijkstra's shunting yard; a number alone is added to nothing.

    Operators of one strength are taken from the left, powers too.

    Raises:
        ProgramError: saying what is wrong where.
    """
    yard = _Yard()
    for token in _tokens(text):
        if not (yard.take_operand(token) if yard.wants_operand else yard.take_operator(token)):
            raise ProgramError(f"{shown(token)!r} is not expected in {shown(text)!r}")
    result = yard.result()
    return yard.steps or [Step("add", result, "0")]


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    text = text.strip().rstrip("=").strip()
    while position < len(text) and len(tokens) <= MOST_TOKENS:
        found = _TOKEN.match(text, position)
        if not found:
            raise ProgramError(f"{text[position : position + 20]!r} is no arithmetic")
        number = found["number"]
        tokens.append(" ".join(number.split()).rstrip(",") if number else found["sign"].translate(_PLAIN_SIGN))
        position = found.end()
    if not tokens or len(tokens) > MOST_TOKENS:
        raise ProgramError("the expression is too long" if tokens else "the expression is empty")
    return tokens


class _Yard:
    """Operands and operators that wait for those behind them; steps collect as they are ready."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.wants_operand = True
        self._operands: list[str] = []
        self._operators: list[str] = []

    def take_operand(self, token: str) -> bool:
        """Takes a number, or what may stand before one; False where it is neither."""
        if token in "(-":
            self._operators.append("negated" if token == "-" else token)
        elif token not in "+)*/^":
            self._operands.append(token)
            self.wants_operand = False
        return token not in ")*/^"

    def take_operator(self, token: str) -> bool:
        """Takes an operator or a closing bracket; False where the token is neither, or closes nothing."""
        if token == ")":
            self._apply(1)
            return bool(self._operators) and self._operators.pop() == "("
        if token in _OPERATION:
            self._apply(_STRENGTH[token])
            self._operators.append(token)
            self.wants_operand = True
        return token in _OPERATION

    def result(self) -> str:
        """What the whole is called, a number or a step."""
        if self.wants_operand:
            raise ProgramError("the expression ends in an operator")
        self._apply(1)
        if self._operators:
            raise ProgramError("a closing bracket is missing")
        return self._operands[-1]

    def _apply(self, least: int) -> None:
        """Makes steps of the operators on top that bind at least so strongly."""
        while self._operators and _STRENGTH[self._operators[-1]] >= least:
            operator = self._operators.pop()
            second = self._operands.pop()
            if operator == "negated":
                self._operands.append(self._negated(second))
            else:
                self._operands.append(self._step(_OPERATION[operator], self._operands.pop(), second))

    def _negated(self, operand: str) -> str:
        if operand.startswith("#"):
            return self._step("multiply", operand, "const_m1")
        return operand[1:] if operand.startswith("-") else f"-{operand}"

    def _step(self, operation: str, first: str, second: str) -> str:
        self.steps.append(Step(operation, first, second))
        return f"#{len(self.steps) - 1}"
