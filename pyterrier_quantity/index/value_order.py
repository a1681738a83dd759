"""From a constraint to the documents that meet it: the index's quantities per unit, in order of value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.unit_matching import UnitMatch
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.scoring import ROUGHLY, TOLERANCE, satisfied

Ints = npt.NDArray[np.int64]


def value_order(columns: Columns, units: int) -> dict[str, npt.NDArray[Any]]:
    """Arrays `value_order` (quantities by unit, then by value), `range_order` (ranges only), and where each unit begins
    in them: `unit_offsets`, `range_offsets`."""
    order = np.lexsort((columns.low, columns.unit)).astype(np.uint32)
    ranges = order[columns.high[order] > columns.low[order]]
    every = np.arange(units + 1)
    return {
        "value_order": order,
        "unit_offsets": np.searchsorted(columns.unit[order], every).astype(np.uint32),
        "range_order": ranges,
        "range_offsets": np.searchsorted(columns.unit[ranges], every).astype(np.uint32),
    }


class ValueOrder:
    """Finds the quantities that meet a constraint by binary search, unit by unit."""

    def __init__(
        self,
        columns: Columns,
        value_order: npt.NDArray[np.uint32],
        unit_offsets: npt.NDArray[np.uint32],
        range_order: npt.NDArray[np.uint32],
        range_offsets: npt.NDArray[np.uint32],
    ) -> None:
        self._columns = columns
        self._order, self._offsets = value_order, unit_offsets
        self._range_order, self._range_offsets = range_order, range_offsets

    def documents(self, constraint: Constraint, match: UnitMatch, limit: int) -> Ints:
        """Documents with a quantity that meets the constraint, ascending; best units first, then the nearest values.

        Args:
            constraint: the condition.
            match: the units that can meet it.
            limit: about how many quantities to look at; a unit that would pass it gives those nearest to the bound.
        """
        found: list[Ints] = []
        left = limit
        match = match.in_full(len(self._offsets) - 1) if match.others else match
        for place in np.argsort(-match.weight, kind="stable").tolist():
            if left <= 0:
                break
            meeting = self._meeting(constraint, int(match.rows[place]), match.factor[place], match.offset[place], left)
            found.append(meeting)
            left -= len(meeting)
        if not found:
            return np.empty(0, dtype=np.int64)
        quantity = np.concatenate(found)
        return np.unique(self._columns.doc_offsets.owner(quantity))

    def _meeting(self, constraint: Constraint, unit: int, factor: float, offset: float, limit: int) -> Ints:
        ordered = self._order[self._offsets[unit] : self._offsets[unit + 1]]
        low, values = self._columns.low, self._columns.values
        begin, end = 0, len(ordered)
        slack = _slack(constraint, offset)
        if constraint.op in ("<", "<=", "range", "=", "~"):
            end = _bisect(ordered, low, values, (constraint.high + slack - offset) / factor)
        if constraint.op in ("=", "~", "range", ">", ">="):
            begin = _bisect(ordered, low, values, (constraint.low - slack - offset) / factor)
        # Ranges reach above their low end, by which they are ordered: look at them all.
        ranges = self._range_order[self._range_offsets[unit] : self._range_offsets[unit + 1]]
        if end - begin > limit:
            begin, end = (end - limit, end) if constraint.op in ("<", "<=") else (begin, begin + limit)
        quantity = np.concatenate([ordered[begin:end], ranges]).astype(np.int64)
        met = satisfied(constraint, *(end * factor + offset for end in self._columns.ends(quantity)))
        return quantity[met]


def _slack(constraint: Constraint, offset: float) -> float:
    """How far beyond the asked value to look, for the sake of rounding; negative where that value itself is excluded,
    lest the many that are equal to it use up the limit."""
    magnitude = max(abs(constraint.low), abs(constraint.high))
    rounding = TOLERANCE * abs(offset)
    if constraint.op in ("<", ">"):
        return rounding - 0.5 * TOLERANCE * magnitude - 1e-300
    return rounding + (1.01 * ROUGHLY if constraint.op == "~" else 1e-6) * magnitude + 1e-300


def _bisect(
    ordered: npt.NDArray[np.uint32], low: npt.NDArray[np.uint32], values: npt.NDArray[np.float64], value: float
) -> int:
    """How many of a unit's quantities, in order of value, lie below `value`."""
    row = np.searchsorted(values, value)
    begin, end = 0, len(ordered)
    while begin < end:
        middle = (begin + end) // 2
        if low[ordered[middle]] < row:
            begin = middle + 1
        else:
            end = middle
    return begin
