"""What an index is built from: documents, checked on their way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from pyterrier_quantity._corpus import CorpusDigest, CorpusRecord
from pyterrier_quantity._documents import checked_documents

UNWRITABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters and lone surrogates: PISA's text format and UTF-8 cannot carry them."""


class Feed:
    """The documents for an indexer that reads them in a thread of its own: checked, cleaned, counted.

    An exception in that thread would end the index early and go unseen: the feed ends, and raises it at its exit.
    """

    def __init__(
        self, corpus: Iterable[Mapping[str, Any]], text_field: str, verbose: bool, docno_bytes: int | None = None
    ) -> None:
        self._corpus, self._field, self._verbose, self._docno_bytes = corpus, text_field, verbose, docno_bytes
        self._error: BaseException | None = None
        self._digest = CorpusDigest(text_field)

    def __enter__(self) -> Feed:
        documents = self._documents()
        first = next(documents, None)
        if first is None and self._error is None:
            raise ValueError("the corpus is empty: there is nothing to index")
        self._all = chain([] if first is None else [first], documents)
        return self

    def __iter__(self) -> Iterator[dict[str, str]]:
        return iter(self._all)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._error is not None:
            raise self._error

    def record(self) -> CorpusRecord:
        """Of the documents that came by."""
        return self._digest.record()

    def _documents(self) -> Iterator[dict[str, str]]:
        progress = "words" if self._verbose else None
        try:
            for document in self._digest.passing(checked_documents(self._corpus, self._field, progress=progress)):
                self._check_docno(document.docno)
                yield {"docno": document.docno, "text": UNWRITABLE.sub(" ", document.text or "")}
        except GeneratorExit:
            raise
        except BaseException as error:
            self._error = error

    def _check_docno(self, docno: str) -> None:
        if docno.split() != [docno] or UNWRITABLE.search(docno):
            raise ValueError(
                f"docno {docno!r} is empty or holds blanks or control characters, which the index's format cannot "
                "write; rename it"
            )
        if self._docno_bytes and len(docno.encode()) > self._docno_bytes:
            raise ValueError(f"docno {docno!r} is longer than {self._docno_bytes} bytes; rename it")
