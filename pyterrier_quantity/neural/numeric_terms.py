"""Numeric terms: quantities as terms, so that the dot product of sparse vectors, or MaxSim, compares values.

Intervals of a logarithmic scale form a binary tree. A value in a text gets a term for each interval that contains it;
the term includes its unit. A query's condition gets the smallest set of intervals that covers the values which meet it.
A value that meets the condition shares exactly one term with the query; any other value shares no term.

The score of a condition should be added only once per text, but a dot product adds up all shared terms. Therefore there
are three trees: for a text's lowest value in each unit, for its highest value, and for all values. For "more than",
only the highest value is compared, and for "less than" only the lowest, so that a text shares at most one term with
such a condition. A range may contain several values of a text. MaxSim does not add them up, so late interaction uses
the tree of all values. In a sparse vector, the text's lowest and highest value have half the weight each, so that the
sum is at most the full weight.

A unit that can be converted has two sets of terms: in the unit as written, and in the reference unit of its family
(dimension). A value in the query's own unit shares terms of both sets. A value that meets the condition only after
conversion shares a term of the second set only, whose weight is `CONVERTED`.

Terms come only from the text itself; a quantity index is not needed. The tree is that of numeric range queries in
inverted indexes (Schindler and Diepenbroek, 2008). Adding it to a learned sparse vector is our idea.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.constants import ROUGHLY
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.flat_arrays import starts_of
from pyterrier_quantity.index.unit_matching import is_rate
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import SIDES, Constraint, Quantity
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

PLAIN, TERMS = "plain", "terms"
FORMS: Final = (PLAIN, TERMS)
"""How an encoder represents quantities: only as text, or also as numeric terms."""
FORM: Final = 2
"""Version of the terms, to be raised when they change, because an older index would not match queries."""
LEVELS: Final = 15
"""Depth of the tree, which has 2 ** 15 leaves. Neighbouring leaves differ in value by about 0.5 %."""
PLACES: Final = 1 << LEVELS
_HALF: Final = PLACES // 2
_PER_DECADE: Final = 450
_SMALLEST: Final = -15
"""Power of ten below which a value is treated as zero."""
SLOTS: Final = 1 << 20
"""Number of hash slots for terms, after the model's vocabulary. About one in a thousand values meets a condition only
because of a hash collision."""
CONVERTED: Final = 0.6
"""Weight of a condition that is met in another unit, relative to its own unit, as in the quantity index."""
_CUSTOMARY: Final = {"temperature": "celsius"}
"""Units used instead of a family's reference unit, whose zero is far from usual values, so that the tree is coarse."""
LOWEST, HIGHEST, ANY = "lowest", "highest", "any"
"""The three trees, named after the values of a text that they contain."""
Terms = dict[int, float]  # weights by slot


def place(value: float) -> int:
    """Return the leaf of a value in the tree; leaves are numbered in ascending order of values."""
    if abs(value) < 10.0**_SMALLEST:
        return _HALF
    step = min(int((math.log10(abs(value)) - _SMALLEST) * _PER_DECADE + 0.5) + 1, _HALF - 1)
    return _HALF + step if value > 0 else _HALF - step


def slot(scale: str, tree: str, level: int, interval: int) -> int:
    """Return the hash slot of a term: an interval on a level of a tree, for a scale (unit)."""
    return zlib.crc32(f"{scale}/{tree}/{level}/{interval}".encode()) % SLOTS


class NumericTerms:
    """Generator of numeric terms for texts and queries. A text's terms have the weight 1. A query's terms have the
    weight `gate`: the score of a met condition, relative to the score of the words."""

    def __init__(self, gate: float) -> None:
        self.gate, self._extractor = gate, RuleExtractor(concepts=False)

    def documents(self, texts: Sequence[str]) -> Any:
        """Return the terms of texts: a SciPy CSR matrix (texts, slots) of ones."""
        return _matrix([stated_terms(quantities) for quantities in self._extractor.extract_batch(texts, threads=1)])

    def queries(self, texts: Sequence[str]) -> list[Any]:
        """Return a CSR matrix (constraints, slots) for each query: its terms for late interaction, times `gate`."""
        asked = [[terms for c in parse_query(text)[1] for terms in asked_terms(c)] for text in texts]
        return [self.gate * _matrix(terms) for terms in asked]

    def query_vectors(self, texts: Sequence[str]) -> Any:
        """Return a CSR matrix (texts, slots) with the terms of queries for sparse vectors, times `gate`."""
        asked = [{t: w for c in parse_query(text)[1] for t, w in added_terms(c).items()} for text in texts]
        return self.gate * _matrix(asked)


def _matrix(rows: Sequence[Terms]) -> Any:
    """Return weights by slot as a SciPy CSR matrix (rows, slots)."""
    pairs = [pair for row in rows for pair in sorted(row.items())]
    slots, weights = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    shape = len(rows), SLOTS
    parts = weights.astype(np.float32), slots.astype(np.int32), starts_of([len(row) for row in rows])
    return need("scipy.sparse").csr_matrix(parts, shape=shape)


def met(stated: Any, asked: Any) -> npt.NDArray[np.float32]:
    """Return the sum of the weights of a query's constraints that each document meets: (documents,).

    Constraints and values are treated as token vectors in a space with one dimension per term. The dot product of two
    vectors is positive if they share a term. As in MaxSim, the weight of a constraint is added only once, even if
    several values meet it. `stated` (documents, slots) is from `NumericTerms.documents`, and `asked` (constraints and
    scales, slots) from `NumericTerms.queries`.
    """
    if not asked.nnz:
        return np.zeros(stated.shape[0], dtype=np.float32)
    weights = asked.max(axis=1).toarray().ravel()
    return np.minimum((stated @ asked.T).toarray(), weights).sum(axis=1, dtype=np.float32)


class Scale(NamedTuple):
    """A unit in which values are compared. Values with scales of the same `name` are comparable after their conversion
    to the scale: value * factor + offset. `share` is the part of a condition's weight for meeting it on this scale."""

    name: str
    factor: float
    offset: float
    share: float

    def of(self, low: float, high: float) -> list[float]:
        """Return both ends converted to the scale, the lower one first."""
        return sorted(rescaled(value, self.factor, self.offset) for value in (low, high))


def scales(unit: str) -> list[Scale]:
    """Return the scale of the unit and, if it can be converted, the scale of its family. Their shares add up to 1."""
    registry = default_registry()
    family = registry.family(unit)
    if family in (None, unit) or is_rate(unit):
        return [Scale(unit, 1.0, 0.0, 1.0)]
    customary = _CUSTOMARY.get(family)
    to_family = (registry.conversion(unit, customary) if customary else None) or registry.to_reference(unit)
    return [Scale(unit, 1.0, 0.0, 1.0 - CONVERTED), Scale(f"={family}", *to_family, CONVERTED)]


def stated_terms(quantities: Iterable[Quantity]) -> Terms:
    """Return the terms of quantities: the intervals that contain a value, or for a range the intervals of both ends."""
    values: dict[str, set[float]] = {}
    for quantity in quantities:
        for scale in scales(quantity.unit):
            values.setdefault(scale.name, set()).update(scale.of(quantity.low, quantity.high))
    return {
        slot(name, tree, level, place(value) >> level): 1.0
        for name, stated in values.items()
        for tree, chosen in ((LOWEST, {min(stated)}), (HIGHEST, {max(stated)}), (ANY, stated))
        for value in chosen
        for level in range(LEVELS)
    }


def asked_terms(constraint: Constraint) -> list[Terms]:
    """Return, for each scale, the smallest set of intervals that covers all values that meet a constraint. Each term
    has the scale's share as its weight."""
    return [
        {
            slot(scale.name, tree, *node): scale.share
            for tree, first, last in _ranges(constraint, scale)
            for node in _cover(first, last)
        }
        for scale in scales(constraint.unit)
    ]


def added_terms(constraint: Constraint) -> Terms:
    """Return the terms of all scales, weighted so that the terms of one value add up to at most 1."""
    found: Terms = {}
    for scale in scales(constraint.unit):
        for tree, first, last in _ranges(constraint, scale):
            halves = constraint.op not in SIDES and first < last
            weight = scale.share / 2 if halves else scale.share
            for one in (LOWEST, HIGHEST) if halves else (tree,):
                found |= {slot(scale.name, one, *node): weight for node in _cover(first, last)}
    return found


def _ranges(constraint: Constraint, scale: Scale) -> list[tuple[str, int, int]]:
    """Return the ranges of leaves that meet a constraint on a scale, each as (tree, first leaf, last leaf)."""
    slack = ROUGHLY * abs(constraint.low) if constraint.op == "~" else 0.0
    low, high = map(place, scale.of(constraint.low - slack, constraint.high + slack))
    top = PLACES - 1
    return {
        "=": [(ANY, low, high)], "range": [(ANY, low, high)], "~": [(ANY, low, high)],
        "!=": [(LOWEST, 0, low - 1), (HIGHEST, high + 1, top)],
        "<": [(LOWEST, 0, high - 1)], "<=": [(LOWEST, 0, high)],
        ">": [(HIGHEST, low + 1, top)], ">=": [(HIGHEST, low, top)],
    }[constraint.op]  # fmt: skip


def _cover(first: int, last: int) -> list[tuple[int, int]]:
    """Return the smallest set of intervals, as (level, number), that covers the leaves from `first` to `last`."""
    found = []
    level, end = 0, last + 1
    while first < end and level < LEVELS:
        if first & 1:
            found.append((level, first))
            first += 1
        if end & 1:
            end -= 1
            found.append((level, end))
        first, end, level = first >> 1, end >> 1, level + 1
    return found
