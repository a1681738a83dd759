"""The arrays of a quantity index: documents, their quantities, and the words around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.offsets import Offsets
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
type that holds them. Beside them: `values`, the distinct values, ascending; `doc_base` and `doc_step`, where each
document's quantities begin, and `term_base` and `term_step`, where its terms begin, as `Offsets`; and `term_documents`,
the number of documents (with quantities) that hold each of the 65,536 term codes."""


@dataclass(frozen=True)
class Columns:
    """The columns, in memory or memory-mapped; see `PLAIN` for what each one holds."""

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
        return cls(
            doc_offsets=Offsets(arrays["doc_base"], arrays["doc_step"]),
            term_offsets=Offsets(arrays["term_base"], arrays["term_step"]),
            **{name: arrays[name] for name in ("values", "term_documents", *PLAIN)},
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by name."""
        named = {name: getattr(self, name) for name in ("values", "term_documents", *PLAIN)}
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
        return Quantity(
            low,
            high,
            unit,
            BOUNDS[self.bound[number]],
            start,
            start + int(self.length[number]),
            confidence=round(float(self.confidence[number]) / 255, 2),
        )
