"""Several generators' programs to one: the rules of the FinQA system, and a vote over results."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.steps import NotExecutable

Output = Sequence[tuple[Program, float]]
"""A generator's programs with the logarithms of their probabilities, best first."""

LEAST_LOSS: Final = 0.01
LEAST_SCORE: Final = -0.15


class Rule(Protocol):
    """What makes one output of several."""

    def __call__(self, outputs: Sequence[Output]) -> list[tuple[Program, float]]:
        """The chosen programs, best first; empty where no generator has one."""


def best_score(outputs: Sequence[Output]) -> list[tuple[Program, float]]:
    """Score ensemble: the executable program of the highest score; of equal scores the earlier generator's.

    With logarithms of probabilities this is the loss ensemble, too: a loss is a negative score.
    """
    tops = [output[0] for output in outputs if output]
    return sorted(tops, key=lambda top: (isinstance(top[0].execute(), NotExecutable), -top[1]))


@dataclass(frozen=True)
class Mixed:
    """The FinQA system's rule over four outputs: first generator on cells and rows, second generator on cells and rows.

    The first generator's output of the smaller loss (rows on a tie), unless it is not executable, or unless its loss is
    above `loss` while the second generator's better output has a score above `score`.

    Args:
        loss, score: the thresholds; the paper's are 0.01 and -0.15.
    """

    loss: float = LEAST_LOSS
    score: float = LEAST_SCORE

    def __call__(self, outputs: Sequence[Output]) -> list[tuple[Program, float]]:
        """See the class.

        Raises:
            ValueError: if there are not four outputs.
        """
        if len(outputs) != 4:
            raise ValueError(f"the mixed ensemble takes four outputs, got {len(outputs)}")
        cells, rows, *others = outputs
        first, second = best_score([rows, cells])[:1], best_score(others)[:1]
        if not (first and second):
            return first or second
        unsure = -first[0][1] > self.loss and second[0][1] > self.score
        failed = isinstance(first[0][0].execute(), NotExecutable)
        return [*second, *first] if failed or unsure else [*first, *second]


@dataclass(frozen=True)
class Vote:
    """The result on which the generators agree most: the sum of the probabilities of the programs that give it.

    Args:
        weights: of the generators; None: equal.
    """

    weights: tuple[float, ...] | None = None

    def __call__(self, outputs: Sequence[Output]) -> list[tuple[Program, float]]:
        """See the class.

        Raises:
            ValueError: if there are not as many weights as outputs.
        """
        weights = self.weights or (1.0,) * len(outputs)
        if len(weights) != len(outputs):
            raise ValueError(f"there are {len(weights)} weights for {len(outputs)} outputs")
        mass: dict[object, float] = defaultdict(float)
        program: dict[object, tuple[float, Program]] = {}
        for weight, output in zip(weights, outputs, strict=True):
            for candidate, score in output:
                result = candidate.execute()
                if isinstance(result, NotExecutable):
                    continue
                share = weight * math.exp(score) / sum(weights)
                mass[result] += share
                if result not in program or share > program[result][0]:
                    program[result] = (share, candidate)
        ordered = sorted(mass, key=lambda result: -mass[result])
        return [(program[result][1], math.log(max(mass[result], 1e-300))) for result in ordered]
