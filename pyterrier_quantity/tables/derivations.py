"""Arithmetic as people write it, with brackets of all kinds, as the steps of a program."""

from __future__ import annotations

import re
from typing import Final

from pyterrier_quantity.tables.program_parts import ProgramError, Step

_TOKEN: Final = re.compile(
    r"\s*(?:[$€£¥]\s*)?(?:(?P<number>(?:\d[\d,]*(?:\.\d*)?|\.\d+)\s*(?:%|thousand|million|billion)?)"
    r"|(?P<sign>[-+*/^()−–—×÷xX\[\]{}]))\s*"
)
_SIGNS: Final = {
    "−": "-",
    "–": "-",
    "—": "-",
    "×": "*",
    "x": "*",
    "X": "*",
    "÷": "/",
    "[": "(",
    "{": "(",
    "]": ")",
    "}": ")",
}
_NAMES: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "^": "exp"}
_LEVELS: Final = ("+-", "*/", "^")
MOST_TOKENS: Final = 1000


def expression_steps(text: str) -> list[Step]:
    """The steps of an arithmetic expression; a number alone is added to nothing.

    Raises:
        ProgramError: saying what is wrong where.
    """
    parser = _Parser(_tokens(text))
    result = parser.level(0)
    if parser.rest:
        raise ProgramError(f"{parser.rest[0]!r} is not expected in {text!r}")
    return parser.steps or [Step("add", result, "0")]


def _tokens(text: str) -> list[str]:
    tokens, position = [], 0
    text = text.strip().rstrip("=").strip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise ProgramError(f"{text[position : position + 20]!r} is no arithmetic")
        sign = found["sign"]
        tokens.append(_SIGNS.get(sign, sign) if sign else " ".join(found["number"].split()).rstrip(","))
        position = found.end()
    if not tokens or len(tokens) > MOST_TOKENS:
        raise ProgramError("the expression is empty" if not tokens else "the expression is too long")
    return tokens


class _Parser:
    """Recursive descent over tokens; steps collect as they are read."""

    def __init__(self, tokens: list[str]) -> None:
        self.rest, self._depth = tokens, 0
        self.steps: list[Step] = []

    def level(self, level: int) -> str:
        """An expression of operators of this level and those that bind closer; what its result is called."""
        if level == len(_LEVELS):
            return self._operand()
        result = self.level(level + 1)
        while self.rest and self.rest[0] in _LEVELS[level]:
            sign = self.rest.pop(0)
            result = self._add(_NAMES[sign], result, self.level(level + 1))
        return result

    def _operand(self) -> str:
        if not self.rest:
            raise ProgramError("the expression ends in an operator")
        token = self.rest.pop(0)
        if token == "-":
            return self._negated(self._operand())
        if token == "+":
            return self._operand()
        if token == "(":
            return self._bracketed()
        if token in "*/^)":
            raise ProgramError(f"{token!r} is not expected")
        return token

    def _bracketed(self) -> str:
        self._depth += 1
        if self._depth > 50:
            raise ProgramError("brackets are nested too deeply")
        result = self.level(0)
        if not self.rest or self.rest.pop(0) != ")":
            raise ProgramError("a closing bracket is missing")
        self._depth -= 1
        return result

    def _negated(self, operand: str) -> str:
        if operand.startswith("#"):
            return self._add("multiply", operand, "const_m1")
        return operand[1:] if operand.startswith("-") else f"-{operand}"

    def _add(self, operation: str, first: str, second: str) -> str:
        self.steps.append(Step(operation, first, second))
        return f"#{len(self.steps) - 1}"
