"""Indexes that grow: documents are added, deleted and replaced by new segments, and segments merged.

Nothing that is there is changed. A new segment is written aside, then the one file that names the parts in use is
replaced: whoever is killed meanwhile leaves the index as it was before, or as it is after. One process changes an index
at a time; any number of others search it, each as it was when they opened it.
"""

from __future__ import annotations

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
"""Quantities that are merged with what is added behind them: 9 MB and a fifth of a second."""
GROWTH: Final = 4
"""A larger segment is merged with those behind it when they are a fourth of it: so their number grows with the
logarithm of the index's size, and so do the times that each quantity is copied."""
_CHUNK: Final = 100_000
"""Documents that are copied at a time."""

Index = TypeVar("Index", bound="GrowingIndex")


class IndexInUseError(OSError):
    """Another process is changing the index."""


class GrowingIndex(StoredIndex):
    """An index of segments."""

    KIND = KIND

    @abstractmethod
    def indexer(self) -> DocumentReader:
        """What reads the documents that are added; options by name."""

    @cached_property
    def opened(self) -> Segments:
        """The index as it was when it was first used, or last refreshed."""
        return Segments(*self.stored, registry=self.registry)

    @property
    def registry(self) -> UnitRegistry:
        """What its units convert by."""
        return default_registry()

    @property
    def docnos(self) -> Docnos:
        return self.opened.docnos

    @property
    def meta(self) -> dict[str, Any]:
        """The index's metadata, such as how many `documents`, `quantities` and `units` there are."""
        return self.opened.meta

    def add(self: Index, iter: Iterable[Mapping[str, Any]], **options: Any) -> Index:
        """Add documents, as a new segment behind those that are there; returns the index.

        Small segments are merged as they come. New documents are read as the first were, with the words around their
        quantities or without.

        Args:
            iter: documents with `docno`, and a text or `quantities`.
            options: `extractor`, `threads`, `verbose`, `text_field`, see `indexer`.

        Raises:
            FileNotFoundError: if there is no index yet; `index` builds one.
            ValueError: if a docno is in the index already, or on a document that `index` refuses.
            IndexInUseError: if another process is changing the index.
            Whatever the iterator raises. In every case the index stays as it was.
        """
        self._extend(self.indexer(**options), iter, replace=False)
        return self

    def update(self: Index, iter: Iterable[Mapping[str, Any]], **options: Any) -> Index:
        """Add documents, and replace those that have the same docnos, in one step.

        Arguments, result and errors are those of `add`, which does not replace documents.
        """
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
                    raise ValueError(
                        f"docno {twice!r} is in {self.path} already; update replaces documents, add does not"
                    )
                gone.append(rows[rows >= 0])

            for docno, text, quantities in reader.read(corpus, check=check):
                builder.add(quantities, text, docno)
            if not len(builder):
                return
            builder.write(part)
            segments = _listed(opened) | {part.name: array_file.digest_of(part)}
            self._publish(opened, segments, np.union1d(opened.deleted, np.concatenate(gone)))

    def _merge_small(self, verbose: bool) -> None:
        """Merge small segments. A failure (a full disk) is a warning: what was added is in the index."""
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
        """Delete documents; returns the index. Searches do not find them any more, and `merge` frees their space.

        Args:
            docnos: of the documents.
            ignore_missing: pass over docnos that the index does not hold.

        Raises:
            TypeError: if `docnos` is one string.
            ValueError: if the index does not hold one of them; nothing is deleted then.
            FileNotFoundError, IndexInUseError: as `add`.
        """
        if isinstance(docnos, str):
            raise TypeError(f"docnos must be a list of strings, got the string {docnos!r}")
        docnos = list(docnos)
        with self._changing() as opened:
            rows = opened.docnos.rows(docnos)
            unknown = [docno for docno, row in zip(docnos, rows.tolist(), strict=True) if row < 0]
            if unknown and not ignore_missing:
                others = f" and {len(unknown) - 1} others" if len(unknown) > 1 else ""
                raise ValueError(
                    f"no document {unknown[0]!r}{others} in {self.path}; nothing was deleted "
                    "(ignore_missing=True passes over them)"
                )
            gone = np.unique(rows[rows >= 0])
            if len(gone):
                self._publish(opened, _listed(opened), np.union1d(opened.deleted, gone))
        self.forget()
        return self

    def merge(self: Index, verbose: bool = False) -> Index:
        """Make one segment of all, without the deleted documents; returns the index.

        It is byte for byte the index that a single build makes of the same documents in the same order.

        Args:
            verbose: show progress.

        Raises:
            FileNotFoundError, IndexInUseError: as `add`.
        """
        with self._changing() as opened:
            self._merge_from(opened, 0, verbose)
        self.forget()
        return self

    def _merge_from(self, opened: Segments, first: int, verbose: bool) -> None:
        """Merge all segments from one on, without their deleted documents."""
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
        """Read anew what is on disk; returns the index. Without it an index stays as it was at its first use, whatever
        other processes add. Its transformers follow."""
        self.forget()
        return self

    @contextmanager
    def _changing(self) -> Iterator[Segments]:
        """The index as it is now, which no other process can change meanwhile."""
        self.forget()
        self.meta  # noqa: B018 - what is no index gets no lock
        try:
            with folders.held(self.folder / folders.WRITER_LOCK, timeout=0):
                self.forget()
                yield Segments(*self.stored)
        except Timeout as error:
            raise IndexInUseError(f"another process is changing {self.path}; try again when it is done") from error
        except OSError as error:
            error.add_note(f"{self.path} is as it was before") if hasattr(error, "add_note") else None
            raise

    def _publish(self, opened: Segments, segments: Mapping[str, str], deleted: Ints) -> None:
        """Make these segments, folders and their digests, the index, in place of what was opened; if the folder holds
        something else by now, nothing happens. The rows of deleted documents ascend, numbered through the segments."""

        def unchanged() -> None:
            if folders.part_names(self.folder) != list(_listed(opened)):
                raise IndexInUseError(f"{self.path} was built anew meanwhile; try again")

        noted = {LANGUAGE: self.stored[0][LANGUAGE]} if LANGUAGE in self.stored[0] else {}
        header = KIND.header | noted | ({DELETED: deleted.tolist()} if len(deleted) else {})
        folders.publish(self.folder, header, segments, unchanged)


def first_to_merge(sizes: Sequence[int]) -> int:
    """From which segment on all are to be merged, by how many quantities each has; see `SMALL` and `GROWTH`."""
    first, total = len(sizes) - 1, sizes[-1]
    while first and sizes[first - 1] <= max(SMALL, GROWTH * total):
        first -= 1
        total += sizes[first]
    return first


def _listed(opened: Segments) -> dict[str, str]:
    """The folders of segments and their digests."""
    return {one.folder.name: one.digest for one in opened.parts}


def _portion(opened: Segments, rows: Ints) -> Portion:
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
