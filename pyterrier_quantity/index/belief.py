"""How far a constraint counts that may be none: as far as the results at hand bear it out.

The query parser tells how certain it is that a number sets a condition (`Constraint.certainty`). "Wheat exports in 500
words" may ask for 500 words; if no result states as much near to what the query is about, the number hardly asks for
it, it has no effect, and the ranker's order stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from pyterrier_quantity.index.needs import QueryNeed

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_STATED: Final = 12.0
"""What a best quantity score of 1 rather than 0 adds to the log-odds that a number is a condition: by logistic
regression over six collections, between 11.3 and 14.2 whichever of them was left out."""
_CERTAIN: Final = 0.75
"""What the parser's log-odds count beside it: .70 to .84."""
_BIAS: Final = -6.3
"""-6.0 to -7.4."""
_NONE, _FULL = -1.0, -0.3
"""The log-odds up to which a constraint has no effect at all, and from which it counts in full. A condition that is
taken for none costs more than the reverse."""


def beliefs(needs: Sequence[QueryNeed], constraint: Ints, score: Floats, asks_for_words: bool) -> Floats:
    """How far each constraint counts, in [0, 1]; 1 for those that are certain.

    Args:
        needs: the queries; where `QueryNeed.beliefs` says how far, that stays.
        constraint: of each quantity of the results at hand in a matching unit, the running number over the queries.
        score: of each such quantity, by its value, its unit and the words around it.
        asks_for_words: whether the words have a part in it; where not, all count in full.
    """
    certainty = np.array([c.certainty for need in needs for c in need.constraints], dtype=np.float64)
    given = [need.beliefs or (np.nan if asks_for_words else 1.0,) * len(need.constraints) for need in needs]
    belief = np.concatenate([np.zeros(0), *given])
    doubtful = np.flatnonzero(np.isnan(belief) & (certainty < 1.0))
    belief[np.isnan(belief)] = 1.0
    if not len(doubtful):
        return belief
    best = np.zeros(len(certainty))
    np.maximum.at(best, constraint, score)
    before = np.log(certainty[doubtful]) - np.log1p(-certainty[doubtful])
    odds = _CERTAIN * before + _STATED * best[doubtful] + _BIAS
    belief[doubtful] = np.clip((odds - _NONE) / (_FULL - _NONE), 0.0, 1.0) ** 2
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
