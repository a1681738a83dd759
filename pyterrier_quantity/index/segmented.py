"""The columns of several segments, read as if they were one's.

Documents, quantities and terms are numbered through all segments, in their order. What is asked for by these numbers is
looked up segment by segment and put together again; the numbers that come ascending cost least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import starts_of
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.quantity import Quantity

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Read = Callable[[int, npt.NDArray[np.integer[Any]]], npt.NDArray[Any]]
"""From a segment and places within it to what is there; the last axis is that of the places."""


def gather(where: npt.NDArray[np.integer[Any]], starts: Ints, read: Read) -> npt.NDArray[Any]:
    """What is at places numbered through all segments.

    Args:
        where: the places.
        starts: where each segment begins in them, and behind the last where they end.
        read: gives what is at places of one segment.
    """
    if len(starts) == 2 or not len(where):
        return read(0, where)
    order = None
    if (where[1:] < where[:-1]).any():
        segment = np.searchsorted(starts[1:-1], where, side="right")
        order = np.argsort(segment.astype(np.min_scalar_type(len(starts))), kind="stable")  # small numbers: a count
        where, segment = where[order], segment[order]
        cuts = np.searchsorted(segment, np.arange(len(starts))).tolist()
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


class SegmentedColumn:
    """One column of several segments.

    Args:
        parts: the column of each segment.
        starts: where the segments' entries begin.
        renamed: for each segment what its entries stand for; None: themselves.
    """

    def __init__(self, parts: Sequence[Any], starts: Ints, renamed: Sequence[npt.NDArray[Any]] | None = None) -> None:
        self._parts, self._starts = parts, starts
        self._renamed = None if renamed is None else [_small(numbers) for numbers in renamed]

    def __getitem__(self, where: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        return gather(where, self._starts, self._read)

    def _read(self, number: int, places: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        found = self._parts[number].take(places)  # in three quarters of the time of [places]
        return found if self._renamed is None else self._renamed[number].take(found)


def _small(numbers: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.integer[Any]]:
    """In the smallest type that holds them, as columns are."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


class SegmentedOffsets:
    """Where each document's entries begin, over several segments; see `Offsets`.

    Args:
        parts: of each segment.
        documents, entries: where the segments' documents and entries begin.
    """

    def __init__(self, parts: Sequence[Offsets], documents: Ints, entries: Ints) -> None:
        self._parts, self._documents, self._entries = parts, documents, entries

    def __len__(self) -> int:
        """The number of documents."""
        return int(self._documents[-1])

    def extent(self, documents: npt.NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
        """Where these documents' entries begin, and how many they are."""
        if len(self._parts) == 1:
            return self._parts[0].extent(documents)
        first, count = gather(documents, self._documents, self._extent)
        return first, count

    def _extent(self, number: int, documents: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        first, count = self._parts[number].extent(documents)
        return np.stack([first + self._entries[number], count])


class SegmentedColumns:
    """What `Columns` are, for one segment or several: the form in which they are searched.

    Args:
        parts: the columns of each segment, at least one.
        renamed: for each segment the number of each of its units in the common list; None: they have one list.
        documents: how many documents count; None: all of them.
        term_documents: how many of those hold each of the 65,536 term codes; None: as the only segment says.
    """

    def __init__(
        self,
        parts: Sequence[Columns],
        renamed: Sequence[npt.NDArray[np.integer[Any]]] | None = None,
        documents: int | None = None,
        term_documents: npt.NDArray[np.integer[Any]] | None = None,
    ) -> None:
        self._parts = parts
        self.term_documents = parts[0].term_documents if term_documents is None else term_documents
        self.document_starts = starts_of([len(part.doc_offsets) for part in parts])
        self.quantity_starts = starts_of([part.quantities for part in parts])
        terms = starts_of([len(part.terms) for part in parts])
        self.documents = int(self.document_starts[-1]) if documents is None else documents
        self.doc_offsets = SegmentedOffsets([p.doc_offsets for p in parts], self.document_starts, self.quantity_starts)
        self.term_offsets = SegmentedOffsets([part.term_offsets for part in parts], self.document_starts, terms)
        self.unit = SegmentedColumn([part.unit for part in parts], self.quantity_starts, renamed)
        self.bound, self.confidence, self.start, self.position = (
            SegmentedColumn([getattr(part, name) for part in parts], self.quantity_starts)
            for name in ("bound", "confidence", "start", "position")
        )
        self.terms = SegmentedColumn([part.terms for part in parts], terms)

    @property
    def has_terms(self) -> bool:
        """Whether the words around the quantities are kept."""
        return self._parts[0].has_terms

    def ends(self, quantity: npt.NDArray[np.integer[Any]]) -> tuple[Floats, Floats]:
        """The low and the high ends of these quantities."""
        if len(self._parts) == 1:
            return self._parts[0].ends(quantity)
        low, high = gather(quantity, self.quantity_starts, lambda n, places: np.stack(self._parts[n].ends(places)))
        return low, high

    def quantity(self, number: int, units: Sequence[str]) -> Quantity:
        """The quantity at this place, without its concept, which is not kept.

        Args:
            number: the place.
            units: the common list of units.
        """
        at = int(np.searchsorted(self.quantity_starts, number, side="right")) - 1
        unit = int(self.unit[np.array([number])][0])
        return self._parts[at].quantity(number - int(self.quantity_starts[at]), units[unit])
