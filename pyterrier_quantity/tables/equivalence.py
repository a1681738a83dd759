"""Programs as formulas over symbols, to compare what they compute whatever the numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from pyterrier_quantity.tables.steps import CONSTANTS, OVER_ROWS, Step, number, reference

EXACT: Final = frozenset({0.0, *CONSTANTS.values()})
"""Whole numbers that mean themselves; any other number might have been another one."""
_PRIME: Final = 2**127 - 1


def equivalent(first: Sequence[Step], second: Sequence[Step]) -> bool:
    """See `Program.equivalent`.

    Each number that might have been another one, and each row, stands for a value modulo a prime of 127 bits that is
    drawn by its name. Two different quotients of polynomials agree there with a chance of their degree in 2^127
    (Schwartz 1980, Zippel 1979), and powers of any size take no longer than their exponent's digits.
    """
    one, other = _value(first), _value(second)
    return one is not None and one == other


def _value(steps: Sequence[Step]) -> int | None:
    """The last step's value; None for a program without steps, or that divides by nought."""
    done: list[int] = []
    for step in steps:
        try:
            done.append(_of_step(step, done) % _PRIME)
        except ValueError:  # pow has no inverse of 0
            return None
    return done[-1] if done else None


def _of_step(step: Step, done: Sequence[int]) -> int:
    if step.operation in OVER_ROWS:
        return _drawn(step.operation, " ".join(step.first.lower().split()))
    first, second = (_argument(argument, done) for argument in (step.first, step.second))
    if step.operation == "exp" and (exponent := _whole(step.second)) is not None:
        return pow(first, exponent, _PRIME)
    if step.operation == "add":
        return first + second
    if step.operation == "subtract":
        return first - second
    if step.operation == "multiply":
        return first * second
    if step.operation == "divide":
        return first * pow(second, -1, _PRIME)
    return _drawn(step.operation, first, second)


def _argument(argument: str, done: Sequence[int]) -> int:
    step, whole = reference(argument), _whole(argument)
    if step is not None:
        return done[step]
    if whole is not None:
        return whole % _PRIME
    value = number(argument) or 0.0
    return _drawn(f"{abs(value):.12g}") * (-1 if value < 0 else 1)


def _whole(argument: str) -> int | None:
    """The value of a number that means itself; None for others, and for what an earlier step gives."""
    value = number(argument)
    return int(value) if value in EXACT and not argument.endswith("%") else None


def _drawn(*name: object) -> int:
    """The value of what has this name, the same in every program."""
    return int.from_bytes(blake2b(repr(name).encode(), digest_size=16).digest()) % _PRIME
