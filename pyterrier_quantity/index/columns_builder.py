"""The one way to columns: documents with their quantities, read from texts, from shards, or from other segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._corpus import CorpusRecord, changed_digest, docnos_digest, hash_docnos
from pyterrier_quantity._growing_column import GrowingColumn
from pyterrier_quantity._ragged import documents_by_term
from pyterrier_quantity.index.columns import PLAIN, Columns
from pyterrier_quantity.index.context_words import terms_around
from pyterrier_quantity.index.docnos import encoded, lookup_arrays
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.index.unit_names import in_order
from pyterrier_quantity.quantity import BOUNDS, Quantity

_BOUND_CODE: Final = {bound: code for code, bound in enumerate(BOUNDS)}

_NUMBERS: Final = ("bound", "confidence", "start", "length", "position")
"""The columns that are as `Portion` has them."""

_GROWN: Final = {
    **{name: PLAIN[name] for name in ("unit", *_NUMBERS, "terms")},
    **dict.fromkeys(("low", "high"), "<f8"),
    **dict.fromkeys(("quantities", "words", "docno_length", "docno_hash"), "<u8"),
    "docno": "u1",
}

_AT_ONCE: Final = 4096
"""Documents of which the columns are made together."""
_CHUNK: Final = 1 << 22
"""Numbers that are looked up at a time."""


@dataclass(frozen=True)
class Portion:
    """Some documents.

    Args:
        docnos: their names.
        count: how many quantities each has.
        low, high: the quantities' ends.
        names, unit: unit names, and for each quantity the place of its own among them.
        numbers: of the quantities `bound`, `confidence`, `start`, `length` and `position`, as in `Columns`.
        terms, words: the documents' terms, and how many each has.
    """

    docnos: Sequence[str]
    count: npt.NDArray[np.integer[Any]]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    names: Sequence[str]
    unit: npt.NDArray[np.integer[Any]]
    numbers: dict[str, npt.NDArray[Any]]
    terms: npt.NDArray[np.integer[Any]]
    words: npt.NDArray[np.integer[Any]]


class ColumnsBuilder:
    """Takes documents, one by one or many together, and gives their columns.

    Args:
        concepts: keep the words around the quantities.
        folder: where what is much lies meanwhile, in files without a name; None: where temporary files are.
    """

    def __init__(self, concepts: bool = True, folder: Path | None = None) -> None:
        self._concepts = concepts
        self._grown = {name: GrowingColumn(dtype, folder) for name, dtype in _GROWN.items()}
        self._units: dict[str, int] = {}
        self._values, self._new_values = np.empty(0), list[npt.NDArray[np.float64]]()
        self._term_documents = np.zeros(1 << 16 if concepts else 0, dtype=np.int64)
        self._corpus = CorpusRecord(0, docnos_digest(np.empty(0, dtype=np.uint64)))
        self._waiting: list[_Document] = []

    def add(
        self,
        quantities: Sequence[Quantity],
        text: str | None = None,
        docno: str = "",
        around: tuple[Any, Any] | None = None,
    ) -> None:
        """Add one document: its quantities in text order, for the words around them its text, or what `terms_around`
        made of it, and its name."""
        if not quantities or not self._concepts:
            around = [], []
        terms, positions = terms_around(text, quantities) if around is None else around
        self._waiting.append(_Document(docno, quantities, terms, positions))
        if len(self._waiting) >= _AT_ONCE:
            self._take_waiting()

    def _take_waiting(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self.extend(_portion(waiting))

    def extend(self, portion: Portion) -> None:
        """Add documents."""
        self._take_waiting()
        hashes = hash_docnos(portion.docnos)
        added = changed_digest(self._corpus.docnos, added=docnos_digest(hashes))
        self._corpus = CorpusRecord(self._corpus.documents + len(hashes), added)
        raw, lengths = encoded(portion.docnos)
        codes = np.array([self._units.setdefault(name, len(self._units)) for name in portion.names], dtype=np.int64)
        self._append(docno=raw, docno_length=lengths, docno_hash=hashes, quantities=portion.count)
        self._append(low=portion.low, high=portion.high, unit=codes[portion.unit])
        self._new_values += [portion.low, portion.high]
        if sum(map(len, self._new_values)) > max(_CHUNK, len(self._values)):
            self._take_new_values()
        numbers = portion.numbers
        self._append(**{name: numbers[name] for name in _NUMBERS if self._concepts or name != "position"})
        if self._concepts:
            self._append(terms=portion.terms, words=portion.words)
            document = np.repeat(np.arange(len(portion.words)), portion.words)
            self._term_documents += documents_by_term(document, portion.terms)

    def _append(self, **columns: npt.NDArray[Any]) -> None:
        for name, values in columns.items():
            self._grown[name].append(values)

    def _take_new_values(self) -> None:
        self._values, self._new_values = np.unique(np.concatenate([self._values, *self._new_values])), []

    def corpus(self) -> CorpusRecord:
        """Which documents were added."""
        self._take_waiting()
        return self._corpus

    def build(self) -> tuple[Columns, list[str]]:
        """The columns, and the unit names that their `unit` column points to, in alphabetical order."""
        self._take_waiting()
        self._take_new_values()
        grown = {name: self._grown[name].array() for name in (*_NUMBERS, "terms")}
        unit, units = in_order(self._grown["unit"].array(), list(self._units))
        low, high = (self._rows_of(self._grown[name].array()) for name in ("low", "high"))
        words = self._grown["words"].array()
        columns = Columns(
            doc_offsets=Offsets.of_lengths(self._grown["quantities"].array()),
            values=self._values,
            low=low,
            high=high,
            unit=unit,
            term_offsets=Offsets.of_lengths(words) if self._concepts else Offsets.of(np.empty(0, dtype=np.uint64)),
            term_documents=self._term_documents.astype(np.uint32),
            **grown,
        )
        return columns, units

    def _rows_of(self, ends: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        rows = np.empty(len(ends), dtype=np.uint32)
        for begin in range(0, len(ends), _CHUNK):
            rows[begin : begin + _CHUNK] = np.searchsorted(self._values, ends[begin : begin + _CHUNK])
        return rows

    def lookup(self) -> dict[str, npt.NDArray[Any]]:
        """The docnos' arrays, see `docnos.build_lookup`; raises a ValueError if two hashes are equal."""
        self._take_waiting()
        return lookup_arrays(*(self._grown[name].array() for name in ("docno", "docno_length", "docno_hash")))


class _Document(NamedTuple):
    docno: str
    quantities: Sequence[Quantity]
    terms: Sequence[int]
    positions: Sequence[int]


def _portion(documents: Sequence[_Document]) -> Portion:
    """Documents together."""
    flat = [q for document in documents for q in document.quantities]
    names: dict[str, int] = {}
    unit = _numbers([names.setdefault(q.unit, len(names)) for q in flat])
    numbers = {
        "bound": _numbers([_BOUND_CODE[q.bound] for q in flat]),
        "confidence": _numbers([max(1, round(255 * q.confidence)) for q in flat]),
        "start": _numbers([min(q.start, 2**32 - 1) for q in flat]),
        "length": _numbers([min(q.end - q.start, 2**16 - 1) for q in flat]),
        "position": _numbers([place for document in documents for place in document.positions]),
    }
    return Portion(
        [document.docno for document in documents],
        _numbers([len(document.quantities) for document in documents]),
        np.array([q.low for q in flat], dtype=np.float64),
        np.array([q.high for q in flat], dtype=np.float64),
        list(names),
        unit,
        numbers,
        _numbers([term for document in documents for term in document.terms]),
        _numbers([len(document.terms) for document in documents]),
    )


def _numbers(values: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def build_columns(documents: Iterable[tuple[Sequence[Quantity], str | None]]) -> tuple[Columns, list[str]]:
    """Columns of (quantities, text) pairs."""
    builder = ColumnsBuilder()
    for quantities, text in documents:
        builder.add(quantities, text)
    return builder.build()
