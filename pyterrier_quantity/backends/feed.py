"""What an index is built from and where: documents checked on their way, and a folder moved into place at the end."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity import _recorded
from pyterrier_quantity._corpus import CorpusDigest, CorpusRecord
from pyterrier_quantity._documents import checked_documents
from pyterrier_quantity._folder import moved_into_place

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


def must_build(
    path: Path,
    corpus: Iterable[Mapping[str, Any]] | None,
    overwrite: bool,
    is_index: Callable[[Path], bool],
    what: str,
    text_field: str = "text",
) -> bool:
    """Whether there is no index to open.

    Raises:
        FileExistsError: if something else is at the path, or an index of another corpus than the one given, as far as
            that can be told without reading it through.
        FileNotFoundError: if there is nothing, and no corpus either.
    """
    there = path.exists() and not (path.is_dir() and not any(path.iterdir()))
    if there and not is_index(path):
        raise FileExistsError(f"{path} exists and is no {what} index; choose another path")
    if there and not overwrite:
        _check_same(path, corpus, what, text_field)
        return False
    if corpus is None:
        raise FileNotFoundError(f"no {what} index at {path}; give the corpus to build it from")
    return True


def _check_same(path: Path, corpus: Iterable[Mapping[str, Any]] | None, what: str, text_field: str) -> None:
    """Raise a FileExistsError if the index was built of other documents than the corpus's, as far as that can be told
    without going through an iterator: documents in a list are compared, of others their number if they tell it."""
    known = CorpusRecord.read(path)
    if known is None or not isinstance(corpus, Sized):
        return
    same = len(corpus) == known.documents
    if same and isinstance(corpus, Sequence):
        digest = CorpusDigest(text_field)
        deque(digest.passing(checked_documents(corpus, text_field)), maxlen=0)
        same = digest.record() == known
    if not same:
        sizes = f"{known.documents:,} documents, here {len(corpus):,}"
        raise FileExistsError(f"{path} holds a {what} index of another corpus ({sizes}); pass overwrite=True to "
                              "replace it, or choose another path")  # fmt: skip


@contextmanager
def built_aside(path: Path, overwrite: bool, feed: Feed) -> Iterator[tuple[Path, dict[str, Any]]]:
    """A folder beside `path` that takes its place at the end, and vanishes if anything is raised; and what the record
    of its files is to say beside them.

    Args:
        path: where the index is to be.
        overwrite: replace what is there.
        feed: its documents, whose record is kept.

    Raises:
        FileExistsError: if the folder holds a file that is no part of the index there.
    """
    if path.exists() and (foreign := _recorded.foreign_files(path)):
        raise FileExistsError(f"{path} holds {foreign[0]!r}, which is no part of its index; move it away or choose "
                              "another path")  # fmt: skip
    with moved_into_place(path) as aside, feed:
        noted: dict[str, Any] = {}
        yield aside, noted
        feed.record().write(aside)
        _recorded.record(aside, **noted)
        if path.exists() and not overwrite:
            path.rmdir()
