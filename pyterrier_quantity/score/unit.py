"""Which of the documents' quantities are in a unit that can meet a constraint, and how much they count for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import ragged_ranges
from pyterrier_quantity.constants import UnitWeights
from pyterrier_quantity.score.documents import Columns, Documents, Pairs
from pyterrier_quantity.score.query import Queries
from pyterrier_quantity.units.dimensions import rescaled

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class UnitMatch:
    """The rows of the index's units that can meet a constraint, ascending: how much each counts, and the conversion
    `value * factor + offset` to the constraint's unit.

    others: how much every other unit counts, unconverted; rows of weight 0 are then exceptions.
    """

    rows: Ints
    weight: Floats
    factor: Floats
    offset: Floats
    others: float = 0.0

    @cached_property
    def conversions(self) -> Floats:
        """Weight, factor and offset: of units that the match does not list, then of each that it lists."""
        listed = np.stack([self.weight, self.factor, self.offset])
        return np.concatenate([[[self.others], [1.0], [0.0]], listed], axis=1)

    def in_full(self, units: int) -> UnitMatch:
        """The same with every row that counts, and none else.

        Args:
            units: how many the index has.
        """
        weight, factor, offset = np.full(units, self.others), np.ones(units), np.zeros(units)
        weight[self.rows], factor[self.rows], offset[self.rows] = self.weight, self.factor, self.offset
        rows = np.flatnonzero(weight)
        return UnitMatch(rows, weight[rows], factor[rows], offset[rows])


class Stated(NamedTuple):
    """The quantities of the pairs' documents that can meet the pairs' constraints, ordered by pair.

    Args:
        pair, quantity: of each, its pair and its place in the columns.
        unit: how much it counts for its unit, 0 to 1.
        low, high: its ends, in the constraint's unit.
    """

    pair: Ints
    quantity: Ints
    unit: Floats
    low: Floats
    high: Floats


def in_matching_units(documents: Documents, pairs: Pairs, queries: Queries, weights: UnitWeights) -> Stated:
    """The quantities of each pair whose unit can meet the pair's constraint, converted to the constraint's unit."""
    columns, vocabulary = documents.columns, documents.vocabulary
    quantity = ragged_ranges(pairs.first, pairs.count)
    pair = np.repeat(np.arange(len(pairs.count)), pairs.count)
    unit = columns.unit[quantity]
    naming = (terms for query in queries.queries for terms in query.naming)
    matches = [vocabulary.match(c.unit, terms, weights) for c, terms in zip(queries.constraints, naming, strict=True)]
    place, present = _present(unit, len(vocabulary))
    slot = _slots(matches, place, present, pairs.constraint[pair], place[unit])
    kept = np.flatnonzero(slot)
    pair, quantity, slot = pair[kept], quantity[kept], slot[kept]
    weight, factor, offset = np.concatenate([np.zeros((3, 1)), *(m.conversions for m in matches)], axis=1)
    low, high = columns.ends(quantity)
    converted = np.flatnonzero(((factor != 1.0) | (offset != 0.0))[slot])
    for end in (low, high):
        end += 0.0  # -0 is 0, as where it is converted
        end[converted] = rescaled(end[converted], factor[slot[converted]], offset[slot[converted]])
    return Stated(pair, quantity, weight[slot], low, high)


def _present(unit: npt.NDArray[np.integer[Any]], units: int) -> tuple[npt.NDArray[np.int32], int]:
    """The place of each of the index's units among those that are there, -1 for the others; and how many are there."""
    there = np.zeros(units, dtype=bool)
    there[unit] = True
    place = np.full(units, -1, dtype=np.int32)
    found = np.flatnonzero(there)
    place[found] = np.arange(len(found))
    return place, len(found)


_TABLE: Final = 1 << 24
"""Entries of a table of constraints and units that are made at a time."""


def _slots(
    matches: Sequence[UnitMatch],
    place: npt.NDArray[np.int32],
    present: int,
    constraint: Ints,
    unit: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]:
    """1 + where in the matches' conversions, one behind the other, each quantity's unit stands; 0: it cannot meet its
    constraint.

    Args:
        matches: of the constraints.
        place, present: see `_present`.
        constraint, unit: of each quantity, the unit by its place among those that are there.
    """
    width = max(present, 1)
    at_once = max(1, _TABLE // width)
    starts = np.cumsum([1, *(1 + len(match.rows) for match in matches)]).tolist()
    found = np.zeros(len(unit), dtype=np.int32)
    for begin in range(0, len(matches), at_once):
        table = np.zeros((min(at_once, len(matches) - begin), width), dtype=np.int32)
        for row, slots in enumerate(table, start=begin):
            _fill(slots, matches[row], starts[row], place)
        chosen: Any = slice(None)
        if len(matches) > at_once:
            chosen = np.flatnonzero((begin <= constraint) & (constraint < begin + at_once))
        found[chosen] = table.ravel()[(constraint[chosen] - begin) * width + unit[chosen]]
    return found


def _fill(slots: npt.NDArray[np.int32], match: UnitMatch, start: int, place: npt.NDArray[np.int32]) -> None:
    """One constraint's slots: the first for units that the match does not list, then one for each that it lists."""
    slots[:] = start if match.others else 0
    there = place[match.rows]
    known = np.flatnonzero(there >= 0)
    slots[there[known]] = np.where(match.weight[known] > 0, start + 1 + known, 0)


def with_labels(documents: Documents, pairs: Pairs, stated: Stated, queries: Queries, weights: UnitWeights) -> Floats:
    """How much each quantity counts for its unit, where bare numbers right behind the name of what is counted count
    more than other bare ones."""
    columns, bare = documents.columns, documents.vocabulary.bare
    if not (columns.has_terms and weights.bare) or bare < 0:
        return stated.unit
    labels = [labels for query in queries.queries for labels in query.labels]
    if not any(labels):
        return stated.unit
    counts = np.array([len(one) > 0 for one in labels], dtype=bool)[pairs.constraint[stated.pair]]
    chosen = np.flatnonzero(counts)
    chosen = chosen[columns.unit[stated.quantity[chosen]] == bare]
    beside = _labelled(columns, pairs, stated.pair[chosen], stated.quantity[chosen], labels)
    unit = stated.unit.copy()
    unit[chosen[beside]] = weights.labelled
    return unit


def _labelled(
    columns: Columns, pairs: Pairs, pair: Ints, quantity: Ints, labels: Sequence[frozenset[int]]
) -> npt.NDArray[np.bool_]:
    """Whether the word before each quantity, of these pairs, is one of its constraint's labels: "seats: 255"."""
    position = columns.position[quantity].astype(np.int64)
    found = np.zeros(len(quantity), dtype=bool)
    behind = np.flatnonzero(position > 0)
    start, _ = columns.term_offsets.extent(pairs.document[pair[behind]])
    word = columns.terms[start + position[behind] - 1].astype(np.int64)
    keys = np.array([number << 16 | code for number, codes in enumerate(labels) for code in sorted(codes)])
    sought = pairs.constraint[pair[behind]] << 16 | word
    found[behind] = keys[np.minimum(np.searchsorted(keys, sought), len(keys) - 1)] == sought
    return found
