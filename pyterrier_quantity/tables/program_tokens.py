"""Programs as tokens over a question's facts, which tokens may follow, and the steps that they spell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.tables.generator import Operand, operands
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.steps import CONSTANTS, OPERATIONS, OVER_ROWS, Step, number, reference

MOST_STEPS: Final = 8
RESERVED: Final = ("", *OPERATIONS, "none", "0", *CONSTANTS, *(f"#{step}" for step in range(MOST_STEPS)))
"""The tokens of every question, "" for the program's end; behind them come its facts' numbers and rows."""
_END, _NONE, _STEPS = 0, RESERVED.index("none"), RESERVED.index("#0")
_OPERATIONS: Final = slice(1, 1 + len(OPERATIONS))
_CONSTANTS: Final = slice(_NONE + 1, _STEPS)
_VALUES: Final = {n: number(RESERVED[n]) for n in range(_NONE + 1, _STEPS)}


@dataclass(frozen=True)
class Copied:
    """What programs over a question's facts may take from them.

    Args:
        numbers: of cells and sentences.
        rows: the names of tables' rows.
        cells: of each row the operands, by their places among the numbers.
    """

    numbers: tuple[Operand, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(RESERVED) + len(self.numbers) + len(self.rows)

    def allowed(self, chosen: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which tokens may follow others: a step is an operation and two arguments, not the same number twice, and
        refers to numbers of steps before it."""
        mask = np.zeros(self.size, dtype=bool)
        steps, place = divmod(len(chosen), 3)
        first_row = len(RESERVED) + len(self.numbers)
        if place == 0:
            mask[_END] = steps > 0
            mask[_OPERATIONS] = [
                steps < MOST_STEPS and (bool(self.rows) or name not in OVER_ROWS) for name in OPERATIONS
            ]
        elif RESERVED[chosen[3 * steps]] in OVER_ROWS:
            mask[slice(first_row, None) if place == 1 else _NONE] = True
        else:
            mask[_CONSTANTS] = mask[len(RESERVED) : first_row] = True
            mask[_STEPS : _STEPS + steps] = [RESERVED[chosen[3 * step]] != "greater" for step in range(steps)]
            if place == 2 and chosen[-1] >= _STEPS:
                mask[chosen[-1]] = False
        return mask

    def program(self, chosen: Sequence[int]) -> Program:
        """The program that tokens spell, with the docnos of its numbers and rows."""
        steps = [Step(*map(self._written, chosen[n : n + 3])) for n in range(0, len(chosen) - 2, 3)]
        used = [n - len(RESERVED) for n in chosen if n >= len(RESERVED)]
        places = [
            place for n in used for place in ([n] if n < len(self.numbers) else self.cells[n - len(self.numbers)])
        ]
        return Program(tuple(steps), "", tuple(dict.fromkeys(self.numbers[place].docno for place in places)))

    def _written(self, token: int) -> str:
        if token < len(RESERVED):
            return RESERVED[token]
        place = token - len(RESERVED)
        return self.numbers[place].written if place < len(self.numbers) else self.rows[place - len(self.numbers)]

    def tokens(self, program: Program) -> list[list[int]]:
        """The tokens that spell a program, at each place all that mean the same and may stand there, the end's at last;
        empty where the facts lack one of its numbers or rows."""
        found = []
        for step in program.steps[: MOST_STEPS + 1]:
            found.append([RESERVED.index(step.operation)])
            if step.operation in OVER_ROWS:
                names = [len(RESERVED) + len(self.numbers) + n for n, row in enumerate(self.rows) if row == step.first]
                found += [names, [_NONE]]
            else:
                found += [self._meant(step.first), self._meant(step.second)]
        chosen: list[int] = []
        for place, same in enumerate(found := [*found, [_END]]):
            mask = self.allowed(chosen)
            found[place] = [token for token in same if mask[token]]
            chosen += found[place][:1]
            if len(chosen) <= place:
                return []
        return found if len(chosen) > 1 else []

    def _meant(self, argument: str) -> list[int]:
        step, value = reference(argument), number(argument)
        if step is not None or value is None:
            return [_STEPS + step] if step is not None else []
        same = [n for n, constant in _VALUES.items() if constant == value]
        stated = [(len(RESERVED) + n, number(one.written) or 0.0) for n, one in enumerate(self.numbers)]
        close = [n for n, other in stated if math.isclose(other, value, rel_tol=1e-9)]
        points = [n for n, other in stated if math.isclose(100 * other, value, rel_tol=1e-9)]
        return same + close if argument in CONSTANTS else (close or points) + same


def copied(facts: Sequence[Mapping[str, Any]]) -> Copied:
    """What programs over facts may take from them."""
    numbers = tuple(operands(facts))
    rows: dict[tuple[str, int, str], list[int]] = {}
    for place, operand in enumerate(numbers):
        if operand.cell and (name := operand.cell.row or operand.cell.section):
            rows.setdefault((operand.docno.rpartition("#")[0], operand.cell.place[0], name), []).append(place)
    return Copied(numbers, tuple(name for *_, name in rows), tuple(map(tuple, rows.values())))
