"""How near words stand to quantities, as positions among a document's terms count it.

A quantity at position p stands before the p-th term; the term before it is one step away, and the term behind it none.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FAR: Final = 1 << 62
"""The distance to a term on the side on which a document does not hold it."""


def nearness(
    position: Ints, places: Ints, reach: float, behind: float = 1.0, offset: Ints | int = 0, span: int = _FAR
) -> Floats:
    """How near the nearest of some places is to each quantity, in (0, 1]: reach / (reach + distance).

    Args:
        position: of each quantity among the terms of its document.
        places: at least one, ascending.
        reach: the distance at which a word is half as near.
        behind: how much farther a place behind a quantity is than one before it.
        offset, span: where they are of several documents, each of which has a place: what was added to a document's
            positions and to its places, a multiple of `span`, which exceeds all positions.
    """
    own = offset + position
    bounded = np.concatenate([[-_FAR], places, [_FAR]])
    after = np.searchsorted(places, own)
    right, left = bounded[after + 1] - own, own - 1 - bounded[after]
    right[right + position >= span] = _FAR
    left[left >= position] = _FAR
    distance = np.minimum(right if behind == 1.0 else behind * right, left)
    found: Floats = reach / (reach + distance)
    return found
