"""Sort documents by a value that they contain: "cheapest kettle", "headphones with the longest battery life".

For "cheapest kettle", the documents about kettles that state an amount of money are sorted, and come before all other
documents. The value has a unit that suits the attribute (money for "price"), or is next to the attribute's words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pyterrier_quantity.constants import WordWeights
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.flat_arrays import Bools, Floats, Ints, ragged_ranges, starts_of
from pyterrier_quantity.plan.answer_kind import unit_families
from pyterrier_quantity.plan.order import Order
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.score.documents import Documents
from pyterrier_quantity.score.fit import held_share, nearness
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.units import default_registry

_FITTING: Final = 0.9  # minimum share of the query's words in a sorted document, relative to the highest share
_NEXT: Final = 0.5  # minimum nearness (0 to 1) at which a value belongs to the attribute's words
_MANY_NAMED: Final = frozenset(("length", "time", "ratio", "temperature", BARE))  # a height and a width are lengths


@dataclass(frozen=True)
class Ordered:
    """The result of `ordered`: which documents of a query are sorted, and in which order.

    Args:
        places: the sorted documents, in the new order, as indexes into the given results.
        of: the number of sorted documents: 23 in "first of 23".
    """

    places: Ints
    of: int


def ordered(documents: Documents, document: Ints, met: Bools, query: IndexQuery, order: Order) -> Ordered:
    """Return the results that contain a value to sort by, in the order that the query asks for.

    Args:
        documents: the index.
        document: for each result, the row number of its document (negative if unknown).
        met: whether each result meets all conditions of the query.
        order: the order that the query asks for.
    """
    coverage = held_share(documents.columns, document, query, WordWeights().modifier)
    known = np.flatnonzero(met & (document >= 0) & (coverage > 0))
    value, coverage = _values(documents, document[known], coverage[known], order), coverage[known]
    fits = np.flatnonzero(~np.isnan(value))
    fits = fits[coverage[fits] >= _FITTING * coverage[fits].max(initial=0.0)]
    return Ordered(known[fits[np.argsort(value[fits], kind="stable")]], len(fits))


def _values(documents: Documents, document: Ints, coverage: Floats, order: Order) -> Floats:
    """Return the value by which each document is sorted, negated if high values come first, or NaN for a document
    without such a value. `coverage` is the share (0 to 1) of the query's words that each document contains."""
    columns = documents.columns
    first, count = columns.doc_offsets.extent(document)
    quantity, owner = ragged_ranges(first, count), np.arange(len(document)).repeat(count)
    near = _near(documents, document, count, columns.position[quantity].astype(np.int64), order)
    unit, which = np.unique(columns.unit[quantity], return_inverse=True)
    names = [documents.vocabulary.names[row] for row in unit.tolist()]
    kinds = [default_registry().family(name) or name for name in names]
    rising = [_rising(name, order) for name in names]
    allowed = np.array([one is not None for one in rising], dtype=bool)[which] | (near >= _NEXT)
    kind_of = np.array(kinds, dtype=object)[which] if len(quantity) else np.empty(0, dtype=object)
    weight = coverage[owner] * (1.0 + near)
    kind = _commonest(kind_of[allowed].tolist(), owner[allowed].tolist(), weight[allowed].tolist())
    value = np.full(len(document), np.nan)
    chosen = np.flatnonzero(allowed & (kind_of == kind))
    named = np.zeros(len(document))
    np.maximum.at(named, owner[chosen], near[chosen])
    separate = kind in _MANY_NAMED or not order.families
    chosen = chosen[near[chosen] == named[owner[chosen]]]
    if separate and (named > 0).sum() * 2 > len(np.unique(owner[chosen])):
        chosen = chosen[near[chosen] > 0]
    low, high = columns.ends(quantity[chosen])
    for at in reversed(range(len(chosen))):  # among equally near values, the first is chosen
        name = names[which[chosen[at]]]
        factor, offset = default_registry().to_reference(name)
        descending = rising[which[chosen[at]]]
        descending = order.descending if descending is None else descending
        stated = (high if descending else low)[at] * factor + offset
        value[owner[chosen[at]]] = -stated if descending else stated
    return value


def _rising(unit: str, order: Order) -> bool | None:
    """Return whether high values in a unit come first, or None if the unit does not suit the attribute to sort by."""
    families = unit_families(unit) & order.families.keys() if unit != BARE else ()
    return next((order.families[family] for family in families), None)


def _near(documents: Documents, document: Ints, count: Ints, position: Ints, order: Order) -> Floats:
    """Return how near each quantity is to the attribute to sort by ("price"), from 0 (not in the document) to 1.
    `count` is the number of quantities of each document, and `position` is the word position of each quantity."""
    found, columns = np.zeros(len(position)), documents.columns
    if not columns.has_terms:
        return found
    codes = [code for code in map(term_hash, order.attribute) if code]
    start, length = columns.term_offsets.extent(document)
    starts = starts_of(length)
    places = np.flatnonzero(np.isin(columns.terms[ragged_ranges(start, length)], codes))
    held = np.zeros(len(document), dtype=bool)
    held[np.searchsorted(starts, places, side="right") - 1] = True
    own = np.flatnonzero(held.repeat(count))
    owner = np.arange(len(document)).repeat(count)[own]
    begin = starts[owner]
    found[own] = nearness(begin + position[own], places, WordWeights(), begin, length[owner])
    return found


def _commonest(kinds: Sequence[str], owners: Sequence[int], weight: Sequence[float]) -> str | None:
    """Return the kind of unit ("length") with the highest total weight. `kinds`, `owners` and `weight` contain the
    kind, the document and the weight of each quantity. For each kind, only the highest weight per document counts."""
    best: dict[tuple[str, int], float] = {}
    for kind, owner, counts in zip(kinds, owners, weight, strict=True):
        best[kind, owner] = max(best.get((kind, owner), 0.0), counts)
    total: dict[str, float] = {}
    for (kind, _), counts in best.items():
        total[kind] = total.get(kind, 0.0) + counts
    return max(total, key=total.__getitem__, default=None)
