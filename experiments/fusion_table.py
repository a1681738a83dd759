"""Table 4 of math-dense-retrieval on our rankers: ways to fuse several rankings into one.

    python experiments/fusion_table.py FOLDER [--names reuters] [--pool]
    python experiments/fusion_table.py quantity:demo --fuse "BM25 (whole query)" "quantities alone"

Collections are named as `common.py` describes, rankers are the systems of `systems.py` and "quantities alone", what the
quantity index finds without any words. Linear fusion adds min-max scores with weights that sum to 1 (a document that a
ranker did not return has 0 there). Its weights are tuned on nDCG@10 by 5-fold cross-validation, topics with the same
keywords and unit in one fold; "on all topics" has seen what it is judged on, as has every row of the paper's table.

The paper fuses a structure search, whose matches are exact, with ColBERT: nearest to it is "quantities alone" with
ColBERT. Its measures leave out what was not judged, which here would leave relevant documents only.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from common import Collection
from ir_measures import AP, P, R, nDCG
from output import Part
from runs import System, kept_runs
from significance import TESTS, differences
from systems import SYSTEMS, WHOLE, publish_parts, systems

from pyterrier_quantity import QuantityQueryParser, fusion
from pyterrier_quantity.cli import run as run_program

MEASURES = [nDCG @ 10, R @ 100, nDCG, AP, P @ 10]
TUNED_ON = nDCG @ 10
FOLDS = 5
ALONE = "quantities alone"
SETS = (
    (ALONE, "ColBERT"),
    (WHOLE, "ColBERT"),
    ("QBM25 (ours)", "QColBERT (ours)"),
    (WHOLE, "SPLADE", "ColBERT", "dense"),
    ("QBM25 (ours)", "QSPLADE (ours)", "QColBERT (ours)", "Qdense (ours)"),
)
"""Which rankers are fused, unless `--fuse` says others."""
LINEAR, OPTIMISTIC = "linear, cross-validated", "linear, on all topics"
RULES = {"CombSUM": "combsum", "CombMNZ": "combmnz", "Borda": "borda", "ISR": "isr", "log-ISR": "logisr", "RRF": "rrf"}
PAPER = {
    "Borda": (0.443, 0.213, 0.280), "CombSUM": (0.411, 0.213, 0.296), "ISR": (0.433, 0.203, 0.263),
    "log-ISR": (0.432, 0.202, 0.263), "RRF": (0.449, 0.221, 0.284), OPTIMISTIC: (0.449, 0.217, 0.279),
}  # fmt: skip
"""NDCG', MAP' and P'@10 on ARQMath-2."""
NOTE = ("*, **: differs from the cross-validated linear fusion in nDCG@10, two-tailed paired t-test, p < 0.05, 0.01. "
        "Weights in the order of the rankers, the mean of the folds'. The paper's figures: Approach0 and ColBERT on "
        "ARQMath-2, NDCG', MAP', P'@10.")  # fmt: skip


def named_sets(asked: Sequence[Sequence[str]] | None, chosen: Sequence[str] | None) -> list[tuple[str, ...]]:
    """The sets of rankers to fuse: those asked for; else those of `SETS` that `--systems` leaves whole, or all of
    `--systems` together.

    Raises:
        ValueError: if a set names a ranker that there is not, or one twice, or only one.
    """
    found = [tuple(names) for names in asked or SETS]
    if chosen and not asked:
        found = [names for names in found if set(names) <= {*chosen, ALONE}] or [(*chosen, ALONE)]
    for names in found:
        if unknown := set(names) - {*SYSTEMS, ALONE}:
            raise ValueError(f"--fuse: no ranker {unknown.pop()!r}; one of {', '.join([*SYSTEMS, ALONE])}")
        if len(set(names)) < max(2, len(names)):
            raise ValueError(f"--fuse needs two rankers or more, each once; got {', '.join(names)}")
    return found


def rankings(collection: Collection, names: Sequence[str], args: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """The run of each ranker, kept or made now."""
    by_name = [name for name in names if name != ALONE]
    wanted = systems(collection, argparse.Namespace(**vars(args) | {"systems": by_name})) if by_name else []
    if ALONE in names:
        wanted.append(System(ALONE, lambda: QuantityQueryParser() >> collection.quantities.retriever(),
                             {"name": ALONE}))  # fmt: skip
    return {kept.system.name: kept.run() for kept in kept_runs(wanted, collection)}


def grouped(topics: pd.DataFrame) -> pd.DataFrame:
    """The topics with a column `concept`: their keywords, or the query's words without its condition, and the unit."""
    parsed = QuantityQueryParser(keep="concept")(topics[["qid", "query"]])
    words = topics["keywords"] if "keywords" in topics else parsed["query"]
    units = parsed["constraints"].map(lambda asked: " ".join(one.unit for one in asked))
    return topics.assign(concept=[f"{text.lower()} | {unit}" for text, unit in zip(words, units, strict=True)])


def fused(runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame, steps: int) \
        -> tuple[dict[str, pd.DataFrame], dict[str, Sequence[float]]]:  # fmt: skip
    """Every rule's run over these rankers, each ranker's own, and the weights of the linear ones."""
    rankers = [pt.Transformer.from_df(run[["qid", "docno", "score", "rank"]], uniform=False) for run in runs.values()]
    topics = grouped(topics)
    folds = min(FOLDS, topics["concept"].nunique())
    tuned = fusion.tune(rankers, topics, qrels, TUNED_ON, folds, steps, group="concept")
    found = {f"{name} alone" if not name.endswith("alone") else name: run for name, run in runs.items()}
    found |= {LINEAR: tuned.results, OPTIMISTIC: tuned.fusion(topics)}
    found |= {name: fusion.fuse(list(runs.values()), rule, num_results=1000) for name, rule in RULES.items()}
    return found, {LINEAR: np.mean(tuned.weights, axis=0).tolist(), OPTIMISTIC: list(tuned.fusion.weights or ())}


def per_query(run: pd.DataFrame, topics: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Every measure of every topic, 0 where nothing was found."""
    truth = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    ranked = run.rename(columns={"qid": "query_id", "docno": "doc_id"})[["query_id", "doc_id", "score"]]
    values = [(m.query_id, str(m.measure), m.value) for m in ir_measures.iter_calc(MEASURES, truth, ranked)]
    table = pd.DataFrame(values, columns=["qid", "measure", "value"]).pivot(index="qid", columns="measure")["value"]
    return table.reindex(index=topics["qid"], columns=list(map(str, MEASURES)), fill_value=0.0).fillna(0.0)


def compared(collection: Collection, runs: Mapping[str, pd.DataFrame], steps: int) -> pd.DataFrame:
    """A row per rule: the means, the p-value against the cross-validated linear fusion, and the weights."""
    found, weights = fused(runs, collection.topics, collection.qrels, steps)
    values = {name: per_query(run, collection.topics, collection.qrels) for name, run in found.items()}
    table = pd.DataFrame({name: value.mean() for name, value in values.items()}).T
    main = str(TUNED_ON)
    others = [name for name in table.index if name != LINEAR]
    each = np.stack([differences(values[name][main], values[LINEAR][main]) for name in others], axis=1)
    table["p"] = pd.Series(TESTS["t"](each), index=others)
    table["weights"] = [" ".join(f"{weight:.2f}" for weight in weights.get(name, ())) for name in table.index]
    return table.rename_axis("fusion")


def readable(table: pd.DataFrame, paper: bool) -> pd.DataFrame:
    """The table as people read it, with the paper's figures beside it or not."""
    columns = list(map(str, MEASURES))
    shown = table[columns].map("{:.3f}".format)
    shown[columns[0]] += ["**" if p < 0.01 else "*" if p < 0.05 else "" for p in table["p"].fillna(1.0)]
    shown["weights"] = table["weights"]
    if paper:
        shown["paper"] = [" ".join(f"{value:.3f}".lstrip("0") for value in PAPER.get(name, ())) for name in table.index]
    return shown


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this script alone."""
    parser.add_argument("--fuse", nargs="+", action="append", metavar="RANKER",
                        help="the rankers of a set, by the names of --systems or 'quantities alone'; may be repeated")
    parser.add_argument("--steps", type=int, default=10,
                        help="weights are tried in steps of 1 / N; of more than three rankers in half as many "
                        "(%(default)s)")  # fmt: skip


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """A table of one collection for each set of rankers."""
    sets = named_sets(args.fuse, args.systems)
    runs = rankings(collection, list(dict.fromkeys(name for names in sets for name in names)), args)
    for number, names in enumerate(pt.tqdm(sets, desc=f"{collection.name}, fusing", unit="set", disable=args.quiet), 1):
        steps = args.steps if len(names) <= 3 else max(1, args.steps // 2)
        table = compared(collection, {name: runs[name] for name in names}, steps)
        title = f"Fusion of {', '.join(names)}: {collection.name}, {len(collection.topics)} queries"
        shown = readable(table, paper=len(names) == 2 and "ColBERT" in names)
        yield Part(f"fusion-{number}-{collection.name}", title, table, shown, NOTE)


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("fusion_table.py", main))
