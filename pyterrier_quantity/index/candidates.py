"""Find candidates: documents with a quantity that meets a constraint. "> 500 hp" -> documents 3 and 17."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from pyterrier_quantity.constants import TOLERANCE
from pyterrier_quantity.flat_arrays import (
    Bools,
    Floats,
    Ints,
    distinct,
    first_places,
    ragged_ranges,
    run_lengths,
    run_starts,
)
from pyterrier_quantity.frames.frame import counted
from pyterrier_quantity.index.value_order import BY_HIGH, BY_LOW, ValueOrder
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.score.phi import converted, roughly, rounding, to_the_last_day
from pyterrier_quantity.score.unit import UnitMatch
from pyterrier_quantity.units.dimensions import changes_values

_RANGES: Final = 3  # factor on the number of ranges to examine, since few ranges that begin below a value contain it

_BEST: Final = 64  # number of units searched first; if they have too few quantities, all units are searched

_HELD: Final = 200_000  # approximate number of quantities examined at a time


_STATING: Final = 4000  # maximum number of quantities of a unit that are sampled from a segment


class _Units(NamedTuple):
    """The units to search for each constraint, as parallel arrays sorted by constraint, then by descending weight.

    Args:
        number: a consecutive number for each entry: 0, 1, 2, and so on.
        owner: the index of the constraint in the list of constraints.
        row: the row number of the unit in the index's list of units.
        low, high: the half-open interval [low, high) of values to search.
    """

    number: Ints
    owner: Ints
    row: Ints
    low: Floats
    high: Floats


class _Found(NamedTuple):
    """Quantities that meet constraints, as parallel arrays. `owner` is the index of the constraint that a quantity
    meets, and `unit` is the position of the quantity's unit in `_Units`."""

    owner: Ints
    unit: Ints
    document: Ints
    low: Floats
    high: Floats


class SegmentValues(NamedTuple):
    """The quantities of one segment, sorted by value.

    Args:
        orders: the quantities sorted by their low ends and by their high ends, keyed by `BY_LOW` and `BY_HIGH`.
        first: the row number, in the index, of the segment's first document.
        deleted: the deleted documents in ascending order, counted from the segment's first document.
        hidden: the number of quantities in deleted documents.
    """

    orders: Mapping[str, ValueOrder]
    first: int
    deleted: Ints
    hidden: int


class ByValue:
    """Find documents that meet constraints, by bisection over sorted values.

    Args:
        segments: all segments of the index.
        units: the number of units in the index.
    """

    def __init__(self, segments: Sequence[SegmentValues], units: int) -> None:
        self._segments, self._units = segments, units

    def documents(self, constraints: Sequence[Constraint], matches: Sequence[UnitMatch], limit: int) -> list[Ints]:
        """Return, for each constraint, the row numbers of documents with a quantity that meets the constraint. The
        order is arbitrary, and a document with several such quantities occurs several times.

        Args:
            matches: the units that match each constraint.
            limit: the approximate number of quantities to examine per constraint. Quantities in the best matching
                units, and with the nearest values, are examined first.
        """
        at_once = max(1, _HELD // limit)
        return [
            documents
            for begin in range(0, len(constraints), at_once)
            for documents in self._documents(
                constraints[begin : begin + at_once], matches[begin : begin + at_once], limit
            )
        ]

    def stating(self, unit: int) -> Ints:
        """Return the sorted row numbers of documents with a quantity in a unit, or a sample if there are many."""
        found = [np.empty(0, dtype=np.int64)]
        for segment in self._segments:
            documents = segment.orders[BY_LOW].of_unit(unit, _STATING)
            found.append(documents[~np.isin(documents, segment.deleted)] + segment.first)
        return distinct(np.sort(np.concatenate(found)))

    def _documents(self, constraints: Sequence[Constraint], matches: Sequence[UnitMatch], limit: int) -> list[Ints]:
        matches = [_best_first(match, self._units) for match in matches]
        row, factor, offset = (np.concatenate([getattr(m, of) for m in matches]) for of in ("rows", "factor", "offset"))
        owner = np.arange(len(matches)).repeat([len(match.rows) for match in matches])
        between = [_between(*each) for each in zip(constraints, matches, strict=True)]
        low, high = np.concatenate(between, axis=1)
        units = _Units(np.arange(len(owner)), owner, row, low, high)
        around = np.array([constraint.op in ("=", "~", "range") for constraint in constraints], dtype=bool)
        downward = np.array([constraint.op in ("<", "<=") for constraint in constraints], dtype=bool)
        numbers = self._nearest(BY_LOW, units, np.full(len(constraints), limit), downward)
        # A range may also meet a constraint by its high end or by containing the value, so its low end is not enough.
        ceiling = units._replace(high=np.where(around[owner], np.inf, high))
        ranges = self._nearest(BY_HIGH, ceiling, np.where(around, _RANGES * limit, limit), downward)
        found = _together([numbers, ranges])
        found = _chosen(found, np.argsort(found.owner, kind="stable"))
        stated = found.low, found.high
        ends = converted(stated, factor[found.unit], offset[found.unit], constraints, found.owner)
        cuts = found.owner.searchsorted(np.arange(len(constraints) + 1)).tolist()
        parts = [slice(*part) for part in pairwise(cuts)]
        met = [satisfied(one, *(end[part] for end in ends)) for one, part in zip(constraints, parts, strict=True)]
        return [found.document[part][chosen] for part, chosen in zip(parts, met, strict=True)]

    def _nearest(self, name: str, units: _Units, limit: Ints, last: Bools) -> _Found:
        """Return, for each constraint, the quantities whose values are in the intervals to search.

        Args:
            name: `BY_LOW` to compare the low ends of quantities, `BY_HIGH` to compare the high ends of ranges.
            units: the units and the intervals of values to search.
            limit: the maximum number of quantities for each constraint.
            last: for each constraint, whether to keep the highest values (or else the lowest) if there are too many.
        """
        best = counted(units.owner) < _BEST
        found = self._first(name, _chosen(units, best), limit, last)
        left = limit - np.bincount(found.owner, minlength=len(limit))
        others = _chosen(units, ~best & (left > 0)[units.owner])
        return _together([found, self._first(name, others, left, last)]) if len(others.owner) else found

    def _first(self, name: str, units: _Units, limit: Ints, last: Bools) -> _Found:
        shares, owner, runs = [_NOTHING], units.owner, run_starts(units.owner)
        lengths = run_lengths(runs, len(owner))
        for segment in self._segments:
            begin, end = segment.orders[name].between(units.row, units.low, units.high)
            before = np.cumsum(end - begin) - (end - begin)
            before -= before[runs].repeat(lengths)
            # Quantities of deleted documents do not count, so the same number is examined in addition.
            many = np.clip(limit[owner] + segment.hidden - before, 0, end - begin)
            place = np.arange(len(owner)).repeat(many)
            places = ragged_ranges(np.where(last[owner], end - many, begin), many)
            document, *ends = segment.orders[name].at(places)
            share = _Found(owner[place], units.number[place], document + segment.first, *ends)
            shares.append(_chosen(share, ~np.isin(document, segment.deleted)) if len(segment.deleted) else share)
        found = _together(shares)
        count = np.bincount(found.owner, minlength=len(limit))
        if (count <= limit).all():
            return found
        order, stop = np.argsort(found.owner, kind="stable"), np.cumsum(count)
        kept, value = np.ones(len(found.owner), dtype=bool), found.high if name == BY_HIGH else found.low
        for number in np.flatnonzero(count > limit).tolist():
            own, sign = order[stop[number] - count[number] : stop[number]], -1 if last[number] else 1
            kept[own] = False
            keys = found.unit[own], sign * value[own], sign * found.document[own]
            kept[own[first_places(keys, int(limit[number]))]] = True
        return _chosen(found, kept)


_NOTHING: Final = _Found(*np.empty((3, 0), dtype=np.int64), *np.empty((2, 0)))


def _chosen(table: Any, which: Any) -> Any:
    return type(table)(*(column[which] for column in table))


def _together(tables: Sequence[_Found]) -> _Found:
    return _Found(*map(np.concatenate, zip(*tables, strict=True)))


def _best_first(match: UnitMatch, units: int) -> UnitMatch:
    match = match.in_full(units) if match.others else match
    order = np.argsort(-match.weight, kind="stable")
    return UnitMatch(match.rows[order], match.weight[order], match.factor[order], match.offset[order])


def _between(constraint: Constraint, match: UnitMatch) -> Floats:
    """Return the interval of values that may meet a constraint, for each unit in `match`, as an array of shape (2,
    units): "> 1 kg" -> (1000, infinity) for grams. The interval includes values that equal the constraint's value up to
    rounding, except for "<" and ">"."""
    constraint = to_the_last_day(constraint)
    magnitude = max(abs(constraint.low), abs(constraint.high))
    slack = TOLERANCE * np.abs(match.offset)
    if constraint.op in ("<", ">"):
        slack = slack - 0.5 * TOLERANCE * magnitude - 1e-300
    else:
        around = roughly(constraint) + rounding(constraint) * changes_values(match.factor, match.offset)
        slack = slack + 1.01 * around + 1e-6 * magnitude + 1e-300
    low, high = np.full(len(slack), -np.inf), np.full(len(slack), np.inf)
    if constraint.op not in ("<", "<=", "!="):
        low = (constraint.low - slack - match.offset) / match.factor
    if constraint.op not in (">", ">=", "!="):
        high = (constraint.high + slack - match.offset) / match.factor
    return np.stack([low, high])
