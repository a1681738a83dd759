"""Bare numbers whose label names what they count: "seats: 255" states 255 seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.context_words import is_count, noun_terms
from pyterrier_quantity.index.needs import QueryNeed
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.quantity import BARE

Ints = npt.NDArray[np.int64]


def labels(needs: Sequence[QueryNeed]) -> list[frozenset[int]]:
    """The terms that, right before a bare number, say that it states what a constraint counts: the noun itself, and the
    word that the constraint's number belongs to ("a rating above 4 stars"); none where nothing is counted."""
    found: list[frozenset[int]] = []
    for need in needs:
        attributes = need.attributes or [{}] * len(need.constraints)
        found += [_labels(c.unit, words) for c, words in zip(need.constraints, attributes, strict=True)]
    return found


def _labels(unit: str, attribute: Iterable[int]) -> frozenset[int]:
    if unit == BARE or not is_count(unit):
        return frozenset()
    return frozenset([*noun_terms(unit)[-1:], *list(attribute)[:1]])


def labelled(
    columns: SegmentedColumns, document: Ints, quantity: Ints, constraint: Ints, asked: Sequence[frozenset[int]]
) -> npt.NDArray[np.bool_]:
    """Whether the word before each quantity is one of its constraint's labels.

    Args:
        document, quantity, constraint: of each, its document, its place in the columns, and its constraint's number.
        asked: of each constraint, see `labels`.
    """
    position = columns.position[quantity].astype(np.int64)
    found = np.zeros(len(quantity), dtype=bool)
    behind = np.flatnonzero(position > 0)
    start, _ = columns.term_offsets.extent(document[behind])
    word = columns.terms[start + position[behind] - 1].astype(np.int64)
    keys = np.array(sorted(number << 16 | code for number, codes in enumerate(asked) for code in codes), dtype=np.int64)
    sought = constraint[behind] << 16 | word
    found[behind] = keys[np.minimum(np.searchsorted(keys, sought), len(keys) - 1)] == sought
    return found
