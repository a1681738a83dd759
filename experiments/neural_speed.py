"""Encoding throughput, and what the quantity score adds to late interaction and to SPLADE.

    python experiments/neural_speed.py FOLDER --names reuters [--pool] [--work var]

Sentences per second of processor time of our transformers, pyterrier-splade and sentence-transformers on the same
sentences in the same run, one thread, in float32 with their own batch sizes and with small ones; then processor
milliseconds a query, the systems in turn. Of several rounds the best counts: other programs only ever slow one down.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from itertools import islice

import pandas as pd
import pyterrier as pt
import pyterrier_splade
import torch
from common import arguments, collections
from neural_search import NeuralSearch, model_arguments
from sentence_transformers import SparseEncoder

from pyterrier_quantity import quantity_aware
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.neural import ColBERT, Splade


def main(given: list[str] | None = None) -> None:
    """Print both tables."""
    parser = arguments(__doc__)
    model_arguments(parser)
    parser.add_argument("--sentences", type=int, default=400, help="how many are encoded (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="how often systems are timed (%(default)s)")
    args = parser.parse_args(given)
    for collection in collections(args):
        search = NeuralSearch(collection, args)
        sample = [document["text"] for document in islice(collection.documents(), 0, args.sentences * 50, 50)]
        print(f"\n== {collection.name}")
        throughput(sample, search.models, args.rounds)
        added_cost(search, args.rounds)


def throughput(sample: list[str], names: Mapping[str, str], rounds: int) -> None:
    """Print how many sentences of the sample each encoder encodes in a second, on one thread."""
    torch.set_num_threads(1)
    found = encoders(names)
    best = dict.fromkeys(found, 0.0)
    for encode in found.values():
        encode(sample[:8])
    for _ in range(rounds):
        for name, encode in found.items():
            start = time.process_time()
            encode(sample)
            best[name] = max(best[name], len(sample) / (time.process_time() - start))
    for name, rate in best.items():
        print(f"{name:48s} {rate:7.0f} sentences/s")


def added_cost(search: NeuralSearch, rounds: int) -> None:
    """Print what a query takes with and without quantities."""
    collection = search.collection
    candidates = pt.Transformer.from_df((collection.bm25 % 1000)(collection.queries))
    late = candidates >> search.colbert_scorer()
    for base, name in ((late, "ColBERT, reranking 1000"), (search.splade(), "SPLADE on PISA")):
        aware = quantity_aware(base, collection.quantities)
        alone, both = compare(base, aware, collection.queries, rounds)
        print(f"{name:48s} {alone:7.2f} ms/query, with quantities {both:7.2f} ({both / alone:.2f}x)")


def encoders(names: Mapping[str, str]) -> dict[str, Callable[[list[str]], object]]:
    """What is timed, by name."""
    splade, colbert = names["splade"], names["colbert"]
    theirs, plain = pyterrier_splade.Splade(splade, device="cpu"), SparseEncoder(splade, device="cpu")
    late, late_half = ColBERT(colbert, device="cpu"), ColBERT(colbert, device="cpu", dtype="bfloat16")
    ours = {
        "SPLADE, ours": Splade(splade, device="cpu"),
        "SPLADE, ours, bfloat16": Splade(splade, device="cpu", dtype="bfloat16"),
        "SPLADE, ours, batches of 32": Splade(splade, device="cpu", batch_size=32),
    }

    def frame(texts: list[str]) -> pd.DataFrame:
        return pd.DataFrame({"docno": list(map(str, range(len(texts)))), "text": texts})

    found: dict[str, Callable[[list[str]], object]] = {
        name: lambda texts, model=model: model.doc_encoder()(frame(texts)) for name, model in ours.items()
    }
    found |= {"ColBERT, ours": late.encode, "ColBERT, ours, bfloat16": late_half.encode}
    for size in (100, 8):
        found[f"SPLADE, pyterrier-splade, batches of {size}"] = lambda texts, size=size: theirs.doc_encoder(
            batch_size=size
        )(frame(texts))
    for size in (32, 8):
        found[f"SPLADE, sentence-transformers, batches of {size}"] = lambda texts, size=size: plain.encode(
            texts, batch_size=size
        )
        found[f"ColBERT, sentence-transformers, batches of {size}"] = lambda texts, size=size: (
            late.loaded.encode_document(texts, batch_size=size)
        )
    return found


def compare(first: pt.Transformer, second: pt.Transformer, topics: pd.DataFrame, rounds: int) -> list[float]:
    """Processor milliseconds a query of two systems over the whole batch, timed in turn: the best of the rounds."""
    times: list[list[float]] = [[], []]
    for system in (first, second):
        system(topics)
    for _ in range(rounds):
        for found, system in zip(times, (first, second), strict=True):
            start = time.process_time()
            system(topics)
            found.append(time.process_time() - start)
    return [1000 * min(found) / len(topics) for found in times]


if __name__ == "__main__":
    sys.exit(run_program("neural_speed.py", main))
