"""Quantity indexes of any size out of a small one: its documents, drawn anew with replacement.

Units, values, quantities per document and the words around them stay distributed as in the original, so that only the
size differs. Documents without quantities are left out, as in FinQuant and MedQuant.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity._corpus import CorpusRecord
from pyterrier_quantity._index_folder import new_folder
from pyterrier_quantity._ragged import ragged_ranges
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.index.segments import KIND, write_segment

Ints = npt.NDArray[np.int64]

BY_QUANTITY = ("low", "high", "unit", "bound", "confidence", "start", "length", "position")
CHUNK = 1_000_000
"""Documents whose words are copied at a time."""


def drawn_documents(index: QuantityIndex, quantities: int, seed: int = 0) -> Ints:
    """Rows of documents that state about as many quantities in all, drawn with replacement.

    Raises:
        ValueError: if the index holds no quantity.
    """
    offsets = index.opened.columns.doc_offsets
    _, count = offsets.extent(np.arange(len(offsets)))
    stating = np.flatnonzero(count)
    if not len(stating):
        raise ValueError(f"{index.path} holds no quantities to draw from")
    documents = round(quantities / float(count[stating].mean()))
    return np.random.default_rng(seed).choice(stating, size=max(documents, 1))


def resampled(index: QuantityIndex, drawn: Ints, path: Path) -> QuantityIndex:
    """The index of the drawn documents, at the path, from one of a single segment; their docnos are their places in
    `drawn`."""
    (segment,) = index.opened.segments
    columns, units = _taken(segment.columns, drawn), list(segment.names)
    docnos = [str(place) for place in range(len(drawn))]
    with new_folder(path, overwrite=False, kind=KIND) as folder:
        write_segment(folder, columns, units, lambda: build_lookup(docnos), CorpusRecord.of(docnos))
    return QuantityIndex(path)


def _taken(columns: Columns, drawn: Ints) -> Columns:
    first, count = columns.doc_offsets.extent(drawn)
    quantity = ragged_ranges(first, count)
    taken: dict[str, Any] = {name: getattr(columns, name)[quantity] for name in BY_QUANTITY
                             if len(getattr(columns, name))}  # fmt: skip
    taken["doc_offsets"] = _offsets(count)
    if columns.has_terms:
        first, count = columns.term_offsets.extent(drawn)
        parts = [slice(begin, begin + CHUNK) for begin in range(0, len(drawn), CHUNK)]
        taken["terms"] = np.concatenate([columns.terms[ragged_ranges(first[part], count[part])] for part in parts])
        taken["term_offsets"] = _offsets(count)
        taken["term_documents"] = _term_documents(columns, drawn)
    return replace(columns, **taken)


def _offsets(count: Ints) -> Offsets:
    return Offsets.of(np.concatenate([[0], np.cumsum(count)]))


def _term_documents(columns: Columns, drawn: Ints) -> npt.NDArray[np.uint32]:
    """How many of the drawn documents hold each term."""
    documents = np.arange(columns.documents)
    _, count = columns.term_offsets.extent(documents)
    pairs = np.unique(np.stack([np.repeat(documents, count), np.asarray(columns.terms).astype(np.int64)]), axis=1)
    times = np.bincount(drawn, minlength=columns.documents)
    size = len(columns.term_documents)
    return np.bincount(pairs[1], weights=times[pairs[0]], minlength=size).astype(np.uint32)
