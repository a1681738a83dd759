"""The arrays of a quantity index: documents, their quantities, and the words around them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._column import damaged
from pyterrier_quantity.index.context_words import terms_around
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.index.unit_names import in_order
from pyterrier_quantity.quantity import BOUNDS, Quantity

DTYPES: dict[str, str] = {
    "doc_base": "<u8",  # where each document's quantities begin, as in `Offsets`
    "doc_step": "<u4",
    "values": "<f8",  # the distinct values, ascending
    "low": "<u4",  # row of `values`
    "high": "<u4",
    "unit": "<u4",  # row of the unit names
    "bound": "u1",  # position in BOUNDS
    "confidence": "u1",  # 255 = 1.0
    "start": "<u4",  # character span in the text
    "length": "<u2",
    "position": "<u4",  # position in the document's terms
    "term_base": "<u8",  # where each document's terms begin
    "term_step": "<u4",
    "terms": "<u2",
    "term_documents": "<u4",  # documents (with quantities) that hold each of the 65,536 term codes
}
"""Name and type of every column while it is built; integers are stored in the smallest type that holds them."""

_OFFSETS = ("doc_base", "doc_step", "term_base", "term_step")

_BOUND_CODE = {bound: code for code, bound in enumerate(BOUNDS)}


@dataclass(frozen=True)
class Columns:
    """The columns, in memory or memory-mapped; see `DTYPES` for what each one holds."""

    doc_offsets: Offsets
    values: npt.NDArray[np.float64]
    low: npt.NDArray[np.uint32]
    high: npt.NDArray[np.uint32]
    unit: npt.NDArray[np.uint32]
    bound: npt.NDArray[np.uint8]
    confidence: npt.NDArray[np.uint8]
    start: npt.NDArray[np.uint32]
    length: npt.NDArray[np.uint16]
    position: npt.NDArray[np.uint32]
    term_offsets: Offsets
    terms: npt.NDArray[np.uint16]
    term_documents: npt.NDArray[np.uint32]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Columns:
        """From the columns by name, as `arrays` gives them."""
        plain = {name: arrays[name] for name in DTYPES if name not in _OFFSETS}
        return cls(
            doc_offsets=Offsets(arrays["doc_base"], arrays["doc_step"]),
            term_offsets=Offsets(arrays["term_base"], arrays["term_step"]),
            **plain,
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by name."""
        named = {name: getattr(self, name) for name in DTYPES if name not in _OFFSETS}
        named |= {"doc_base": self.doc_offsets.base, "doc_step": self.doc_offsets.step}
        return named | {"term_base": self.term_offsets.base, "term_step": self.term_offsets.step}

    @property
    def documents(self) -> int:
        return len(self.doc_offsets)

    @property
    def quantities(self) -> int:
        return len(self.low)

    @property
    def has_terms(self) -> bool:
        """Whether the words around the quantities are kept."""
        return len(self.term_documents) > 0

    def ends(self, quantity: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The low and the high ends of these quantities."""
        return self.values[self.low[quantity]], self.values[self.high[quantity]]

    def quantity(self, number: int, unit: str) -> Quantity:
        """The quantity at this position, whose unit is called so, without its concept, which is not kept."""
        start = int(self.start[number])
        low, high = float(self.values[self.low[number]]), float(self.values[self.high[number]])
        if not low <= high:
            raise damaged(self.low, "a quantity ends below its beginning")
        return Quantity(
            low,
            high,
            unit,
            BOUNDS[self.bound[number]],
            start,
            start + int(self.length[number]),
            confidence=round(float(self.confidence[number]) / 255, 2),
        )


class ColumnsBuilder:
    """Grows columns document by document.

    Args:
        concepts: keep the words around the quantities.
    """

    def __init__(self, concepts: bool = True) -> None:
        self.units: dict[str, int] = {}
        self._concepts = concepts
        self._ends = array("d")
        grown = [name for name in DTYPES if name not in (*_OFFSETS, "values", "low", "high", "term_documents")]
        self._columns: dict[str, array[Any]] = {name: array(_typecode(DTYPES[name])) for name in grown}
        self._doc_offsets, self._term_offsets = array("Q", [0]), array("Q", [0] if concepts else [])
        self._term_documents = np.zeros(1 << 16 if concepts else 0, dtype=np.uint32)

    def add(
        self, quantities: Sequence[Quantity], text: str | None = None, around: tuple[Any, Any] | None = None
    ) -> None:
        """Add one document: its quantities in text order and, for the words around them, its text, or what
        `terms_around` made of it."""
        columns = self._columns
        if quantities and self._concepts:
            terms, positions = around or terms_around(text, quantities)
            columns["terms"].extend(terms)
            columns["position"].extend(positions)
            self._term_documents[list(set(terms))] += 1
        for q in quantities:
            self._ends.extend((q.low, q.high))
            columns["unit"].append(self.units.setdefault(q.unit, len(self.units)))
            columns["bound"].append(_BOUND_CODE[q.bound])
            columns["confidence"].append(max(1, round(255 * q.confidence)))
            columns["start"].append(min(q.start, 2**32 - 1))
            columns["length"].append(min(q.end - q.start, 2**16 - 1))
        self._doc_offsets.append(len(columns["unit"]))
        if self._concepts:
            self._term_offsets.append(len(columns["terms"]))

    def build(self) -> tuple[Columns, list[str]]:
        """The columns, and the unit names that their `unit` column points to, in alphabetical order."""
        arrays = {
            name: np.frombuffer(values, dtype=DTYPES[name]) if len(values) else np.empty(0, dtype=DTYPES[name])
            for name, values in self._columns.items()
        }
        values, rows = np.unique(np.frombuffer(self._ends or b"", dtype="<f8"), return_inverse=True)
        arrays["unit"], units = in_order(arrays["unit"], list(self.units))
        arrays |= {"values": values, "low": rows[0::2].astype(np.uint32), "high": rows[1::2].astype(np.uint32)}
        doc_offsets, term_offsets = (
            Offsets.of(np.array(offsets, dtype=np.uint64)) for offsets in (self._doc_offsets, self._term_offsets)
        )
        columns = Columns(doc_offsets, **arrays, term_offsets=term_offsets, term_documents=self._term_documents)
        return columns, units


def _typecode(dtype: str) -> str:
    return {"<f8": "d", "<u8": "Q", "<u4": "I", "<u2": "H", "u1": "B"}[dtype]


def build_columns(documents: Iterable[tuple[Sequence[Quantity], str | None]]) -> tuple[Columns, list[str]]:
    """Columns of (quantities, text) pairs."""
    builder = ColumnsBuilder()
    for quantities, text in documents:
        builder.add(quantities, text)
    return builder.build()
