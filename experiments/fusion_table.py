"""Reproduce Tables 2 to 4 of math-dense-retrieval with our rankers, which are fused, or reranked by each other.

    python experiments/fusion_table.py FOLDER [--names reuters] [--pool]
    python experiments/fusion_table.py quantity:demo --fuse "BM25 (whole query)" "quantities alone"
    python experiments/fusion_table.py FOLDER --names reuters --pool 100 --train 30

Collections are named as `lib/arguments.py` describes. Rankers are the systems of `lib/systems.py` and "quantities
alone": the quantity index without any words. Linear fusion adds min-max scores with weights that sum to 1. The score is
0 if a ranker did not return the document. Its weights are tuned on nDCG@10 by 5-fold cross-validation, with topics of
the same keywords and unit in one fold. No weight is 0, as in the paper, unless `--zeros` is given. The row "on all
topics" is tuned on its own test topics, as is every row of the paper's Table 4.

In a pair of rankers, each also reranks the other's results, if it can score any document (dense, ColBERT, quantities
alone).

The paper fuses a structure search, whose matches are exact, with ColBERT and with fine-tuned single vectors. Our
closest equivalent is "quantities alone" with ColBERT_ft and dense_ft. These models are given (--colbert-ft, --dense-ft)
or trained on sentences of the collection's corpus, without judgements (--train). The paper's measures ignore documents
without a judgement, so that here only relevant documents would remain.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import AP, P, R, nDCG
from lib.collection import Collection, per_query
from lib.joint_models import tuned_models, tuning_arguments
from lib.neural_systems import TUNED, scorers
from lib.parts import Part
from lib.runs import System, kept_runs
from lib.significance import TESTS, differences
from lib.systems import DETAILS, SYSTEMS, publish_parts, systems
from lib.word_systems import WHOLE

from pyterrier_quantity import QuantityQueryParser, fusion
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.cli.experiment import without

MEASURES = [nDCG @ 10, R @ 100, nDCG, AP, P @ 10]
TUNED_ON = nDCG @ 10
FOLDS = 5
ALONE = "quantities alone"
SETS = (
    (ALONE, "ColBERT"),
    (ALONE, "dense"),
    (ALONE, "ColBERT_ft"),
    (ALONE, "dense_ft"),
    (WHOLE, "ColBERT"),
    (WHOLE, "dense"),
    ("QBM25 (ours)", "QColBERT (ours)"),
    (WHOLE, "SPLADE", "ColBERT", "dense"),
    ("QBM25 (ours)", "QSPLADE (ours)", "QColBERT (ours)", "Qdense (ours)"),
)
"""The rankers to fuse, unless `--fuse` names others."""
LINEAR, OPTIMISTIC = "linear, cross-validated", "linear, on all topics"
RULES = {"CombSUM": "combsum", "CombMNZ": "combmnz", "Borda": "borda", "ISR": "isr", "log-ISR": "logisr", "RRF": "rrf"}
PAPER = {
    "ColBERT": {
        ALONE: (0.381, 0.189, 0.234), "ColBERT alone": (0.329, 0.128, 0.213), LINEAR: (0.447, 0.215, 0.252),
        f"{ALONE}, reranked by ColBERT": (0.383, 0.182, 0.276), "Borda": (0.443, 0.213, 0.280),
        "CombSUM": (0.411, 0.213, 0.296), "ISR": (0.433, 0.203, 0.263), "log-ISR": (0.432, 0.202, 0.263),
        "RRF": (0.449, 0.221, 0.284), OPTIMISTIC: (0.449, 0.217, 0.279),
    },
    "dense": {
        ALONE: (0.381, 0.189, 0.234), "dense alone": (0.270, 0.087, 0.152), LINEAR: (0.429, 0.203, 0.258),
        f"{ALONE}, reranked by dense": (0.372, 0.169, 0.235),
    },
}  # fmt: skip
"""NDCG', MAP' and P'@10 of Approach0 with ColBERT, and with DPR, on ARQMath-2: Tables 1, 3 and 4."""
NOTE = ("*, **: differs from the cross-validated linear fusion in nDCG@10, two-tailed paired t-test, p < 0.05, 0.01. "
        "Weights in the order of the rankers, the mean of the folds'. The paper's figures: Approach0 with ColBERT, "
        "and with DPR, on ARQMath-2, NDCG', MAP', P'@10.")  # fmt: skip


def named_sets(asked: Sequence[Sequence[str]] | None, chosen: Sequence[str] | None) -> list[tuple[str, ...]]:
    """Return the sets of rankers to fuse: those of `--fuse` or, by default, those of `SETS` whose rankers `--systems`
    includes, or all of `--systems` together.

    Raises:
        ValueError: if a set names an unknown ranker, one ranker twice, or only one.
    """
    found = [tuple(names) for names in asked or SETS]
    if chosen and not asked:
        found = [names for names in found if set(names) <= {*chosen, ALONE}] or [(*chosen, ALONE)]
    for names in found:
        if unknown := set(names) - {*SYSTEMS, *DETAILS, ALONE}:
            raise ValueError(f"--fuse: no ranker {unknown.pop()!r}; one of {', '.join([*SYSTEMS, ALONE])}")
        if len(set(names)) < max(2, len(names)):
            raise ValueError(f"--fuse needs two rankers or more, each once; got {', '.join(names)}")
    return found


def rankings(collection: Collection, names: Sequence[str], args: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """Return the run of each ranker, which is stored or made now."""
    by_name = [name for name in names if name != ALONE]
    wanted = systems(collection, argparse.Namespace(**vars(args) | {"systems": by_name})) if by_name else []
    if ALONE in names:
        wanted.append(System(ALONE, lambda: collection.parse >> collection.quantities.retriever(),
                             {"name": ALONE}))  # fmt: skip
    return {kept.system.name: kept.run() for kept in kept_runs(wanted, collection)}


def grouped(topics: pd.DataFrame) -> pd.DataFrame:
    """Return the topics with a column `concept`: the keywords (or the query's words without its condition) and the
    unit."""
    parsed = QuantityQueryParser(keep="concept")(topics[["qid", "query"]])
    words = topics["keywords"] if "keywords" in topics else parsed["query"]
    units = parsed["constraints"].map(lambda asked: " ".join(one.unit for one in asked))
    return topics.assign(concept=[f"{text.lower()} | {unit}" for text, unit in zip(words, units, strict=True)])


def reranked(
    runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, scorers: Mapping[str, Callable[[], pt.Transformer]]
) -> dict[str, pd.DataFrame]:
    """Return the results of each of two rankers, sorted by the other's scores if the other can score them.

    Args:
        runs: the results (R) of the two rankers.
        topics: the queries (Q) with `constraints`.
        scorers: functions that make scorers, R -> R, keyed by the ranker's name.
    """
    found = {}
    for first, second in permutations(runs, 2):
        if second in scorers:
            candidates = runs[first][["qid", "docno", "score"]].merge(topics, on="qid")
            found[f"{first}, reranked by {second}"] = pt.model.add_ranks(scorers[second]()(candidates))
    return found


def fused(
    runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame, steps: int, zeros: bool = False
) -> tuple[dict[str, pd.DataFrame], dict[str, Sequence[float]]]:
    """Return the run of each fusion rule and of each ranker, and the weights of the linear rules."""
    rankers = [pt.Transformer.from_df(run[["qid", "docno", "score", "rank"]], uniform=False) for run in runs.values()]
    topics = grouped(topics)
    folds = min(FOLDS, topics["concept"].nunique())
    tuned = fusion.tune(rankers, topics, qrels, TUNED_ON, folds, steps, group="concept", zeros=zeros)
    found = {f"{name} alone" if not name.endswith("alone") else name: run for name, run in runs.items()}
    found |= {LINEAR: tuned.results, OPTIMISTIC: tuned.fusion(topics)}
    found |= {name: fusion.fuse(list(runs.values()), rule, num_results=1000) for name, rule in RULES.items()}
    return found, {LINEAR: np.mean(tuned.weights, axis=0).tolist(), OPTIMISTIC: list(tuned.fusion.weights or ())}


def compared(
    collection: Collection,
    runs: Mapping[str, pd.DataFrame],
    scorers: Mapping[str, Callable[[], pt.Transformer]],
    steps: int,
    zeros: bool = False,
) -> pd.DataFrame:
    """Return a row for each rule: the means, the p-value against the cross-validated linear fusion, and the weights."""
    topics, qrels = collection.topics, collection.qrels
    found, weights = fused(runs, topics, qrels, steps, zeros)
    if len(runs) == 2:
        found |= {name: without(collection.doubtful)(run)
                  for name, run in reranked(runs, collection.parse(collection.queries), scorers).items()}  # fmt: skip
    values = {name: per_query(run, qrels, topics["qid"], MEASURES) for name, run in found.items()}
    table = pd.DataFrame({name: value.mean() for name, value in values.items()}).T
    main = str(TUNED_ON)
    others = [name for name in table.index if name != LINEAR]
    each = np.stack([differences(values[name][main], values[LINEAR][main]) for name in others], axis=1)
    table["p"] = pd.Series(TESTS["t"](each), index=others)
    table["weights"] = [" ".join(f"{weight:.2f}" for weight in weights.get(name, ())) for name in table.index]
    return table.rename_axis("fusion")


def readable(table: pd.DataFrame, paper: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """Return the table for display, with the paper's figures next to the rows, if there are any."""
    columns = list(map(str, MEASURES))
    shown = table[columns].map("{:.3f}".format)
    shown[columns[0]] += ["**" if p < 0.01 else "*" if p < 0.05 else "" for p in table["p"].fillna(1.0)]
    shown["weights"] = table["weights"]
    if paper:
        shown["paper"] = [" ".join(f"{value:.3f}".lstrip("0") for value in paper.get(name, ())) for name in table.index]
    return shown


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument(
        "--fuse",
        nargs="+",
        action="append",
        metavar="RANKER",
        help="the rankers of a set, by the names of --systems or 'quantities alone'; may be repeated",
    )
    tuning_arguments(parser)
    parser.add_argument("--zeros", action="store_true", help="tuned weights may be 0, and so 1; the paper's are not")
    parser.add_argument("--steps", type=int, default=10,
                        help="weights are tried in steps of 1 / N; of more than three rankers in half as many "
                        "(%(default)s)")  # fmt: skip


def papers(names: Sequence[str]) -> dict[str, Sequence[float]]:
    """Return the paper's figures for a pair of rankers, keyed by row, or {} for other sets."""
    kind = names[1].removesuffix("_ft")
    figures = PAPER.get(kind, {}) if len(names) == 2 else {}
    return {row.replace(kind, names[1]): values for row, values in figures.items()}


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """Yield a table for each set of rankers on one collection."""
    if args.train:
        args = argparse.Namespace(**vars(args) | tuned_models(collection, args, ("colbert", "dense")))
    sets = named_sets(args.fuse, args.systems)
    if not args.fuse:
        sets = [names for names in sets if all(getattr(args, TUNED[name][0]) for name in names if name in TUNED)]
    runs = rankings(collection, list(dict.fromkeys(name for names in sets for name in names)), args)
    for number, names in enumerate(pt.tqdm(sets, desc=f"{collection.name}, fusing", unit="set", disable=args.quiet), 1):
        steps = args.steps if len(names) <= 3 else max(1, args.steps // 2)
        chosen = {name: runs[name] for name in names}
        table = compared(collection, chosen, scorers(collection, args), steps, args.zeros)
        title = f"Fusion of {', '.join(names)}: {collection.name}, {len(collection.topics)} queries"
        shown = readable(table, papers(names))
        yield Part(f"fusion-{number}-{collection.name}", title, table, shown, NOTE)


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("fusion_table.py", main))
