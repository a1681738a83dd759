"""Read an index that consists of several segments as one. Segments never change; deletions are stored separately."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np

from pyterrier_quantity.flat_arrays import Ints, documents_by_term, ragged_ranges, starts_of
from pyterrier_quantity.index.candidates import ByValue, SegmentValues
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.docnos import Docnos
from pyterrier_quantity.index.stated_names import StatedNames
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.index.unit_names import UnitNames
from pyterrier_quantity.index.value_order import BY_HIGH, BY_LOW, ValueOrder
from pyterrier_quantity.storage.index_folder import Kind
from pyterrier_quantity.units import UnitRegistry, default_registry

CONTENT: Final = "content"
"""The key in a segment's metadata for the digest of the documents from which the segment was built."""

DELETED: Final = "deleted"
"""The key in the folder's metadata for the deleted rows, ascending and numbered consecutively across segments."""

LANGUAGE: Final = "language"
"""The key in the folder's metadata for the language code of the texts. English indexes have no such key."""

_SAMPLED: Final = 4000  # maximum number of documents sampled to find the words next to numbers without a unit

KIND: Final = Kind("quantity_index", "columns", 9, "quantity index")


class Segments:
    """The content of an index when it was opened: its segments and its deleted documents.

    Args:
        header: the folder's metadata.
        parts: the segments in the order of their documents: results of `array_file.read`, or dictionaries of arrays.
        registry: the registry that converts the index's units. The default registry does not convert currencies.
    """

    def __init__(self, header: Mapping[str, Any], parts: Sequence[Any], registry: UnitRegistry | None = None) -> None:
        self.parts, self._registry = parts, registry or default_registry()
        self.deleted: Ints = np.array(header.get(DELETED, ()), dtype=np.int64)

    @cached_property
    def starts(self) -> Ints:
        """The row number of the first document in each segment, and the total number of rows as the last entry."""
        return starts_of([len(part["doc_within"]) - 1 for part in self.parts])

    @cached_property
    def meta(self) -> dict[str, Any]:
        """The numbers of `documents`, `quantities` and `units`. A single segment also has a digest of its documents."""
        if len(self.parts) == 1 and not len(self.deleted):
            return self.parts[0].meta
        return {
            "documents": int(self.starts[-1]) - len(self.deleted),
            "quantities": sum(part.meta["quantities"] for part in self.parts) - self._quantities_of(self.deleted),
            "units": int(np.count_nonzero(self._counts)),
        }

    def _quantities_of(self, rows: Ints) -> int:
        return int(self.columns.doc_offsets.extent(rows)[1].sum()) if len(rows) else 0

    @cached_property
    def _names(self) -> list[UnitNames]:
        return [UnitNames(part) for part in self.parts]

    @cached_property
    def names(self) -> UnitNames:
        return self._names[0] if len(self.parts) == 1 else UnitNames.of(sorted(set().union(*self._names)))

    @cached_property
    def vocabulary(self) -> UnitVocabulary:
        return UnitVocabulary(self.names, self._registry, np.flatnonzero(self._counts == 0), self.count)

    @cached_property
    def _counts(self) -> Ints:
        """The number of quantities in each unit, without those of deleted documents."""
        stated = np.zeros(len(self.names), dtype=np.int64)
        for part, renamed in zip(self.parts, self.renamed, strict=True):
            stated[renamed] += np.diff(part[f"{BY_LOW}_begin"].astype(np.int64))
        if len(self.deleted):
            start, count = self.columns.doc_offsets.extent(self.deleted)
            stated -= np.bincount(self.columns.unit[ragged_ranges(start, count)], minlength=len(stated))
        return stated

    def count(self, family: str) -> float:
        """Return the number of quantities in the units of a family, or in a unit without a family."""
        rows = self.vocabulary.family_rows(family)
        return float(self._counts[rows].sum())

    @cached_property
    def renamed(self) -> list[Ints]:
        """For each segment, an array that maps unit numbers of the segment to unit numbers of the index."""
        if len(self.parts) == 1:
            return [np.arange(len(self._names[0]))]
        number = {name: at for at, name in enumerate(self.names)}
        return [np.array([number[name] for name in names], dtype=np.int64) for names in self._names]

    @cached_property
    def columns(self) -> Columns:
        parts = self.parts
        renamed = self.renamed if len(parts) > 1 else None
        held: Ints = np.sum([part["term_documents"] for part in parts], axis=0, dtype=np.int64)
        columns = Columns(parts, renamed, int(self.starts[-1]) - len(self.deleted), held)
        if columns.has_terms and len(self.deleted):
            start, count = columns.term_offsets.extent(self.deleted)
            terms = columns.terms[ragged_ranges(start, count)]
            columns.term_documents = held - documents_by_term(np.repeat(np.arange(len(count)), count), terms)
        return columns

    @cached_property
    def values(self) -> ByValue:
        segments = []
        for part, renamed, (first, end) in zip(self.parts, self.renamed, pairwise(self.starts.tolist()), strict=True):
            own = np.full(len(self.names), -1)
            own[renamed] = np.arange(len(renamed))
            deleted = self.deleted[slice(*self.deleted.searchsorted([first, end]))]
            orders = {name: ValueOrder(part, name, own) for name in (BY_LOW, BY_HIGH)}
            segments.append(SegmentValues(orders, first, deleted - first, self._quantities_of(deleted)))
        return ByValue(segments, len(self.names))

    @cached_property
    def lines(self) -> dict[int, str]:
        """The synonyms that documents define in brackets: one line per document, keyed by row number."""
        lines: dict[int, str] = {}
        for start, part in zip(self.starts.tolist(), self.parts, strict=False):
            own = bytes(part["named"]).decode("utf-8", "surrogatepass").split("\n")[:-1]
            lines.update(zip((start + part["naming"].astype(np.int64)).tolist(), own, strict=True))
        for row in self.deleted.tolist():
            lines.pop(row, None)
        return lines

    @cached_property
    def stated_names(self) -> StatedNames:
        """The synonyms that documents define in brackets, such as "LNG", with weights."""
        return StatedNames(self.lines.values())

    def stating(self, unit: int) -> Ints:
        return self.values.stating(unit)

    def sample(self) -> Ints:
        """Return the row numbers of at most 4,000 evenly spaced documents that are not deleted, in ascending order."""
        rows = int(self.starts[-1])
        spread = np.unique(np.linspace(0, rows - 1, min(_SAMPLED, rows)).astype(np.int64))
        return np.setdiff1d(spread, self.deleted)

    @cached_property
    def docnos(self) -> Docnos:
        return Docnos(self.parts, self.deleted)
