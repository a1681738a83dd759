"""Read the documents to index. If a document has no quantities, extract the quantities from its text."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.extraction import Extractor, RuleExtractor, extract_each
from pyterrier_quantity.frames.checked_documents import Document, checked_documents
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.storage.file_records import CorpusDigest

_CHUNK: Final = 16_000_000  # approximate characters read at a time: enough to justify starting processes


class DocumentReader:
    """Read documents in chunks, and extract their quantities.

    Args:
        extractor: the extractor for documents without quantities. The default is the rule extractor, which reads a
            document in its `language`, or else in English.
        threads: the number of worker processes for the rule extractor. None means a number that suits the texts.
        verbose: whether to show progress.
        text_field: the field with the text.
        on_error: what to do with a malformed document, or one whose extraction fails. "raise" stops with an error that
            names the document. "skip" leaves the document out and names it in a warning at the end.

    Raises:
        ValueError: if `on_error` is unknown.
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
        """Yield the docno, the text and the quantities of each document. Quantities are extracted chunk by chunk.

        Args:
            corpus: the documents.
            digest: an object that computes a digest of the documents while they are read, or None for no digest.
            check: a function that is called with the docnos of each chunk before its quantities are extracted.
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
        """Yield the documents of a corpus after checking their fields. For the arguments, see `checked_documents`."""
        left_out = self._left_out() if left_out is None else left_out
        return checked_documents(corpus, self.text_field, ready=True, progress=progress, left_out=left_out)

    def with_quantities(
        self, documents: Sequence[Document], left_out: list[str] | None
    ) -> Iterator[tuple[Document, list[Quantity]]]:
        """Yield pairs (document, quantities). Missing quantities are extracted for all documents at once.

        Args:
            documents: checked documents.
            left_out: a list that collects a message for each document left out, or None to raise an error instead.

        Raises:
            ValueError: if the extraction fails for a document and `left_out` is None.
        """
        extracted = iter(self._extracted([one for one in documents if one.quantities is None], left_out))
        for document in documents:
            quantities = next(extracted) if document.quantities is None else document.quantities
            if quantities is not None:
                yield document, quantities

    def _left_out(self) -> list[str] | None:
        """Return an empty list to collect messages about omitted documents, or None if errors are raised instead."""
        return [] if self.on_error == "skip" else None

    def _extracted(self, documents: list[Document], left_out: list[str] | None) -> list[list[Quantity] | None]:
        """Return the quantities of each document, or None for a document whose extraction fails. If `left_out` is a
        list, add a message for each such document to it; if it is None, raise an error."""
        try:
            texts = [document.text or "" for document in documents]
            languages = [document.language for document in documents]
            return list(extract_each(self.extractor, texts, languages, self.threads))
        except Exception as error:  # an extractor may raise any error, and does not name the document
            if len(documents) > 1:
                found = [self._extracted([document], left_out)[0] for document in documents]
                if None not in found:
                    raise
                return found
            message = f"document {documents[0].docno!r}: the extraction failed ({type(error).__name__}: {error})"
            if left_out is None:
                raise ValueError(f"{message}; on_error: skip, or --skip-bad, leaves such documents out") from error
            left_out.append(message)
            return [None]


def warn_of(left_out: list[str] | None, stacklevel: int) -> None:
    if left_out:
        more = f", and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        warnings.warn(f"{len(left_out)} documents are left out: {'; '.join(left_out[:3])}{more}", stacklevel=stacklevel)


def _chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
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
