"""What an index's folder holds at one time: segments that never change, and the rows of deleted documents.

An index that was built at once is one segment, which says all there is to say. What holds for several together is made
of them when they are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity._arrays import Arrays
from pyterrier_quantity._corpus import CorpusRecord, changed_digest, docnos_digest, hash_docnos
from pyterrier_quantity._index_folder import Kind
from pyterrier_quantity._ragged import documents_by_term, ragged_ranges, starts_of
from pyterrier_quantity.index.candidates import SegmentedOrder
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.docnos import DocnoLookup, Docnos
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.index.unit_names import UnitNames, name_arrays
from pyterrier_quantity.index.value_order import SegmentOrders, ValueOrder, value_order
from pyterrier_quantity.units import default_registry

Ints = npt.NDArray[np.int64]

DOCNOS: Final = "docnos"
CONTENT: Final = "content"
"""Where the metadata keep the digests of what the index was built of, see `_corpus.CorpusRecord`."""

DELETED: Final = "deleted"
"""Where the folder's metadata keep the rows of deleted documents, ascending, numbered through all segments."""

_SAMPLED: Final = 4000
"""So many documents, at most, tell what numbers without a unit are called."""

KIND: Final = Kind("quantity_index", "columns", 6, "quantity index")


def write_segment(
    folder: Path, columns: Columns, units: Sequence[str], lookup: Callable[[], Arrays], corpus: CorpusRecord
) -> None:
    """Write the arrays of a segment.

    Args:
        folder: an empty folder.
        columns: the columns.
        units: the names that their `unit` column points to, in alphabetical order.
        lookup: gives the docnos' arrays, see `docnos.build_lookup`.
        corpus: what the index is built of.
    """
    counts = {"documents": columns.documents, "quantities": columns.quantities, "units": len(units)}
    meta = {**counts, DOCNOS: corpus.docnos, CONTENT: corpus.content}
    _arrays.write(folder, compact(_all_arrays(columns, units, lookup)), meta)


def _all_arrays(
    columns: Columns, units: Sequence[str], lookup: Callable[[], Arrays]
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """All arrays of a segment by name; what is not written yet takes no memory."""
    yield from columns.arrays().items()
    yield from lookup().items()
    yield from value_order(columns, len(units))
    yield from name_arrays(units).items()


def compact(arrays: Iterable[tuple[str, npt.NDArray[Any]]]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Arrays by name, their whole numbers in the smallest type that holds them."""
    for name, values in arrays:
        small = np.min_scalar_type(int(values.max())) if values.dtype.kind == "u" and len(values) else values.dtype
        yield name, values.astype(small) if small != values.dtype else values


@dataclass(frozen=True)
class Segment:
    """Documents that were indexed together; never changed.

    Args:
        part: its folder, metadata and arrays.
    """

    part: _arrays.Part

    def __len__(self) -> int:
        return int(self.part.meta["documents"])

    @property
    def arrays(self) -> Mapping[str, Any]:
        """Its arrays by name."""
        return self.part.columns

    @cached_property
    def names(self) -> UnitNames:
        """The names that its `unit` column points to."""
        return UnitNames(self.arrays)

    @cached_property
    def columns(self) -> Columns:
        return Columns.from_arrays(self.arrays)

    @cached_property
    def docnos(self) -> DocnoLookup:
        return DocnoLookup(self.arrays)

    def quantities_of(self, rows: Ints) -> int:
        """How many quantities the documents in some rows have."""
        return int(self.columns.doc_offsets.extent(rows)[1].sum())

    def orders(self, renamed: Ints, units: int, deleted: Ints) -> SegmentOrders:
        """What its quantities are found by.

        Args:
            renamed: of each of its units the number in the index.
            units: how many the index has.
            deleted: rows that are deleted.
        """
        arrays = self.arrays

        def order(name: str, low: str, high: str, by: str) -> ValueOrder:
            offsets = arrays["point_offsets" if name == "point" else "range_offsets"]
            column = {what: arrays[f"{name}_{what}"] for what in ("document", low, high)}
            return ValueOrder(column["document"], column[low], column[high], column[by], offsets, arrays["values"])

        local = np.full(units, -1)
        local[renamed] = np.arange(len(renamed))
        return SegmentOrders(
            points=order("point", "value", "value", by="value"),
            by_low=order("from", "low", "high", by="low"),
            by_high=order("to", "low", "high", by="high"),
            unit=local,
            deleted=deleted,
            hidden=self.quantities_of(deleted),
        )


class Segments:
    """An index as it was when it was opened.

    Args:
        header: what the folder's metadata say.
        parts: its segments, in the order of their documents.
    """

    def __init__(self, header: Mapping[str, Any], parts: Sequence[_arrays.Part]) -> None:
        self.parts = parts
        self.segments = [Segment(part) for part in parts]
        self.starts = starts_of([len(segment) for segment in self.segments])
        self.deleted: Ints = np.array(header.get(DELETED, ()), dtype=np.int64)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """How many `documents`, `quantities` and `units` there are, and digests of what they were built of."""
        first, *others = (part.meta for part in self.parts)
        if not others and not len(self.deleted):
            return first
        digest = reduce(changed_digest, (meta[DOCNOS] for meta in others), first[DOCNOS])
        gone = docnos_digest(hash_docnos(self.docnos.docnos(self.deleted)))
        hidden = (segment.quantities_of(self.deleted_of(number)) for number, segment in enumerate(self.segments))
        return {
            "documents": int(self.starts[-1]) - len(self.deleted),
            "quantities": sum(part.meta["quantities"] for part in self.parts) - sum(hidden),
            "units": len(self.vocabulary),
            DOCNOS: changed_digest(digest, removed=gone),
        }

    def deleted_of(self, number: int) -> Ints:
        """Of one segment the rows of deleted documents, ascending, numbered from its first."""
        first, end = np.searchsorted(self.deleted, self.starts[number : number + 2])
        return self.deleted[first:end] - self.starts[number]

    @cached_property
    def _names(self) -> UnitNames:
        """The names of all segments' units."""
        if len(self.segments) == 1:
            return self.segments[0].names
        held = [segment.names for segment in self.segments]
        known = {code: term for names in held for code, term in names.word_terms.items()}
        return UnitNames(name_arrays(sorted(set().union(*held)), known))

    @cached_property
    def renamed(self) -> list[Ints]:
        """For each segment the number of each of its units in the index."""
        if len(self.segments) == 1:
            return [np.arange(len(self._names))]
        number = {name: at for at, name in enumerate(self._names)}
        return [np.array([number[name] for name in segment.names], dtype=np.int64) for segment in self.segments]

    @cached_property
    def vocabulary(self) -> UnitVocabulary:
        """The units of all segments."""
        return UnitVocabulary(self._names, default_registry())

    @cached_property
    def columns(self) -> SegmentedColumns:
        held = [_held(segment.columns, self.deleted_of(number)) for number, segment in enumerate(self.segments)]
        return SegmentedColumns(
            [segment.columns for segment in self.segments],
            self.renamed if len(self.segments) > 1 else None,
            int(self.starts[-1]) - len(self.deleted),
            held[0] if len(held) == 1 else np.sum(held, axis=0, dtype=np.int64),
        )

    @cached_property
    def values(self) -> SegmentedOrder:
        """The quantities by value."""
        orders = [
            segment.orders(self.renamed[number], len(self.vocabulary), self.deleted_of(number))
            for number, segment in enumerate(self.segments)
        ]
        return SegmentedOrder(self.columns, orders)

    def stating(self, unit: int) -> Ints:
        """The rows of documents that state something in a unit, ascending; of many a share that is spread evenly."""
        return self.values.stating(unit)

    def sample(self) -> Ints:
        """The rows of documents that are not deleted, ascending; of many a share that is spread evenly."""
        rows = int(self.starts[-1])
        spread = np.unique(np.linspace(0, rows - 1, min(_SAMPLED, rows)).astype(np.int64))
        return np.setdiff1d(spread, self.deleted)

    @cached_property
    def docnos(self) -> Docnos:
        """The docnos of documents that are not deleted, by row and back."""
        return Docnos([segment.docnos for segment in self.segments], self.deleted)


def _held(columns: Columns, deleted: Ints) -> npt.NDArray[np.integer[Any]]:
    """How many documents that are not deleted hold each term."""
    held = columns.term_documents
    if columns.has_terms and len(deleted):
        start, count = columns.term_offsets.extent(deleted)
        terms = columns.terms[ragged_ranges(start, count)]
        return held - documents_by_term(np.repeat(np.arange(len(count)), count), terms)
    return held
