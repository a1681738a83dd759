import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import pyterrier as pt

from pyterrier_quantity._version import __version__
from pyterrier_quantity.index.columns_builder import ColumnsBuilder
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.index.segments import CONTENT, KIND, LANGUAGE
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.storage.file_records import CorpusDigest
from pyterrier_quantity.storage.folders import IndexFormatError
from pyterrier_quantity.storage.index_folder import new_folder


class QuantityIndexer(DocumentReader, pt.Indexer):
    """Build a `QuantityIndex` from documents.

    Args:
        index: the index to build.
        overwrite: whether to replace an existing index at its path.
        concepts: whether to store the words around quantities (about 20 bytes per quantity), so that scores can
            distinguish the quantities of a sentence.
        options: `extractor`, `threads`, `verbose`, `text_field` and `on_error` of `DocumentReader`.

    Raises:
        ValueError: if `on_error` is unknown.
    """

    def __init__(self, index: StoredIndex, overwrite: bool = False, concepts: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self._index, self.overwrite, self.concepts = index, overwrite, concepts

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field], ["docno", "quantities"]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> StoredIndex:
        """Build the index in a temporary folder, move the folder to the index's path, and return the index.

        An existing index of the same documents, options and package version is reused, with a warning.

        Args:
            iter: documents with `docno`, and a text or `quantities`.

        Raises:
            FileExistsError: if something other than an index is at the path, or another index and `overwrite` is false.
            TypeError, ValueError: if a document is malformed (see `checked_documents`) or its extraction fails, unless
                `on_error` is "skip". The message names the document.

        Exceptions raised by the iterator propagate. After an error, no partial index remains; an older index is kept.
        """
        there = None if self.overwrite else self._content_there()
        if there and CorpusDigest.of(self.checked(iter), *self._options).content == there:
            warnings.warn(f"{self._index.path} already holds the quantities of these documents and is reused; "
                          "overwrite rebuilds it", stacklevel=2)  # fmt: skip
            return self._index
        digest = CorpusDigest(*self._options)
        language = getattr(self.extractor, "language", "en")
        noted = {} if language == "en" else {LANGUAGE: language}
        with new_folder(self._index.folder, self.overwrite, KIND, **noted) as folder:
            builder = ColumnsBuilder(self.concepts, folder)
            for docno, text, quantities in self.read(iter, digest):
                builder.add(quantities, text, docno)
            corpus = digest.record()
            if not corpus.documents:
                warnings.warn(f"the corpus is empty: {self._index.path} holds no documents", stacklevel=2)
            builder.write(folder, corpus.content)
        self._index.forget()
        return self._index

    @property
    def _options(self) -> tuple[object, ...]:
        """The options on which the index depends. If an option changes, the index must be rebuilt."""
        return __version__, self.extractor, self.text_field, self.concepts

    def _content_there(self) -> str | None:
        """Return the digest of the documents and options in an existing index, or None if the index does not exist."""
        try:
            return self._index.meta.get(CONTENT) if self._index.built() else None
        except (IndexFormatError, OSError):
            return None

    def __repr__(self) -> str:
        return f"QuantityIndexer({self._index!r}, extractor={self.extractor!r})"
