"""Reading the quantities and their concepts off documents, into the columns of the concept/unit index."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._frames import whole_characters
from pyterrier_quantity._growing_column import GrowingColumn
from pyterrier_quantity._progress import shown
from pyterrier_quantity.concept_units import index_files
from pyterrier_quantity.concept_units.concept_words import concept_key
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.quantity import BOUNDS, Quantity

Parts = tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]], index_files.Texts, dict[str, Any]]
"""Columns, names, texts and meta of an index."""

_CHARACTERS: Final = 4_000_000
"""Texts are read off in portions of this size: enough for several processes, little to hold."""

_CODES: Final = {"document": "i", "concept": "i", "unit": "i", "low": "d", "high": "d", "bound": "B", "start": "i",
                 "end": "i"}  # fmt: skip


def read_off(documents: Iterable[Mapping[str, Any]], extractor: Extractor, threads: int | None, verbose: bool) -> Parts:
    """The parts of the index of documents; as `ConceptUnitIndex.build`, which documents it."""
    gathered = _Columns()
    for portion in _portions(_watched(documents, verbose)):
        unread = [d["text"] for d in portion if d.get("quantities") is None]
        found = iter(extractor.extract_batch(unread, threads=threads))
        for document in portion:
            ready = document.get("quantities")
            gathered.add(document["docno"], document.get("text", ""), next(found) if ready is None else ready)
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
        if not quantities:
            return
        if docno in self._docnos:
            raise ValueError(f"document {self._documents}: docno {docno!r} was there before; make it unique")
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


def _watched(documents: Iterable[Mapping[str, Any]], verbose: bool) -> Iterator[Mapping[str, Any]]:
    return iter(shown(documents, verbose, desc="concepts and units", unit="doc"))


def _portions(documents: Iterator[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    portion: list[Mapping[str, Any]] = []
    size = 0
    numbers = count(1)
    for document in documents:
        text = _checked(document, next(numbers))
        portion.append({**document, "docno": whole_characters(document["docno"]), "text": whole_characters(text)})
        size += len(text)
        if size >= _CHARACTERS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _checked(document: Mapping[str, Any], number: int) -> str:
    """The text of a document that has what it needs."""
    docno = document.get("docno")
    if not isinstance(docno, str) or docno.split() != [docno]:
        raise ValueError(f"document {number}: 'docno' is {docno!r}; give each a name without spaces")
    text = document.get("text", "" if document.get("quantities") is not None else None)
    if not isinstance(text, str):
        raise ValueError(f"document {number}, docno {docno!r}: 'text' is {text!r}; give its text as a string")
    return text
