"""Convert programs (calculations such as "divide(9, 8)") to sequences of tokens and back, for neural decoders."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.tables.generator import Operand, operands
from pyterrier_quantity.tables.program import ARITHMETIC, CONSTANTS, OVER_ROWS, Program, Step, number, reference

MOST_STEPS: Final = 8
RESERVED: Final = ("", *ARITHMETIC, *OVER_ROWS, "none", "0", *CONSTANTS, *(f"#{step}" for step in range(MOST_STEPS)))
"""Tokens that begin every vocabulary; a question's numbers and rows follow. The token "" ends a program."""
_END, _NONE, _STEPS, _COPIED = 0, RESERVED.index("none"), RESERVED.index("#0"), len(RESERVED)
_OPERATIONS, _OVER_ROWS = slice(1, _NONE), slice(1 + len(ARITHMETIC), _NONE)
_CONSTANTS: Final = slice(_NONE + 1, _STEPS)


@dataclass(frozen=True)
class Tokens:
    """The tokens for a question's calculations: reserved words such as operations, then the numbers and rows in facts.

    Args:
        copied: tokens from facts: pairs of a text ("5%", or a row name) and the numbers that the text stands for.
        rows: for each token in `copied`, whether it is the name of a row, not a number.
    """

    copied: tuple[tuple[str, tuple[Operand, ...]], ...]
    rows: tuple[bool, ...]

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The text of each token of the vocabulary."""
        return (*RESERVED, *(written for written, _ in self.copied))

    def allowed(self, chosen: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return a boolean array over all tokens: True for tokens that may come after the tokens `chosen` so far. For
        example, the two arguments of an operation must not refer to the same earlier step."""
        mask, rows = np.zeros(len(self.written), dtype=bool), np.array(self.rows, dtype=bool)
        steps, place = divmod(len(chosen), 3)
        if place == 0:
            mask[_END] = steps > 0
            mask[_OPERATIONS] = steps < MOST_STEPS
            mask[_OVER_ROWS] &= rows.any()
        elif RESERVED[chosen[3 * steps]] in OVER_ROWS:
            mask[_NONE], mask[_COPIED:] = place == 2, rows & (place == 1)
        else:
            mask[_CONSTANTS], mask[_COPIED:] = True, ~rows
            mask[_STEPS : _STEPS + steps] = [RESERVED[chosen[3 * step]] != "greater" for step in range(steps)]
            if place == 2 and chosen[-1] >= _STEPS:
                mask[chosen[-1]] = False
        return mask

    def program(self, chosen: Sequence[int]) -> Program:
        """Convert token indexes to a `Program`, with the docnos of cells and sentences that contain the numbers."""
        steps = [Step(*(self.written[n] for n in chosen[at : at + 3])) for at in range(0, len(chosen) - 2, 3)]
        used = [one.docno for n in chosen if n >= _COPIED for one in self.copied[n - _COPIED][1]]
        return Program(tuple(steps), "", tuple(dict.fromkeys(used)))

    def spelling(self, program: Program) -> list[list[int]]:
        """Convert a program to token indexes: a list for each token of the program. The list has several indexes if
        several facts contain the same number. The end token comes last. If a number or row is in no fact, return []."""
        meant: list[list[int]] = []
        for step in program.steps[: MOST_STEPS + 1]:
            rows = [_COPIED + n for n, (name, _) in enumerate(self.copied) if self.rows[n] and name == step.first]
            numbers = [self._meant(step.first), self._meant(step.second)]
            arguments = [rows, [_NONE]] if step.operation in OVER_ROWS else numbers
            meant += [[RESERVED.index(step.operation)], *arguments]
        found: list[list[int]] = []
        for same in [*meant, [_END]]:
            mask = self.allowed([tokens[0] for tokens in found])
            found.append([token for token in same if mask[token]])
            if not found[-1]:
                return []
        return found

    def _meant(self, argument: str) -> list[int]:
        """Return the indexes of all tokens for an argument: a number, a constant, or a reference to an earlier step."""
        step, value = reference(argument), number(argument)
        if step is not None or value is None:
            return [_STEPS + step] if step is not None and step < MOST_STEPS else []
        same = [n for n in range(_NONE + 1, _STEPS) if number(RESERVED[n]) == value]
        stated = [(n, number(self.written[n]) or 0.0) for n, row in enumerate(self.rows, _COPIED) if not row]
        close = [n for n, other in stated if math.isclose(other, value, rel_tol=1e-9)]
        points = [n for n, other in stated if math.isclose(100 * other, value, rel_tol=1e-9)]
        return same + close if argument in CONSTANTS else (close or points) + same


def tokens_of(facts: Sequence[Mapping[str, Any]]) -> Tokens:
    """Return the tokens for calculations with the given facts: `RESERVED` words, numbers and row names."""
    numbers = operands(facts)
    rows: dict[tuple[str, int, str], list[Operand]] = {}
    for operand in numbers:
        if operand.cell and (name := operand.cell.row or operand.cell.section):
            rows.setdefault((operand.docno.rpartition("#")[0], operand.cell.place[0], name), []).append(operand)
    copied = [(one.written, (one,)) for one in numbers] + [(name, tuple(own)) for (*_, name), own in rows.items()]
    return Tokens(tuple(copied), (False,) * len(numbers) + (True,) * len(rows))
