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

from pyterrier_quantity.narration import everyday

if TYPE_CHECKING:
    from pyterrier_quantity.index.needs import QueryNeed

Floats = npt.NDArray[np.float64]

FIRST: Final = 10
"""So many first results tell how much what a query is about is measured in a unit."""
NEAR: Final = 100
"""Where the ranker is trusted, the quantities of so many first results bear a condition out: vectors find every
document, whatever it is about. 100 costs conditions nothing where they are typed or asked for; 20 and 50 do."""
STATING: Final = 0.5
"""A quantity whose unit counts more than this states something in the constraint's unit."""

_CERTAIN: Final = 0.75
"""What the parser's log-odds count."""
_BEST: Final = 6.2
"""What a best quantity score of 1 rather than 0 adds to the log-odds that a number is a condition."""
_STATED: Final = 5.2
"""What it adds that all of the first results rather than none state something in its unit."""
_EVERYDAY: Final = -4.2
"""What is added for an everyday number, by `narration.everyday`: any text has one beside any words."""
_BIAS: Final = -3.8
"""By logistic regression over six collections and 326 wordings, each query by what believing its constraint gains or
loses there; whichever collection is left out, the others tell conditions from incidental numbers as well. Halfway
between what is learned with degrees of everyday numbers and without: with them alone, bare numbers lose too much."""
_TRUSTED: Final = -0.5
"""What is added where the ranker is trusted: the better it ranks by itself, the more a number that asks for nothing
spoils."""
_NONE, _FULL = -0.4, 0.0
"""The log-odds up to which a constraint has no effect at all, and from which it counts in full. A condition that is
taken for none costs more than the reverse."""


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
    odds = _CERTAIN * before + _BEST * best[doubtful] + _STATED * stated[doubtful] + _EVERYDAY * common + _BIAS
    odds += _TRUSTED * trusted
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
