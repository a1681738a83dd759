"""Represent quantities as numeric terms, so that the dot product of sparse vectors, or MaxSim, compares values.

A numeric term is an interval of values in one unit, hashed to a slot (a column of a matrix). The intervals form a
binary tree over a logarithmic scale, as in numeric range queries in inverted indexes (Schindler and Diepenbroek, 2008).
A value in a text has one term for each interval that contains the value. A query's condition has the smallest set of
intervals that together contain exactly the values that meet the condition. A value that meets the condition therefore
shares exactly one interval with the query, and any other value shares none.

A condition should count once per text, even if several values of the text meet the condition. Therefore each unit has
three trees: "lowest" and "highest" for the lowest and the highest value of a text, and "any" for all its values. "More
than" is compared with the highest value only, and "less than" with the lowest value only. A condition such as "5 to 10"
is compared with the tree "any" in late interaction, where the function `met` counts each condition only once. In a
sparse vector, "5 to 10" is compared with the lowest and the highest value, each with half the weight.

If a unit can be converted, an interval has two terms: one for the unit as written, and one for the reference unit of
its dimension. A value in the query's unit shares both terms. A value that meets the condition only after conversion
shares the second term, with the weight `CONVERTED`.
"""

import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.flat_arrays import starts_of
from pyterrier_quantity.index.unit_matching import is_rate
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import SIDES, Constraint, Quantity
from pyterrier_quantity.score.phi import roughly
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

PLAIN, TERMS = "plain", "terms"
FORMS: Final = (PLAIN, TERMS)
"""How an encoder reads quantities: "plain" (only as text) or "terms" (also as sparse vectors that compare values)."""
FORM: Final = 2
"""Version of the encoding of quantities, stored with an index. An index with another version cannot be searched."""
LEVELS: Final = 15
"""Depth of a tree of intervals, which has 2 ** 15 leaves. The values of neighbouring leaves differ by about 0.5 %."""
PLACES: Final = 1 << LEVELS
_HALF: Final = PLACES // 2
_PER_DECADE: Final = 450
_SMALLEST: Final = -15  # exponent of the smallest positive value: a value below 1e-15 counts as zero
SLOTS: Final = 1 << 20
"""Number of slots (columns for hashed terms). Collisions let about 0.1 % of values wrongly meet a condition."""
CONVERTED: Final = 0.6
"""Weight of a condition that is met only after conversion to another unit (otherwise 1)."""
_CUSTOMARY: Final = {"temperature": "celsius"}
"""Dictionary from a dimension to a unit that replaces its reference unit. In kelvin, usual values differ too little."""
LOWEST, HIGHEST, ANY = "lowest", "highest", "any"
"""Names of the trees of intervals, for the lowest value, the highest value and all values of a text."""
Terms = dict[int, float]  # from slot to weight


def place(value: float) -> int:
    """Return the number of the smallest interval (tree leaf) that contains a value. Numbers increase with values."""
    if abs(value) < 10.0**_SMALLEST:
        return _HALF
    step = min(int((math.log10(abs(value)) - _SMALLEST) * _PER_DECADE + 0.5) + 1, _HALF - 1)
    return _HALF + step if value > 0 else _HALF - step


def slot(scale: str, tree: str, level: int, interval: int) -> int:
    """Return the slot of an interval of values: a column in sparse vectors, computed as a hash of the arguments.
    `interval` is its number on the given level of the given tree, and `scale` is the unit."""
    return zlib.crc32(f"{scale}/{tree}/{level}/{interval}".encode()) % SLOTS


class NumericTerms:
    """Converter from the quantities in texts and queries to numeric terms (see the start of this module). `gate` is the
    score that is added to a text's score if the text meets the query's condition."""

    def __init__(self, gate: float) -> None:
        self.gate, self._extractor = gate, RuleExtractor(concepts=False)

    def documents(self, texts: Sequence[str]) -> Any:
        """Return the numeric terms of texts (see `stated_terms`) as a CSR matrix of ones with a row per text."""
        return _matrix([stated_terms(quantities) for quantities in self._extractor.extract_batch(texts, threads=1)])

    def queries(self, texts: Sequence[str]) -> list[Any]:
        """Return a CSR matrix of numeric terms for each query (late interaction), with a row per condition and unit."""
        asked = [[terms for c in parse_query(text)[1] for terms in asked_terms(c)] for text in texts]
        return [self.gate * _matrix(terms) for terms in asked]

    def query_vectors(self, texts: Sequence[str]) -> Any:
        """Return the numeric terms of queries, to append to sparse vectors: a CSR matrix with a row per query."""
        asked = [{t: w for c in parse_query(text)[1] for t, w in added_terms(c).items()} for text in texts]
        return self.gate * _matrix(asked)


def _matrix(rows: Sequence[Terms]) -> Any:
    pairs = [pair for row in rows for pair in sorted(row.items())]
    slots, weights = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    shape = len(rows), SLOTS
    parts = weights.astype(np.float32), slots.astype(np.int32), starts_of([len(row) for row in rows])
    return need("scipy.sparse").csr_matrix(parts, shape=shape)


def met(stated: Any, asked: Any) -> npt.NDArray[np.float32]:
    """Return each document's score for the constraints that the document meets, an array of shape (documents,). Each
    constraint counts once, even if several values of a document meet the constraint. `stated` is the result of
    `NumericTerms.documents`, and `asked` contains the terms of one query, from `NumericTerms.queries`."""
    if not asked.nnz:
        return np.zeros(stated.shape[0], dtype=np.float32)
    weights = asked.max(axis=1).toarray().ravel()
    return np.minimum((stated @ asked.T).toarray(), weights).sum(axis=1, dtype=np.float32)


class Scale(NamedTuple):
    """A unit in which values are compared, and the conversion of values to this unit: value * factor + offset. `share`
    is the fraction of a condition's weight that a text gets if its value meets the condition in this unit."""

    name: str
    factor: float
    offset: float
    share: float

    def of(self, low: float, high: float) -> list[float]:
        """Convert both ends of a range to this unit, and return them in ascending order."""
        return sorted(rescaled(value, self.factor, self.offset) for value in (low, high))


def scales(unit: str) -> list[Scale]:
    """Return a unit and, if it can be converted, the reference unit, as `Scale` objects: hour -> [hour, second]."""
    registry = default_registry()
    family = registry.family(unit)
    if family in (None, unit) or is_rate(unit):
        return [Scale(unit, 1.0, 0.0, 1.0)]
    customary = _CUSTOMARY.get(family)
    to_family = (registry.conversion(unit, customary) if customary else None) or registry.to_reference(unit)
    return [Scale(unit, 1.0, 0.0, 1.0 - CONVERTED), Scale(f"={family}", *to_family, CONVERTED)]


def stated_terms(quantities: Iterable[Quantity]) -> Terms:
    """Return the numeric terms of a text's quantities, as a dictionary from slot (hashed term) to weight (always 1).
    There is a term for each interval that contains one of the values or one end of a range."""
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
    """Return the numeric terms of a constraint for late interaction, as dictionaries from slot (hashed term) to weight.
    The first is for the constraint's unit. If this unit can be converted, a second is for its reference unit. The terms
    are the smallest set of intervals that covers all values that meet the constraint."""
    found = []
    for scale in scales(constraint.unit):
        nodes = ((tree, node) for tree, first, last in _ranges(constraint, scale) for node in _cover(first, last))
        found.append({slot(scale.name, tree, *node): scale.share for tree, node in nodes})
    return found


def added_terms(constraint: Constraint) -> Terms:
    """Return the numeric terms of a constraint for sparse vectors, as a dictionary from slot (hashed term) to weight.
    The weights of the terms that a text shares with the constraint add up to at most 1."""
    found: Terms = {}
    for scale in scales(constraint.unit):
        for tree, first, last in _ranges(constraint, scale):
            halves = constraint.op not in SIDES and first < last
            weight = scale.share / 2 if halves else scale.share
            for one in (LOWEST, HIGHEST) if halves else (tree,):
                found |= {slot(scale.name, one, *node): weight for node in _cover(first, last)}
    return found


def _ranges(constraint: Constraint, scale: Scale) -> list[tuple[str, int, int]]:
    """Return the tree leaves (smallest intervals) whose values meet a constraint, as (tree, first leaf, last leaf)."""
    slack = roughly(constraint)
    low, high = map(place, scale.of(constraint.low - slack, constraint.high + slack))
    top = PLACES - 1
    return {
        "=": [(ANY, low, high)], "range": [(ANY, low, high)], "~": [(ANY, low, high)],
        "!=": [(LOWEST, 0, low - 1), (HIGHEST, high + 1, top)],
        "<": [(LOWEST, 0, high - 1)], "<=": [(LOWEST, 0, high)],
        ">": [(HIGHEST, low + 1, top)], ">=": [(HIGHEST, low, top)],
    }[constraint.op]  # fmt: skip


def _cover(first: int, last: int) -> list[tuple[int, int]]:
    """Return the fewest tree nodes (level, number) that cover the leaves `first` to `last`: 2, 5 -> (1, 1), (1, 2)."""
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
