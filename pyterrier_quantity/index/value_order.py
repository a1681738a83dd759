"""Sort the quantities of each unit by value, so that all quantities that meet a constraint are adjacent."""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.flat_arrays import Array, Floats, Ints, Whole, bisected

BY_LOW, BY_HIGH = "by_low", "by_high"
"""The names of the two sort orders: all quantities by their low ends, and ranges by their high ends."""


def value_order(columns: Mapping[str, Array], count: Whole, units: int) -> Iterator[tuple[str, Array]]:
    """Yield pairs (name, array) with the quantities sorted by unit, then by value, then by document. The arrays
    "by_low_document", "by_low_low", "by_low_high" and "by_low_begin" (the start of each unit) contain all quantities,
    sorted by the lower end. Arrays named "by_high_..." contain only ranges, sorted by the upper end.

    Args:
        columns: the columns of a segment, see `columns.PLAIN`.
        count: the number of quantities of each document.
        units: the number of units in the segment.
    """
    unit = columns["unit"].astype(np.min_scalar_type(units), copy=False)  # NumPy sorts these by counting
    low, high = columns["low"], columns["high"]
    document = np.repeat(np.arange(len(count), dtype=np.uint32), count.astype(np.int64))
    ranges = np.flatnonzero(low != high).astype(np.uint32)
    for name, end, chosen in ((BY_LOW, low, np.arange(len(low), dtype=np.uint32)), (BY_HIGH, high, ranges)):
        order = _by_unit(unit, end, chosen)
        yield f"{name}_begin", np.searchsorted(unit[order], np.arange(units + 1)).astype(np.uint32)
        for column, values in (("document", document), ("low", low), ("high", high)):
            yield f"{name}_{column}", values[order]


def _by_unit(unit: Array, row: npt.NDArray[np.uint32], quantity: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Sort an array of quantity indexes by unit, then by value. For each quantity, `unit` contains its unit, and `row`
    contains the position of its value among the sorted distinct values."""
    order = quantity[np.argsort(unit[quantity], kind="stable")]
    changes = np.flatnonzero(np.diff(unit[order])) + 1
    for part in np.split(order, changes):
        key = row[part].astype(np.uint64) << 32 | part
        key.sort()
        part[:] = key & 0xFFFFFFFF
    return order


class ValueOrder:
    """The quantities of a segment sorted by low end (`BY_LOW`), or its ranges sorted by high end (`BY_HIGH`).

    Args:
        arrays: the arrays of the segment.
        name: `BY_LOW` or `BY_HIGH`.
        unit: for each unit of the index, its row number in the segment, or -1 if the segment lacks the unit.
    """

    def __init__(self, arrays: Mapping[str, Array], name: str, unit: Ints) -> None:
        self._values, self._begin, self._unit = arrays["values"], arrays[f"{name}_begin"], unit
        self._document, self._low, self._high = (arrays[f"{name}_{what}"] for what in ("document", "low", "high"))
        self._row = self._low if name == BY_LOW else self._high

    def of_unit(self, unit: int, most: int) -> Ints:
        """Return the row numbers of documents with a quantity in a unit. If the unit has more than `most` single
        values, or more than `most` ranges, return the documents of an evenly spaced sample."""
        (begin,), (end,) = self._whole(np.array([unit]))
        plain = self._low[begin:end] == self._high[begin:end]
        kinds = [np.flatnonzero(plain), np.flatnonzero(~plain)]
        chosen = [kind[np.linspace(0, len(kind) - 1, min(most, len(kind))).astype(np.int64)] for kind in kinds]
        return self._document[begin + np.concatenate(chosen)].astype(np.int64)

    def _whole(self, units: Ints) -> tuple[Ints, Ints]:
        """Return, for each unit, where its quantities start and end in the sort order."""
        own = self._unit[units]
        first = np.maximum(own, 0)
        return self._begin[first].astype(np.int64), self._begin[first + (own >= 0)].astype(np.int64)

    def between(self, units: Ints, low: Floats, high: Floats) -> tuple[Ints, Ints]:
        """Return, for each unit, where its quantities with a value in [low, high) start and end in the sort order."""
        begin, end = self._whole(units)
        rows = self._values.searchsorted(np.array([low, high]))
        rows[1, high == np.inf] = len(self._values)
        first, last = bisected(self._row, np.tile(begin, 2), np.tile(end, 2), rows.ravel()).reshape(2, -1)
        return first, np.maximum(first, last)

    def at(self, places: Ints) -> tuple[Ints, Floats, Floats]:
        low, high = (self._values.take(rows.take(places)) for rows in (self._low, self._high))
        return self._document.take(places).astype(np.int64), low, high
