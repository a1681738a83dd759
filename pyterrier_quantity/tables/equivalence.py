"""Programs as formulas over symbols, to compare what they compute whatever the numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

from pyterrier_quantity.tables.steps import CONSTANTS, OVER_ROWS, Step, number, reference

EXACT: Final = frozenset(CONSTANTS.values())
"""Whole numbers that mean themselves; any other number might have been another one."""
_PRIME: Final = 2**127 - 1
_LARGEST: Final = 10**18


class _Value(NamedTuple):
    """A formula's value at one point, modulo `_PRIME`; `whole` is its exact value where that is a whole number."""

    residue: int
    whole: int | None = None


def equivalent(first: Sequence[Step], second: Sequence[Step]) -> bool:
    """See `Program.equivalent`.

    Each number that might have been another one, and each row, stands for a value modulo a prime of 127 bits that is
    drawn by its name. Two different quotients of polynomials agree there with a chance of their degree in 2^127
    (Schwartz 1980, Zippel 1979), and powers of any size take no more than their exponent's digits.
    """
    one, other = _value(first), _value(second)
    return one is not None and other is not None and one.residue == other.residue


def _value(steps: Sequence[Step]) -> _Value | None:
    """The last step's value, None for a program without steps or that divides by nought."""
    done: list[_Value] = []
    for step in steps:
        try:
            done.append(_of_step(step, done))
        except ValueError:  # pow has no inverse of 0
            return None
    return done[-1] if done else None


def _of_step(step: Step, done: Sequence[_Value]) -> _Value:
    if step.operation in OVER_ROWS:
        return _Value(_drawn(step.operation, " ".join(step.first.lower().split())))
    first, second = (_argument(argument, done) for argument in (step.first, step.second))
    return _Value(_residue(step.operation, first, second), _whole(step.operation, first.whole, second.whole))


def _residue(operation: str, first: _Value, second: _Value) -> int:
    if operation == "exp" and second.whole is not None:
        return pow(first.residue, second.whole, _PRIME)
    one, other = first.residue, second.residue
    if operation == "add":
        return (one + other) % _PRIME
    if operation == "subtract":
        return (one - other) % _PRIME
    if operation == "multiply":
        return one * other % _PRIME
    if operation == "divide":
        return one * pow(other, -1, _PRIME) % _PRIME
    return _drawn(operation, one, other)


def _whole(operation: str, first: int | None, second: int | None) -> int | None:
    """The exact value, which exponents need; None where it is not whole, or large."""
    if first is None or second is None:
        return None
    whole = {"add": first + second, "subtract": first - second, "multiply": first * second}.get(operation)
    if operation == "divide" and second and first % second == 0:
        whole = first // second
    return whole if whole is not None and abs(whole) <= _LARGEST else None


def _argument(argument: str, done: Sequence[_Value]) -> _Value:
    step = reference(argument)
    if step is not None:
        return done[step]
    value = number(argument) or 0.0
    if value == 0 or (value in EXACT and not argument.endswith("%")):
        return _Value(int(value) % _PRIME, int(value))
    drawn = _drawn(f"{abs(value):.12g}")
    return _Value(drawn if value > 0 else _PRIME - drawn)


def _drawn(*name: object) -> int:
    """The value of what has this name, the same in every program."""
    return int.from_bytes(blake2b(repr(name).encode(), digest_size=16).digest()) % _PRIME
