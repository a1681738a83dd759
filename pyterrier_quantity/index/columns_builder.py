"""Build columns from documents with quantities: from texts, from shards or from other segments."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.english.bracketed import bracketed_names
from pyterrier_quantity.flat_arrays import Array, Floats, Ints, Whole, documents_by_term, in_blocks
from pyterrier_quantity.index.columns import PLAIN
from pyterrier_quantity.index.context_words import terms_around
from pyterrier_quantity.index.docnos import encoded, lookup_arrays
from pyterrier_quantity.index.stated_names import line_of
from pyterrier_quantity.index.totals import with_derived
from pyterrier_quantity.index.unit_names import name_arrays
from pyterrier_quantity.index.value_order import value_order
from pyterrier_quantity.quantity import BOUNDS, Quantity
from pyterrier_quantity.storage import array_file
from pyterrier_quantity.storage.array_file import GrowingColumn
from pyterrier_quantity.storage.file_records import hash_docnos

_BOUND_CODE: Final = {bound: code for code, bound in enumerate(BOUNDS)}

NUMBERS: Final = ("bound", "confidence", "start", "length", "position")
"""The columns that a `Portion` (a batch of documents) contains in the same form as the index."""

_GROWN: Final = {
    **{name: PLAIN[name] for name in ("unit", *NUMBERS, "terms")},
    **dict.fromkeys(("low", "high"), "<f8"),
    **dict.fromkeys(("quantities", "words", "docno_length", "docno_hash", "naming"), "<u8"),
    **dict.fromkeys(("docno", "named"), "u1"),
}

_AT_ONCE: Final = 4096  # number of documents converted to columns at a time
_CHUNK: Final = 1 << 22  # number of values looked up at a time


@dataclass(frozen=True)
class Portion:
    """A batch of documents and their quantities, as one array for each property.

    Args:
        docnos: the docnos of the documents.
        count: the number of quantities of each document.
        low, high: the lower and upper end of each quantity, which are equal for a single value.
        names: the unit names.
        unit: for each quantity, the index of its unit in `names`.
        numbers: the columns `bound`, `confidence`, `start`, `length` and `position`, see `columns.PLAIN`.
        terms: the words of all documents as hashes of their stems, concatenated.
        words: for each document, the number of its entries in `terms`.
        lines: for each document, the synonyms that the document defines in brackets, in a line returned by `line_of`.
    """

    docnos: Sequence[str]
    count: Whole
    low: Floats
    high: Floats
    names: Sequence[str]
    unit: Whole
    numbers: dict[str, Array]
    terms: Whole
    words: Whole
    lines: Sequence[str]


class ColumnsBuilder:
    """Build the arrays of a segment from documents that are added one by one or in batches.

    Args:
        concepts: whether to store the words around quantities.
        folder: the folder for unnamed temporary files with large columns, or None for the system's temporary folder.
    """

    def __init__(self, concepts: bool = True, folder: Path | None = None) -> None:
        self._concepts = concepts
        self._grown = {name: GrowingColumn(dtype, folder) for name, dtype in _GROWN.items()}
        self._units: dict[str, int] = {}
        self._values, self._new_values = np.empty(0), list[Floats]()
        self._term_documents = np.zeros(1 << 16 if concepts else 0, dtype=np.int64)
        self._documents = 0
        self._waiting: list[_Document] = []

    def add(
        self,
        quantities: Sequence[Quantity],
        text: str | None = None,
        docno: str = "",
        around: tuple[Any, Any] | None = None,
    ) -> None:
        """Add a document with its quantities in text order. The words around the quantities come from `text`, or from
        `around`, which is a result of `terms_around`."""
        if text and around is None:
            quantities = with_derived(quantities, text)
        if not quantities or not self._concepts:
            around = [], []
        terms, positions = terms_around(text, quantities) if around is None else around
        line = line_of(bracketed_names(text)) if text and self._concepts else ""
        self._waiting.append(_Document(docno, quantities, terms, positions, line))
        if len(self._waiting) >= _AT_ONCE:
            self._take_waiting()

    def _take_waiting(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self.extend(_portion(waiting))

    def extend(self, portion: Portion) -> None:
        self._take_waiting()
        naming = [row for row, line in enumerate(portion.lines) if line]
        named = "".join(f"{portion.lines[row]}\n" for row in naming).encode("utf-8", "surrogatepass")
        self._append(naming=_numbers(naming) + self._documents, named=np.frombuffer(named, dtype=np.uint8))
        self._documents += len(portion.docnos)
        raw, lengths = encoded(portion.docnos)
        codes = np.array([self._units.setdefault(name, len(self._units)) for name in portion.names], dtype=np.int64)
        self._append(docno=raw, docno_length=lengths, docno_hash=hash_docnos(portion.docnos))
        self._append(quantities=portion.count, low=portion.low, high=portion.high, unit=codes[portion.unit])
        self._new_values += [portion.low, portion.high]
        if sum(map(len, self._new_values)) > max(_CHUNK, len(self._values)):
            self._take_new_values()
        numbers = portion.numbers
        self._append(**{name: numbers[name] for name in NUMBERS if self._concepts or name != "position"})
        words = portion.words if self._concepts else np.zeros(len(portion.docnos), dtype=np.int64)
        self._append(words=words)
        if self._concepts:
            self._append(terms=portion.terms)
            self._term_documents += documents_by_term(np.repeat(np.arange(len(words)), words), portion.terms)

    def _append(self, **columns: Array) -> None:
        for name, values in columns.items():
            self._grown[name].append(values)

    def _take_new_values(self) -> None:
        self._values, self._new_values = np.unique(np.concatenate([self._values, *self._new_values])), []

    def __len__(self) -> int:
        return self._documents + len(self._waiting)

    def _columns(self) -> tuple[dict[str, Array], list[str]]:
        """Return the columns, keyed by name (see `columns.PLAIN`), and the list of unit names."""
        self._take_waiting()
        self._take_new_values()
        grown = {name: self._grown[name].array() for name in (*NUMBERS, "terms", "naming", "named")}
        unit, units = in_order(self._grown["unit"].array(), list(self._units))
        grown |= {name: self._rows_of(self._grown[name].array()) for name in ("low", "high")}
        for name, count in (("doc", "quantities"), ("term", "words")):
            grown[f"{name}_begin"], grown[f"{name}_within"] = in_blocks(self._grown[count].array())
        held = self._term_documents.astype(np.uint32)
        return grown | {"unit": unit, "values": self._values, "term_documents": held}, units

    def _rows_of(self, ends: Array) -> npt.NDArray[np.uint32]:
        rows = np.empty(len(ends), dtype=np.uint32)
        for begin in range(0, len(ends), _CHUNK):
            rows[begin : begin + _CHUNK] = np.searchsorted(self._values, ends[begin : begin + _CHUNK])
        return rows

    def _arrays(self, columns: dict[str, Array], units: list[str], docnos: bool) -> Iterator[tuple[str, Array]]:
        """Yield the name and the content of each array of a segment, one at a time to save memory. If `docnos` is true,
        include the arrays for looking up documents by docno."""
        yield from columns.items()
        if docnos:
            named = (self._grown[name].array() for name in ("docno", "docno_length", "docno_hash"))
            yield from lookup_arrays(*named).items()
        yield from value_order(columns, self._grown["quantities"].array(), len(units))
        yield from name_arrays(units).items()

    def in_memory(self) -> dict[str, Array]:
        """Return the arrays of the segment, keyed by name, without docnos."""
        return dict(self._arrays(*self._columns(), docnos=False))

    def write(self, folder: Path, content: str | None = None) -> None:
        """Write the arrays of the segment to an empty folder.

        Args:
            folder: the empty folder.
            content: the digest of the documents and options from which the segment was built, if known.

        Raises:
            ValueError: if two docnos have the same hash.
        """
        columns, units = self._columns()
        meta = {"documents": len(self), "quantities": len(columns["low"]), "units": len(units), "content": content}
        array_file.write(folder, _compact(self._arrays(columns, units, docnos=True)), meta)


def _compact(arrays: Iterable[tuple[str, Array]]) -> Iterator[tuple[str, Array]]:
    for name, values in arrays:
        small = np.min_scalar_type(int(values.max())) if values.dtype.kind == "u" and len(values) else values.dtype
        yield name, values.astype(small) if small != values.dtype else values


def in_order(unit: Whole, names: Sequence[str]) -> tuple[npt.NDArray[np.uint32], list[str]]:
    """Sort unit names. Return the new column `unit` and the names: [0, 1], ["kg", "g"] -> [1, 0], ["g", "kg"]."""
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.argsort(np.array(order, dtype=np.int64)).astype(np.uint32)
    return rank[unit], [names[place] for place in order]


class _Document(NamedTuple):
    docno: str
    quantities: Sequence[Quantity]
    terms: Sequence[int]
    positions: Sequence[int]
    line: str


def _portion(documents: Sequence[_Document]) -> Portion:
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
        [document.line for document in documents],
    )


def _numbers(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
