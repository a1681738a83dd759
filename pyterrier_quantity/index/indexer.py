"""Builds a quantity index from documents."""

from __future__ import annotations

import mmap
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from pyterrier_quantity import _arrays
from pyterrier_quantity._corpus import CorpusDigest, CorpusRecord
from pyterrier_quantity._version import __version__
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.index.columns import Columns, ColumnsBuilder
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.index.unit_names import name_arrays
from pyterrier_quantity.index.value_order import value_order

if TYPE_CHECKING:
    from pyterrier_quantity.index.quantity_index import QuantityIndex

KIND: Final = _arrays.Kind("quantity_index", "columns", 4, "quantity index", floats=frozenset({"values"}))

DOCNOS: Final = "docnos"
CONTENT: Final = "content"
"""Where the metadata keep the digests of what the index was built of, see `_corpus.CorpusRecord`."""


class QuantityIndexer(DocumentReader, pt.Indexer):
    """Builds a `QuantityIndex`.

    Args:
        index: the index to build.
        extractor: reads the quantities of documents that bring none; the rule extractor by default.
        threads: processes that share the extraction, where the rule extractor does it.
        overwrite: replace an index at this path.
        verbose: show progress.
        text_field: the field that holds the text.
        concepts: keep the words around the quantities, about 20 bytes a quantity, so that scores can tell which of a
            sentence's quantities is the query's.
        on_error: what becomes of a document of another form, or whose quantities cannot be read: "raise" stops, and
            names it; "skip" leaves it out, and a warning at the end names it.

    Raises:
        ValueError: if `on_error` is neither.
    """

    def __init__(
        self,
        index: QuantityIndex,
        extractor: Extractor | None = None,
        threads: int = 1,
        overwrite: bool = False,
        verbose: bool = False,
        text_field: str = "text",
        concepts: bool = True,
        on_error: str = "raise",
    ) -> None:
        super().__init__(extractor, threads, verbose, text_field, on_error)
        self._index, self.overwrite, self.concepts = index, overwrite, concepts

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field], ["docno", "quantities"]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> QuantityIndex:
        """Build the index aside and move it into place; returns the index.

        An index that was built of the same documents, with the same options and by the same version, is used as it is,
        with a warning that says so.

        Args:
            iter: documents with `docno`, and a text or `quantities`.

        Raises:
            FileExistsError: if there is an index of something else and `overwrite` is off, or no index at the path.
            TypeError, ValueError: on a document that is not of that form (see `_documents`) or whose quantities cannot
            be read, naming it, unless `on_error` is "skip".
            Whatever the iterator raises. In every case nothing half-written stays, and an older index stays as it was.
        """
        if not self.overwrite and (content := self._content_there()) and self._digest_of(iter) == content:
            warnings.warn(f"{self._index.path} holds the quantities of these documents already and is used as it is; "
                          "overwrite=True builds it anew", stacklevel=2)  # fmt: skip
            return self._index
        digest = self._new_digest()
        with _arrays.new_folder(self._index.folder, self.overwrite, KIND) as folder:
            docnos: list[str] = []
            builder = ColumnsBuilder(self.concepts)
            for docno, text, quantities in self.read(iter, digest):
                docnos.append(docno)
                builder.add(quantities, text)
            if not docnos:
                warnings.warn(f"the corpus is empty: {self._index.path} holds no documents", stacklevel=2)
            write_columns(folder, *builder.build(), lambda: build_lookup(docnos), digest.record())
        self._index.forget()
        return self._index

    def _new_digest(self) -> CorpusDigest:
        return CorpusDigest(__version__, self.extractor, self.text_field, self.concepts)

    def _content_there(self) -> str | None:
        """The digest of what the index at the path was built of; None if there is no index, or it does not tell."""
        try:
            return self._index.corpus().content if self._index.built() else None
        except (_arrays.IndexFormatError, OSError):
            return None

    def _digest_of(self, corpus: Iterable[Mapping[str, Any]]) -> str | None:
        digest = self._new_digest()
        deque(digest.passing(self.checked(corpus)), maxlen=0)
        return digest.record().content

    def __repr__(self) -> str:
        return f"QuantityIndexer({self._index!r}, extractor={self.extractor!r})"


def write_columns(
    folder: Path,
    columns: Columns,
    units: Sequence[str],
    lookup: Callable[[], Mapping[str, npt.NDArray[Any]]],
    corpus: CorpusRecord,
) -> None:
    """Write an index's files.

    Args:
        folder: an empty folder.
        columns: the columns.
        units: the names that their `unit` column points to, in alphabetical order.
        lookup: gives the docnos, see `docnos.build_lookup`.
        corpus: what the index is built of.
    """
    counts = {"documents": columns.documents, "quantities": columns.quantities, "units": len(units)}
    meta = {**counts, DOCNOS: corpus.docnos, CONTENT: corpus.content}
    write_arrays(folder, _all_arrays(columns, units, lookup), meta)


def _all_arrays(
    columns: Columns, units: Sequence[str], lookup: Callable[[], Mapping[str, npt.NDArray[Any]]]
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """All arrays of an index by name; what is not written yet takes no memory."""
    yield from columns.arrays().items()
    yield from lookup().items()
    yield from value_order(columns, len(units))
    yield from name_arrays(units).items()


def write_arrays(folder: Path, arrays: Iterable[tuple[str, npt.NDArray[Any]]], meta: Mapping[str, Any]) -> None:
    """Write a part of an index: arrays by name, integers in the smallest type that holds them, and its metadata."""
    _arrays.write(folder, _compact(arrays), meta, KIND)


def _compact(arrays: Iterable[tuple[str, npt.NDArray[Any]]]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for name, values in arrays:
        yield name, _smallest(values)
        _let_go(values)


def _let_go(values: npt.NDArray[Any]) -> None:
    """What was read of a mapped file counts as the process's memory until it lets go of it."""
    mapped = getattr(values, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Integers in the smallest unsigned type that holds them all; hashes and raw bytes are as small already."""
    if values.dtype.kind != "u" or not len(values):
        return values
    return values.astype(np.min_scalar_type(int(values.max())), copy=False)
