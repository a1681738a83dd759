"""Read the columns of a quantity index: the quantities of its documents, and the words around the quantities.

Each segment of an index has its own file. This module reads the segments as one index, in which documents, quantities
and terms have consecutive numbers. Reading in ascending order is fastest.
"""

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
"""The numeric columns and their types during a build; stored columns use the smallest type that fits. All except
`terms` have one entry for each quantity.

Further columns: `values` holds the distinct values, ascending. `doc_begin` and `doc_within` hold the start of each
document's quantities, plus the end of the last, in the form of `flat_arrays.in_blocks`; `term_begin` and `term_within`
do the same for terms. `term_documents` holds the number of documents with quantities for each of the 65,536 term codes;
it is empty if words are not stored.
"""


def gather(where: Whole, starts: Ints, read: Callable[[int, Whole], Array]) -> Array:
    """Return the entries of a column at the given positions. The positions are counted across all segments.

    Args:
        where: the positions.
        starts: for each segment, its first position, and the total number of entries at the end.
        read: a function that reads entries of one segment, given the segment's number and positions in the segment. The
            last axis of the result has one item for each position.
    """
    if len(starts) == 2 or not len(where):
        return read(0, where)
    order = None
    if (where[1:] < where[:-1]).any():
        segment = np.searchsorted(starts[1:-1], where, side="right")
        # NumPy sorts small types by counting.
        order = np.argsort(segment.astype(np.min_scalar_type(len(starts))), kind="stable")
        where = where[order]
        cuts = np.searchsorted(segment[order], np.arange(len(starts))).tolist()
    else:
        cuts = np.searchsorted(where, starts).tolist()
    shares = [read(n, where[begin:end] - starts[n]) for n, (begin, end) in enumerate(pairwise(cuts)) if begin < end]
    found = np.concatenate(shares, axis=-1)
    if order is None:
        return found
    back = np.empty_like(found)
    back[..., order] = found
    return back


class Column:
    """One column of an index, such as `unit`, which joins the columns of all segments.

    Args:
        parts: the column of each segment.
        starts: for each segment, the position of its first entry in the whole column, and the total length at the end.
        renamed: for each segment, an array that maps unit numbers of the segment to unit numbers of the index, or None.
    """

    def __init__(self, parts: Sequence[Array], starts: Ints, renamed: Sequence[Whole] | None = None) -> None:
        self._parts, self._starts = parts, starts
        self._renamed = renamed and [numbers.astype(np.min_scalar_type(numbers.max(initial=0))) for numbers in renamed]

    def __getitem__(self, where: Whole) -> Array:
        return gather(where, self._starts, self._read)

    def _read(self, number: int, places: Whole) -> Array:
        found = self._parts[number].take(places)  # faster than [places]
        return self._renamed[number].take(found) if self._renamed else found


class Offsets:
    """Look up where each document's entries (quantities or terms) begin in a column, and how many entries it has.

    Args:
        parts: the arrays of each segment.
        name: "doc" for quantities (arrays `doc_begin` and `doc_within`) or "term" for terms.
        entries: for each segment, the position of its first entry in the column.
    """

    def __init__(self, parts: Sequence[Mapping[str, Array]], name: str, entries: Ints) -> None:
        self._parts = [(part[f"{name}_begin"], part[f"{name}_within"]) for part in parts]
        self._entries = entries
        self.starts = starts_of([len(within) - 1 for _, within in self._parts])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def extent(self, documents: Whole) -> tuple[Ints, Ints]:
        """Return, for each document, the position of its first entry in the column, and the number of its entries."""
        first, count = gather(documents, self.starts, self.of_segment)
        return first, count

    def of_segment(self, number: int, documents: Whole) -> Array:
        """Return an array with two rows: the position of the first entry of each document in the column, and the number
        of its entries. `documents` are row numbers in the segment `number`."""
        begin, within = self._parts[number]
        found = np.empty((2, len(documents)), dtype=np.int64)
        for place, places in enumerate((documents, documents + 1)):
            found[place] = begin.take(places >> BLOCK_BITS)
            found[place] += within.take(places)
        found[1] -= found[0]
        found[0] += self._entries[number]
        return found


class Columns:
    """The columns of an index for searching, in memory or memory-mapped.

    Args:
        parts: for each segment (at least one), a dictionary of columns, keyed by name; see `PLAIN`.
        renamed: for each segment, an array that maps unit numbers of the segment to unit numbers of the index, or None.
        documents: the number of documents that are not deleted, or None if no document is deleted.
        term_documents: for each term hash, the number of documents that contain the term, except deleted documents.
            None means the column `term_documents` of the only segment.
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
        """Whether the words around the quantities are stored."""
        return len(self.term_documents) > 0

    def ends(self, quantity: Whole) -> tuple[Floats, Floats]:
        low, high = gather(quantity, self.quantity_starts, self._ends)
        return low, high

    def _ends(self, number: int, quantity: Whole) -> Array:
        values, low, high = (self._parts[number][name] for name in ("values", "low", "high"))
        return values.take(np.stack([low.take(quantity), high.take(quantity)]))

    def quantities(self, places: Whole, units: Sequence[str]) -> list[Quantity]:
        """Return the quantities at the given positions. Concepts are empty, because the columns do not store them.

        Args:
            places: the positions of the quantities in the columns.
            units: the unit names of the index.
        """
        columns = (self.unit, self.bound, self.confidence, self.start, self.length)
        cells = (values.tolist() for values in (*self.ends(places), *(column[places] for column in columns)))
        return [
            Quantity(low, high, units[unit], BOUNDS[bound], start, start + length, confidence=round(sure / 255, 2))
            for low, high, unit, bound, sure, start, length in zip(*cells, strict=True)
        ]
