"""The columns of a quantity index: documents, their quantities, and the words around them.

Each segment of an index stores its columns in a file of its own. Here they are read as one: documents, quantities and
terms are numbered through all segments, in their order. Ascending numbers are fastest to read.
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
"""The columns of plain numbers during the build; stored columns use the smallest type that fits. All but the last hold
one entry a quantity.

Further columns: `values` holds the distinct values, ascending. `doc_begin` and `doc_within`, and `term_begin` and
`term_within`, hold where each document's quantities and terms begin, with one entry more for the end, in the form of
`flat_arrays.in_blocks`. `term_documents` holds the number of documents with quantities for each of the 65,536 term
codes; it is empty if words are not kept.
"""


def gather(where: Whole, starts: Ints, read: Callable[[int, Whole], Array]) -> Array:
    """Return the entries at places numbered through all segments.

    Args:
        where: the places.
        starts: where each segment begins, with one entry more for the end of the last.
        read: a function from a segment and places in it to entries, whose last axis is that of the places.
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
        starts: where each segment's entries begin.
        renamed: for each segment, the index's number for each of its own numbers; None if they are the same.
    """

    def __init__(self, parts: Sequence[Array], starts: Ints, renamed: Sequence[Whole] | None = None) -> None:
        self._parts, self._starts = parts, starts
        self._renamed = renamed and [numbers.astype(np.min_scalar_type(numbers.max(initial=0))) for numbers in renamed]

    def __getitem__(self, where: Whole) -> Array:
        return gather(where, self._starts, self._read)

    def _read(self, number: int, places: Whole) -> Array:
        found = self._parts[number].take(places)  # takes three quarters of the time of [places]
        return self._renamed[number].take(found) if self._renamed else found


class Offsets:
    """Where each document's entries begin in a column.

    Args:
        parts: the arrays of each segment.
        name: the common start of the two names in which `flat_arrays.in_blocks` stores the offsets.
        entries: where the segments' entries begin.
    """

    def __init__(self, parts: Sequence[Mapping[str, Array]], name: str, entries: Ints) -> None:
        self._parts = [(part[f"{name}_begin"], part[f"{name}_within"]) for part in parts]
        self._entries = entries
        self.starts = starts_of([len(within) - 1 for _, within in self._parts])

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.starts[-1])

    def extent(self, documents: Whole) -> tuple[Ints, Ints]:
        """Return where these documents' entries begin, and their numbers of entries."""
        first, count = gather(documents, self.starts, self.of_segment)
        return first, count

    def of_segment(self, number: int, documents: Whole) -> Array:
        """Return the same for documents of one segment, numbered from its first."""
        begin, within = self._parts[number]
        found = np.empty((2, len(documents)), dtype=np.int64)
        for place, places in enumerate((documents, documents + 1)):
            found[place] = begin.take(places >> BLOCK_BITS)
            found[place] += within.take(places)
        found[1] -= found[0]
        found[0] += self._entries[number]
        return found


class Columns:
    """The columns as they are searched, in memory or memory-mapped.

    Args:
        parts: the columns of each segment by name, at least one segment; see `PLAIN`.
        renamed: for each segment, the number of each of its units in the common list; None if they share one list.
        documents: the number of documents that count; None for all.
        term_documents: the number of these that hold each term code; None to use the only segment's.
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
        """Return the low and the high ends of these quantities."""
        low, high = gather(quantity, self.quantity_starts, self._ends)
        return low, high

    def _ends(self, number: int, quantity: Whole) -> Array:
        values, low, high = (self._parts[number][name] for name in ("values", "low", "high"))
        return values.take(np.stack([low.take(quantity), high.take(quantity)]))

    def quantities(self, places: Whole, units: Sequence[str]) -> list[Quantity]:
        """Return the quantities at some places, without their concepts, which are not stored.

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
