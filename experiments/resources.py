"""Measure the cost of each neural system: parameters, FLOPs, time per query and per item, and bytes per item.

    python experiments/resources.py FOLDER --names reuters [--hybrid MODEL] [--items 500] [--terms 128]

The table corresponds to Table 4 of hybrid-product-qa, for the models in use, next to the paper's figures. Parameters
are those of one encoder. GFLOPs are counted by torch for a text of 128 tokens. Times are processor time of one thread:
an item is encoded and indexed; a query is encoded and compared with 112 encoded candidates. Bytes are those of the
index on disk. The cross-encoder reads query and text together, so it encodes all candidates of each query and stores
nothing. A second table compares one pass of the hybrid with the passes that it replaces.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.cross_encoder import cross_scores
from lib.neural_search import NeuralSearch, model_arguments, splade_retriever
from lib.parts import write

from pyterrier_quantity._extras import need
from pyterrier_quantity.backends.pisa import kept_quiet
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.neural import ColBERTIndex, Hybrid, HybridIndex, Splade

TOKENS, CANDIDATES = 128, 112
"""The number of tokens in the text for counting FLOPs, and the number of candidates of a query, as in the paper."""

PAPER = pd.DataFrame(
    [
        ("BM25", None, None, "", 0.75, 0.007, ""),
        ("cross-encoder", 109.48, 45.94, "", 475.24, 4.2, ""),
        ("dense", 109.48, 22.36, "2h", 229.93, 2.04, "h"),
        ("ColBERT", 109.48, 22.36, "2n² h + n", 275.05, 2.43, "n h"),
        ("SPLADE", 109.51, 28.51, "2k", 296.66, 2.63, "2k"),
        ("hybrid", 109.51, 28.51, "2(h + k)", 331.83, 2.93, "h + 2k"),
    ],
    columns=["system", "M parameters", "GFLOPs", "interaction FLOPs", "ms a query", "ms an item", "numbers an item"],
).set_index("system")
"""Table 4: h = 768, n = 128, k = 128; two encoders each except the cross-encoder; times on a GPU, candidates encoded
with the query."""


@dataclass(frozen=True)
class Measured:
    """A system to measure.

    Args:
        encoder: the transformers model.
        build: function that encodes documents and indexes them in a new folder.
        scorer: function that returns a scorer, R -> R, over such a folder.
        interaction: the FLOPs for comparing a query and an item, or None without a comparison.
        tokens: the number of tokens encoded together.
    """

    encoder: Any
    build: Callable[[Path, list[dict[str, str]]], object]
    scorer: Callable[[Path], pt.Transformer]
    interaction: int | None
    tokens: int = TOKENS


def main(given: list[str] | None = None) -> None:
    """Print and write the table."""
    parser = arguments(__doc__)
    model_arguments(parser)
    parser.add_argument("--hybrid", metavar="MODEL", help="a hybrid model (the SPLADE model)")
    parser.add_argument("--items", type=int, default=500, help="documents that are encoded (%(default)s)")
    parser.add_argument("--terms", type=int, default=128, help="heaviest terms that are kept (%(default)s)")
    args = parser.parse_args(given)
    need("torch").set_num_threads(1)
    for collection in collections(args):
        documents = list(islice(collection.documents(), args.items))
        queries = collection.queries.head(20)
        measured = systems(NeuralSearch(collection, args), args.hybrid, args.terms)
        table = pd.DataFrame(
            {name: dict(row(system, documents, queries)) for name, system in measured.items()}
        ).T.rename_axis("system")
        note = savings(table)
        write(table, args.out, f"resources-{collection.name}", note=note)
        print(f"{collection.name}\n{table.to_string()}\n{note}\n\nthe paper's\n{PAPER.to_string()}")


def systems(search: NeuralSearch, hybrid: str | None, terms: int) -> dict[str, Measured]:
    """Return the systems, keyed by name."""
    splade, colbert, dense = search.splade_encoder, search.colbert_encoder, search.dense_encoder
    one = Hybrid(hybrid or search.models["splade"], outputs=("dense", "sparse"), dtype=search.args.dtype)
    every = Hybrid(one.model, outputs=("dense", "sparse", "tokens"), dtype=search.args.dtype)
    width = {"dense": dense.model[0].auto_model.config.hidden_size, "ColBERT": colbert.dimension}
    flex = need("pyterrier_dr", "dense").FlexIndex
    cross = need("sentence_transformers").CrossEncoder(
        search.models["dense"],
        num_labels=1,
        max_length=2 * TOKENS,
        device=search.args.device,
        model_kwargs={"dtype": search.args.dtype},
    )
    return {
        "cross-encoder": Measured(
            cross.model,
            lambda path, docs: _as_they_are(path, docs),
            lambda path: _crossed(cross, path),
            None,
            2 * TOKENS,
        ),
        "dense": Measured(
            dense.model[0].auto_model,
            lambda path, docs: (dense.doc_encoder() >> flex(str(path), verbose=False)).index(docs),
            lambda path: dense.query_encoder() >> flex(str(path), verbose=False).np_scorer(),
            2 * width["dense"],
        ),
        "ColBERT": Measured(
            colbert.loaded[0].auto_model,
            lambda path, docs: ColBERTIndex(path).indexer(colbert).index(docs),
            lambda path: ColBERTIndex(path).scorer(colbert),
            2 * TOKENS**2 * width["ColBERT"] + TOKENS,
        ),
        "SPLADE": Measured(
            splade.loaded[0].auto_model,
            lambda path, docs: _quiet_splade(path, splade, docs),
            lambda path: _distinct() >> splade_retriever(path, splade, list),
            2 * terms,
        ),
        "hybrid": Measured(
            one.loaded[0].auto_model,
            lambda path, docs: HybridIndex(path).indexer(one, k=terms).index(docs),
            lambda path: HybridIndex(path).scorer(one),
            2 * (one.dimension + terms),
        ),
        "hybrid with token vectors": Measured(
            every.loaded[0].auto_model,
            lambda path, docs: HybridIndex(path).indexer(every, k=terms).index(docs),
            lambda path: HybridIndex(path).scorer(every),
            2 * (every.dimension + terms),
        ),
    }


def _as_they_are(path: Path, documents: list[dict[str, str]]) -> None:
    pd.DataFrame(documents).to_json(path, orient="records")


def _crossed(model: Any, path: Path) -> pt.Transformer:
    """Return a transformer, R -> R, that reads each query together with the text of each result, from `path`."""
    texts = pd.read_json(path, dtype=False)[["docno", "text"]]
    return pt.apply.generic(lambda frame: cross_scores(model, frame.merge(texts, on="docno")))


def _quiet_splade(path: Path, splade: Splade, documents: list[dict[str, str]]) -> pt.Transformer:
    with kept_quiet():  # PISA prints as it indexes
        return splade_retriever(path, splade, lambda: documents)


def _distinct() -> pt.Transformer:
    """Return a transformer, R -> Q, that returns each query once, since PISA searches for candidates itself."""
    return pt.apply.generic(lambda frame: frame[["qid", "query"]].drop_duplicates())


def row(system: Measured, documents: list[dict[str, str]], queries: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Yield the figures of a system."""
    yield "M parameters", sum(p.numel() for p in system.encoder.parameters()) / 1e6
    yield "GFLOPs", encoding_flops(system.encoder, system.tokens) / 1e9
    yield "interaction FLOPs", np.nan if system.interaction is None else system.interaction
    candidates = pd.DataFrame(documents[:CANDIDATES])[["docno"]]
    asked = queries.merge(candidates, how="cross").assign(score=0.0, rank=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        item = processor_seconds(lambda: system.build(path, documents)) / len(documents)
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / len(documents) or np.nan
        scorer = system.scorer(path)
        scorer(asked.head(CANDIDATES))
        query = processor_seconds(lambda: scorer(asked)) / len(queries)
    yield "ms a query", 1000 * query
    yield "ms an item", 1000 * item
    yield "bytes an item", size


def encoding_flops(encoder: Any, tokens: int = TOKENS) -> int:
    """Return the FLOPs of one pass over a text of `tokens` tokens, as counted by torch."""
    torch, counter = need("torch"), need("torch.utils.flop_counter").FlopCounterMode(display=False)
    ids = torch.ones((1, tokens), dtype=torch.long, device=encoder.device)
    with counter, torch.inference_mode():
        encoder(input_ids=ids, attention_mask=torch.ones_like(ids))
    return int(counter.get_total_flops())


def processor_seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds."""
    start = time.process_time()
    call()
    return time.process_time() - start


def savings(table: pd.DataFrame) -> str:
    """Compare one pass with the three that it replaces."""
    three = table.loc[["dense", "ColBERT", "SPLADE"], "ms an item"].sum()
    one = table.loc["hybrid with token vectors", "ms an item"]
    return (
        f"dense, ColBERT and SPLADE one after another take {three:.2f} ms an item, the hybrid's one pass with token "
        f"vectors {one:.2f} ms: {three / one:.2f} times as fast. QNeural over separate encoders needs the first two: "
        f"{table.loc[['dense', 'ColBERT'], 'ms an item'].sum():.2f} ms."
    )


if __name__ == "__main__":
    sys.exit(run_program("resources.py", main))
