"""Evaluate the retrieval of facts (cells, rows, sentences) for questions about tables, by BM25 and by a learned ranker.

    python experiments/tables.py FILE [--kinds KIND ...] [--classifier PRESET] [--out DIR]

experiments/lib/table_questions.py describes FILE. The script writes tables.csv (with --classifier,
tables-classifier.csv): system, kind, recall@3, recall@5. A question's candidates are the facts of its report: cells and
sentences (kind "cell"), rows and sentences ("row"), or only sentences ("text", for questions whose numbers are in
sentences). Gold facts contain the numbers of a question's gold program. Recall is the share of them that is among the
first 3 or 5, averaged over the questions. The learned ranker, boosted trees over `FactFeatures`, is cross-validated
over reports, as is the paper's cross-encoder (--classifier), which reorders BM25's first facts.
"""

import argparse
import sys
from collections.abc import Iterable

import pandas as pd
from lib.fact_features import FactFeatures
from lib.fact_ranking import classified, ranked
from lib.parts import Part, publish
from lib.table_questions import Collection, arguments, load

from pyterrier_quantity import Normalise, QuantityQueryParser, QuantityScorer
from pyterrier_quantity.constants import ALPHA
from pyterrier_quantity.tables import CandidateBM25, ReportFacts
from pyterrier_quantity.tables.fact_classifier import PRESETS

FACTS = {"cell": ("cell", "text"), "row": ("row", "text"), "text": ("text",)}
CUTOFFS = (3, 5)
PUBLISHED = {("cell", 5): 0.9012, ("row", 3): 0.8906}
"""Recall of the fine-grained retriever on FinQA's test set."""


def recall(run: pd.DataFrame, qrels: pd.DataFrame, cutoff: int) -> float:
    """Return the share of gold facts in the top, averaged over the questions in `qrels`."""
    top = run[run["rank"] < cutoff].merge(qrels, on=["qid", "docno"])
    gold = qrels.groupby("qid").size()
    return float((top.groupby("qid").size().reindex(gold.index, fill_value=0) / gold).mean())


def runs(collection: Collection, kind: str, count: int, classifier: str | None) -> dict[str, pd.DataFrame]:
    """Return the run of every system over one kind of facts. The classifier runs only if its preset is given."""
    pool = ReportFacts(collection.reports, FACTS[kind])
    candidates = pool.transform(collection.topics)
    scorer, parse = QuantityScorer(), QuantityQueryParser()
    aware = parse >> pool >> CandidateBM25() >> scorer.settle() >> (Normalise("max") + ALPHA * scorer)
    found = {
        "BM25": CandidateBM25().transform(candidates),
        "QBM25": aware.transform(collection.topics),
        "learned": ranked(FactFeatures().transform(candidates), gold(collection, kind), count),
    }
    if classifier:
        found["cross-encoder"] = classified(candidates, gold(collection, kind), count, classifier)
    return found


def gold(collection: Collection, kind: str) -> pd.DataFrame:
    """Return the gold facts among those of a kind."""
    qrels = collection.qrels("row" if kind == "row" else "cell")
    return qrels[qrels["docno"].str.contains("#s")] if kind == "text" else qrels


def results(
    collection: Collection, count: int, kinds: Iterable[str] = tuple(FACTS), classifier: str | None = None
) -> pd.DataFrame:
    """Return a frame with `system`, `kind`, `recall@3` and `recall@5`."""
    rows = []
    for kind in kinds:
        qrels = gold(collection, kind)
        if qrels.empty:
            continue
        for system, run in runs(collection, kind, count, classifier).items():
            rows.append((system, kind, *(recall(run, qrels, cutoff) for cutoff in CUTOFFS)))
    return pd.DataFrame(rows, columns=["system", "kind", *(f"recall@{cutoff}" for cutoff in CUTOFFS)])


def main(given: list[str] | None = None) -> int:
    """Run the experiment, and return the exit code."""
    parser = arguments(__doc__)
    parser.add_argument("--kinds", nargs="+", choices=tuple(FACTS), default=tuple(FACTS), help="of facts (all)")
    parser.add_argument("--classifier", choices=tuple(PRESETS), help="also train the paper's fact classifier")
    args = parser.parse_args(given)
    try:
        collection = load(args.file)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    table = results(collection, args.folds, args.kinds, args.classifier)
    save(table, args)
    return 0


def save(table: pd.DataFrame, args: argparse.Namespace) -> None:
    """Print the table and write its file."""
    table = table.set_index("system")
    name = "tables-classifier" if args.classifier else "tables"
    publish(Part(name, "Facts that hold the gold numbers", table, table.round(4).astype(str)), args.out)
    for (kind, cutoff), value in PUBLISHED.items():
        print(f"published on FinQA's test set, another collection: {kind} facts, recall@{cutoff} {value}")


if __name__ == "__main__":
    raise SystemExit(main())
