"""Indexes that grow: documents are added, deleted and replaced by new segments, and segments merged.

Nothing that is there is changed. A new segment or a new overview is written aside, then the one file that names the
parts in use is replaced: whoever is killed meanwhile leaves the index as it was before, or as it is after. One process
changes an index at a time; any number of others search it, each as it was when they opened it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from filelock import Timeout

from pyterrier_quantity import _folder
from pyterrier_quantity._corpus import CorpusRecord, changed_digest, docnos_digest, hash_docnos
from pyterrier_quantity._progress import shown
from pyterrier_quantity._ragged import distinct, ragged_ranges
from pyterrier_quantity.index.columns import Columns, ColumnsBuilder
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.indexer import DOCNOS, KIND, QuantityIndexer, write_arrays, write_columns
from pyterrier_quantity.index.joining import copy_live, small_runs, stored_lookup
from pyterrier_quantity.index.segments import DELETED, Segments
from pyterrier_quantity.index.spool import Spool
from pyterrier_quantity.index.unit_names import name_arrays

if TYPE_CHECKING:
    from pyterrier_quantity.index.quantity_index import QuantityIndex

Ints = npt.NDArray[np.int64]

MOST_SEGMENTS: Final = 20
"""Beyond as many, neighbours are merged."""
_TOGETHER: Final = 10
"""How many neighbours are merged then: those that hold the fewest quantities."""
MOST_RUNS: Final = 3
"""So many are searched one after the other, for each costs every query a little: of more, two neighbours are merged."""
_CHUNK: Final = 100_000
"""Documents that are copied at a time."""


class IndexInUseError(OSError):
    """Another process is changing the index."""


def add(index: QuantityIndex, indexer: QuantityIndexer, corpus: Iterable[Mapping[str, Any]], replace: bool) -> None:
    """Add documents; see `QuantityIndex.add` and, with `replace`, `QuantityIndex.update`."""
    with _changing(index) as opened, _folder.new_part(index.folder) as part:
        builder = ColumnsBuilder(opened.columns.has_terms)
        docnos: list[str] = []
        gone: list[Ints] = [np.empty(0, dtype=np.int64)]

        def check(names: list[str]) -> None:
            rows = opened.docnos.rows(names)
            if not replace and (rows >= 0).any():
                twice = names[int(np.argmax(rows >= 0))]
                raise ValueError(f"docno {twice!r} is in {index.path} already; update replaces documents, add does not")
            gone.append(rows[rows >= 0])

        for docno, text, quantities in indexer.read(corpus, check=check):
            docnos.append(docno)
            builder.add(quantities, text)
        if not docnos:
            return
        columns, units = builder.build()
        added = CorpusRecord.of(docnos)
        write_columns(part, columns, units, lambda: build_lookup(docnos), added)
        _publish(index, opened, np.sort(np.concatenate(gone)), (part.name, columns, units, added))
    index.forget()
    sizes = [int(segment.part.meta["quantities"]) for segment in Segments(index.parts).segments]
    if chosen := too_many(sizes):
        merge(index, chosen, indexer.verbose)


def too_many(sizes: Sequence[int]) -> slice | None:
    """Which neighbouring segments to merge, if there are too many, by how many quantities each has.

    Of the runs that are searched as one those two are merged of which the smaller is the largest part: nothing that is
    large is copied for the sake of little, so that what grows by equal steps is copied a logarithmic number of times.
    """
    if len(sizes) > MOST_SEGMENTS:
        first = int(np.argmin(np.convolve(sizes, np.ones(_TOGETHER, dtype=np.int64), mode="valid")))
        return slice(first, first + _TOGETHER)
    runs = list(small_runs(sizes))
    if len(runs) <= MOST_RUNS:
        return None
    held = [sum(sizes[first:end]) for first, end in runs]
    share = [min(pair) / max(sum(pair), 1) for pair in pairwise(held)]
    left = max(range(len(share)), key=lambda number: (share[number], -held[number]))
    return slice(runs[left][0], runs[left + 1][1])


def delete(index: QuantityIndex, docnos: Iterable[str], ignore_missing: bool) -> None:
    """Delete documents; see `QuantityIndex.delete`."""
    if isinstance(docnos, str):
        raise TypeError(f"docnos must be a list of strings, got the string {docnos!r}")
    docnos = list(docnos)
    with _changing(index) as opened:
        rows = opened.docnos.rows(docnos)
        unknown = [docno for docno, row in zip(docnos, rows.tolist(), strict=True) if row < 0]
        if unknown and not ignore_missing:
            others = f" and {len(unknown) - 1} others" if len(unknown) > 1 else ""
            raise ValueError(f"no document {unknown[0]!r}{others} in {index.path}; nothing was deleted "
                             "(ignore_missing=True passes over them)")  # fmt: skip
        gone = np.unique(rows[rows >= 0])
        if len(gone):
            _publish(index, opened, gone, None)
    index.forget()


def merge(index: QuantityIndex, chosen: slice = slice(None), verbose: bool = False) -> None:
    """Merge neighbouring segments to one without their deleted documents; all of them by default."""
    with _changing(index) as opened:
        first, end, _ = chosen.indices(len(opened.segments))
        begin_row, end_row = opened.starts[first], opened.starts[end]
        here = (begin_row <= opened.deleted) & (opened.deleted < end_row)
        if end - first == 1 and not here.any():
            return
        with _folder.new_part(index.folder) as part:
            with Spool(part, opened.columns.has_terms) as spool:
                for number in shown(range(first, end), verbose, desc="segments"):
                    copy_live(opened, number, spool)
                columns, units = spool.build()
                write_columns(part, columns, units, lambda: stored_lookup(spool, index.folder), spool.corpus())
            left = opened.deleted[~here]
            left = left - np.where(left >= end_row, here.sum(), 0)
            segments = _named(opened)
            segments[first:end] = [(part.name, units)]
            _publish_segments(index, opened, segments, left, _Counts.of(opened))
    index.forget()


@dataclass(frozen=True)
class _Counts:
    """Which documents an index has, and how many quantities and documents with each term, without the deleted ones."""

    documents: int
    docnos: str
    quantities: int
    term_documents: Ints

    @classmethod
    def of(cls, opened: Segments) -> _Counts:
        held = np.asarray(opened.columns.term_documents).astype(np.int64)
        meta = opened.whole.meta
        return cls(opened.columns.documents, meta[DOCNOS], int(meta["quantities"]), held)

    def without(self, opened: Segments, rows: Ints) -> _Counts:
        """What is left without the documents of some rows."""
        quantities = int(opened.columns.doc_offsets.extent(rows)[1].sum())
        held = self.term_documents - _term_documents(opened, rows)
        docnos = changed_digest(self.docnos, removed=docnos_digest(hash_docnos(opened.docnos.docnos(rows))))
        return _Counts(self.documents - len(rows), docnos, self.quantities - quantities, held)

    def along(self, columns: Columns, corpus: CorpusRecord) -> _Counts:
        """Together with other documents."""
        held = self.term_documents + columns.term_documents
        docnos = changed_digest(self.docnos, added=corpus.docnos)
        return _Counts(self.documents + columns.documents, docnos, self.quantities + columns.quantities, held)


@contextmanager
def _changing(index: QuantityIndex) -> Iterator[Segments]:
    """The index as it is now, which no other process can change meanwhile.

    Raises:
        FileNotFoundError: if there is none.
        IndexInUseError: if another process is changing it.
    """
    index.forget()
    index.meta  # noqa: B018 - what is no index gets no lock
    try:
        with _folder.held(index.folder / _folder.WRITER_LOCK, timeout=0):
            index.forget()
            yield Segments(index.parts)
    except Timeout as error:
        raise IndexInUseError(f"another process is changing {index.path}; try again when it is done") from error
    except OSError as error:
        error.add_note(f"{index.path} is as it was before") if hasattr(error, "add_note") else None
        raise


def _named(opened: Segments) -> list[tuple[str, Sequence[str]]]:
    """Each segment's folder and unit names."""
    return [(segment.part.folder.name, segment.names) for segment in opened.segments]


def _publish(
    index: QuantityIndex, opened: Segments, gone: Ints, added: tuple[str, Columns, list[str], CorpusRecord] | None
) -> None:
    """Make the index one without the documents of some rows, and with a new segment: its folder, columns, units and
    documents."""
    segments, counts = _named(opened), _Counts.of(opened).without(opened, gone)
    if added is not None:
        folder, columns, units, corpus = added
        segments, counts = [*segments, (folder, units)], counts.along(columns, corpus)
    _publish_segments(index, opened, segments, np.union1d(opened.deleted, gone), counts)


def _publish_segments(
    index: QuantityIndex,
    opened: Segments,
    segments: Sequence[tuple[str, Sequence[str]]],
    deleted: Ints,
    counts: _Counts,
) -> None:
    """Make these segments the index, with an overview where one is needed.

    Args:
        opened: what they replace; if the folder holds something else by now, nothing happens.
        segments: see `_named`.
        deleted: rows of deleted documents, ascending, numbered through these segments.
        counts: of the others.
    """
    before = [part.folder.name for part in opened.parts]
    parts = [folder for folder, _ in segments]

    def unchanged() -> None:
        if _folder.part_names(index.folder) != before:
            raise IndexInUseError(f"{index.path} was built anew meanwhile; try again")

    if len(parts) == 1 and not len(deleted):
        _folder.publish(index.folder, KIND.header, parts, unchanged)
        return
    common = sorted(set().union(*(names for _, names in segments)))
    number = {name: at for at, name in enumerate(common)}
    renamed = np.array([number[name] for _, names in segments for name in names], dtype=np.uint32)
    arrays: dict[str, npt.NDArray[Any]] = {DELETED: deleted.astype(np.uint64), "renamed": renamed}
    arrays |= {"term_documents": counts.term_documents.astype(np.uint32), **name_arrays(common)}
    meta = {"documents": counts.documents, "quantities": counts.quantities, "units": len(common)}
    with _folder.new_part(index.folder) as overview:
        indexed = counts.documents + len(deleted)
        write_arrays(overview, arrays.items(), {**meta, DOCNOS: counts.docnos, "indexed": indexed})
        _folder.publish(index.folder, KIND.header, [*parts, overview.name], unchanged)


def _term_documents(opened: Segments, rows: Ints) -> Ints:
    """How many of some documents hold each term."""
    columns = opened.columns
    found = np.zeros(1 << 16 if columns.has_terms else 0, dtype=np.int64)
    for begin in range(0, len(rows) if columns.has_terms else 0, _CHUNK):
        start, count = columns.term_offsets.extent(rows[begin : begin + _CHUNK])
        terms = columns.terms[ragged_ranges(start, count)]
        held = distinct(np.sort(np.repeat(np.arange(len(count)), count) << 16 | terms.astype(np.int64)))
        found += np.bincount(held & 0xFFFF, minlength=1 << 16)
    return found
