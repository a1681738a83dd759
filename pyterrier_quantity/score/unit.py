"""Find the quantities whose units match a constraint, and a weight for how well each unit matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from pyterrier_quantity.constants import STATING, UnitWeights
from pyterrier_quantity.flat_arrays import Array, Bools, Floats, Ints, ragged_ranges, starts_of
from pyterrier_quantity.quantity import BARE, keeps_unit
from pyterrier_quantity.score.documents import Documents, Pairs
from pyterrier_quantity.score.phi import converted
from pyterrier_quantity.score.query import Queries
from pyterrier_quantity.units.dimensions import changes_values


@dataclass(frozen=True)
class UnitMatch:
    """The units of an index that match a constraint. Each unit has a weight and the conversion `value * factor +
    offset` to the constraint's unit.

    Args:
        rows: the row numbers of the units in the index, ascending. The other arrays have a value for each of these
            units.
        others: the weight of each unit that is not in `rows`. If it is positive, `rows` also contains the units that
            must not match, with weight 0.
        owned: the weights for quantities of document fields whose unit the user set. None means `weight`.
    """

    rows: Ints
    weight: Floats
    factor: Floats
    offset: Floats
    others: float = 0.0
    owned: Floats | None = None

    @cached_property
    def conversions(self) -> Floats:
        """An array with the rows `weight`, `factor`, `offset` and `owned`. The first column is for units that are not
        in `rows`, and the others are for the units in `rows`."""
        owned = self.weight if self.owned is None else self.owned
        listed = np.stack([self.weight, self.factor, self.offset, owned])
        return np.concatenate([[[self.others], [1.0], [0.0], [self.others]], listed], axis=1)

    def in_full(self, units: int) -> "UnitMatch":
        """Return an equivalent `UnitMatch` in which `rows` contains every unit of positive weight, and `others` is 0.

        Args:
            units: the number of units in the index.
        """
        weight, factor, offset = np.full(units, self.others), np.ones(units), np.zeros(units)
        weight[self.rows], factor[self.rows], offset[self.rows] = self.weight, self.factor, self.offset
        rows = np.flatnonzero(weight)
        return UnitMatch(rows, weight[rows], factor[rows], offset[rows])


@dataclass(frozen=True)
class Stated:
    """Quantities with a unit that matches a constraint, in parallel arrays sorted by pair (result row and constraint).

    Args:
        pair, quantity: for each quantity, the index of its pair, and its index among all documents' quantities.
        low, high: the ends of each quantity, in the constraint's unit.
        stating: whether the unit matches well enough (above `STATING`) for the quantity to meet the constraint.
        unit: how well each quantity's unit matches the constraint's unit, from 0 to 1.
    """

    pair: Ints
    quantity: Ints
    low: Floats
    high: Floats
    stating: Bools
    unit: Floats


def in_matching_units(
    documents: Documents, pairs: Pairs, queries: Queries, weights: UnitWeights, labelled: bool
) -> Stated:
    """Return, for each pair of result row and constraint, the matching quantities, converted to the constraint's unit.

    Args:
        weights: the weights of units other than the constraint's unit.
        labelled: whether numbers without a unit have a higher weight if they follow the noun they count ("seats: 255").
    """
    columns, vocabulary = documents.columns, documents.vocabulary
    matches = [vocabulary.match(one.constraint.unit, one.naming, weights) for one in queries.conditions]
    for number, constraint in enumerate(queries.constraints):
        if constraint.unit == BARE and queries.count[queries.owner[number]] > 1:
            matches[number] = _left_over(number, matches, queries)
    quantity = ragged_ranges(pairs.first, pairs.count)
    bounds = starts_of(pairs.count)[pairs.constraint.searchsorted(np.arange(len(matches) + 1))].tolist()
    slot = _slots(matches, columns.unit[quantity], bounds, len(vocabulary))
    weight, factor, offset, owned = np.concatenate([np.zeros((4, 1)), *(m.conversions for m in matches)], axis=1)
    kept = np.flatnonzero((weight > 0)[slot])
    pair = np.arange(len(pairs.count)).repeat(pairs.count)[kept]
    quantity, slot = quantity[kept], slot[kept]
    low, high = columns.ends(quantity)
    other = np.flatnonzero(changes_values(factor, offset)[slot])
    conversion, owner = (factor[slot[other]], offset[slot[other]]), pairs.constraint[pair[other]]
    values = converted((low[other], high[other]), *conversion, queries.constraints, owner)
    for end, value in zip((low, high), values, strict=True):
        end += 0.0  # turn -0 into 0, as conversion does
        end[other] = value
    unit = weight[slot]
    of_fields = np.flatnonzero((owned > weight)[slot])
    of_fields = of_fields[columns.length[quantity[of_fields]] == 0]  # a field has no span in the text
    unit[of_fields] = owned[slot[of_fields]]
    stating = unit > STATING
    if labelled and weights.bare and vocabulary.bare >= 0:
        labels = [condition.labels for condition in queries.conditions]
        unit[_labelled(pairs, pair, quantity, vocabulary.bare, labels)] = weights.labelled
    return Stated(pair, quantity, low, high, stating, unit)


def _left_over(number: int, matches: Sequence[UnitMatch], queries: Queries) -> UnitMatch:
    """Return the units that match the condition at index `number`, which does not state a unit. Units of the query's
    other conditions have the weight 0: in "5 kg bag under 30", 30 is not in kilograms."""
    own, asked = matches[number], queries.constraints[number]
    first, last = queries.owner.searchsorted([queries.owner[number], queries.owner[number] + 1]).tolist()
    taken = np.zeros(0, dtype=np.int64)
    for other, constraint in zip(matches[first:last], queries.constraints[first:last], strict=True):
        if keeps_unit(constraint, asked):
            taken = np.union1d(taken, other.rows[other.weight > STATING])
    kept, nothing = ~np.isin(own.rows, taken), np.zeros(len(taken))
    rows = np.concatenate([own.rows[kept], taken])
    order = np.argsort(rows)
    weight, factor, offset = (np.concatenate([of[kept], nothing])[order] for of in (own.weight, own.factor, own.offset))
    return UnitMatch(rows[order], weight, factor, offset, own.others)


def _slots(matches: Sequence[UnitMatch], unit: Array, bounds: Sequence[int], units: int) -> Ints:
    """Return the column of each quantity's unit in an array: an empty column, then the `conversions` of all matches.
    `unit` contains the unit of each quantity. Quantities bounds[i] to bounds[i + 1] belong to match i. `units` is the
    number of units in the index."""
    place, found, start = np.zeros(units, dtype=np.int64), np.empty(len(unit), dtype=np.int64), 1
    for match, (begin, end) in zip(matches, pairwise(bounds), strict=True):
        place[match.rows] = np.arange(1, len(match.rows) + 1)
        found[begin:end] = place[unit[begin:end]] + start
        place[match.rows] = 0
        start += len(match.rows) + 1
    return found


def _labelled(pairs: Pairs, pair: Ints, quantity: Ints, bare: int, labels: Sequence[frozenset[int]]) -> Ints:
    """Return the indexes in `quantity` of numbers without a unit that directly follow a label: "seats: 255" for the
    label "seats". For each quantity, `pair` is the index of its pair in `pairs`. For each constraint, `labels` has the
    hashes of its labels. `bare` is the row number of the unit "-" (no unit) in the index."""
    if not any(labels):
        return np.empty(0, dtype=np.int64)
    columns = pairs.columns
    counts = np.array([len(one) > 0 for one in labels], dtype=bool)[pairs.constraint[pair]]
    chosen = np.flatnonzero(counts)
    chosen = chosen[columns.unit[quantity[chosen]] == bare]
    position = columns.position[quantity[chosen]].astype(np.int64)
    chosen, position = chosen[position > 0], position[position > 0]
    start, _ = columns.term_offsets.extent(pairs.document[pair[chosen]])
    word = columns.terms[start + position - 1].astype(np.int64)
    keys = np.array([number << 16 | code for number, codes in enumerate(labels) for code in sorted(codes)])
    sought = pairs.constraint[pair[chosen]] << 16 | word
    return chosen[keys[np.minimum(np.searchsorted(keys, sought), len(keys) - 1)] == sought]
