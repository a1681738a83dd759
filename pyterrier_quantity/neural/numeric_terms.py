"""Quantities as terms, so that the dot product of sparse vectors, or MaxSim, compares values.

A text's value gets a term for each interval of a binary tree over a logarithmic scale that holds it, with its unit in
the term; a query's condition gets the fewest intervals that cover the values which meet it. A value that meets the
condition shares exactly one term with the query, any other none.

A text of many numbers must not count many times, though a dot product can only add. Something lies above a bound if the
highest value does, and below it if the lowest does. So there are three trees, of each unit's lowest value, of its
highest, and of all its values, and a bound asks one of the first two: every text shares one term with it, or none.
Values in a range may be there twice. Late interaction need not add, so it asks for any of them, and counts one. A
sparse vector asks half for the lowest and half for the highest in the range: together never more than the whole.

Only what the text itself says is encoded: there is no quantity index. The tree is that of numeric range queries in
inverted indexes (Schindler and Diepenbroek, 2008); as fixed numeric components of a learned sparse vector it is ours.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Final

from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.quantity import Constraint, Quantity
from pyterrier_quantity.query import parse_query
from pyterrier_quantity.scoring import ROUGHLY

LEVELS: Final = 14
"""Depth of the tree: 2 ** 14 places, of which 8 in a thousand more or less take the next one."""
PLACES: Final = 1 << LEVELS
_HALF: Final = PLACES // 2
_PER_DECADE: Final = 450
_SMALLEST: Final = -4
"""Power of ten below which values are taken as zero."""
SLOTS: Final = 1 << 20
"""Terms are hashed to so many numbers behind the model's vocabulary: a value meets a condition by chance once in some
thousand times."""
_BOUNDS: Final = ("<", "<=", ">", ">=")
LOWEST, HIGHEST, ANY = "lowest", "highest", "any"
"""The trees: of which of a text's values."""
Terms = dict[int, float]
"""Weights by slot."""
Asked = list[Terms]
"""A query's terms, constraint by constraint."""


def place(value: float) -> int:
    """A value's leaf in the tree; leaves are in the order of the values."""
    if abs(value) < 10.0**_SMALLEST:
        return _HALF
    step = min(int((math.log10(abs(value)) - _SMALLEST) * _PER_DECADE + 0.5) + 1, _HALF - 1)
    return _HALF + step if value > 0 else _HALF - step


def slot(unit: str, tree: str, level: int, interval: int) -> int:
    """The number of the term of a unit and an interval of a level of a tree."""
    return zlib.crc32(f"{unit}/{tree}/{level}/{interval}".encode()) % SLOTS


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

    def documents(self, texts: Sequence[str]) -> list[Terms]:
        """Each text's terms."""
        return [stated_terms(quantities) for quantities in self._extractor.extract_batch(texts, threads=1)]

    def queries(self, texts: Sequence[str]) -> list[Asked]:
        """Each query's terms for late interaction, weighed by the gate."""
        return [[dict.fromkeys(asked_terms(c), self.gate) for c in parse_query(text)[1]] for text in texts]

    def query_vectors(self, texts: Sequence[str]) -> list[Terms]:
        """Each query's terms for a sparse vector, weighed by the gate."""
        return [{term: self.gate * weight for c in parse_query(text)[1] for term, weight in added_terms(c).items()}
                for text in texts]  # fmt: skip


def stated_terms(quantities: Iterable[Quantity]) -> Terms:
    """The intervals that hold the quantities' values, and each unit's lowest and highest; of a range, both ends."""
    values: dict[str, set[float]] = {}
    for quantity in quantities:
        values.setdefault(quantity.unit, set()).update((quantity.low, quantity.high))
    return {
        slot(unit, tree, level, place(value) >> level): 1.0
        for unit, stated in values.items()
        for tree, chosen in ((LOWEST, {min(stated)}), (HIGHEST, {max(stated)}), (ANY, stated))
        for value in chosen
        for level in range(LEVELS)
    }


def asked_terms(constraint: Constraint) -> list[int]:
    """The fewest intervals that cover the places which meet a constraint."""
    return [slot(constraint.unit, tree, *node) for tree, first, last in _ranges(constraint)
            for node in _cover(first, last)]  # fmt: skip


def added_terms(constraint: Constraint) -> Terms:
    """The same with weights, such that those of a text's terms add up to 1 at most."""
    found: Terms = {}
    for tree, first, last in _ranges(constraint):
        halves = constraint.op not in _BOUNDS and first < last
        for one in (LOWEST, HIGHEST) if halves else (tree,):
            nodes = _cover(first, last)
            found |= {slot(constraint.unit, one, *node): 0.5 if halves else 1.0 for node in nodes}
    return found


def _ranges(constraint: Constraint) -> list[tuple[str, int, int]]:
    """The places that meet a constraint, as tree, first and last place of each stretch."""
    low, high = place(constraint.low), place(constraint.high)
    top = PLACES - 1
    if constraint.op == "~":
        slack = ROUGHLY * abs(constraint.low)
        return [(ANY, place(constraint.low - slack), place(constraint.low + slack))]
    return {
        "=": [(ANY, low, high)], "range": [(ANY, low, high)],
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
