"""The indexes of a collection in a work folder: built once, and found again by a digest of their input."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyterrier as pt

import pyterrier_quantity
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.index import QuantityIndex


@dataclass(frozen=True)
class Indexes:
    """A collection's quantity index and BM25 index, and the folder that holds them."""

    home: Path
    quantities: QuantityIndex
    bm25: pt.Transformer


def open_indexes(collection: LocalCollection, work: Path, verbose: bool, given: bool = False) -> Indexes:
    """Return the indexes of a collection in the work folder; build those that do not exist yet.

    Args:
        collection: the collection to index, identified by the content of its corpus's files.
        work: the work folder.
        verbose: show progress.
        given: index the quantities that the collection's documents bring, as for `FinQuant` and `MedQuant`, instead of
            quantities extracted from their texts.
    """
    corpus = list(map(Path, collection.get_corpus()))
    name = corpus[0].name.removesuffix(".gz").removesuffix(".jsonl") if len(corpus) == 1 else collection.name
    home = work / f"{name.replace(':', '-')}-{_digest(corpus, repr(collection.corpus_fields))}"
    quantities = QuantityIndex(home / f"quantities-{'given-' if given else ''}{reader()}")
    if not quantities.built():
        bring = {"quantities": True} if given else {}
        quantities.indexer(verbose=verbose).index(collection.get_corpus_iter(verbose=False, **bring))
    words = home / "pisa"
    documents = None if words.exists() else collection.get_corpus_iter(verbose=False)
    return Indexes(home, quantities, pisa_bm25(words, documents, verbose=verbose))


@lru_cache(maxsize=1)
def reader() -> str:
    """Return a digest of how this version extracts and stores quantities. The indexes depend on it besides the
    corpus."""
    home = Path(pyterrier_quantity.__file__).parent
    parts = ("english", "extraction", "index", "languages", "units")
    files = (file for part in parts for file in (home / part).rglob("*") if file.suffix in (".py", ".tsv", ".txt"))
    return _digest(sorted(files))


def _digest(files: list[Path], told: str = "") -> str:
    digest = hashlib.sha256(told.encode())
    for file in files:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
