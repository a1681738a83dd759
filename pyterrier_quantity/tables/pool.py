"""The numbers of retrieved facts that generators combine, and how well their facts were ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.tables.operands import Operand, operands

MOST_OPERANDS: Final = 12
"""So many numbers, those of the best facts, are combined: the candidates grow with their square."""


def best_operands(facts: Sequence[Mapping[str, Any]]) -> list[Operand]:
    """The numbers of the best facts, at most `MOST_OPERANDS`."""
    return operands(facts)[:MOST_OPERANDS]


def relative_scores(pool: Sequence[Operand], facts: int, scores: Sequence[float] | None) -> dict[str, float]:
    """The score of each operand's fact, by the operand's docno: 1 for the best, .1 for the worst, 1 without scores."""
    given = [1.0] * facts if scores is None else list(scores)
    low, high = min(given, default=0.0), max(given, default=0.0)
    share = [0.1 + 0.9 * (score - low) / (high - low) if high > low else 1.0 for score in given]
    return {operand.docno: share[operand.fact] for operand in pool}
