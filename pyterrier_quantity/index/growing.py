"""Indexes that grow: documents are added, deleted and replaced by new segments, and segments merged.

Nothing that is there is changed. A new segment is written aside, then the one file that names the parts in use is
replaced: whoever is killed meanwhile leaves the index as it was before, or as it is after. One process changes an index
at a time; any number of others search it, each as it was when they opened it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

import numpy as np
from filelock import Timeout

from pyterrier_quantity import _arrays, _folder
from pyterrier_quantity._progress import shown
from pyterrier_quantity._ragged import Ints, ragged_ranges
from pyterrier_quantity.index.columns_builder import NUMBERS, ColumnsBuilder, Portion
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.index.segments import DELETED, KIND, Segments
from pyterrier_quantity.index.stored_index import StoredIndex

SMALL: Final = 1 << 17
"""Quantities that are merged with what is added behind them: 9 MB and a fifth of a second."""
GROWTH: Final = 4
"""A larger segment is merged with those behind it when they are a fourth of it: so their number grows with the
logarithm of the index's size, and so do the times that each quantity is copied."""
_CHUNK: Final = 100_000
"""Documents that are copied at a time."""


class IndexInUseError(OSError):
    """Another process is changing the index."""


def add(index: StoredIndex, reader: DocumentReader, corpus: Iterable[Mapping[str, Any]], replace: bool) -> None:
    """Add documents; see `QuantityIndex.add` and, with `replace`, `QuantityIndex.update`."""
    with _changing(index) as opened, _folder.new_part(index.folder) as part:
        builder = ColumnsBuilder(opened.columns.has_terms, part)
        gone: list[Ints] = [np.empty(0, dtype=np.int64)]

        def check(names: list[str]) -> None:
            rows = opened.docnos.rows(names)
            if not replace and (rows >= 0).any():
                twice = names[int(np.argmax(rows >= 0))]
                raise ValueError(f"docno {twice!r} is in {index.path} already; update replaces documents, add does not")
            gone.append(rows[rows >= 0])

        for docno, text, quantities in reader.read(corpus, check=check):
            builder.add(quantities, text, docno)
        if not len(builder):
            return
        builder.write(part)
        segments = _listed(opened) | {part.name: _arrays.digest_of(part)}
        _publish(index, opened, segments, np.union1d(opened.deleted, np.concatenate(gone)))
    index.forget()
    sizes = [int(part.meta["quantities"]) for part in index.parts]
    if (first := first_to_merge(sizes)) < len(sizes) - 1:
        merge(index, first, reader.verbose)


def first_to_merge(sizes: Sequence[int]) -> int:
    """From which segment on all are to be merged, by how many quantities each has; see `SMALL` and `GROWTH`."""
    first, total = len(sizes) - 1, sizes[-1]
    while first and sizes[first - 1] <= max(SMALL, GROWTH * total):
        first -= 1
        total += sizes[first]
    return first


def delete(index: StoredIndex, docnos: Iterable[str], ignore_missing: bool) -> None:
    """Delete documents; see `QuantityIndex.delete`."""
    if isinstance(docnos, str):
        raise TypeError(f"docnos must be a list of strings, got the string {docnos!r}")
    docnos = list(docnos)
    with _changing(index) as opened:
        rows = opened.docnos.rows(docnos)
        unknown = [docno for docno, row in zip(docnos, rows.tolist(), strict=True) if row < 0]
        if unknown and not ignore_missing:
            others = f" and {len(unknown) - 1} others" if len(unknown) > 1 else ""
            raise ValueError(
                f"no document {unknown[0]!r}{others} in {index.path}; nothing was deleted "
                "(ignore_missing=True passes over them)"
            )
        gone = np.unique(rows[rows >= 0])
        if len(gone):
            _publish(index, opened, _listed(opened), np.union1d(opened.deleted, gone))
    index.forget()


def merge(index: StoredIndex, first: int = 0, verbose: bool = False) -> None:
    """Merge all segments from one on, without their deleted documents."""
    with _changing(index) as opened:
        left = opened.deleted[opened.deleted < opened.starts[first]]
        if first == len(opened.parts) - 1 and len(left) == len(opened.deleted):
            return
        with _folder.new_part(index.folder) as part:
            builder = ColumnsBuilder(opened.columns.has_terms, part)
            begin, end = map(int, opened.starts[[first, -1]])
            for at in shown(range(begin, end, _CHUNK), verbose, desc=f"times {_CHUNK:,} documents"):
                rows = np.arange(at, min(at + _CHUNK, end))
                builder.extend(portion_of(opened, np.setdiff1d(rows, opened.deleted, assume_unique=True)))
            builder.write(part)
            kept = dict(islice(_listed(opened).items(), first))
            _publish(index, opened, kept | {part.name: _arrays.digest_of(part)}, left)
    index.forget()


def portion_of(opened: Segments, rows: Ints) -> Portion:
    """Some documents of an index."""
    columns = opened.columns
    first, count = columns.doc_offsets.extent(rows)
    quantity = ragged_ranges(first, count)
    present, unit = np.unique(columns.unit[quantity], return_inverse=True)
    begin, words = columns.term_offsets.extent(rows)
    return Portion(
        opened.docnos.docnos(rows).tolist(),
        count,
        *columns.ends(quantity),
        [opened.vocabulary.names[number] for number in present.tolist()],
        unit,
        {name: getattr(columns, name)[quantity] for name in NUMBERS if columns.has_terms or name != "position"},
        columns.terms[ragged_ranges(begin, words)],
        words,
        [opened.lines.get(row, "") for row in rows.tolist()],
    )


@contextmanager
def _changing(index: StoredIndex) -> Iterator[Segments]:
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
            yield Segments(*index.stored)
    except Timeout as error:
        raise IndexInUseError(f"another process is changing {index.path}; try again when it is done") from error
    except OSError as error:
        error.add_note(f"{index.path} is as it was before") if hasattr(error, "add_note") else None
        raise


def _listed(opened: Segments) -> dict[str, str]:
    """The folders of segments and their digests."""
    return {one.folder.name: one.digest for one in opened.parts}


def _publish(index: StoredIndex, opened: Segments, segments: Mapping[str, str], deleted: Ints) -> None:
    """Make these segments the index.

    Args:
        index: the index.
        opened: what they replace; if the folder holds something else by now, nothing happens.
        segments: their folders and digests.
        deleted: rows of deleted documents, ascending, numbered through these segments.
    """

    def unchanged() -> None:
        if _folder.part_names(index.folder) != list(_listed(opened)):
            raise IndexInUseError(f"{index.path} was built anew meanwhile; try again")

    header = KIND.header | ({DELETED: deleted.tolist()} if len(deleted) else {})
    _folder.publish(index.folder, header, segments, unchanged)
