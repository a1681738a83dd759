"""From a constraint to the documents that meet it: the quantities of each unit, in order of value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._column import damaged, unchecked
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.ragged import distinct, first_places, ragged_ranges
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.unit_matching import UnitMatch
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.scoring import ROUGHLY, TOLERANCE, satisfied
from pyterrier_quantity.units.dimensions import rescaled

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RANGES: Final = 3
"""How many times as many ranges are looked at where those around a value are sought: few of them hold it."""

_FEW: Final = 64
"""How many of the best units are searched one by one; all others then together, which pays where they are many."""


def value_order(columns: Columns, units: int) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Arrays that hold each quantity's document and value by unit, then by value, then in the order of documents, so
    that those between two values lie beside each other.

    | | |
    | --- | --- |
    | `point_document`, `point_value` | plain numbers; values are rows of `values` |
    | `from_document`, `from_low`, `from_high` | ranges, by their low ends |
    | `to_document`, `to_low`, `to_high` | ranges, by their high ends |
    | `point_offsets`, `range_offsets` | where each unit begins in them |
    """
    unit = columns.unit.astype(np.min_scalar_type(units), copy=False)  # numbers of 16 bits are sorted by counting
    document, low, high = columns.doc_offsets.owners(), columns.low, columns.high
    order = _by_unit(unit, low, np.flatnonzero(low == high).astype(np.uint32))
    yield "point_offsets", _offsets(unit[order], units)
    yield "point_document", document[order]
    yield "point_value", low[order]
    ranges = np.flatnonzero(low != high).astype(np.uint32)
    yield "range_offsets", _offsets(np.sort(unit[ranges]), units)
    for name, end in (("from", low), ("to", high)):
        order = _by_unit(unit, end, ranges)
        yield f"{name}_document", document[order]
        yield f"{name}_low", low[order]
        yield f"{name}_high", high[order]


def _by_unit(
    unit: npt.NDArray[Any], row: npt.NDArray[np.uint32], quantity: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]:
    """These quantities by unit, and those of a unit by the row of their value."""
    order = quantity[np.argsort(unit[quantity], kind="stable")]
    changes = np.flatnonzero(np.diff(unit[order])) + 1
    for part in np.split(order, changes):
        key = row[part].astype(np.uint64) << 32 | part
        key.sort()
        part[:] = key & 0xFFFFFFFF
    return order


def _offsets(ordered: npt.NDArray[Any], units: int) -> npt.NDArray[np.uint32]:
    return np.searchsorted(ordered, np.arange(units + 1)).astype(np.uint32)


class Found(NamedTuple):
    """Quantities: of each one the place of its unit among those that are sought, its document, and its ends."""

    place: Ints
    document: Ints
    low: Floats
    high: Floats

    def chosen(self, which: Any) -> Found:
        """Some of them."""
        return Found(*(each[which] for each in self))


def _together(shares: Sequence[Found]) -> Found:
    return Found(*map(np.concatenate, zip(*shares, strict=True)))


_NOTHING: Final = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))


@dataclass(frozen=True)
class ValueOrder:
    """Quantities of one segment by unit, those of a unit by the row of one of their ends.

    Args:
        document: of each quantity.
        low, high: rows of its ends in `values`.
        row: the one of the two that they are ordered by.
        offsets: where each unit begins.
        values: all distinct values, ascending.
    """

    document: Any
    low: Any
    high: Any
    row: Any
    offsets: Any
    values: Any

    def extents(self, units: Ints, low: Floats, high: Floats) -> Ints:
        """Where, of each unit, the quantities begin and end whose end is at least `low` and below `high`; an array of
        two rows.

        Args:
            units: the units; -1: one that no quantity has.
            low, high: of each unit.
        """
        first = np.maximum(units, 0)
        begin, end = self.offsets[np.array([first, first + (units >= 0)])].astype(np.int64)
        if not (begin < end).any():
            return np.array([begin, begin])
        rows = np.asarray(self.values).searchsorted(np.array([low, high]))
        rows[1, high == np.inf] = len(self.values)
        found = self._bisect(begin, end, rows)
        np.maximum(found[0], found[1], out=found[1])
        return found

    def at(self, places: Ints) -> tuple[Ints, Floats, Floats]:
        """The documents of these quantities, and their ends."""
        low = self.values[self.low[places]]
        high = low if self.high is self.low else self.values[self.high[places]]
        return self.document[places].astype(np.int64), low, high

    def _bisect(self, begin: Ints, end: Ints, rows: Ints) -> Ints:
        """Where, between each unit's begin and end, the quantities begin whose row is not below each of `rows`."""
        if len(begin) <= _FEW:
            return self._bisect_each(begin, end, rows)
        return self._bisect_together(np.tile(begin, 2), np.tile(end, 2), rows.ravel()).reshape(2, -1)

    def _bisect_each(self, begin: Ints, end: Ints, rows: Ints) -> Ints:
        """One unit after the other, in the numbers as they lie there. Only the places found are compared with their
        digests: if they are what was written, where all is in order, it does not matter what stands between them."""
        numbers, found = unchecked(self.row), np.array([begin, begin])
        sought = np.minimum(rows, len(self.values) - 1).astype(numbers.dtype)  # of another type they would be copied
        for unit in np.flatnonzero(begin < end).tolist():
            found[:, unit] += numbers[begin[unit] : end[unit]].searchsorted(sought[:, unit])
        found = np.where(rows < len(self.values), found, end)
        last = len(numbers) - 1
        before, at = self.row[np.array([np.maximum(found - 1, 0), np.minimum(found, last)])]
        if ((found > begin) & (before >= rows) | (found < end) & (at < rows)).any():
            raise damaged(self.row, "its numbers are not in order")
        return found

    def _bisect_together(self, begin: Ints, end: Ints, row: Ints) -> Ints:
        open_ = np.flatnonzero(begin < end)
        while len(open_):
            middle = (begin[open_] + end[open_]) >> 1
            below = self.row[middle] < row[open_]
            begin[open_[below]] = middle[below] + 1
            end[open_[~below]] = middle[~below]
            open_ = open_[begin[open_] < end[open_]]
        return begin


@dataclass(frozen=True)
class SegmentOrders:
    """What a segment's quantities are found by.

    Args:
        points: plain numbers.
        by_low, by_high: ranges.
        unit: for each unit of the index its number in the segment, -1 where the segment has none of it.
        deleted: rows of documents that are deleted, ascending.
        hidden: how many quantities those have.
    """

    points: ValueOrder
    by_low: ValueOrder
    by_high: ValueOrder
    unit: Ints
    deleted: Ints
    hidden: int


class SegmentedOrder:
    """Finds the documents that meet a constraint by binary search, in all segments.

    Args:
        columns: of the segments.
        orders: of each segment.
    """

    def __init__(self, columns: SegmentedColumns, orders: Sequence[SegmentOrders]) -> None:
        self._starts, self._orders = columns.document_starts, orders

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
        numbers = self._nearest(("points", "by_low"), match, low, high, limit, last=downward)
        # A range can meet by its high end, too, or hold the value: by their low ends these are not found.
        ceiling = np.full(len(match.rows), np.inf) if around else high
        ranges = self._nearest(("by_high",), match, low, ceiling, limit * (_RANGES if around else 1), last=downward)
        found = _together([numbers, ranges])
        factor, offset = match.factor[found.place], match.offset[found.place]
        met = satisfied(constraint, rescaled(found.low, factor, offset), rescaled(found.high, factor, offset))
        return distinct(np.sort(found.document[met]))

    def _nearest(
        self, names: Sequence[str], match: UnitMatch, low: Floats, high: Floats, limit: int, last: bool
    ) -> Found:
        """Of the quantities between two values those first in order, as a single segment would give them.

        Args:
            names: the orders of `SegmentOrders` in which they are sought.
            match: their units, the best first.
            low, high: of each unit: the end that they are ordered by is at least `low` and below `high`.
            limit: how many are wanted; a unit that would pass it gives its lowest ones.
            last: give its highest ones instead.
        """
        shares, wanted = [], limit
        for first, part in ((0, slice(_FEW)), (_FEW, slice(_FEW, None))):
            if wanted > 0 and first < len(match.rows):
                found = self._first(names, match.rows[part], low[part], high[part], wanted, last)
                shares.append(found._replace(place=found.place + first))
                wanted -= len(found.place)
        return _together([_NOTHING, *shares])

    def _first(
        self, names: Sequence[str], units: Ints, low: Floats, high: Floats, limit: int, last: bool
    ) -> Found:
        sought = [
            (number, orders, getattr(orders, name)) for number, orders in enumerate(self._orders) for name in names
        ]
        extents = np.stack([order.extents(orders.unit[units], low, high) for _, orders, order in sought])
        begin, end = extents[:, 0], extents[:, 1]
        if not (begin < end).any():
            return _NOTHING
        # What a segment's deleted documents have does not count, so that as many more are looked at there.
        most = limit + np.array([[orders.hidden] for _, orders, _ in sought])
        count = end - begin
        taken = np.clip(most - (np.cumsum(count, axis=1) - count), 0, count)
        if last:
            begin = end - taken
        shares = [_NOTHING]
        for (number, _, order), first, many in zip(sought, begin, taken, strict=True):
            if many.any():
                place = np.repeat(np.arange(len(units)), many)
                shares.append(self._live(number, Found(place, *order.at(ragged_ranges(first, many)))))
        found = _together(shares)
        if len(found.place) <= limit:
            return found
        value, sign = found.high if "by_high" in names else found.low, -1 if last else 1
        return found.chosen(first_places((found.place, sign * value, sign * found.document), limit))

    def _live(self, number: int, found: Found) -> Found:
        """Those of a segment's quantities whose documents are not deleted, with the documents' numbers in all."""
        if len(self._orders[number].deleted):
            found = found.chosen(~np.isin(found.document, self._orders[number].deleted))
        return found._replace(document=found.document + self._starts[number])


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
