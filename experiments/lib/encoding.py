"""Measure the speed of encoders in sentences per second: ours, pyterrier-splade's and sentence-transformers'."""

import time
from collections.abc import Callable, Mapping

import pandas as pd

from pyterrier_quantity.neural import ColBERT, Splade


def throughput(sample: list[str], names: Mapping[str, str], rounds: int) -> pd.DataFrame:
    """Return how many sentences each encoder encodes per second of processor time, with one thread.

    The best of several rounds counts, because other programs can only slow an encoder down. Encoders take turns.

    Args:
        sample: the sentences.
        names: the models, keyed by kind.
        rounds: the number of times that each encoder is timed.

    Returns:
        A frame with a row for each encoder, and the column `sentences/s`.
    """
    import torch

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
    return pd.DataFrame({"sentences/s": best}).rename_axis("encoder")


def encoders(names: Mapping[str, str]) -> dict[str, Callable[[list[str]], object]]:
    """Return the encoders to time, keyed by name."""
    import pyterrier_splade
    from sentence_transformers import SparseEncoder

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
