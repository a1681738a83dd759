"""The arrays of a quantity index: documents, their quantities, and the words around them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.context import concept_terms, context_terms
from pyterrier_quantity.index.ragged import ragged_ranges
from pyterrier_quantity.quantity import BOUNDS, Quantity

DTYPES: dict[str, str] = {
    "doc_offsets": "<u4",  # first quantity of each document; one more than documents
    "low": "<f8",
    "high": "<f8",
    "unit": "<u4",  # row of `units`
    "bound": "u1",  # position in BOUNDS
    "confidence": "u1",  # 255 = 1.0
    "start": "<u4",  # character span in the text
    "length": "<u2",
    "position": "<u4",  # position in the document's terms
    "term_offsets": "<u8",  # first term of each document; one more than documents
    "terms": "<u2",
    "term_documents": "<u4",  # documents (with quantities) that hold each of the 65,536 term codes
}
"""Name and little-endian type of every column."""

_BY_QUANTITY = ("low", "high", "unit", "bound", "confidence", "start", "length", "position")

_BOUND_CODE = {bound: code for code, bound in enumerate(BOUNDS)}


@dataclass(frozen=True)
class Columns:
    """The columns, in memory or memory-mapped; see `DTYPES` for what each one holds."""

    doc_offsets: npt.NDArray[np.uint32]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    unit: npt.NDArray[np.uint32]
    bound: npt.NDArray[np.uint8]
    confidence: npt.NDArray[np.uint8]
    start: npt.NDArray[np.uint32]
    length: npt.NDArray[np.uint16]
    position: npt.NDArray[np.uint32]
    term_offsets: npt.NDArray[np.uint64]
    terms: npt.NDArray[np.uint16]
    term_documents: npt.NDArray[np.uint32]

    @property
    def documents(self) -> int:
        return len(self.doc_offsets) - 1

    @property
    def quantities(self) -> int:
        return len(self.low)

    def quantity(self, number: int, units: Sequence[str]) -> Quantity:
        """The quantity at this position, without its concept, which is not kept."""
        start = int(self.start[number])
        return Quantity(
            float(self.low[number]),
            float(self.high[number]),
            units[self.unit[number]],
            BOUNDS[self.bound[number]],
            start,
            start + int(self.length[number]),
            confidence=float(self.confidence[number]) / 255,
        )


def merge_documents(columns: Columns, group: npt.NDArray[np.int64]) -> Columns:
    """Columns in which the documents of a group are one, at the place of the group's first.

    Args:
        group: of each document, the number of its group; groups are numbered by their first document.
    """
    order = np.argsort(group, kind="stable")
    first, count = _extents(columns.doc_offsets, order)
    term_first, term_count = _extents(columns.term_offsets, order)
    quantity, term = ragged_ranges(first, count), ragged_ranges(term_first, term_count)
    begins = np.searchsorted(group[order], np.arange(group.max() + 2))
    terms_before = np.concatenate([[0], np.cumsum(term_count)])
    shift = terms_before[:-1] - terms_before[begins[group[order]]]
    merged = {name: getattr(columns, name)[quantity] for name in _BY_QUANTITY}
    merged["position"] = (merged["position"] + np.repeat(shift, count)).astype(np.uint32)
    return Columns(
        **merged,
        doc_offsets=np.concatenate([[0], np.cumsum(count)])[begins].astype(np.uint32),
        term_offsets=terms_before[begins].astype(np.uint64),
        terms=columns.terms[term],
        term_documents=columns.term_documents,
    )


def _extents(
    offsets: npt.NDArray[Any], order: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the documents in this order begin, and how much they hold."""
    first = offsets[order].astype(np.int64)
    return first, offsets[order + 1].astype(np.int64) - first


class ColumnsBuilder:
    """Grows columns document by document."""

    def __init__(self) -> None:
        self.units: dict[str, int] = {}
        self._columns: dict[str, array[Any]] = {
            name: array(_typecode(dtype)) for name, dtype in DTYPES.items() if name != "term_documents"
        }
        self._columns["doc_offsets"].append(0)
        self._columns["term_offsets"].append(0)
        self._term_documents = np.zeros(1 << 16, dtype=np.uint32)

    def add(self, quantities: Sequence[Quantity], text: str | None = None) -> None:
        """Add one document: its quantities in text order and, for the words around them, its text."""
        columns = self._columns
        if quantities:
            spans = text and any(q.end for q in quantities)
            terms, positions = context_terms(text or "", quantities) if spans else concept_terms(quantities)
            columns["terms"].extend(terms)
            columns["position"].extend(positions)
            self._term_documents[list(set(terms))] += 1
        for q in quantities:
            columns["low"].append(q.low)
            columns["high"].append(q.high)
            columns["unit"].append(self.units.setdefault(q.unit, len(self.units)))
            columns["bound"].append(_BOUND_CODE[q.bound])
            columns["confidence"].append(max(1, round(255 * q.confidence)))
            columns["start"].append(min(q.start, 2**32 - 1))
            columns["length"].append(min(q.end - q.start, 2**16 - 1))
        columns["doc_offsets"].append(len(columns["low"]))
        columns["term_offsets"].append(len(columns["terms"]))

    def build(self) -> tuple[Columns, list[str]]:
        """The columns and the unit names that their `unit` column points to."""
        arrays = {
            name: np.frombuffer(values, dtype=DTYPES[name]) if len(values) else np.empty(0, dtype=DTYPES[name])
            for name, values in self._columns.items()
        }
        return Columns(**arrays, term_documents=self._term_documents), list(self.units)


def _typecode(dtype: str) -> str:
    return {"<f8": "d", "<u8": "Q", "<u4": "I", "<u2": "H", "u1": "B"}[dtype]


def build_columns(documents: Iterable[tuple[Sequence[Quantity], str | None]]) -> tuple[Columns, list[str]]:
    """Columns of (quantities, text) pairs."""
    builder = ColumnsBuilder()
    for quantities, text in documents:
        builder.add(quantities, text)
    return builder.build()
