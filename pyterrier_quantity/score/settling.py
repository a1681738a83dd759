"""Lower the weight of numbers that are possibly not meant as conditions, if the results lack matching quantities.

The query parser estimates the probability that a number sets a condition (`Constraint.certainty`). For example, "wheat
exports in 500 words" probably does not ask for documents that mention 500 words. If no result contains such a number
near the query's terms, the constraint has no effect, and the results keep the ranker's order.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from pyterrier_quantity.constants import (
    BEST,
    BIAS,
    EVERYDAY,
    FIRST,
    FULL_EFFECT,
    NEAR,
    NO_EFFECT,
    PARSED,
    STATED,
    STATING,
    TRUSTED,
)
from pyterrier_quantity.flat_arrays import Floats
from pyterrier_quantity.plan.signs import everyday
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score.documents import UNRANKED, Pairs, Rows
from pyterrier_quantity.score.query import IndexQuery, Queries


def settle(queries: Queries, rows: Rows, pairs: Pairs, evidence: Any) -> Queries:
    """Return the queries with a weight (`support`) for each constraint whose certainty is below 1.

    Args:
        rows: the results, with their ranks, from which the weights are computed.
        pairs: the pairs of a result row and a constraint of its query.
        evidence: the matching quantities of the rows, as a `score.evidence.Evidence`.
    """
    doubtful = np.array([query.in_doubt for query in queries.queries], dtype=bool)
    if not doubtful.any() or rows.rank is None:
        return queries
    trusted = rows.least is not None
    near = rows.rank[pairs.row[evidence.pair]] < (NEAR if trusted else UNRANKED)
    best = np.zeros(len(queries.constraints))
    np.maximum.at(best, pairs.constraint[evidence.pair[near]], evidence.worded[near])
    stated = _stated(queries, rows, pairs, evidence)
    has_rows = np.bincount(rows.query[rows.rank < UNRANKED], minlength=len(queries.queries)) > 0
    ends = np.cumsum(queries.count)
    found = list(queries.queries)
    for number in np.flatnonzero(doubtful & has_rows).tolist():
        own = slice(ends[number] - queries.count[number], ends[number])
        found[number] = with_support(found[number], best[own], stated[own], trusted)
    return Queries(found)


def _stated(queries: Queries, rows: Rows, pairs: Pairs, evidence: Any) -> Floats:
    """Return, for each constraint, the share of the top `FIRST` results that have a quantity in a matching unit."""
    assert rows.rank is not None
    first = rows.rank < FIRST
    states = np.zeros(len(pairs.row), dtype=bool)
    states[evidence.pair[evidence.unit > STATING]] = True
    chosen = np.flatnonzero(states & first[pairs.row])
    rows_of = np.bincount(rows.query[first], minlength=len(queries.queries))[queries.owner]
    return np.bincount(pairs.constraint[chosen], minlength=len(queries.constraints)) / np.maximum(rows_of, 1)


def with_support(query: IndexQuery, best: Floats, stated: Floats, trusted: bool = False) -> IndexQuery:
    """Return the query with a weight (`support`, 0 to 1) for each constraint. Certain constraints have the weight 1.

    Args:
        best: for each constraint, the highest score of a quantity in the results, based on value, unit and nearby
            words.
        stated: for each constraint, the share of the top `FIRST` results with a quantity in a matching unit.
        trusted: whether the option `trust` is used, as for neural rankers. If true, the weights are lower.
    """
    support, best_of = [], dict[int, float]()
    for constraint, best_score, share in zip(query.constraints, best.tolist(), stated.tolist(), strict=True):
        far = _support(constraint, best_score, share, trusted) if constraint.certainty < 1.0 else 1.0
        support.append(far)
        best_of[constraint.alternative] = max(far, best_of.get(constraint.alternative, 0.0))
    conditions = [  # alternatives have the weight of the best one
        replace(one, support=best_of[one.constraint.alternative] if one.constraint.alternative else far)
        for one, far in zip(query.conditions, support, strict=True)
    ]
    return replace(query, conditions=conditions)


def _support(constraint: Constraint, best: float, stated: float, trusted: bool) -> float:
    odds = PARSED * (math.log(constraint.certainty) - math.log1p(-constraint.certainty)) + BEST * best
    odds += STATED * stated + EVERYDAY * everyday(constraint.unit, constraint.low) + BIAS + TRUSTED * trusted
    return min(max((odds - NO_EFFECT) / (FULL_EFFECT - NO_EFFECT), 0.0), 1.0) ** 2
