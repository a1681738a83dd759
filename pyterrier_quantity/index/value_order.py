"""The quantities of each unit, in order of value: what meets a constraint lies in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.columns import Columns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FEW: Final = 64
"""How many units are searched one by one; more are searched together, which pays where they are many."""


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

    def extents(self, units: Ints, rows: Ints) -> Ints:
        """Where, of each unit, the quantities begin and end whose row is within `rows`; an array of two rows.

        Args:
            units: the units; -1: one that no quantity has.
            rows: of each unit the first row, and the one behind the last.
        """
        first = np.maximum(units, 0)
        begin, end = self.offsets[np.array([first, first + (units >= 0)])].astype(np.int64)
        if not (begin < end).any():
            return np.array([begin, begin])
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
        """One unit after the other."""
        numbers = self.row
        # Compared in their own type, for in another all would be copied; what it cannot hold is behind all of them.
        beyond = min(len(self.values), np.iinfo(numbers.dtype).max + 1)
        sought = np.minimum(rows, beyond - 1).astype(numbers.dtype)
        spans = zip(begin.tolist(), end.tolist(), sought.T, strict=True)
        found = begin + np.array([numbers[first:last].searchsorted(own) for first, last, own in spans]).T
        return np.where(rows < beyond, found, end)

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

    def extents(self, names: Sequence[str], units: Ints, low: Floats, high: Floats) -> list[Ints]:
        """Of each order that is named, where the quantities of each unit begin and end whose end is at least `low` and
        below `high`; see `ValueOrder.extents`.

        Args:
            names: orders, all of the same values.
            units: numbers in the index.
            low, high: of each unit.
        """
        orders: list[ValueOrder] = [getattr(self, name) for name in names]
        values = orders[0].values
        rows = np.asarray(values).searchsorted(np.array([low, high]))
        rows[1, high == np.inf] = len(values)
        own = self.unit[units]
        return [order.extents(own, rows) for order in orders]
