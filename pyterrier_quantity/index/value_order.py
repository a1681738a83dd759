"""From a constraint to the documents that meet it: the quantities of each unit, in order of value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.ragged import distinct, ragged_ranges
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.unit_matching import UnitMatch
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.scoring import ROUGHLY, TOLERANCE, satisfied
from pyterrier_quantity.units.dimensions import rescaled

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RANGES: Final = 3
"""How many times as many ranges are looked at where those around a value are sought: few of them hold it."""


def value_order(columns: Columns, units: int) -> dict[str, npt.NDArray[Any]]:
    """Arrays `value_order` (quantities by unit, then by value), `range_order` (ranges only, by their high ends), and
    where each unit begins in them: `unit_offsets`, `range_offsets`."""
    unit = columns.unit.astype(np.min_scalar_type(units), copy=False)  # numbers of 16 bits are sorted by counting
    order = _by_unit(unit, columns.low, np.arange(columns.quantities, dtype=np.uint32))
    ranges = np.flatnonzero(columns.high > columns.low).astype(np.uint32)
    ranges = _by_unit(unit, columns.high, ranges)
    return {
        "value_order": order,
        "unit_offsets": _offsets(unit[order], units),
        "range_order": ranges,
        "range_offsets": _offsets(unit[ranges], units),
    }


def _by_unit(
    unit: npt.NDArray[Any], row: npt.NDArray[np.uint32], quantity: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]:
    """These quantities by unit, and those of a unit by the row of their value."""
    order = quantity[np.argsort(unit[quantity], kind="stable")]
    changes = np.flatnonzero(np.diff(unit[order])) + 1
    for part in np.split(order, changes):
        part[:] = part[np.argsort(row[part], kind="stable")]
    return order


def _offsets(ordered: npt.NDArray[Any], units: int) -> npt.NDArray[np.uint32]:
    return np.searchsorted(ordered, np.arange(units + 1)).astype(np.uint32)


@dataclass(frozen=True)
class ValueOrder:
    """Quantities of one segment by unit, those of a unit by the row of one of their ends.

    Args:
        order: the quantities.
        offsets: where each unit begins.
        row: of each quantity, the row in `values` of the end that they are ordered by.
        values: all distinct values, ascending.
    """

    order: Any
    offsets: Any
    row: Any
    values: Any

    def between(self, units: Ints, low: Floats, high: Floats, limit: int, last: bool) -> tuple[Ints, Ints]:
        """The first quantities between two values, unit by unit.

        Args:
            units: the units, in the order in which they are wanted.
            low, high: of each unit: the end that they are ordered by is at least `low` and below `high`.
            limit: how many quantities are wanted; a unit that would pass it gives its lowest ones.
            last: give its highest ones instead.

        Returns:
            Of each quantity, the place of its unit in `units`, and the quantity itself.
        """
        begin, end = self.offsets[units].astype(np.int64), self.offsets[units + 1].astype(np.int64)
        rows = np.searchsorted(self.values, np.concatenate([low, high]))
        rows[len(low) :][np.isposinf(high)] = len(self.values)
        begin, end = self._bisect(np.tile(begin, 2), np.tile(end, 2), rows).reshape(2, -1)
        count = np.maximum(end - begin, 0)
        taken = np.minimum(count, np.maximum(limit - (np.cumsum(count) - count), 0))
        places = ragged_ranges(end - taken if last else begin, taken)
        return np.repeat(np.arange(len(units)), taken), self.order[places].astype(np.int64)

    def _bisect(self, begin: Ints, end: Ints, row: Ints) -> Ints:
        """Where, between begin and end, the quantities begin whose row is not below `row`."""
        open_ = np.flatnonzero(begin < end)
        while len(open_):
            middle = (begin[open_] + end[open_]) >> 1
            below = self.row[self.order[middle]] < row[open_]
            begin[open_[below]] = middle[below] + 1
            end[open_[~below]] = middle[~below]
            open_ = open_[begin[open_] < end[open_]]
        return begin


@dataclass(frozen=True)
class SegmentOrders:
    """What a segment's quantities are found by.

    Args:
        values: all its quantities, by their low ends.
        ranges: those that are ranges, by their high ends.
        unit: for each unit of the index its number in the segment, -1 where the segment has none of it.
        deleted: rows of documents that are deleted, ascending.
        hidden: how many quantities those have.
    """

    values: ValueOrder
    ranges: ValueOrder
    unit: Ints
    deleted: Ints
    hidden: int


class SegmentedOrder:
    """Finds the quantities that meet a constraint by binary search, in all segments.

    Args:
        columns: of the segments.
        orders: of each segment.
    """

    def __init__(self, columns: SegmentedColumns, orders: Sequence[SegmentOrders]) -> None:
        self._columns, self._orders = columns, orders

    def documents(self, constraint: Constraint, match: UnitMatch, limit: int) -> Ints:
        """Documents with a quantity that meets the constraint, ascending; best units first, then the nearest values.

        Args:
            constraint: the condition.
            match: the units that can meet it.
            limit: about how many quantities to look at; a unit that would pass it gives those nearest to the bound.
        """
        match = _best_first(match, len(self._orders[0].unit))
        slack = _slack(constraint, match.offset)
        low, high = np.full(len(match.rows), -np.inf), np.full(len(match.rows), np.inf)
        upward, downward = constraint.op in (">", ">="), constraint.op in ("<", "<=")
        around = constraint.op in ("=", "~", "range")
        if upward or around:
            low = (constraint.low - slack - match.offset) / match.factor
        if downward or around:
            high = (constraint.high + slack - match.offset) / match.factor
        found = [self._nearest("values", match, low, high, limit, last=downward)]
        # A range can meet by its high end, too, or hold the value: by their low ends these are not found.
        ceiling = np.full(len(match.rows), np.inf) if around else high
        found.append(self._nearest("ranges", match, low, ceiling, limit * (_RANGES if around else 1), last=downward))
        place, quantity = np.concatenate(found, axis=1)
        factor, offset = match.factor[place], match.offset[place]
        met = satisfied(constraint, *(rescaled(end, factor, offset) for end in self._ends(quantity)))
        return distinct(self._columns.doc_offsets.owner(np.sort(quantity[met])))

    def _ends(self, quantity: Ints) -> tuple[Floats, Floats]:
        return self._columns.ends(quantity)

    def _nearest(self, name: str, match: UnitMatch, low: Floats, high: Floats, limit: int, last: bool) -> Ints:
        """Of the quantities between these values those first in order: the place of each one's unit, and the quantity.

        What a single segment would give is the first of what all segments give.
        """
        shares = []
        for number, orders in enumerate(self._orders):
            unit = orders.unit[match.rows]
            there = np.flatnonzero(unit >= 0)
            order: ValueOrder = getattr(orders, name)
            wanted = limit + orders.hidden
            place, quantity = order.between(unit[there], low[there], high[there], wanted, last)
            place, quantity = there[place], quantity + self._columns.quantity_starts[number]
            shares.append(np.stack([place, quantity])[:, self._live(number, quantity)])
        found = np.concatenate(shares, axis=1)
        if found.shape[1] <= limit:
            return found
        place, quantity = found
        value = self._ends(quantity)[name == "ranges"]
        order_of = np.lexsort((-quantity, -value, place) if last else (quantity, value, place))
        return found[:, order_of[:limit]]

    def _live(self, number: int, quantity: Ints) -> Any:
        deleted = self._orders[number].deleted
        if not len(deleted):
            return slice(None)
        document = self._columns.doc_offsets.owner(quantity) - self._columns.document_starts[number]
        return ~np.isin(document, deleted)


def _best_first(match: UnitMatch, units: int) -> UnitMatch:
    """Every unit that counts, the best first, equal ones by name."""
    match = match.in_full(units) if match.others else match
    order = np.argsort(-match.weight, kind="stable")
    return UnitMatch(match.rows[order], match.weight[order], match.factor[order], match.offset[order])


def _slack(constraint: Constraint, offset: Floats) -> Floats:
    """How far beyond the asked value to look, for the sake of rounding; negative where that value itself is excluded,
    lest the many that are equal to it use up the limit."""
    magnitude = max(abs(constraint.low), abs(constraint.high))
    rounding = TOLERANCE * np.abs(offset)
    if constraint.op in ("<", ">"):
        return rounding - 0.5 * TOLERANCE * magnitude - 1e-300
    return rounding + (1.01 * ROUGHLY if constraint.op == "~" else 1e-6) * magnitude + 1e-300
