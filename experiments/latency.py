"""What quantity-awareness costs: time per query of each system, of its quantity part, and how both grow.

    python experiments/latency.py FOLDER [--names reuters] [--pool] [--systems "QBM25 (ours)"] [--sizes 1e4 1e7]

Collections and systems are those of `table2.py`. A system is compared with its base, the ranker that it makes
quantity-aware; its quantity part is all that it does beside it: the same pipeline with the base's results given.
Systems take turns in every round, so that a busy machine slows all of them alike.

A second table says what indexing takes. The third draws a collection's documents with replacement until they state
10 k, 100 k, 1 M and 10 M quantities (`lib/resample.py`), indexes them by words and by quantities, and asks the same
queries. `--sizes` without a number leaves both out. `--encode N` also times encoders, ours and others', on N sentences.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pandas as pd
from lib.collection import Collection
from lib.encoding import throughput
from lib.growth import ALONE, GROWING, growth
from lib.neural_search import NeuralSearch
from lib.parts import Part
from lib.runs import System
from lib.systems import publish_parts, systems
from lib.timing import Asked, Given, Timing, measured, median_seconds
from lib.word_systems import KEYWORDS, WHOLE

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.cli import run as run_program

PAPER_MS = {KEYWORDS: 9, "BM25_filter (paper)": 9, "SPLADE": 26, "ColBERT": 36, "QBM25 (paper)": 311,
            "QSPLADE (paper)": 319, "QColBERT (paper)": 42}  # fmt: skip
"""Table 2 of "Numbers Matter!": OpenSearch on a desktop computer for words, four A100 GPUs for models."""
NOTE = ("ms: a query, all in one batch; ms, single: one query at a time, the median one; the fastest of the rounds. "
        "/ base: as multiple of the base. Part: the quantity part alone, which reads the query, scores by quantities, "
        "and sorts.")  # fmt: skip

EVERY = 50
"""Of so many sentences one is encoded, for `--encode`."""


def asked_for(collection: Collection, args: argparse.Namespace) -> list[Asked]:
    """The systems that the arguments ask for, and their bases."""
    found = systems(collection, args)
    names = {name for system in found for name in (system.name, system.base) if name}
    if args.systems and names > set(args.systems):
        found = systems(collection, argparse.Namespace(**vars(args) | {"systems": sorted(names)}))
    queries = collection.parse(collection.topics)
    alone = Asked(ALONE, None, collection.parse >> collection.quantities.retriever())
    return [*(_asked(system, queries) for system in found), alone]


def _asked(system: System, queries: pd.DataFrame) -> Asked:
    if system.over is None or system.below is None:
        return Asked(system.name, None, system.make())
    return Asked(system.name, system.base, system.make(), system.over(Given(system.below()(queries))))


def indexing(collection: Collection) -> pd.DataFrame:
    """What reading and indexing a collection's quantities takes, and how large the index is; one row."""
    documents = list(collection.documents())
    with tempfile.TemporaryDirectory(prefix="indexing.", dir=collection.work) as folder:
        start = time.perf_counter()
        index = QuantityIndex(Path(folder) / "index").indexer(threads=os.cpu_count() or 1).index(documents)
        figures: dict[str, float] = {"indexing, s": time.perf_counter() - start, "documents": len(index)}
        columns = index._part.columns.items()
        size = sum(column.nbytes for name, column in columns if not name.startswith("docno_"))
        figures["quantities"] = index.meta["quantities"]
        figures["bytes a quantity, docnos apart"] = size / figures["quantities"]
        figures["opening, ms"] = 1000 * median_seconds(lambda: QuantityIndex(index.folder).opened.columns, 3)
    return pd.DataFrame([figures], index=pd.Index([collection.name], name="collection"))


def readable(found: pd.DataFrame) -> pd.DataFrame:
    """The systems' table as people read it, the paper's times beside it."""
    shown = found.drop(columns="base").map(lambda value: "" if pd.isna(value) else f"{value:.2f}")
    shown["paper, ms"] = [str(PAPER_MS.get(name, "")) for name in found.index]
    shown["paper, / base"] = [
        f"{PAPER_MS[name] / PAPER_MS[base]:.2f}" if name in PAPER_MS and base in PAPER_MS else ""
        for name, base in zip(found.index, found["base"], strict=True)
    ]
    return shown


def grown_readable(found: pd.DataFrame) -> pd.DataFrame:
    """A row per size: batch times of each system and its ratio to the base, then the index's facts."""
    rows = {}
    for size, table in found.groupby(level="quantities"):
        table = table.droplevel("quantities")
        row = {f"{name}, ms": f"{table.loc[name, 'ms']:.2f}" for name in table.index}
        row |= {f"{name} / base": f"{table.loc[name, '/ base']:.2f}" for name in table.index if table.loc[name, "base"]}
        row |= {f"{name}, part, ms": f"{table.loc[name, 'part, ms']:.2f}" for name in table.index
                if table.loc[name, "base"]}  # fmt: skip
        facts = table.iloc[0]
        row |= {name: f"{facts[name]:,.2f}" for name in ("candidates, ms", "candidates, slowest, ms", "opening, ms")}
        row |= {name: f"{facts[name]:,.0f}" for name in ("documents", "building, s", "MB")}
        rows[f"{size:,}"] = row
    return pd.DataFrame(rows).rename_axis("quantities")


def plot(found: pd.DataFrame) -> dict[str, bytes]:
    """Time against size, both logarithmic: files by suffix; none without matplotlib."""
    try:
        from lib.figures import COLOURS, MARKERS, STYLE
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print("no plot: it needs matplotlib, pip install matplotlib", file=sys.stderr)
        return {}
    files = {suffix: io.BytesIO() for suffix in ("png", "svg")}
    with rc_context(STYLE):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.subplots()
        for at, (system, table) in enumerate(found.groupby(level="system", sort=False)):
            axes.plot(table.index.get_level_values("quantities"), table["ms"], marker=MARKERS[at], color=COLOURS[at],
                      label=system)  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="quantities in the index", ylabel="ms a query, in a batch")
        axes.grid(color="0.92")
        axes.legend(frameon=False)
        for suffix, stream in files.items():
            figure.savefig(stream, format=suffix, dpi=200, metadata={"Date": None} if suffix == "svg" else None)
    return {suffix: stream.getvalue() for suffix, stream in files.items()}


def _note(timing: Timing) -> str:
    return f"{NOTE} {_clock(timing)}"


def _clock(timing: Timing) -> str:
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"Clock: {timing.clock}; {os.cpu_count()} cores{load}."


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this script alone."""
    parser.add_argument("--sizes", nargs="*", type=float, default=[1e4, 1e5, 1e6, 1e7], metavar="N",
                        help="quantities of the grown indexes (10 k to 10 M)")  # fmt: skip
    parser.add_argument(
        "--encode",
        type=int,
        default=0,
        metavar="N",
        help=f"also time encoders on N sentences, every {EVERY}th of the corpus (%(default)s)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="times that each is timed (%(default)s)")
    parser.add_argument("--singles", type=int, default=20, help="queries timed one at a time (%(default)s)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="processor: the time of this "
                        "process alone, for busy machines; counts all its cores (%(default)s)")  # fmt: skip


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """The tables of one collection: systems, indexing, grown indexes, encoders."""
    name, queries = collection.name, len(collection.topics)
    timing = Timing(args.rounds, args.singles, args.clock)
    found = measured(asked_for(collection, args), collection.topics, timing)
    title = f"Latency: {name}, {queries} queries"
    yield Part(f"latency-{name}", title, found, readable(found), _note(timing))
    if args.sizes:
        yield plain_part(f"latency-indexing-{name}", f"Indexing quantities: {name}", indexing(collection), timing)
        chosen = [one for one in GROWING if not args.systems or one in {*args.systems, WHOLE, ALONE}]
        grown = growth(collection, [int(size) for size in args.sizes], chosen, timing)
        title = f"Latency by size: {name} drawn anew, {queries} queries"
        yield Part(f"latency-growth-{name}", title, grown, grown_readable(grown), _note(timing), plot(grown))
    if args.encode:
        sample = [document["text"] for document in islice(collection.documents(), 0, args.encode * EVERY, EVERY)]
        rates = throughput(sample, NeuralSearch(collection, args).models, timing.rounds)
        yield plain_part(f"latency-encoding-{name}", f"Encoding: {len(sample)} sentences of {name}", rates, timing)


def plain_part(name: str, title: str, table: pd.DataFrame, timing: Timing) -> Part:
    """A part whose figures are shown as they are, with a clock's note."""
    return Part(name, title, table, table.map("{:,.4g}".format), f"{_clock(timing)}")


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("latency.py", main))
