"""Quantities as terms, so that the dot product of sparse vectors, or MaxSim, compares values.

A text's value gets a term for each interval of a binary tree over a logarithmic scale that holds it, with its unit in
the term; a query's condition gets the fewest intervals that cover the values which meet it. A value that meets the
condition shares exactly one term with the query, any other none.

A text of many numbers must not count many times, though a dot product can only add. Something lies above a bound if the
highest value does, and below it if the lowest does. So there are three trees, of each unit's lowest value, of its
highest, and of all its values, and a bound asks one of the first two: every text shares one term with it, or none.
Values in a range may be there twice. Late interaction need not add, so it asks for any of them, and counts one. A
sparse vector asks half for the lowest and half for the highest in the range: together never more than the whole.

A unit that converts has its terms twice: as it is written, and in its family's reference unit. What meets a condition
in the query's own unit shares both, what meets it only after conversion the second, and counts `CONVERTED`.

Only what the text itself says is encoded: there is no quantity index. The tree is that of numeric range queries in
inverted indexes (Schindler and Diepenbroek, 2008); as fixed numeric components of a learned sparse vector it is ours.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity._ragged import starts_of
from pyterrier_quantity.constants import ROUGHLY
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.index.unit_matching import is_rate
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import SIDES, Constraint, Quantity
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

PLAIN, TERMS = "plain", "terms"
FORMS: Final = (PLAIN, TERMS)
"""How an encoder takes quantities: as they are written, or with these terms beside them."""
FORM: Final = 2
"""Raised when terms change: an index of other terms would find nothing."""

LEVELS: Final = 15
"""Depth of the tree: 2 ** 15 places; some 5 in a thousand more or less take the next one."""
PLACES: Final = 1 << LEVELS
_HALF: Final = PLACES // 2
_PER_DECADE: Final = 450
_SMALLEST: Final = -15
"""Power of ten below which values are taken as zero."""
SLOTS: Final = 1 << 20
"""Terms are hashed to so many numbers behind the model's vocabulary: a value meets a condition by chance once in some
thousand times."""
CONVERTED: Final = 0.6
"""What meeting a condition in another unit counts, as in the quantity index."""
_CUSTOMARY: Final = {"temperature": "celsius"}
"""Families whose reference has its zero far from usual values, where the tree is coarse, and a unit in its place."""
LOWEST, HIGHEST, ANY = "lowest", "highest", "any"
"""The trees: of which of a text's values."""
Terms = dict[int, float]
"""Weights by slot."""


def place(value: float) -> int:
    """A value's leaf in the tree; leaves are in the order of the values."""
    if abs(value) < 10.0**_SMALLEST:
        return _HALF
    step = min(int((math.log10(abs(value)) - _SMALLEST) * _PER_DECADE + 0.5) + 1, _HALF - 1)
    return _HALF + step if value > 0 else _HALF - step


def slot(scale: str, tree: str, level: int, interval: int) -> int:
    """The number of the term of a scale and an interval of a level of a tree."""
    return zlib.crc32(f"{scale}/{tree}/{level}/{interval}".encode()) % SLOTS


class NumericTerms:
    """Terms of texts and queries.

    Args:
        gate: the weight of a query's numeric terms; that of a text's is 1. What meeting a condition is worth beside
            the words.
        extractor: reads the quantities; the rule extractor by default.
    """

    def __init__(self, gate: float, extractor: RuleExtractor | None = None) -> None:
        self.gate = gate
        self._extractor = extractor or RuleExtractor(concepts=False)

    def documents(self, texts: Sequence[str]) -> Any:
        """Each text's terms: a SciPy CSR matrix (texts, slots) of ones."""
        return _matrix([stated_terms(quantities) for quantities in self._extractor.extract_batch(texts, threads=1)])

    def queries(self, texts: Sequence[str]) -> list[Any]:
        """Each query's terms for late interaction, weighed by the gate: CSR matrices (asked terms, slots)."""
        asked = [[terms for c in parse_query(text)[1] for terms in asked_terms(c)] for text in texts]
        return [self.gate * _matrix(terms) for terms in asked]

    def query_vectors(self, texts: Sequence[str]) -> Any:
        """Each query's terms for a sparse vector, weighed by the gate: a CSR matrix (texts, slots)."""
        asked = [{t: w for c in parse_query(text)[1] for t, w in added_terms(c).items()} for text in texts]
        return self.gate * _matrix(asked)


def _matrix(rows: Sequence[Terms]) -> Any:
    """Weights by slot as a SciPy CSR matrix (rows, slots)."""
    pairs = [pair for row in rows for pair in sorted(row.items())]
    slots, weights = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    shape = len(rows), SLOTS
    parts = weights.astype(np.float32), slots.astype(np.int32), starts_of([len(row) for row in rows])
    return need("scipy.sparse").csr_matrix(parts, shape=shape)


def met(stated: Any, asked: Any) -> npt.NDArray[np.float32]:
    """The sum of the weights of the constraints that each document meets.

    A constraint is as a token vector of its own, in a space of one dimension a term, and so is each value of a
    document: they are alike where they share a term, and MaxSim adds the weight of each constraint that is met, however
    many values meet it.

    Args:
        stated: (documents, slots), as `NumericTerms.documents` makes them.
        asked: (constraints and scales, slots), of one query.
    """
    if not asked.nnz:
        return np.zeros(stated.shape[0], dtype=np.float32)
    weights = asked.max(axis=1).toarray().ravel()
    return np.minimum((stated @ asked.T).toarray(), weights).sum(axis=1, dtype=np.float32)


class Scale(NamedTuple):
    """What values of a unit are compared on.

    Args:
        name: units of one name are compared.
        factor, offset: from the unit to the scale: value * factor + offset.
        share: what meeting a condition on it counts.
    """

    name: str
    factor: float
    offset: float
    share: float

    def of(self, low: float, high: float) -> list[float]:
        """Both ends on the scale, the lower one first."""
        return sorted(rescaled(value, self.factor, self.offset) for value in (low, high))


def scales(unit: str) -> list[Scale]:
    """The unit itself and, if it converts, its family; their shares are 1 together."""
    registry = default_registry()
    family = registry.family(unit)
    if family in (None, unit) or is_rate(unit):
        return [Scale(unit, 1.0, 0.0, 1.0)]
    customary = _CUSTOMARY.get(family)
    to_family = (registry.conversion(unit, customary) if customary else None) or registry.to_reference(unit)
    return [Scale(unit, 1.0, 0.0, 1.0 - CONVERTED), Scale(f"={family}", *to_family, CONVERTED)]


def stated_terms(quantities: Iterable[Quantity]) -> Terms:
    """The intervals that hold the quantities' values, and each scale's lowest and highest; of a range, both ends."""
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
    """The fewest intervals that cover the places which meet a constraint, scale by scale, with the scale's share."""
    return [
        {
            slot(scale.name, tree, *node): scale.share
            for tree, first, last in _ranges(constraint, scale)
            for node in _cover(first, last)
        }
        for scale in scales(constraint.unit)
    ]


def added_terms(constraint: Constraint) -> Terms:
    """The same with weights, such that those of a text's terms add up to 1 at most."""
    found: Terms = {}
    for scale in scales(constraint.unit):
        for tree, first, last in _ranges(constraint, scale):
            halves = constraint.op not in SIDES and first < last
            weight = scale.share / 2 if halves else scale.share
            for one in (LOWEST, HIGHEST) if halves else (tree,):
                found |= {slot(scale.name, one, *node): weight for node in _cover(first, last)}
    return found


def _ranges(constraint: Constraint, scale: Scale) -> list[tuple[str, int, int]]:
    """The places on a scale that meet a constraint, as tree, first and last place of each stretch."""
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
    """The fewest intervals of the tree, as level and number, that cover the places from `first` to `last`."""
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
