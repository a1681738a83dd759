"""What quantity-awareness costs: time per query of each system, of its quantity part, and how both grow.

    python experiments/latency.py FOLDER [--names reuters] [--pool] [--systems "QBM25 (ours)"] [--sizes 1e4 1e7]

Collections and systems are those of `table2.py`. A system is compared with its base, the ranker that it makes
quantity-aware; its quantity part is all that it does beside it: the same pipeline with the base's results given.
Systems take turns in every round, so that a busy machine slows all of them alike.

The second table draws a collection's documents with replacement until they state 10 k, 100 k, 1 M and 10 M quantities
(`resample.py`), indexes them by words and by quantities, and asks the same queries. `--sizes` without a number leaves
it out.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from common import Collection, median_seconds
from output import Part
from resample import drawn_documents, resampled
from systems import KEYWORDS, SYSTEMS, WHOLE, publish_parts, systems

import pyterrier_quantity as ptq
from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.needs import query_needs
from pyterrier_quantity.recipes import PAPER, QSPLADE, QColBERT

Form = Callable[[pt.Transformer, QuantityIndex], pt.Transformer]


def _filtered(base: pt.Transformer, quantities: QuantityIndex) -> pt.Transformer:
    return ptq.QuantityQueryParser() >> base >> quantities.filter()


def _papers(base: pt.Transformer, quantities: QuantityIndex) -> pt.Transformer:
    return ptq.quantity_aware(base, quantities, **PAPER)


def _union(base: pt.Transformer, quantities: QuantityIndex) -> pt.Transformer:
    return ptq.quantity_aware(base, quantities, candidates="union")


FORMS: dict[str, dict[str, Form]] = {
    KEYWORDS: {"BM25_filter (paper)": _filtered, "QBM25 (paper)": _papers},
    WHOLE: {"BM25_filter (ours)": _filtered, "QBM25 (ours)": ptq.quantity_aware, "QBM25 (ours, union)": _union},
    "dense": {"Qdense (ours)": ptq.quantity_aware},
    "SPLADE": {"QSPLADE (paper)": QSPLADE, "QSPLADE (ours)": ptq.quantity_aware},
    "ColBERT": {"QColBERT (paper)": QColBERT, "QColBERT (ours)": ptq.quantity_aware},
}
"""The quantity-aware forms of each base, over any ranker."""
ALONE = "quantities alone"
GROWING = [WHOLE, *FORMS[WHOLE], ALONE]
PAPER_MS = {KEYWORDS: 9, "BM25_filter (paper)": 9, "SPLADE": 26, "ColBERT": 36, "QBM25 (paper)": 311,
            "QSPLADE (paper)": 319, "QColBERT (paper)": 42}  # fmt: skip
"""Table 2 of "Numbers Matter!": OpenSearch on a desktop computer for words, four A100 GPUs for models."""
NOTE = ("ms: a query, all in one batch; ms, single: one query at a time, the median one; the fastest of the rounds. "
        "/ base: as multiple of the base. Part: the quantity part alone, which reads the query, scores by quantities, "
        "and sorts.")  # fmt: skip
_CALLS = count(1)


@dataclass(frozen=True)
class Asked:
    """A pipeline to time: a system, or its quantity part, which has the base's results given."""

    system: str
    base: str | None
    pipeline: pt.Transformer
    part: pt.Transformer | None = None


@dataclass(frozen=True)
class Timing:
    """How times are taken.

    Args:
        rounds: how often each pipeline is timed; the fastest counts.
        singles: how many queries are timed one at a time.
        clock: "wall"; or "processor", the time of this process on all cores, which other work hardly changes.
    """

    rounds: int
    singles: int
    clock: str = "wall"

    def now(self) -> float:
        """Seconds."""
        return time.process_time() if self.clock == "processor" else time.perf_counter()


class Given(pt.Transformer):
    """Q -> R: results that are known beforehand."""

    def __init__(self, results: pd.DataFrame) -> None:
        self.results = results
        self._of = dict(iter(results.groupby("qid", sort=False)))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        if len(inp) > 1:
            return self.results
        (qid,) = inp["qid"]
        return self._of.get(qid, self.results.head(0))


def asked_for(collection: Collection, args: argparse.Namespace) -> list[Asked]:
    """The systems that the arguments ask for, and their bases."""
    bases = {base for base, forms in FORMS.items() if forms.keys() & set(args.systems or ())}
    chosen = args.systems and [name for name in SYSTEMS if name in {*args.systems, *bases}]
    found = systems(collection, argparse.Namespace(**vars(args) | {"systems": chosen}))
    made = {system.name: system.make() for system in found}
    queries = ptq.QuantityQueryParser()(collection.topics)
    given = {base: Given(made[base](queries)) for base in FORMS if made.keys() & FORMS[base].keys()}
    alone = Asked(ALONE, None, ptq.QuantityQueryParser() >> collection.quantities.retriever())
    return [*(_asked(name, pipeline, given, collection.quantities) for name, pipeline in made.items()), alone]


def _asked(
    name: str, pipeline: pt.Transformer, given: Mapping[str, Given], quantities: QuantityIndex
) -> Asked:
    base = next((base for base, forms in FORMS.items() if name in forms), None)
    return Asked(name, base, pipeline, FORMS[base][name](given[base], quantities) if base else None)


def measured(asked: Sequence[Asked], queries: pd.DataFrame, timing: Timing) -> pd.DataFrame:
    """A row per system: milliseconds a query in a batch and alone, also of the quantity part, and ratios to the base.

    Args:
        asked: the systems.
        queries: Q, as typed.
        timing: how often, and by which clock.
    """
    picked = np.unique(np.linspace(0, len(queries) - 1, timing.singles).astype(int))
    pipelines = [one.pipeline for one in asked] + [one.part for one in asked if one.part]
    batch = milliseconds(pipelines, [queries], timing) / len(queries)
    single = milliseconds(pipelines, [queries.iloc[[at]] for at in picked], timing)
    place = {one.system: at for at, one in enumerate(asked)}
    parts = {one.system: len(asked) + at for at, one in enumerate(one for one in asked if one.part)}
    rows = {}
    for one in asked:
        row: dict[str, object] = {"base": one.base or ""}
        for kind, times in (("", batch), (", single", single)):
            own = times[place[one.system]]
            row[f"ms{kind}"] = float(np.median(own))
            if one.base:
                below, part = times[place[one.base]], times[parts[one.system]]
                row[f"/ base{kind}"] = float(np.median(own / below))
                row[f"part, ms{kind}"] = float(np.median(part))
                row[f"part / base{kind}"] = float(np.median(part / below))
        rows[one.system] = row
    columns = [f"{name}{kind}" for kind in ("", ", single") for name in ("ms", "/ base", "part, ms", "part / base")]
    return pd.DataFrame(rows).T.reindex(columns=["base", *columns]).infer_objects().rename_axis("system")


def milliseconds(
    pipelines: Sequence[pt.Transformer], frames: Sequence[pd.DataFrame], timing: Timing
) -> npt.NDArray[np.float64]:
    """Time of each pipeline (rows) on each frame of queries (columns): of several rounds the fastest."""
    times = np.empty((timing.rounds, len(pipelines), len(frames)))
    for at, frame in enumerate(frames):
        for pipeline in pipelines:
            pipeline(_unheard(frame))  # indexes and models are in memory before times are taken
        for turn in range(timing.rounds):
            for number, pipeline in enumerate(pipelines):
                queries = _unheard(frame)
                start = timing.now()
                pipeline(queries)
                times[turn, number, at] = 1000 * (timing.now() - start)
    return times.min(axis=0)


def _unheard(queries: pd.DataFrame) -> pd.DataFrame:
    """The same queries in texts that were never read before: the package remembers what it read by its text."""
    blanks = f"{next(_CALLS):b}".replace("0", " ").replace("1", "\t")
    return queries.assign(query=queries["query"] + blanks)


def growth(collection: Collection, sizes: Sequence[int], chosen: Sequence[str], timing: Timing) -> pd.DataFrame:
    """`measured` over indexes of each size, a row per size and system of `GROWING`, with what the indexes are like."""
    texts = {document["docno"]: document["text"] for document in collection.documents()}
    tables = {}
    for size in pt.tqdm(sizes, desc=f"{collection.name}, growing", unit="size", disable=not collection.verbose):
        with tempfile.TemporaryDirectory(prefix="growth.", dir=collection.work) as folder:
            quantities, bm25, facts = _grown(collection.quantities, texts, size, Path(folder))
            facts |= candidate_times(quantities, collection.queries, timing)
            given = {WHOLE: Given(bm25(ptq.QuantityQueryParser()(collection.queries)))}
            pipelines = {WHOLE: bm25} | {name: form(bm25, quantities) for name, form in FORMS[WHOLE].items()}
            pipelines[ALONE] = ptq.QuantityQueryParser() >> quantities.retriever()
            asked = [_asked(name, pipelines[name], given, quantities) for name in chosen]
            table = measured(asked, collection.queries, timing)
            tables[facts.pop("quantities")] = table.assign(**facts)
    return pd.concat(tables, names=["quantities", "system"])


def _grown(
    source: QuantityIndex, texts: Mapping[str, str], size: int, folder: Path
) -> tuple[QuantityIndex, pt.Transformer, dict[str, float]]:
    """Both indexes of documents that state about `size` quantities, and their facts."""
    drawn = drawn_documents(source, size)
    start = time.perf_counter()
    quantities = resampled(source, drawn, folder / "quantities")
    facts = {"quantities": quantities.columns.quantities, "documents": len(quantities),
             "building, s": time.perf_counter() - start}  # fmt: skip
    facts["MB"] = sum(file.stat().st_size for file in quantities.folder.iterdir()) / 1e6
    facts["opening, ms"] = 1000 * median_seconds(lambda: QuantityIndex(quantities.folder).columns, 3)
    rows, place = np.unique(drawn, return_inverse=True)
    words = [texts[docno] for docno in source.docnos.docnos(rows)]
    documents = ({"docno": str(number), "text": words[at]} for number, at in enumerate(place))
    return quantities, pisa_bm25(folder / "pisa", documents, k1=0.5, b=0.5), facts


def candidate_times(quantities: QuantityIndex, queries: pd.DataFrame, timing: Timing) -> dict[str, float]:
    """How long the index needs to name the documents that meet one constraint, over the queries' constraints."""
    needs, _ = query_needs(ptq.QuantityQueryParser()(queries))
    retriever = quantities.retriever()
    fastest = [np.nan]
    for need in needs:
        for constraint in need.constraints:
            match = quantities.vocabulary.match(constraint.unit, need.terms, retriever.scoring.units)
            times = []
            for _ in range(timing.rounds + 1):
                start = timing.now()
                quantities.values.documents(constraint, match, retriever.candidates)
                times.append(1000 * (timing.now() - start))
            fastest.append(min(times[1:]))
    return {"candidates, ms": float(np.nanmedian(fastest)), "candidates, slowest, ms": float(np.nanmax(fastest))}


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
        from figures import COLOURS, MARKERS, STYLE
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
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"{NOTE} Clock: {timing.clock}; {os.cpu_count()} cores{load}."


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this script alone."""
    parser.add_argument("--sizes", nargs="*", type=float, default=[1e4, 1e5, 1e6, 1e7], metavar="N",
                        help="quantities of the grown indexes (10 k to 10 M)")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=5, help="times that each is timed (%(default)s)")
    parser.add_argument("--singles", type=int, default=20, help="queries timed one at a time (%(default)s)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="processor: the time of this "
                        "process alone, for busy machines; counts all its cores (%(default)s)")  # fmt: skip


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """The table of systems of one collection, and that of its grown indexes."""
    name, queries = collection.name, len(collection.topics)
    timing = Timing(args.rounds, args.singles, args.clock)
    found = measured(asked_for(collection, args), collection.topics, timing)
    title = f"Latency: {name}, {queries} queries"
    yield Part(f"latency-{name}", title, found, readable(found), _note(timing))
    if args.sizes:
        chosen = [one for one in GROWING if not args.systems or one in {*args.systems, WHOLE, ALONE}]
        grown = growth(collection, [int(size) for size in args.sizes], chosen, timing)
        title = f"Latency by size: {name} drawn anew, {queries} queries"
        yield Part(f"latency-growth-{name}", title, grown, grown_readable(grown), _note(timing), plot(grown))


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("latency.py", main))
