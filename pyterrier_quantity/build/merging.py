"""Parquet shards to the columns of one index: read once, batch by batch, into files that need not fit in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from pyterrier_quantity.build.shards import ShardError, shard_batches, shard_files
from pyterrier_quantity.index.columns import DTYPES, Columns
from pyterrier_quantity.index.docnos import hash_docnos, lookup_arrays
from pyterrier_quantity.index.offsets import Offsets
from pyterrier_quantity.index.unit_names import in_order
from pyterrier_quantity.quantity import BOUNDS

_GROWN: Final = {
    **{name: DTYPES[name] for name in ("unit", "bound", "confidence", "start", "length", "position", "terms")},
    "ends_low": "<f8", "ends_high": "<f8", "quantity_count": "<u8", "term_count": "<u8",
    "docno_bytes": "u1", "docno_length": "<u8", "docno_hash": "<u8",
}  # fmt: skip
"""The files that grow while shards are read."""

_CHUNK: Final = 1 << 22
"""Numbers that are looked up at a time."""


class ShardMerger:
    """Merges shards; used as a context, whose end removes its files.

    Args:
        shards: see `shards.shard_files`; their order is the documents'.
        folder: where the files lie meanwhile.
        verbose: show progress.
    """

    def __init__(self, shards: str | Path | Iterable[str | Path], folder: Path, verbose: bool = False) -> None:
        self._files, self._folder, self._verbose = shard_files(shards), folder, verbose
        self._units: dict[str, int] = {}
        self._values = np.empty(0)
        self._new_values: list[npt.NDArray[np.float64]] = []
        self._term_documents = np.zeros(1 << 16, dtype=np.int64)
        self._stack = ExitStack()

    def __enter__(self) -> ShardMerger:
        self._scratch = Path(self._stack.enter_context(tempfile.TemporaryDirectory(dir=self._folder, prefix=".merge-")))
        with ExitStack() as opened:
            self._out = {name: opened.enter_context(open(self._scratch / name, "wb")) for name in _GROWN}
            for file in tqdm(self._files, desc="shards", disable=not self._verbose):
                for batch in shard_batches(file):
                    self._add(batch, file)
        self._take_new_values()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def build(self) -> tuple[Columns, list[str]]:
        """The columns, memory-mapped where they are as they were read, and the unit names in alphabetical order."""
        low, high = (self._rows_of(self._grown(name)) for name in ("ends_low", "ends_high"))
        plain = {name: self._grown(name) for name in ("bound", "confidence", "start", "length", "position")}
        plain["unit"], units = in_order(self._grown("unit"), list(self._units))
        columns = Columns(
            doc_offsets=_offsets(self._grown("quantity_count")), values=self._values, low=low, high=high, **plain,
            term_offsets=_offsets(self._grown("term_count")), terms=self._grown("terms"),
            term_documents=self._term_documents.astype(np.uint32),
        )  # fmt: skip
        return columns, units

    def lookup(self) -> dict[str, npt.NDArray[Any]]:
        """The docnos' arrays, see `docnos.build_lookup`.

        Raises:
            ShardError: if a docno is in the shards twice.
        """
        try:
            return lookup_arrays(*(self._grown(name) for name in ("docno_bytes", "docno_length", "docno_hash")))
        except ValueError as error:
            raise ShardError(f"a docno comes twice in the shards: {error}") from error

    def _grown(self, name: str) -> npt.NDArray[Any]:
        file = self._scratch / name
        if not file.stat().st_size:
            return np.empty(0, dtype=_GROWN[name])
        return np.memmap(file, dtype=_GROWN[name], mode="r")

    def _write(self, name: str, values: npt.NDArray[Any]) -> None:
        self._out[name].write(np.ascontiguousarray(values.astype(_GROWN[name], copy=False)).data)

    def _add(self, batch: Any, file: Path) -> None:
        docnos = batch["docno"].to_pylist()
        if None in docnos:
            raise ShardError(f"{file}: a document has no docno")
        encoded = [docno.encode() for docno in docnos]
        self._out["docno_bytes"].write(b"".join(encoded))
        self._write("docno_length", np.array([len(raw) for raw in encoded], dtype=np.uint64))
        self._write("docno_hash", hash_docnos(docnos))
        quantities, count = _flat(batch["quantities"])
        self._write("quantity_count", count)
        self._add_quantities(quantities)
        terms, term_count = _flat(batch["terms"])
        self._add_terms(terms.to_numpy(zero_copy_only=False), term_count)

    def _add_quantities(self, quantities: Any) -> None:
        number = {
            name: quantities.field(name).to_numpy(zero_copy_only=False)
            for name in ("low", "high", "start", "end", "confidence", "position")
        }
        self._new_values += [number["low"], number["high"]]
        if sum(map(len, self._new_values)) > max(_CHUNK, len(self._values)):
            self._take_new_values()
        self._write("ends_low", number["low"])
        self._write("ends_high", number["high"])
        self._write("unit", _codes(quantities.field("unit"), self._units))
        self._write("bound", _codes(quantities.field("bound"), {bound: code for code, bound in enumerate(BOUNDS)}))
        self._write("confidence", np.maximum(np.rint(255 * number["confidence"]), 1))
        self._write("start", np.minimum(number["start"], 2**32 - 1))
        self._write("length", np.minimum(number["end"] - number["start"], 2**16 - 1))
        self._write("position", number["position"])

    def _take_new_values(self) -> None:
        self._values = np.unique(np.concatenate([self._values, *self._new_values]))
        self._new_values = []

    def _add_terms(self, terms: npt.NDArray[Any], count: npt.NDArray[np.int64]) -> None:
        self._write("terms", terms)
        self._write("term_count", count)
        document = np.repeat(np.arange(len(count)), count)
        held = np.unique(document << 16 | terms.astype(np.int64)) & 0xFFFF
        self._term_documents += np.bincount(held, minlength=1 << 16)

    def _rows_of(self, ends: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        rows = np.empty(len(ends), dtype=np.uint32)
        for begin in range(0, len(ends), _CHUNK):
            rows[begin : begin + _CHUNK] = np.searchsorted(self._values, ends[begin : begin + _CHUNK])
        return rows


def _flat(lists: Any) -> tuple[Any, npt.NDArray[np.int64]]:
    """The items of a column of lists, and how many each list has."""
    import pyarrow.compute as pc

    column = lists.combine_chunks()
    count = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return column.flatten(), count


def _codes(names: Any, known: dict[str, int]) -> npt.NDArray[np.int64]:
    """The number of each name; new ones are added in the order in which they come."""
    encoded = names.dictionary_encode()
    codes = [known.setdefault(name, len(known)) for name in encoded.dictionary.to_pylist()]
    return np.array(codes, dtype=np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]


def _offsets(count: npt.NDArray[np.uint64]) -> Offsets:
    offsets = np.zeros(len(count) + 1, dtype=np.uint64)
    np.cumsum(count, out=offsets[1:])
    return Offsets.of(offsets)
