"""How far a constraint counts that may be none: as far as the results at hand bear it out.

The query parser tells how certain it is that a number sets a condition (`Constraint.certainty`). "Wheat exports in 500
words" may ask for 500 words; if no result states as much near to what the query is about, the number hardly asks for
it, it has no effect, and the ranker's order stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.constants import BEST, BIAS, EVERYDAY, FULL_EFFECT, NO_EFFECT, PARSED, STATED, TRUSTED
from pyterrier_quantity.plan.certainty import everyday

if TYPE_CHECKING:
    from pyterrier_quantity.index.needs import QueryNeed

Floats = npt.NDArray[np.float64]


def as_given(needs: Sequence[QueryNeed]) -> Floats:
    """How far each constraint counts where nothing is in doubt, or nothing can tell: as `QueryNeed.beliefs` says, or in
    full."""
    return np.concatenate([np.zeros(0), *(need.beliefs or (1.0,) * len(need.constraints) for need in needs)])


def beliefs(needs: Sequence[QueryNeed], best: Floats, stated: Floats, trusted: bool = False) -> Floats:
    """How far each constraint counts, in [0, 1]; 1 for those that are certain.

    Args:
        needs: the queries; where `QueryNeed.beliefs` says how far, that stays.
        best: of each constraint, the best score, by value, unit and words, of a quantity of the results at hand.
        stated: of each constraint, the share of the first results that state something in its unit.
        trusted: whether the ranker vouches for its results.
    """
    constraints = [c for need in needs for c in need.constraints]
    certainty = np.array([c.certainty for c in constraints], dtype=np.float64)
    is_open = np.array([not need.beliefs for need in needs for _ in need.constraints], dtype=bool)
    belief, doubtful = as_given(needs), np.flatnonzero(is_open & (certainty < 1.0))
    if not len(doubtful):
        return belief
    before = np.log(certainty[doubtful]) - np.log1p(-certainty[doubtful])
    common = np.array([everyday(constraints[place].unit) for place in doubtful.tolist()])
    odds = PARSED * before + BEST * best[doubtful] + STATED * stated[doubtful] + EVERYDAY * common + BIAS
    odds += TRUSTED * trusted
    belief[doubtful] = np.clip((odds - NO_EFFECT) / (FULL_EFFECT - NO_EFFECT), 0.0, 1.0) ** 2
    return _of_alternatives(belief, needs)


def _of_alternatives(belief: Floats, needs: Sequence[QueryNeed]) -> Floats:
    """Alternatives of one query are believed as the best of them."""
    at = 0
    for need in needs:
        groups = np.array([c.alternative for c in need.constraints], dtype=np.int64)
        own = belief[at : at + len(groups)]
        for group in set(groups.tolist()) - {0}:
            own[groups == group] = own[groups == group].max()
        at += len(groups)
    return belief
