"""What an index is built from and where: documents checked on their way, and a folder moved into place at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from pyterrier_quantity.aside import moved_into_place

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

    def _documents(self) -> Iterator[dict[str, str]]:
        seen: set[str] = set()
        try:
            progress = tqdm(self._corpus, desc="words", unit="doc", disable=not self._verbose)
            for number, document in enumerate(progress):
                docno = self._docno(number, document)
                if docno in seen:
                    raise ValueError(f"document number {number}: docno {docno!r} was there before; make it unique")
                seen.add(docno)
                yield {"docno": docno, "text": self._text(docno, document)}
        except GeneratorExit:
            raise
        except BaseException as error:
            self._error = error

    def _docno(self, number: int, document: Mapping[str, Any]) -> str:
        docno = document.get("docno")
        if not isinstance(docno, str):
            found = "is missing" if docno is None else f"must be a string, got {type(docno).__name__} {docno!r}"
            raise TypeError(f"document number {number}: docno {found}; give every document a string docno")
        if docno.split() != [docno] or UNWRITABLE.search(docno):
            raise ValueError(
                f"document number {number}: docno {docno!r} is empty or holds blanks or control characters, which "
                "the index's format cannot write; rename it"
            )
        if self._docno_bytes and len(docno.encode()) > self._docno_bytes:
            raise ValueError(f"document number {number}: docno {docno!r} is longer than {self._docno_bytes} bytes")
        return docno

    def _text(self, docno: str, document: Mapping[str, Any]) -> str:
        if self._field not in document:
            raise ValueError(f"document {docno!r} has no {self._field!r}, only {sorted(document)}; name the field "
                             "that holds the text: text_field=...")  # fmt: skip
        text = document[self._field]
        if text is None or (isinstance(text, float) and np.isnan(text)):
            return ""
        if not isinstance(text, str):
            raise TypeError(f"document {docno!r}: {self._field!r} must be a string, got {type(text).__name__}")
        return UNWRITABLE.sub(" ", text)


def must_build(
    path: Path, corpus: Iterable[Mapping[str, Any]] | None, overwrite: bool, is_index: Callable[[Path], bool], what: str
) -> bool:
    """Whether there is no index to open; raises if none can be built either."""
    there = path.exists() and not (path.is_dir() and not any(path.iterdir()))
    if there and not is_index(path):
        raise FileExistsError(f"{path} exists and is no {what} index; choose another path")
    if there and not overwrite:
        return False
    if corpus is None:
        raise FileNotFoundError(f"no {what} index at {path}; give the corpus to build it from")
    return True


@contextmanager
def built_aside(path: Path, overwrite: bool) -> Iterator[Path]:
    """A folder beside `path` that takes its place at the end, and vanishes if anything is raised."""
    with moved_into_place(path) as aside:
        yield aside
        if path.exists() and not overwrite:
            path.rmdir()
