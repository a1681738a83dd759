"""Programs as formulas over symbols, to compare what they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyterrier_quantity.neural.models import need
from pyterrier_quantity.tables.program_parts import CONSTANTS, OVER_ROWS, Step, number, reference

if TYPE_CHECKING:
    from pyterrier_quantity.tables.program import Program


EXACT = frozenset(CONSTANTS.values())
"""Whole numbers that mean themselves; any other number might have been another one."""


def equivalent(first: Program, second: Program) -> bool:
    """See `Program.equivalent`."""
    if not (first.steps and second.steps):
        return False
    sympy = need("sympy", "tables")
    one, other = _formula(first, sympy), _formula(second, sympy)
    if one.has(sympy.zoo, sympy.nan) or other.has(sympy.zoo, sympy.nan):
        return False
    return bool(sympy.cancel(sympy.together(one - other)) == 0)


def _formula(program: Program, sympy: Any) -> Any:
    done: list[Any] = []
    for step in program.steps:
        done.append(_of_row(step, sympy) if step.operation in OVER_ROWS else _of_step(step, done, sympy))
    return done[-1]


def _of_row(step: Step, sympy: Any) -> Any:
    return sympy.Symbol(f"{step.operation} {' '.join(step.first.lower().split())}")


def _of_step(step: Step, done: list[Any], sympy: Any) -> Any:
    first, second = (_argument(argument, done, sympy) for argument in (step.first, step.second))
    combine = {
        "add": lambda: first + second, "subtract": lambda: first - second, "multiply": lambda: first * second,
        "divide": lambda: first / second, "exp": lambda: first**second,
        "greater": lambda: sympy.Function("greater")(first, second),
    }  # fmt: skip
    return combine[step.operation]()


def _argument(argument: str, done: list[Any], sympy: Any) -> Any:
    step = reference(argument)
    if step is not None:
        return done[step]
    value = number(argument) or 0.0
    if value in EXACT and not argument.endswith("%"):
        return sympy.Integer(int(value))
    return (-1 if value < 0 else 1) * sympy.Symbol(f"n{abs(value):.12g}", positive=True) if value else sympy.Integer(0)
