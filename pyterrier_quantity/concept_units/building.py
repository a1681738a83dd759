"""Reading the quantities and their concepts off documents, into the columns of the concept/unit index."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._growing_column import GrowingColumn
from pyterrier_quantity.concept_units import index_files
from pyterrier_quantity.concept_units.concept_words import concept_key
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.quantity import BOUNDS, Quantity

Parts = tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]], index_files.Texts, dict[str, Any]]
"""Columns, names, texts and meta of an index."""

_CODES: Final = {"document": "i", "concept": "i", "unit": "i", "low": "d", "high": "d", "bound": "B", "start": "i",
                 "end": "i"}  # fmt: skip


def read_off(documents: Iterable[Mapping[str, Any]], extractor: Extractor, threads: int | None, verbose: bool) -> Parts:
    """The parts of the index of documents; as `ConceptUnitIndex.build`, which documents it."""
    gathered = _Columns()
    for docno, text, quantities in DocumentReader(extractor, threads, verbose).read(documents):
        gathered.add(docno, text or "", quantities)
    return gathered.finished()


class _Columns:
    """Collects quantities in flat arrays; of the texts, only those with a quantity are kept."""

    def __init__(self) -> None:
        self._columns: dict[str, array[Any]] = {name: array(code) for name, code in _CODES.items()}
        self._concepts: dict[str, int] = {}
        self._units: dict[str, int] = {}
        self._spellings: Counter[tuple[int, str]] = Counter()
        self._docnos: dict[str, None] = {}
        self._texts, self._begin = GrowingColumn(np.uint8), [0]
        self._documents = 0

    def add(self, docno: str, text: str, quantities: Sequence[Quantity]) -> None:
        self._documents += 1
        if docno.split() != [docno]:
            raise ValueError(f"document {docno!r}: give it a name without spaces, for judgements are parted by them")
        if not quantities:
            return
        document = len(self._docnos)
        self._docnos[docno] = None
        raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        self._texts.append(raw)
        self._begin.append(self._begin[-1] + len(raw))
        for q in quantities:
            concept = self._concepts.setdefault(concept_key(q.concept), len(self._concepts))
            self._spellings[concept, " ".join(q.concept)] += 1
            unit = self._units.setdefault(q.unit, len(self._units))
            row = (document, concept, unit, q.low, q.high, BOUNDS.index(q.bound), q.start, q.end)
            for column, value in zip(self._columns.values(), row, strict=True):
                column.append(value)

    def finished(self) -> Parts:
        columns = {name: np.array(column, dtype=index_files.COLUMNS[name]) for name, column in self._columns.items()}
        usual = [""] * len(self._concepts)
        # The least frequent first, so that the most frequent one stays.
        for (concept, spelling), _ in sorted(self._spellings.items(), key=lambda item: (item[1], item[0][1])):
            usual[concept] = spelling
        names = {"concepts": usual, "units": list(self._units), "docnos": list(self._docnos)}
        meta = {"documents": self._documents, "quantities": len(columns["low"])}
        texts = index_files.Texts(self._texts.array(), np.array(self._begin, dtype=np.uint64))
        return columns, names, texts, meta
