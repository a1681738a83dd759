"""The indexes that the neural experiment compares, built once per collection and kept in a cache folder."""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
from pyterrier_dr import FlexIndex

from pyterrier_quantity import QuantityIndex, QuantityQueryParser
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, Splade, dense
from pyterrier_quantity.neural.systems import colbert_index, packaged_model, splade_retriever

POOL_BM25, POOL_QUANTITIES = 1000, 3000
"""How many candidates of either kind a topic adds to the pool."""


@dataclass(frozen=True)
class Models:
    """The encoders."""

    splade: Splade
    colbert: ColBERT
    dense: Any


@dataclass(frozen=True)
class Indexes:
    """What a collection is searched by."""

    bm25: pt.Transformer
    quantities: QuantityIndex
    splade: pt.Transformer
    colbert: ColBERTIndex
    dense: FlexIndex
    pooled: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say what is searched, with which models."""
    for name, what in (("corpus", "JSON lines of docno and text"), ("topics", "TSV"), ("qrels", "TREC qrels")):
        parser.add_argument(f"--{name}", nargs="+", required=True, metavar="FILE", help=f"{what}; one a collection")
    parser.add_argument("--doubtful", nargs="+", metavar="FILE", help="qid docno lines to leave out of the rankings")
    parser.add_argument("--cache", type=Path, default=Path(".neural"), metavar="DIR", help="kept indexes (%(default)s)")
    parser.add_argument(
        "--splade", default=packaged_model("splade"), metavar="MODEL", help="default: SPLADE-tiny, PyPI"
    )
    parser.add_argument("--colbert", default=packaged_model("colbert"), metavar="MODEL", help="default: MiniLM")
    parser.add_argument("--dense", default=packaged_model("colbert"), metavar="MODEL", help="default: MiniLM")
    parser.add_argument("--dtype", default="bfloat16", help="the encoders' precision (%(default)s)")
    parser.add_argument("--pool", action="store_true", help="the encoders see only the topics' candidates: "
                        f"{POOL_BM25} of BM25 and {POOL_QUANTITIES} of the quantity index each")  # fmt: skip


def models(args: argparse.Namespace) -> Models:
    """The encoders that the arguments name."""
    options = {"dtype": args.dtype, "verbose": False}
    return Models(Splade(args.splade, **options), ColBERT(args.colbert, **options), dense(args.dense, **options))


def collections(args: argparse.Namespace) -> list[LocalCollection]:
    """The collections that the arguments name."""
    doubtful = args.doubtful or [None] * len(args.corpus)
    files = zip(args.corpus, args.topics, args.qrels, doubtful, strict=True)
    return [LocalCollection(*parts, name=Path(parts[0]).name.split(".")[0]) for parts in files]


def open_indexes(data: LocalCollection, cache: Path, encoders: Models, pool: bool) -> Indexes:
    """The collection's indexes; those that are not in the cache are built."""
    bm25 = pisa_bm25(cache / f"{data.name}.pisa", documents(data))
    quantities = QuantityIndex(cache / f"{data.name}.quantity")
    if not quantities.built():
        quantities.index(documents(data))
    chosen = candidates(data, cache, bm25, quantities) if pool else None
    kind = "pool" if pool else "all"
    chosen_documents = partial(documents, data, chosen)
    colbert = colbert_index(cache / f"{data.name}.{kind}.colbert", encoders.colbert, chosen_documents)
    splade = splade_retriever(cache / f"{data.name}.{kind}.splade", encoders.splade, chosen_documents)
    vectors = cache / f"{data.name}.{kind}.flex"
    if not vectors.exists():
        part = vectors.with_name(f".{vectors.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        index = FlexIndex(str(part), verbose=False)
        (encoders.dense.doc_encoder() >> index).index(chosen_documents(), batch_size=2048)
        part.rename(vectors)
    return Indexes(bm25, quantities, splade, colbert, FlexIndex(str(vectors), verbose=False), pool)


def candidates(data: LocalCollection, cache: Path, bm25: pt.Transformer, quantities: QuantityIndex) -> set[str]:
    """The documents that BM25 or the quantity index returns for any topic, as the cache holds them."""
    kept = cache / f"{data.name}.pool.txt"
    if kept.exists():
        return set(kept.read_text(encoding="utf-8").split("\n"))
    queries = QuantityQueryParser()(data.get_topics()[["qid", "query"]])
    found = pd.concat([(bm25 % POOL_BM25)(queries), quantities.retriever(num_results=POOL_QUANTITIES)(queries)])
    kept.write_text("\n".join(sorted(set(found["docno"]))), encoding="utf-8")
    return set(found["docno"])


def documents(data: LocalCollection, chosen: set[str] | None = None) -> Iterator[dict[str, str]]:
    """The corpus, or its chosen documents; of several with one docno the first."""
    seen = set()
    (path,) = data.get_corpus()
    with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            docno = document["docno"]
            if docno not in seen and (chosen is None or docno in chosen):
                seen.add(docno)
                yield document
