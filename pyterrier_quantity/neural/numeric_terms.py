"""Quantities as terms, so that the dot product of sparse vectors, or MaxSim, compares values.

Intervals of a logarithmic scale form a binary tree. A value in a text gets a term for each interval that holds it, and
the term includes its unit. A query's condition gets the fewest intervals that cover the values which meet it. A value
that meets the condition shares exactly one term with the query; any other value shares no term.

A text with many numbers must count only once, although a dot product can only add. Some value is above a bound if the
highest value is, and below it if the lowest value is. So there are three trees: of each unit's lowest value, of its
highest, and of all its values. A bound uses one of the first two, so each text shares at most one term with it. A range
may hold several values of a text. Late interaction need not add, so it uses the tree of all values, and counts one of
them. A sparse vector gives half the weight to a lowest value in the range and half to a highest one. Their sum is at
most the whole weight.

A unit that converts has two sets of terms: in the unit as written, and in the reference unit of its family. A value in
the query's own unit shares both sets. A value that meets the condition only after conversion shares the second set, and
counts `CONVERTED`.

Terms come only from the text itself, without a quantity index. The tree is that of numeric range queries in inverted
indexes (Schindler and Diepenbroek, 2008). Its use for fixed components of a learned sparse vector is ours.
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
"""The forms in which an encoder takes quantities: only as written, or also as these terms."""
FORM: Final = 2
"""Version of the terms. It is raised when terms change, because an index with other terms would find nothing."""

LEVELS: Final = 15
"""Depth of the tree: it has 2 ** 15 places. Values that differ by about 0.5 % are in neighbouring places."""
PLACES: Final = 1 << LEVELS
_HALF: Final = PLACES // 2
_PER_DECADE: Final = 450
_SMALLEST: Final = -15
"""Power of ten below which a value is taken as zero."""
SLOTS: Final = 1 << 20
"""Number of hash slots for terms, after the model's vocabulary. About once in a thousand times a value meets a
condition only because two terms share a slot."""
CONVERTED: Final = 0.6
"""Share of the weight for a condition that is met in another unit, as in the quantity index."""
_CUSTOMARY: Final = {"temperature": "celsius"}
"""Units that replace a family's reference unit. Its zero is far from usual values, where the tree is coarse."""
LOWEST, HIGHEST, ANY = "lowest", "highest", "any"
"""The trees, by the values of a text that they hold."""
Terms = dict[int, float]
"""Weights by slot."""


def place(value: float) -> int:
    """Return the number of a value's leaf in the tree; leaves are in the order of the values."""
    if abs(value) < 10.0**_SMALLEST:
        return _HALF
    step = min(int((math.log10(abs(value)) - _SMALLEST) * _PER_DECADE + 0.5) + 1, _HALF - 1)
    return _HALF + step if value > 0 else _HALF - step


def slot(scale: str, tree: str, level: int, interval: int) -> int:
    """Return the slot of a term: an interval on a level of a tree, on a scale."""
    return zlib.crc32(f"{scale}/{tree}/{level}/{interval}".encode()) % SLOTS


class NumericTerms:
    """Reader of quantities in texts and queries as terms.

    Args:
        gate: the weight of a query's terms, which is the worth of a met condition next to the words. A text's terms
            have the weight 1.
        extractor: reads the quantities; the rule extractor by default.
    """

    def __init__(self, gate: float, extractor: RuleExtractor | None = None) -> None:
        self.gate = gate
        self._extractor = extractor or RuleExtractor(concepts=False)

    def documents(self, texts: Sequence[str]) -> Any:
        """Return the terms of texts: a SciPy CSR matrix (texts, slots) of ones."""
        return _matrix([stated_terms(quantities) for quantities in self._extractor.extract_batch(texts, threads=1)])

    def queries(self, texts: Sequence[str]) -> list[Any]:
        """Return each query's terms for late interaction, weighed by the gate: CSR matrices (asked terms, slots)."""
        asked = [[terms for c in parse_query(text)[1] for terms in asked_terms(c)] for text in texts]
        return [self.gate * _matrix(terms) for terms in asked]

    def query_vectors(self, texts: Sequence[str]) -> Any:
        """Return the queries' terms for a sparse vector, weighed by the gate: a CSR matrix (texts, slots)."""
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
    """Return, for each document, the sum of the weights of the constraints that it meets: (documents,).

    Each constraint, and each value of a document, acts as a token vector in a space with one dimension per term. Their
    dot product is not zero if they share a term. MaxSim then adds the weight of each met constraint once, even if
    several values meet it.

    Args:
        stated: (documents, slots), as `NumericTerms.documents` makes them.
        asked: (constraints and scales, slots), of one query.
    """
    if not asked.nnz:
        return np.zeros(stated.shape[0], dtype=np.float32)
    weights = asked.max(axis=1).toarray().ravel()
    return np.minimum((stated @ asked.T).toarray(), weights).sum(axis=1, dtype=np.float32)


class Scale(NamedTuple):
    """A scale on which values of a unit are compared.

    Args:
        name: units with the same name are comparable.
        factor, offset: they convert a value to the scale: value * factor + offset.
        share: the share of the weight for a condition that is met on this scale.
    """

    name: str
    factor: float
    offset: float
    share: float

    def of(self, low: float, high: float) -> list[float]:
        """Return both ends on the scale, the lower one first."""
        return sorted(rescaled(value, self.factor, self.offset) for value in (low, high))


def scales(unit: str) -> list[Scale]:
    """Return the scale of the unit itself and, if it converts, that of its family; their shares add up to 1."""
    registry = default_registry()
    family = registry.family(unit)
    if family in (None, unit) or is_rate(unit):
        return [Scale(unit, 1.0, 0.0, 1.0)]
    customary = _CUSTOMARY.get(family)
    to_family = (registry.conversion(unit, customary) if customary else None) or registry.to_reference(unit)
    return [Scale(unit, 1.0, 0.0, 1.0 - CONVERTED), Scale(f"={family}", *to_family, CONVERTED)]


def stated_terms(quantities: Iterable[Quantity]) -> Terms:
    """Return the terms of the intervals that hold the quantities' values; both ends of a range count as values."""
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
    """Return, for each scale, the fewest intervals that cover all values that meet a constraint. Each interval gets the
    scale's share of the weight."""
    return [
        {
            slot(scale.name, tree, *node): scale.share
            for tree, first, last in _ranges(constraint, scale)
            for node in _cover(first, last)
        }
        for scale in scales(constraint.unit)
    ]


def added_terms(constraint: Constraint) -> Terms:
    """Return the terms of `asked_terms` in one dictionary, with weights that add up to at most 1 for one text."""
    found: Terms = {}
    for scale in scales(constraint.unit):
        for tree, first, last in _ranges(constraint, scale):
            halves = constraint.op not in SIDES and first < last
            weight = scale.share / 2 if halves else scale.share
            for one in (LOWEST, HIGHEST) if halves else (tree,):
                found |= {slot(scale.name, one, *node): weight for node in _cover(first, last)}
    return found


def _ranges(constraint: Constraint, scale: Scale) -> list[tuple[str, int, int]]:
    """Return the ranges of places on a scale that meet a constraint, each as (tree, first place, last place)."""
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
    """Return the fewest intervals of the tree, as (level, number), that cover the places from `first` to `last`."""
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
