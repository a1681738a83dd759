"""Measure the cost of quantity-awareness: the time per query of each system, and of its quantity part.

    python experiments/latency.py FOLDER [--names reuters] [--pool] [--systems "QBM25 (ours)"]

Collections and systems are those of `table2.py`. A system is compared with its base, the ranker that it makes
quantity-aware. Its quantity part is everything else: the same pipeline, in which the base's results are given. Systems
take turns in every round, so that a busy machine slows all of them equally.

`--encode N` also times our encoders and others on N sentences. `scale_parquet.py` shows the growth with the index.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from itertools import islice

import pandas as pd
from lib.collection import Collection
from lib.encoding import throughput
from lib.neural_search import NeuralSearch
from lib.parts import Part
from lib.runs import System
from lib.systems import publish_parts, systems
from lib.timing import Asked, Given, Timing, measured
from lib.word_systems import KEYWORDS

from pyterrier_quantity.cli import run as run_program

PAPER_MS = {KEYWORDS: 9, "BM25_filter (paper)": 9, "SPLADE": 26, "ColBERT": 36, "QBM25 (paper)": 311,
            "QSPLADE (paper)": 319, "QColBERT (paper)": 42}  # fmt: skip
"""Table 2 of "Numbers Matter!": OpenSearch on a desktop computer for words, four A100 GPUs for models."""
NOTE = ("ms: a query, all in one batch; ms, single: one query at a time, the median one; the fastest of the rounds. "
        "/ base: as multiple of the base. Part: only the quantity part, which reads the query, scores by quantities, "
        "and sorts.")  # fmt: skip

ALONE = "quantities alone"
EVERY = 50
"""One of this many sentences is encoded for `--encode`."""


def asked_for(collection: Collection, args: argparse.Namespace) -> list[Asked]:
    """Return the systems that the arguments select, and their bases."""
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


def readable(found: pd.DataFrame) -> pd.DataFrame:
    """Return the table of systems for display, with the paper's times."""
    shown = found.drop(columns="base").map(lambda value: "" if pd.isna(value) else f"{value:.2f}")
    shown["paper, ms"] = [str(PAPER_MS.get(name, "")) for name in found.index]
    shown["paper, / base"] = [
        f"{PAPER_MS[name] / PAPER_MS[base]:.2f}" if name in PAPER_MS and base in PAPER_MS else ""
        for name, base in zip(found.index, found["base"], strict=True)
    ]
    return shown


def _clock(timing: Timing) -> str:
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"Clock: {timing.clock}; {os.cpu_count()} cores{load}."


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument(
        "--encode",
        type=int,
        default=0,
        metavar="N",
        help=f"also time encoders on N sentences, every {EVERY}th of the corpus (%(default)s)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="times that each is timed (%(default)s)")
    parser.add_argument("--singles", type=int, default=20, help="queries timed one at a time (%(default)s)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="processor: only the time "
                        "of this process, for busy machines; counts all its cores (%(default)s)")  # fmt: skip


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """Yield the tables of one collection: of systems and, if requested, of encoders."""
    name, queries = collection.name, len(collection.topics)
    timing = Timing(args.rounds, args.singles, args.clock)
    found = measured(asked_for(collection, args), collection.topics, timing)
    title = f"Latency: {name}, {queries} queries"
    yield Part(f"latency-{name}", title, found, readable(found), f"{NOTE} {_clock(timing)}")
    if args.encode:
        sample = [document["text"] for document in islice(collection.documents(), 0, args.encode * EVERY, EVERY)]
        rates = throughput(sample, NeuralSearch(collection, args).models, timing.rounds)
        title = f"Encoding: {len(sample)} sentences of {name}"
        yield Part(f"latency-encoding-{name}", title, rates, rates.map("{:,.4g}".format), _clock(timing))


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("latency.py", main))
