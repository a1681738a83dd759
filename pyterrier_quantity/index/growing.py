"""Add documents to an existing index, replace and delete documents, and merge segments.

Existing files never change. A new segment is written to its own folder, and then the file that lists the segments in
use is replaced. After an interruption, the index is as it was before or after the change. Only one process changes an
index at a time. Any number of other processes can search the index. They see the index as it was when they opened it.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any, Final, TypeVar

import numpy as np
from filelock import Timeout

from pyterrier_quantity._progress import shown
from pyterrier_quantity.flat_arrays import Ints, ragged_ranges
from pyterrier_quantity.index.columns_builder import NUMBERS, ColumnsBuilder, Portion
from pyterrier_quantity.index.docnos import Docnos
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.index.segments import DELETED, KIND, LANGUAGE, Segments
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.storage import array_file, folders
from pyterrier_quantity.units import UnitRegistry, default_registry

SMALL: Final = 1 << 17
"""Segments with at most this number of quantities are merged with all later segments, in about 0.2 s."""
GROWTH: Final = 4
"""A segment larger than `SMALL` is merged with all later segments if their total size is at least a quarter of its own.
The number of segments, and of the copies of each quantity, then grows with the logarithm of the index's size."""
_CHUNK: Final = 100_000  # number of documents copied at a time

Index = TypeVar("Index", bound="GrowingIndex")


class IndexInUseError(OSError):
    """Raised when another process is changing the index."""


class GrowingIndex(StoredIndex):
    """The base class of indexes to which documents can be added, and from which they can be deleted."""

    KIND = KIND

    @abstractmethod
    def indexer(self) -> DocumentReader:
        """Return a reader for the documents to add. Subclasses accept the reader's options as keyword arguments."""

    @cached_property
    def opened(self) -> Segments:
        """The content of the index, as it was on first use or after the last refresh."""
        return Segments(*self.stored, registry=self.registry)

    @property
    def registry(self) -> UnitRegistry:
        return default_registry()

    @property
    def docnos(self) -> Docnos:
        return self.opened.docnos

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata of the index, such as the numbers of `documents`, `quantities` and `units`."""
        return self.opened.meta

    def add(self: Index, iter: Iterable[Mapping[str, Any]], **options: Any) -> Index:
        """Add documents as a new segment, and return the index.

        Small segments are merged. If the index was built with `concepts`, the words around quantities are stored.

        Args:
            iter: documents with `docno`, and a text or `quantities`.
            options: `extractor`, `threads`, `verbose`, `text_field`, see `indexer`.

        Raises:
            FileNotFoundError: if the index does not exist. The method `index` builds one.
            ValueError: if a docno is already in the index, or a document is malformed; see `index`.
            IndexInUseError: if another process is changing the index.

        Exceptions raised by the iterator propagate. After any error the index is unchanged.
        """
        self._extend(self.indexer(**options), iter, replace=False)
        return self

    def update(self: Index, iter: Iterable[Mapping[str, Any]], **options: Any) -> Index:
        """Add documents, and replace documents that have the same docnos, in one step. Arguments, result and errors are
        as in `add`, except that a docno may already be in the index."""
        self._extend(self.indexer(**options), iter, replace=True)
        return self

    def _extend(self, reader: DocumentReader, corpus: Iterable[Mapping[str, Any]], replace: bool) -> None:
        with self._changing() as opened:
            self._add_segment(opened, reader, corpus, replace)
            self._merge_small(reader.verbose)
        self.forget()

    def _add_segment(
        self, opened: Segments, reader: DocumentReader, corpus: Iterable[Mapping[str, Any]], replace: bool
    ) -> None:
        with folders.new_part(self.folder) as part:
            builder = ColumnsBuilder(opened.columns.has_terms, part)
            gone: list[Ints] = [np.empty(0, dtype=np.int64)]

            def check(names: list[str]) -> None:
                rows = opened.docnos.rows(names)
                if not replace and (rows >= 0).any():
                    twice = names[int(np.argmax(rows >= 0))]
                    fault = f"docno {twice!r} is in {self.path} already"
                    raise ValueError(f"{fault}; update replaces documents, add does not")
                gone.append(rows[rows >= 0])

            for docno, text, quantities in reader.read(corpus, check=check):
                builder.add(quantities, text, docno)
            if not len(builder):
                return
            builder.write(part)
            segments = _listed(opened) | {part.name: array_file.digest_of(part)}
            self._publish(opened, segments, np.union1d(opened.deleted, np.concatenate(gone)))

    def _merge_small(self, verbose: bool) -> None:
        """Merge small segments. A failure, such as a full disk, only causes a warning: the added documents are kept."""
        self.forget()
        grown = Segments(*self.stored)
        sizes = [int(part.meta["quantities"]) for part in grown.parts]
        first = first_to_merge(sizes)
        try:
            if first < len(sizes) - 1:
                self._merge_from(grown, first, verbose)
        except OSError as error:
            warnings.warn(f"{self.path}: documents were added, but segments not merged ({error})", stacklevel=4)

    def delete(self: Index, docnos: Iterable[str], ignore_missing: bool = False) -> Index:
        """Delete documents, and return the index. Searches no longer find the documents; `merge` frees their space.

        Args:
            docnos: the documents' docnos.
            ignore_missing: whether to ignore docnos that are not in the index.

        Raises:
            TypeError: if `docnos` is a single string.
            ValueError: if a docno is not in the index. In this case, nothing is deleted.
            FileNotFoundError, IndexInUseError: see `add`.
        """
        if isinstance(docnos, str):
            raise TypeError(f"docnos must be a list of strings, got the string {docnos!r}")
        docnos = list(docnos)
        with self._changing() as opened:
            rows = opened.docnos.rows(docnos)
            unknown = [docno for docno, row in zip(docnos, rows.tolist(), strict=True) if row < 0]
            if unknown and not ignore_missing:
                others = f" and {len(unknown) - 1} others" if len(unknown) > 1 else ""
                fault = f"no document {unknown[0]!r}{others} in {self.path}"
                raise ValueError(f"{fault}; nothing was deleted (ignore_missing ignores them)")
            gone = np.unique(rows[rows >= 0])
            if len(gone):
                self._publish(opened, _listed(opened), np.union1d(opened.deleted, gone))
        self.forget()
        return self

    def merge(self: Index, verbose: bool = False) -> Index:
        """Merge all segments into one, without the deleted documents, and return the index.

        The result is byte-for-byte identical to an index built in one step from the same documents in the same order.

        Args:
            verbose: whether to show progress.

        Raises:
            FileNotFoundError, IndexInUseError: see `add`.
        """
        with self._changing() as opened:
            self._merge_from(opened, 0, verbose)
        self.forget()
        return self

    def _merge_from(self, opened: Segments, first: int, verbose: bool) -> None:
        """Merge the segment number `first` with all later segments, and leave out deleted documents."""
        left = opened.deleted[opened.deleted < opened.starts[first]]
        if first == len(opened.parts) - 1 and len(left) == len(opened.deleted):
            return
        with folders.new_part(self.folder) as part:
            builder = ColumnsBuilder(opened.columns.has_terms, part)
            begin, end = map(int, opened.starts[[first, -1]])
            for at in shown(range(begin, end, _CHUNK), verbose, desc=f"times {_CHUNK:,} documents"):
                rows = np.arange(at, min(at + _CHUNK, end))
                builder.extend(_portion(opened, np.setdiff1d(rows, opened.deleted, assume_unique=True)))
            builder.write(part)
            kept = dict(islice(_listed(opened).items(), first))
            self._publish(opened, kept | {part.name: array_file.digest_of(part)}, left)

    def refresh(self: Index) -> Index:
        """Read the index from disk again, and return the index. Without a refresh, searches use the state that the
        index had on first use, even if other processes add documents. A refresh also affects existing transformers."""
        self.forget()
        return self

    @contextmanager
    def _changing(self) -> Iterator[Segments]:
        """Yield the current content of the index. Inside the `with` block, no other process can change the index."""
        self.forget()
        self.meta  # noqa: B018 - only an index gets a lock
        try:
            with folders.held(self.folder / folders.WRITER_LOCK, timeout=0):
                self.forget()
                yield Segments(*self.stored)
        except Timeout as error:
            raise IndexInUseError(f"another process is changing {self.path}; try again when it is done") from error
        except OSError as error:
            error.add_note(f"{self.path} is unchanged") if hasattr(error, "add_note") else None
            raise

    def _publish(self, opened: Segments, segments: Mapping[str, str], deleted: Ints) -> None:
        """Replace the stored list of segments with `segments`, a dictionary from folder name to digest, and the deleted
        rows with `deleted`. Raise `IndexInUseError` if the stored list has changed since `opened` was read."""

        def unchanged() -> None:
            if folders.part_names(self.folder) != list(_listed(opened)):
                raise IndexInUseError(f"{self.path} was rebuilt meanwhile; try again")

        noted = {LANGUAGE: self.stored[0][LANGUAGE]} if LANGUAGE in self.stored[0] else {}
        header = KIND.header | noted | ({DELETED: deleted.tolist()} if len(deleted) else {})
        folders.publish(self.folder, header, segments, unchanged)


def first_to_merge(sizes: Sequence[int]) -> int:
    """Return the index of the segment to merge with all later segments, or of the last segment if none must be merged.
    `sizes` contains the number of quantities in each segment."""
    first, total = len(sizes) - 1, sizes[-1]
    while first and sizes[first - 1] <= max(SMALL, GROWTH * total):
        first -= 1
        total += sizes[first]
    return first


def _listed(opened: Segments) -> dict[str, str]:
    return {one.folder.name: one.digest for one in opened.parts}


def _portion(opened: Segments, rows: Ints) -> Portion:
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
