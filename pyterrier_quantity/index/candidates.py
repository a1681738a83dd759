"""From constraints to the documents that meet them, in all segments: many constraints at a time, since each search of a
segment's orders costs as much for one as for some dozens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from pyterrier_quantity._ragged import Floats, Ints, distinct, first_places, ragged_ranges, starts_of
from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.index.value_order import BY_HIGH, BY_LOW, ValueOrder
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.score.unit import UnitMatch
from pyterrier_quantity.units.dimensions import rescaled

_RANGES: Final = 3
"""How many times as many ranges are looked at where those around a value are sought: few of them hold it."""

_BEST: Final = 64
"""How many of the best units are searched first; the others only where those do not give enough."""

_HELD: Final = 200_000
"""Quantities that are looked at together, more or less."""


_STATING: Final = 4000
"""Quantities of a unit that stand for all of them, a segment."""


class Found(NamedTuple):
    """Quantities: of each one the place of its unit among those that are sought, its document, and its ends."""

    place: Ints
    document: Ints
    low: Floats
    high: Floats

    def chosen(self, which: Any) -> Found:
        """Some of them."""
        return Found(*(each[which] for each in self))


_NOTHING: Final = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))


def _together(shares: Sequence[Found]) -> Found:
    if len(shares) < 2:
        return shares[0] if shares else _NOTHING
    return Found(*map(np.concatenate, zip(*shares, strict=True)))


class _Sought(NamedTuple):
    """Of one constraint: between which values its quantities lie.

    Args:
        units: numbers in the index, the best first.
        low, high: of each unit: the end that they are ordered by is at least `low` and below `high`.
        limit: how many are wanted; a unit that would pass it gives its lowest ones.
        last: gives its highest ones instead.
    """

    units: Ints
    low: Floats
    high: Floats
    limit: int
    last: bool

    def part(self, which: slice, limit: int) -> _Sought:
        """Some of its units."""
        return _Sought(self.units[which], self.low[which], self.high[which], limit, self.last)


class SegmentValues(NamedTuple):
    """The quantities of one segment by value.

    Args:
        orders: by `BY_LOW` and `BY_HIGH`.
        first: the row of its first document.
        deleted: rows of its documents that are deleted, ascending, numbered from its first.
        hidden: how many quantities those have.
    """

    orders: Mapping[str, ValueOrder]
    first: int
    deleted: Ints
    hidden: int


class ByValue:
    """Finds the documents that meet constraints by binary search.

    Args:
        segments: all of the index.
        units: how many units the index has.
    """

    def __init__(self, segments: Sequence[SegmentValues], units: int) -> None:
        self._segments, self._units = segments, units

    def documents(self, constraints: Sequence[Constraint], matches: Sequence[UnitMatch], limit: int) -> list[Ints]:
        """For each constraint the documents of the quantities that meet it, one of each; best units first, then the
        nearest values.

        Args:
            constraints: the conditions.
            matches: of each one the units that can meet it.
            limit: about how many quantities of each to look at; a unit that would pass it gives those nearest to the
                bound.
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
        """The rows of documents that state something in a unit, ascending; of many a share that is spread evenly."""
        found = [np.empty(0, dtype=np.int64)]
        for segment in self._segments:
            documents = segment.orders[BY_LOW].of_unit(unit, _STATING)
            found.append(documents[~np.isin(documents, segment.deleted)] + segment.first)
        return distinct(np.sort(np.concatenate(found)))

    def _documents(self, constraints: Sequence[Constraint], matches: Sequence[UnitMatch], limit: int) -> list[Ints]:
        matches = [_best_first(match, self._units) for match in matches]
        asked = [_sought(*each, limit) for each in zip(constraints, matches, strict=True)]
        numbers = self._nearest(BY_LOW, [numbers for numbers, _ in asked])
        ranges = self._nearest(BY_HIGH, [ranges for _, ranges in asked])
        found = zip(constraints, matches, zip(numbers, ranges, strict=True), strict=True)
        return [_meeting(*each) for each in found]

    def _nearest(self, name: str, asked: Sequence[_Sought]) -> list[Found]:
        """Of the quantities that each one seeks those first in order, as a single segment would give them.

        Args:
            name: the order in which they are sought.
            asked: what is sought.
        """
        found = self._first(name, [one.part(slice(_BEST), one.limit) for one in asked])
        left = [
            number
            for number, one in enumerate(asked)
            if len(one.units) > _BEST and len(found[number].place) < one.limit
        ]
        others = [asked[n].part(slice(_BEST, None), asked[n].limit - len(found[n].place)) for n in left]
        for number, more in zip(left, self._first(name, others) if left else (), strict=True):
            found[number] = _together([found[number], more._replace(place=more.place + _BEST)])
        return found

    def _first(self, name: str, asked: Sequence[_Sought]) -> list[Found]:
        starts = starts_of([len(one.units) for one in asked])
        units, low, high = (np.concatenate(each) for each in zip(*(one[:3] for one in asked), strict=True))
        limit, last = (np.repeat([getattr(one, what) for one in asked], np.diff(starts)) for what in ("limit", "last"))
        shares = []
        for segment in self._segments:
            begin, end = segment.orders[name].between(units, low, high)
            # What a segment's deleted documents have does not count, so that as many more are looked at there.
            many = _taken(end - begin, starts, limit + segment.hidden)
            if many.any():
                place = np.repeat(np.arange(len(units)), many)
                places = ragged_ranges(np.where(last, end - many, begin), many)
                share = Found(place, *segment.orders[name].at(places))
                if len(segment.deleted):
                    share = share.chosen(~np.isin(share.document, segment.deleted))
                shares.append(share._replace(document=share.document + segment.first))
        cuts = [share.place.searchsorted(starts).tolist() for share in shares]
        found = []
        for number, one in enumerate(asked):
            own = ((share, slice(*cut[number : number + 2])) for share, cut in zip(shares, cuts, strict=True))
            joined = _together([share.chosen(part) for share, part in own if part.start < part.stop])
            joined = joined._replace(place=joined.place - starts[number])
            if len(joined.place) > one.limit:
                value, sign = joined.high if name == BY_HIGH else joined.low, -1 if one.last else 1
                keys = joined.place, sign * value, sign * joined.document
                joined = joined.chosen(first_places(keys, one.limit))
            found.append(joined)
        return found


def _best_first(match: UnitMatch, units: int) -> UnitMatch:
    """Every unit that counts, the best first, equal ones by name."""
    match = match.in_full(units) if match.others else match
    order = np.argsort(-match.weight, kind="stable")
    return UnitMatch(match.rows[order], match.weight[order], match.factor[order], match.offset[order])


def _sought(constraint: Constraint, match: UnitMatch, limit: int) -> tuple[_Sought, _Sought]:
    """What may meet a constraint: numbers and ranges by their low ends, and ranges by their high ends."""
    slack = _slack(constraint, match.offset)
    low, high = np.full(len(match.rows), -np.inf), np.full(len(match.rows), np.inf)
    upward, downward = constraint.op in (">", ">="), constraint.op in ("<", "<=")
    around = constraint.op in ("=", "~", "range")
    if upward or around:
        low = (constraint.low - slack - match.offset) / match.factor
    if downward or around:
        high = (constraint.high + slack - match.offset) / match.factor
    # A range can meet by its high end, too, or hold the value: by their low ends these are not found.
    ceiling = np.full(len(match.rows), np.inf) if around else high
    return (
        _Sought(match.rows, low, high, limit, downward),
        _Sought(match.rows, low, ceiling, limit * (_RANGES if around else 1), downward),
    )


def _slack(constraint: Constraint, offset: Floats) -> Floats:
    """How far beyond the asked value to look, for the sake of rounding; negative where that value itself is excluded,
    lest the many that are equal to it use up the limit."""
    magnitude = max(abs(constraint.low), abs(constraint.high))
    rounding = TOLERANCE * np.abs(offset)
    if constraint.op in ("<", ">"):
        return rounding - 0.5 * TOLERANCE * magnitude - 1e-300
    return rounding + (1.01 * ROUGHLY if constraint.op == "~" else 1e-6) * magnitude + 1e-300


def _taken(count: Ints, starts: Ints, most: Ints) -> Ints:
    """How many of each unit's quantities are looked at, so that none of those who seek them, and whose units begin at
    these places, gets more than it may."""
    before = np.cumsum(count) - count
    asked = np.flatnonzero(np.diff(starts))
    before -= np.repeat(before[starts[asked]], np.diff(starts)[asked])
    return np.clip(most - before, 0, count)


def _meeting(constraint: Constraint, match: UnitMatch, shares: Sequence[Found]) -> Ints:
    """The documents of those that meet a constraint, one for each of them."""
    found = _together([share for share in shares if len(share.place)])
    factor, offset = match.factor[found.place], match.offset[found.place]
    met = satisfied(constraint, rescaled(found.low, factor, offset), rescaled(found.high, factor, offset))
    return found.document[met]
