"""Columns that grow in files, batch by batch, and need not fit in memory: for merging what was read already."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._corpus import CorpusRecord, changed_digest, docnos_digest
from pyterrier_quantity._ragged import distinct
from pyterrier_quantity.index.columns import DTYPES, Columns
from pyterrier_quantity.index.docnos import lookup_arrays
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.index.unit_names import in_order

_PLAIN: Final = ("bound", "confidence", "start", "length")

_GROWN: Final = {
    **{name: DTYPES[name] for name in ("unit", *_PLAIN, "position", "terms")},
    "ends_low": "<f8", "ends_high": "<f8", "quantity_count": "<u8", "term_count": "<u8",
    "docno_bytes": "u1", "docno_length": "<u8", "docno_hash": "<u8",
}  # fmt: skip
"""The files, and the types of their numbers."""

_CHUNK: Final = 1 << 22
"""Numbers that are looked up at a time."""


class Spool:
    """Takes documents with their quantities and terms, and gives columns; a context, whose end removes its files.

    Args:
        folder: where the files lie meanwhile; None: all is kept in memory.
        terms: whether the words around the quantities are kept.
    """

    def __init__(self, folder: Path | None, terms: bool = True) -> None:
        self._folder, self._terms = folder, terms
        self._units: dict[str, int] = {}
        self._values = np.empty(0)
        self._new_values: list[npt.NDArray[np.float64]] = []
        self._kept: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in _GROWN}
        self._term_documents = np.zeros(1 << 16 if terms else 0, dtype=np.int64)
        self._corpus = CorpusRecord(0, docnos_digest(np.empty(0, dtype=np.uint64)))

    def __enter__(self) -> Spool:
        if self._folder is not None:
            self._scratch = tempfile.TemporaryDirectory(dir=self._folder, prefix=".merge-")
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            self._scratch.cleanup()

    def add_documents(
        self,
        docnos: npt.NDArray[np.uint8],
        lengths: npt.NDArray[np.integer[Any]],
        hashes: npt.NDArray[np.uint64],
        quantities: npt.NDArray[np.integer[Any]],
    ) -> None:
        """Add documents: their docnos' bytes, one behind the other, with their lengths and hashes, and how many
        quantities each has."""
        self._write("docno_bytes", docnos)
        self._write("docno_length", lengths)
        self._write("docno_hash", hashes)
        self._write("quantity_count", quantities)
        known, added = self._corpus, docnos_digest(hashes)
        self._corpus = CorpusRecord(known.documents + len(hashes), changed_digest(known.docnos, added))

    def add_quantities(
        self,
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
        names: Sequence[str],
        unit: npt.NDArray[np.integer[Any]],
        plain: Mapping[str, npt.NDArray[Any]],
    ) -> None:
        """Add the quantities of the documents added.

        Args:
            low, high: their values.
            names, unit: unit names, and for each quantity the place of its own among them.
            plain: `bound`, `confidence`, `start` and `length`, as in `Columns`.
        """
        self._new_values += [low, high]
        if sum(map(len, self._new_values)) > max(_CHUNK, len(self._values)):
            self._take_new_values()
        self._write("ends_low", low)
        self._write("ends_high", high)
        codes = np.array([self._units.setdefault(name, len(self._units)) for name in names], dtype=np.int64)
        self._write("unit", codes[unit])
        for name in _PLAIN:
            self._write(name, plain[name])

    def add_terms(
        self,
        position: npt.NDArray[np.integer[Any]],
        terms: npt.NDArray[np.integer[Any]],
        count: npt.NDArray[np.integer[Any]],
    ) -> None:
        """Add the terms of the documents added, how many each has, and the quantities' positions among them."""
        self._write("position", position)
        self._write("terms", terms)
        self._write("term_count", count)
        document = np.repeat(np.arange(len(count)), count)
        held = distinct(np.sort(document << 16 | terms.astype(np.int64)))
        self._term_documents += np.bincount(held & 0xFFFF, minlength=1 << 16)

    def _write(self, name: str, values: npt.NDArray[Any]) -> None:
        plain = np.ascontiguousarray(values.astype(_GROWN[name], copy=False))
        if self._folder is None:
            self._kept[name].append(plain)
            return
        with open(Path(self._scratch.name) / name, "ab") as out:
            out.write(plain.data)

    def _take_new_values(self) -> None:
        self._values = np.unique(np.concatenate([self._values, *self._new_values]))
        self._new_values = []

    def build(self) -> tuple[Columns, list[str]]:
        """The columns, memory-mapped where they are as they were added, and the unit names in alphabetical order."""
        self._take_new_values()
        low, high = (self._rows_of(self._grown(name)) for name in ("ends_low", "ends_high"))
        plain = {name: self._grown(name) for name in (*_PLAIN, "position")}
        plain["unit"], units = in_order(self._grown("unit"), list(self._units))
        columns = Columns(
            doc_offsets=_offsets(self._grown("quantity_count")), values=self._values, low=low, high=high, **plain,
            term_offsets=_offsets(self._grown("term_count")) if self._terms else Offsets.of(np.empty(0, np.uint64)),
            terms=self._grown("terms"), term_documents=self._term_documents.astype(np.uint32),
        )  # fmt: skip
        return columns, units

    def corpus(self) -> CorpusRecord:
        """Which documents were added."""
        return self._corpus

    def lookup(self) -> dict[str, npt.NDArray[Any]]:
        """The docnos' arrays, see `docnos.build_lookup`; raises a ValueError if two hashes are equal."""
        return lookup_arrays(*(self._grown(name) for name in ("docno_bytes", "docno_length", "docno_hash")))

    def _grown(self, name: str) -> npt.NDArray[Any]:
        if self._folder is None:
            return np.concatenate([np.empty(0, dtype=_GROWN[name]), *self._kept[name]])
        file = Path(self._scratch.name) / name
        if not file.exists() or not file.stat().st_size:
            return np.empty(0, dtype=_GROWN[name])
        return np.memmap(file, dtype=_GROWN[name], mode="r")

    def _rows_of(self, ends: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        rows = np.empty(len(ends), dtype=np.uint32)
        for begin in range(0, len(ends), _CHUNK):
            rows[begin : begin + _CHUNK] = np.searchsorted(self._values, ends[begin : begin + _CHUNK])
        return rows


def _offsets(count: npt.NDArray[np.uint64]) -> Offsets:
    offsets = np.zeros(len(count) + 1, dtype=np.uint64)
    np.cumsum(count, out=offsets[1:])
    return Offsets.of(offsets)
