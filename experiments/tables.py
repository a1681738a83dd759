"""Retrieval of the facts that answer questions on tables: cells, rows, sentences; untrained rankers and the classifier.

    python experiments/tables.py FILE [--out DIR]

FILE: see experiments/lib/table_questions.py. Writes tables.csv: system, kind, recall@3, recall@5. A question's
candidates are the facts of its report: cells and sentences (kind "cell"), rows and sentences ("row"), sentences alone
("text", of the questions whose numbers stand in sentences). Recall is the share of a question's gold facts, those that
hold the numbers of its gold program, among the first 3 and 5, averaged over the questions. The classifier is
cross-validated over reports.
"""

from __future__ import annotations

import argparse
import sys

import pandas as pd
from lib.table_questions import Collection, arguments, encoder, folds, load

from pyterrier_quantity import QuantityScorer, quantity_aware
from pyterrier_quantity.cli.show import table as text_table
from pyterrier_quantity.tables import (
    CandidateBM25,
    CandidateDense,
    FactClassifier,
    FactFeatures,
    ReportFacts,
    SentenceVectors,
)

FACTS = {"cell": ("cell", "text"), "row": ("row", "text"), "text": ("text",)}
CUTOFFS = (3, 5)
PUBLISHED = {("cell", 5): 0.9012, ("row", 3): 0.8906}
"""Of the fine-grained retriever on FinQA's test set."""


def recall(run: pd.DataFrame, qrels: pd.DataFrame, cutoff: int) -> float:
    """The mean over the questions of qrels of the share of gold facts in the top."""
    top = run[run["rank"] < cutoff].merge(qrels, on=["qid", "docno"])
    gold = qrels.groupby("qid").size()
    return float((top.groupby("qid").size().reindex(gold.index, fill_value=0) / gold).mean())


def classified(
    candidates: pd.DataFrame, qrels: pd.DataFrame, vectors: SentenceVectors | None, count: int
) -> pd.DataFrame:
    """The run of the classifier, each report's by one that was trained on the other folds' reports."""
    candidates, runs = FactFeatures(vectors).transform(candidates), []
    for train, test in folds(candidates["report"].unique().tolist(), count):
        seen = candidates[candidates["report"].isin(train)]
        known = qrels[qrels["qid"].isin(seen["qid"])]
        seen = seen[seen["qid"].isin(known["qid"])]
        model = FactClassifier().fit(seen, known)
        runs.append(model.transform(candidates[candidates["report"].isin(test)]))
    return pd.concat(runs, ignore_index=True)


def runs(collection: Collection, kind: str, vectors: SentenceVectors, count: int) -> dict[str, pd.DataFrame]:
    """The run of every system over one kind of facts."""
    pool = ReportFacts(collection.reports, FACTS[kind])
    candidates = pool.transform(collection.topics)
    qrels = gold(collection, kind)
    aware = quantity_aware(pool >> CandidateBM25(), QuantityScorer())
    return {
        "BM25": CandidateBM25().transform(candidates),
        "dense (MiniLM)": CandidateDense(vectors).transform(candidates),
        "quantity_aware(BM25)": aware.transform(collection.topics),
        "classifier without encoder": classified(candidates, qrels, None, count),
        "classifier (MiniLM)": classified(candidates, qrels, vectors, count),
    }


def gold(collection: Collection, kind: str) -> pd.DataFrame:
    """The gold facts among those of a kind."""
    qrels = collection.qrels("row" if kind == "row" else "cell")
    return qrels[qrels["docno"].str.contains("#s")] if kind == "text" else qrels


def results(collection: Collection, vectors: SentenceVectors, count: int) -> pd.DataFrame:
    """system, kind, recall@3, recall@5."""
    rows = []
    for kind in FACTS:
        qrels = gold(collection, kind)
        if qrels.empty:
            continue
        for system, run in runs(collection, kind, vectors, count).items():
            rows.append((system, kind, *(recall(run, qrels, cutoff) for cutoff in CUTOFFS)))
    return pd.DataFrame(rows, columns=["system", "kind", *(f"recall@{cutoff}" for cutoff in CUTOFFS)])


def main(given: list[str] | None = None) -> int:
    """Run the experiment; 0 where it went well."""
    args = arguments(__doc__).parse_args(given)
    try:
        collection = load(args.file)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    table = results(collection, encoder(args), args.folds)
    save(table, args)
    return 0


def save(table: pd.DataFrame, args: argparse.Namespace) -> None:
    """Print the table and write tables.csv."""
    args.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(args.out / "tables.csv", index=False, float_format="%.4f")
    shown = table.round(4).astype(str)
    print(text_table(list(shown.columns), shown.to_numpy().tolist()))
    for (kind, cutoff), value in PUBLISHED.items():
        print(f"published on FinQA's test set, another collection: {kind} facts, recall@{cutoff} {value}")


if __name__ == "__main__":
    raise SystemExit(main())
