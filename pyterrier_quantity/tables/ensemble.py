"""Several generators' programs to one, by the FinQA system's rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.steps import NotExecutable

Output = Sequence[tuple[Program, float]]
"""A generator's programs with the logarithms of their probabilities, best first."""
MOST_LOSS: Final = 0.01
LEAST_SCORE: Final = -0.15
"""The paper's thresholds, natural logarithms."""


def best_output(outputs: Sequence[Output]) -> Output:
    """The output whose first program has the highest score, of equal ones the last: the loss and score ensembles.

    Args:
        outputs: of one generator over several kinds of facts; the paper's: cells, rows.
    """
    return max(reversed(outputs), key=lambda output: output[0][1] if output else float("-inf"), default=())


def mixed(first: Sequence[Output], second: Sequence[Output], table: Any = None) -> Output:
    """The mixed ensemble: the first generator's best output, unless it is in doubt.

    The second's best output takes its place if its first program cannot be executed, or if its loss is above
    `MOST_LOSS` while the second's score is above `LEAST_SCORE`.

    Args:
        first, second: of each generator the outputs over several kinds of facts.
        table: where programs look up rows.

    Source: a numerical reasoning question answering system for FinQA, section 2.4.
    """
    one, other = best_output(first), best_output(second)
    if not (one and other):
        return one or other
    failed = isinstance(one[0][0].execute(table), NotExecutable)
    return other if failed or (-one[0][1] > MOST_LOSS and other[0][1] > LEAST_SCORE) else one
