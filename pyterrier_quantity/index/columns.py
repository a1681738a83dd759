"""The columns of a quantity index: documents, their quantities, and the words around them.

An index is one segment or several, and each has its columns in a file of its own. Here they are read as if they were
one's: documents, quantities and terms are numbered through all segments, in their order. Numbers that come ascending
cost least.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from pyterrier_quantity.flat_arrays import BLOCK_BITS, Array, Floats, Ints, Whole, starts_of
from pyterrier_quantity.quantity import BOUNDS, Quantity

PLAIN: Final = {
    "low": "<u4",  # row of `values`
    "high": "<u4",
    "unit": "<u4",  # row of the unit names
    "bound": "u1",  # position in BOUNDS
    "confidence": "u1",  # 255 = 1.0
    "start": "<u4",  # character span in the text
    "length": "<u2",
    "position": "<u4",  # position in the document's terms
    "terms": "<u2",
}
"""The columns of plain numbers while they are built, all of quantities but the last; they are stored in the smallest
type that holds them. Beside them: `values`, the distinct values, ascending; `doc_begin` and `doc_within`, `term_begin`
and `term_within`, where each document's quantities and terms begin, and behind the last where they end, in the form of
`flat_arrays.in_blocks`; and `term_documents`, the number of documents
(with quantities) that hold each of the 65,536 term codes, empty where words are not kept."""


def gather(where: Whole, starts: Ints, read: Callable[[int, Whole], Array]) -> Array:
    """What is at places numbered through all segments.

    Args:
        where: the places.
        starts: where each segment begins in them, and behind the last where they end.
        read: from a segment and places within it to what is there; the last axis is that of the places.
    """
    if len(starts) == 2 or not len(where):
        return read(0, where)
    order = None
    if (where[1:] < where[:-1]).any():
        segment = np.searchsorted(starts[1:-1], where, side="right")
        order = np.argsort(segment.astype(np.min_scalar_type(len(starts))), kind="stable")  # small numbers: a count
        where = where[order]
        cuts = np.searchsorted(segment[order], np.arange(len(starts))).tolist()
    else:
        cuts = np.searchsorted(where, starts).tolist()
    shares = [
        read(number, where[begin:end] - starts[number])
        for number, (begin, end) in enumerate(pairwise(cuts))
        if begin < end
    ]
    found = np.concatenate(shares, axis=-1)
    if order is None:
        return found
    back = np.empty_like(found)
    back[..., order] = found
    return back


class Column:
    """One column of all segments.

    Args:
        parts: the column of each segment.
        starts: where the segments' entries begin.
        renamed: for each segment what its entries stand for; None: themselves.
    """

    def __init__(self, parts: Sequence[Array], starts: Ints, renamed: Sequence[Whole] | None = None) -> None:
        self._parts, self._starts = parts, starts
        self._renamed = renamed and [numbers.astype(np.min_scalar_type(numbers.max(initial=0))) for numbers in renamed]

    def __getitem__(self, where: Whole) -> Array:
        return gather(where, self._starts, self._read)

    def _read(self, number: int, places: Whole) -> Array:
        found = self._parts[number].take(places)  # in three quarters of the time of [places]
        return self._renamed[number].take(found) if self._renamed else found


class Offsets:
    """Where each document's entries begin in a column.

    Args:
        parts: the arrays of each segment.
        name: of the two in which `flat_arrays.in_blocks` keeps it, without `_begin` and `_within`.
        entries: where the segments' entries begin.
    """

    def __init__(self, parts: Sequence[Mapping[str, Array]], name: str, entries: Ints) -> None:
        self._parts = [(part[f"{name}_begin"], part[f"{name}_within"]) for part in parts]
        self._entries = entries
        self.starts = starts_of([len(within) - 1 for _, within in self._parts])

    def __len__(self) -> int:
        """The number of documents."""
        return int(self.starts[-1])

    def extent(self, documents: Whole) -> tuple[Ints, Ints]:
        """Where these documents' entries begin, and how many they are."""
        first, count = gather(documents, self.starts, self.of_segment)
        return first, count

    def of_segment(self, number: int, documents: Whole) -> Array:
        """The same of documents of one segment, numbered from its first."""
        begin, within = self._parts[number]
        found = np.empty((2, len(documents)), dtype=np.int64)
        for place, places in enumerate((documents, documents + 1)):
            found[place] = begin.take(places >> BLOCK_BITS)
            found[place] += within.take(places)
        found[1] -= found[0]
        found[0] += self._entries[number]
        return found


class Columns:
    """The columns in the form in which they are searched, in memory or memory-mapped.

    Args:
        parts: the columns of each segment by name, at least one; see `PLAIN`.
        renamed: for each segment the number of each of its units in the common list; None: they have one list.
        documents: how many documents count; None: all of them.
        term_documents: how many of those hold each of the term codes; None: as the only segment says.
    """

    def __init__(
        self,
        parts: Sequence[Mapping[str, Array]],
        renamed: Sequence[Whole] | None = None,
        documents: int | None = None,
        term_documents: Array | None = None,
    ) -> None:
        self._parts = parts
        self.quantity_starts, terms = (starts_of([len(part[name]) for part in parts]) for name in ("low", "terms"))
        self.doc_offsets = Offsets(parts, "doc", self.quantity_starts)
        self.term_offsets = Offsets(parts, "term", terms)
        self.documents = len(self.doc_offsets) if documents is None else documents
        self.term_documents = parts[0]["term_documents"] if term_documents is None else term_documents
        self.unit = Column([part["unit"] for part in parts], self.quantity_starts, renamed)
        self.bound, self.confidence, self.start, self.length, self.position = (
            Column([part[name] for part in parts], self.quantity_starts)
            for name in ("bound", "confidence", "start", "length", "position")
        )
        self.terms = Column([part["terms"] for part in parts], terms)

    @property
    def has_terms(self) -> bool:
        """Whether the words around the quantities are kept."""
        return len(self.term_documents) > 0

    def ends(self, quantity: Whole) -> tuple[Floats, Floats]:
        """The low and the high ends of these quantities."""
        low, high = gather(quantity, self.quantity_starts, self._ends)
        return low, high

    def _ends(self, number: int, quantity: Whole) -> Array:
        values, low, high = (self._parts[number][name] for name in ("values", "low", "high"))
        return values.take(np.stack([low.take(quantity), high.take(quantity)]))

    def quantities(self, places: Whole, units: Sequence[str]) -> list[Quantity]:
        """The quantities at some places, without their concepts, which are not kept.

        Args:
            places: the places.
            units: the common list of units.
        """
        columns = (self.unit, self.bound, self.confidence, self.start, self.length)
        cells = (values.tolist() for values in (*self.ends(places), *(column[places] for column in columns)))
        return [
            Quantity(low, high, units[unit], BOUNDS[bound], start, start + length, confidence=round(sure / 255, 2))
            for low, high, unit, bound, sure, start, length in zip(*cells, strict=True)
        ]
