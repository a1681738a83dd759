"""Likely units of a condition that names none: "laptop under 1500" asks for dollars, not for inches.

Numbers of several units may meet such a condition. Two signs show which unit is meant:

- Magnitude: some laptops cost about 1500 dollars, but none measures nearly 1500 inches.
- Precision: a precise number rarely occurs by chance. "Flat 195,000" asks for whatever is 195,000.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from pyterrier_quantity.constants import FAR_OFF, FAR_OFF_UNIT, PRECISE_DIGITS, PRECISE_UNIT
from pyterrier_quantity.flat_arrays import Floats, Ints, ragged_ranges
from pyterrier_quantity.quantity import BARE, SIDES
from pyterrier_quantity.score.documents import Documents
from pyterrier_quantity.score.phi import satisfied
from pyterrier_quantity.score.query import Queries
from pyterrier_quantity.score.unit import Stated

_RANGES: WeakKeyDictionary[Documents, tuple[Floats, Floats]] = WeakKeyDictionary()
"""The smallest and the largest positive value of each unit in a sample, by documents."""


def unit_likelihood(documents: Documents, stated: Stated, constraint: Ints, queries: Queries) -> Floats:
    """Return the factor on each quantity's unit weight; 1 under a constraint that names a unit.

    Args:
        stated: the quantities, ordered by pair.
        constraint: the index of each quantity's constraint.
    """
    factor = np.ones(len(constraint))
    for number, asked in enumerate(queries.constraints):
        begin, end = constraint.searchsorted([number, number + 1])
        if asked.unit != BARE or begin == end:
            continue
        own = slice(begin, end)
        if asked.op in SIDES or asked.op == "range":
            least, most = _ranges(documents)
            unit = documents.columns.unit[stated.quantity[own]]
            far = (asked.low > FAR_OFF * most[unit]) | (asked.high < least[unit] / FAR_OFF)
            factor[begin + np.flatnonzero(far)] = FAR_OFF_UNIT
        elif asked.op == "=" and len(f"{asked.low:.12g}".replace(".", "").strip("0")) >= PRECISE_DIGITS:
            met = satisfied(asked, stated.low[own], stated.high[own]) & (stated.unit[own] > 0)
            factor[begin + np.flatnonzero(met)] = np.maximum(PRECISE_UNIT / stated.unit[own][met], 1.0)
    return factor


def _ranges(documents: Documents) -> tuple[Floats, Floats]:
    """Return the smallest and the largest positive value of each unit; a unit without one has an endless range."""
    if documents not in _RANGES:
        columns = documents.columns
        quantity = ragged_ranges(*columns.doc_offsets.extent(documents.sample()))
        low, high = columns.ends(quantity)
        positive = np.flatnonzero(low > 0)
        unit = columns.unit[quantity][positive].astype(np.int64)
        least, most = np.full(len(documents.vocabulary), np.inf), np.zeros(len(documents.vocabulary))
        np.minimum.at(least, unit, low[positive])
        np.maximum.at(most, unit, high[positive])
        unknown = most == 0
        least[unknown], most[unknown] = 0.0, np.inf
        _RANGES[documents] = least, most
    return _RANGES[documents]
