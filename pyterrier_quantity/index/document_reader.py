"""Documents with their quantities, the input of every index of quantities. Missing quantities are extracted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.extraction import Extractor, RuleExtractor, extract_each
from pyterrier_quantity.frames.checked_documents import Document, checked_documents
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.storage.corpus_record import CorpusDigest

_CHUNK: Final = 16_000_000
"""The number of characters read and extracted at a time, large enough to be worth starting processes."""


class DocumentReader:
    """Reader of documents in chunks.

    Args:
        extractor: reads the quantities of documents without any; the rule extractor by default, which reads a document
            with a `language` in that language.
        threads: the number of processes that share the rule extractor's work; None chooses it by the amount of work.
        verbose: show progress.
        text_field: the field that holds the text.
        on_error: how to treat a malformed document, or one whose quantities cannot be read. "raise" stops with an error
            that names it; "skip" leaves it out, and names it in a warning at the end.

    Raises:
        ValueError: if `on_error` is neither.
    """

    def __init__(
        self,
        extractor: Extractor | None = None,
        threads: int | None = 1,
        verbose: bool = False,
        text_field: str = "text",
        on_error: str = "raise",
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"unknown on_error {on_error!r}; one of raise, skip")
        self.extractor = extractor if extractor is not None else RuleExtractor(concepts=False, dates=True)
        self.threads, self.verbose, self.text_field, self.on_error = threads, verbose, text_field, on_error

    def read(
        self,
        corpus: Iterable[Mapping[str, Any]],
        digest: CorpusDigest | None = None,
        check: Callable[[list[str]], None] | None = None,
    ) -> Iterator[tuple[str, str | None, list[Quantity]]]:
        """Yield (docno, text, quantities) of each document, extracted chunk by chunk.

        Args:
            corpus: the documents.
            digest: records them.
            check: called with the docnos of each chunk, before anything is extracted.
        """
        left_out = self._left_out()
        documents = self.checked(corpus, left_out, "quantities" if self.verbose else None)
        for chunk in _chunks(digest.passing(documents) if digest else documents):
            if check is not None:
                check([document.docno for document in chunk])
            for document, quantities in self.with_quantities(chunk, left_out):
                yield document.docno, document.text, quantities
        warn_of(left_out, stacklevel=4)

    def checked(
        self, corpus: Iterable[Mapping[str, Any]], left_out: list[str] | None = None, progress: str | None = None
    ) -> Iterator[Document]:
        """The documents as they come, checked; see `checked_documents`."""
        left_out = self._left_out() if left_out is None else left_out
        return checked_documents(corpus, self.text_field, ready=True, progress=progress, left_out=left_out)

    def with_quantities(
        self, documents: Sequence[Document], left_out: list[str] | None
    ) -> Iterator[tuple[Document, list[Quantity]]]:
        """Yield each document with its quantities; missing ones are extracted together.

        Args:
            documents: checked documents.
            left_out: collects a message on each document left out; None to leave none out.

        Raises:
            ValueError: if a document's quantities cannot be read and `left_out` is None.
        """
        extracted = iter(self._extracted([one for one in documents if one.quantities is None], left_out))
        for document in documents:
            quantities = next(extracted) if document.quantities is None else document.quantities
            if quantities is not None:
                yield document, quantities

    def _left_out(self) -> list[str] | None:
        """Return a list for messages on documents left out, or None to leave none out."""
        return [] if self.on_error == "skip" else None

    def _extracted(self, documents: list[Document], left_out: list[str] | None) -> list[list[Quantity] | None]:
        """Return the quantities of each document; None for a document left out."""
        try:
            texts = [document.text or "" for document in documents]
            languages = [document.language for document in documents]
            return list(extract_each(self.extractor, texts, languages, self.threads))
        except Exception as error:  # any error of an extractor, which does not name the text
            if len(documents) > 1:
                found = [self._extracted([document], left_out)[0] for document in documents]
                if None not in found:
                    raise
                return found
            told = f"document {documents[0].docno!r}: its quantities cannot be read ({type(error).__name__}: {error})"
            if left_out is None:
                raise ValueError(f"{told}; on_error: skip, or --skip-bad, leaves such documents out") from error
            left_out.append(told)
            return [None]


def warn_of(left_out: list[str] | None, stacklevel: int) -> None:
    """Warn about the documents that were left out, if any."""
    if left_out:
        more = f", and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        warnings.warn(f"{len(left_out)} documents are left out: {'; '.join(left_out[:3])}{more}", stacklevel=stacklevel)


def _chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Yield lists of documents with about `_CHUNK` characters each."""
    chunk: list[Document] = []
    size = 0
    for document in documents:
        chunk.append(document)
        size += len(document.text or "") + 100
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
