"""The base class of the BM25 retrievers on PISA, Terrier and bm25s: build, open and search an index."""

import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.checked_documents import Document, checked_documents
from pyterrier_quantity.frames.frame import as_results, checked_texts
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.storage import file_records
from pyterrier_quantity.storage.file_records import CorpusDigest, CorpusRecord
from pyterrier_quantity.storage.folders import moved_into_place, read_sealed

UNWRITABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""A pattern of control characters and lone surrogates, which PISA's text format and UTF-8 cannot store."""
Texts = Iterable[dict[str, str]]
"""Documents with `docno` and `text`, in which spaces replace the characters that engines cannot store."""
_ROWS: Final = 4_000_000  # maximum number of results that are retrieved at a time
Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.object_], npt.NDArray[np.float64]]
"""Results, best first for each query: three arrays of query indexes, docnos and scores."""


class BM25(Configured):
    """A BM25 retriever, Q -> R, over an index folder, which is opened on first use."""

    called: ClassVar[str]
    """The name of the engine."""
    runs_on: ClassVar[str]
    """The name of the engine and what it needs, for messages: "Terrier, which runs on Java"."""
    module: ClassVar[str]
    """The Python package that the engine needs."""
    format: ClassVar[str]
    """The name of the index format, as stored in the index's `pt_meta.json`."""
    word: ClassVar[re.Pattern[str]] = re.compile(r"[^\W_]")
    """A pattern of the characters in words, by default any letter or digit. A query without words has no results."""
    docno_bytes: ClassVar[int | None] = None
    """The maximum length of a docno in bytes, or None for no limit."""

    def __init__(
        self, path: str | Path, k1: float = 0.5, b: float = 0.5, num_results: int | None = 1000, threads: int = 1
    ) -> None:
        if num_results is not None and num_results < 1:
            raise ValueError(f"num_results must be at least 1, or None for the whole ranking, got {num_results!r}")
        if not (0 <= k1 < math.inf and 0 <= b <= 1):
            raise ValueError(f"k1 must be finite and at least 0, and b in [0, 1]; got {k1!r}, {b!r}")
        self.path, self.k1, self.b, self.num_results, self.threads = Path(path), k1, b, num_results, threads

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        place, docnos, score = self.answers(checked_texts(inp["qid"].tolist(), inp["query"].tolist()))
        return as_results(inp, np.bincount(place, minlength=len(inp)), docnos, score)

    def answers(self, queries: Sequence[str]) -> Found:
        """Return the results of queries as three arrays: the index of each result's query, its docno and its score."""
        # Queries without words are not sent to the engine.
        texts = [(place, text) for place, text in enumerate(map(self._searchable, queries)) if text]
        together = max(1, _ROWS // self._depth)
        parts = [self._found(texts[at : at + together]) for at in range(0, len(texts), together)]
        if len(parts) == 1:
            return parts[0]
        none: Found = np.empty(0, dtype=np.int64), np.empty(0, dtype=object), np.empty(0)
        place, docnos, score = (np.concatenate(column) for column in zip(none, *parts, strict=True))
        return place, docnos, score

    def _found(self, texts: Sequence[tuple[int, str]]) -> Found:
        found = self._retriever.transform(pd.DataFrame(texts, columns=["qid", "query"]))
        place, score = found["qid"].to_numpy(dtype=np.int64), found["score"].to_numpy(dtype=np.float64)
        return place, found["docno"].to_numpy(dtype=object), score

    def corpus(self) -> CorpusRecord | None:
        """Return the number of documents and their digests, or None if another program built the index."""
        return CorpusRecord.read(self.path)

    def verify(self) -> None:
        """Check that all files of the index match their digests. Otherwise, raise an IndexFormatError."""
        self._compare(everything=True)

    def _compare(self, everything: bool = False) -> dict[str, Any] | None:
        return file_records.compare(self.path, everything)

    @cached_property
    def _depth(self) -> int:
        return self.num_results or self._count() or 1

    @cached_property
    def _retriever(self) -> Any:
        return self._open()

    @classmethod
    def built_at(cls, path: Path) -> bool:
        """Return whether this engine built the index at the path."""
        try:
            return read_sealed(path / "pt_meta.json").get("format") == cls.format
        except (OSError, ValueError):
            return False

    @classmethod
    def installed(cls) -> bool:
        try:
            return find_spec(cls.module) is not None
        except ValueError:  # if the module is blocked: sys.modules[name] = None
            return False

    @classmethod
    @abstractmethod
    def load(cls) -> None:
        """Import the engine. If the engine is missing, raise an error that names the package to install."""

    @abstractmethod
    def _build(self, folder: Path, documents: Texts) -> dict[str, Any]:
        """Build an index of documents in an empty folder. Return metadata to store with the files' digests."""

    def _searchable(self, query: str) -> str:
        return UNWRITABLE.sub(" ", query).strip()

    @abstractmethod
    def _open(self) -> Any:
        """Return the engine's retriever for this index."""

    @abstractmethod
    def _count(self) -> int:
        """Return the number of documents in the index."""

    def __getstate__(self) -> dict[str, Any]:
        return self._config()


def opened(
    engine: type[BM25],
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    text_field: str = "text",
    overwrite: bool = False,
    verbose: bool = False,
    **options: Any,
) -> BM25:
    """Return a BM25 retriever over the index at `path`. If the index does not exist, build it from `corpus` first.

    Args:
        engine: the class of the engine.
        options: the engine's options `k1`, `b`, `num_results` and `threads`.
    """
    ranker = engine(path, **options)
    folder = ranker.path
    there = folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))
    if there and not engine.built_at(folder):
        raise FileExistsError(f"{folder} exists and is not a {engine.called} index; choose another path")
    if there and not overwrite:
        _check_same(ranker, corpus, text_field)
        return ranker
    if corpus is None:
        raise FileNotFoundError(f"no {engine.called} index at {folder}; give the corpus to build it from")
    if there and (foreign := file_records.foreign_files(folder)):
        message = f"{folder} holds {foreign[0]!r}, which is not part of its index"
        raise FileExistsError(f"{message}; move it away or choose another path")
    digest = CorpusDigest(text_field)
    checked = checked_documents(corpus, text_field, progress="words" if verbose else None)
    documents = _writable(digest.passing(checked), engine.docno_bytes)
    first: list[dict[str, str]] = []
    while not (first and engine.word.search(first[-1]["text"])):
        if not (document := next(documents, None)):
            message = f"no {text_field!r} holds a word that {engine.called} knows" if first else "the corpus is empty"
            raise ValueError(f"{message}: there is nothing to index")
        first.append(document)
    with moved_into_place(folder) as aside:
        ranker.load()
        noted = ranker._build(aside, chain(first, documents))
        digest.record().write(aside)
        file_records.record(aside, **noted)
        if folder.exists() and not overwrite:
            folder.rmdir()
    return ranker


def _writable(documents: Iterable[Document], docno_bytes: int | None) -> Iterator[dict[str, str]]:
    """Yield documents as dictionaries. Spaces replace the characters that engines cannot store. Raise a ValueError if a
    docno has such characters or more than `docno_bytes` bytes (None: any length)."""
    for docno, text, *_ in documents:
        if docno.split() != [docno] or UNWRITABLE.search(docno):
            fault = f"docno {docno!r} is empty or holds blanks or control characters"
            raise ValueError(f"{fault}, which the index's format cannot write; rename it")
        if docno_bytes and len(docno.encode()) > docno_bytes:
            raise ValueError(f"docno {docno!r} is longer than {docno_bytes} bytes; rename it")
        yield {"docno": docno, "text": UNWRITABLE.sub(" ", text or "")}


def _check_same(ranker: BM25, corpus: Iterable[Mapping[str, Any]] | None, text_field: str) -> None:
    """Check that an index was built from the given corpus; otherwise raise a FileExistsError. A sequence is compared
    document by document, and other collections by length. An iterator is not compared, as it would be consumed."""
    known = ranker.corpus()
    if known is None or not isinstance(corpus, Sized):
        return
    same = len(corpus) == known.documents
    if same and isinstance(corpus, Sequence):
        same = CorpusDigest.of(checked_documents(corpus, text_field), text_field) == known
    if not same:
        fault = f"{ranker.path} holds a {ranker.called} index of another corpus ({known.documents:,} documents"
        raise FileExistsError(f"{fault}, here {len(corpus):,}); pass overwrite to replace it, or choose another path")
