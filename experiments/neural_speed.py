"""Encoding throughput, and what the quantity score adds to late interaction and to SPLADE.

    python experiments/neural_speed.py --corpus reuters.jsonl.gz --topics ... --qrels ... --cache .neural --pool

Sentences per second of processor time of our transformers, pyterrier-splade and sentence-transformers on the same
sentences in the same run, one thread, in float32 with their own batch sizes and with small ones; then processor
milliseconds a query, the systems in turn. Of several rounds the best counts: other programs only ever slow one down.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice

import pandas as pd
import pyterrier as pt
import pyterrier_splade
import torch
from neural_indexes import add_arguments, collections, documents, models, open_indexes
from sentence_transformers import SparseEncoder

from pyterrier_quantity import quantity_aware
from pyterrier_quantity.neural import ColBERT, Splade


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--sentences", type=int, default=400, help="how many are encoded (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="how often systems are timed (%(default)s)")
    args = parser.parse_args()
    (data,) = collections(args)
    step = documents(data)
    sample = [document["text"] for document in islice(step, 0, args.sentences * 50, 50)]
    torch.set_num_threads(1)
    found = encoders(args)
    best = dict.fromkeys(found, 0.0)
    for encode in found.values():
        encode(sample[:8])
    for _ in range(args.rounds):
        for name, encode in found.items():
            start = time.process_time()
            encode(sample)
            best[name] = max(best[name], len(sample) / (time.process_time() - start))
    for name, rate in best.items():
        print(f"{name:48s} {rate:7.0f} sentences/s")
    indexes = open_indexes(data, args.cache, models(args), args.pool)
    topics = data.get_topics()[["qid", "query"]]
    candidates = pt.Transformer.from_df((indexes.bm25 % 1000)(topics))
    late = candidates >> indexes.colbert.scorer()
    for base, name in ((late, "ColBERT, reranking 1000"), (indexes.splade, "SPLADE on PISA")):
        alone, with_quantities = compare(base, quantity_aware(base, indexes.quantities), topics, args.rounds)
        print(
            f"{name:48s} {alone:7.2f} ms/query, with quantities {with_quantities:7.2f} ({with_quantities / alone:.2f}x)"
        )


def encoders(args: argparse.Namespace) -> dict[str, Callable[[list[str]], object]]:
    """What is timed, by name."""
    theirs, plain = pyterrier_splade.Splade(args.splade, device="cpu"), SparseEncoder(args.splade, device="cpu")
    late, late_half = ColBERT(args.colbert), ColBERT(args.colbert, dtype="bfloat16")
    ours = {
        "SPLADE, ours": Splade(args.splade),
        "SPLADE, ours, bfloat16": Splade(args.splade, dtype="bfloat16"),
        "SPLADE, ours, batches of 32": Splade(args.splade, batch_size=32),
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
    main()
