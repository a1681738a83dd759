"""Learning to rank on the quantity evidence: the fixed formula and a logistic regression, cross-validated by topic.

    python experiments/ltr.py quantity:demo [--folds 5] [--out results] [--work var]

Collections are named as `lib/arguments.py` describes. Candidates and first score come from the fixed formula. The model
gets that score, BM25's and the features of the quantity index.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.parts import write
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.cli.experiment import without

MEASURES = ["ndcg_cut_10", "P_10"]


class LogisticRanker(LogisticRegression):
    """A logistic regression with the log-odds of relevance as its score."""

    def predict(self, X):  # noqa: N803 (scikit-learn's name)
        return self.decision_function(X)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--folds", type=int, default=5, help="parts that the topics are dealt into (%(default)s)")
    args = parser.parse_args()
    for collection in collections(args):
        table = compare(collection, args.folds)
        print(f"\n== {collection.name}\n{table.round(4).to_string()}")
        write(table, args.out, f"ltr-{collection.name}")


def compare(collection: Collection, folds: int) -> pd.DataFrame:
    """Return both rankings' measures; the model ranks topics that it was not trained on."""
    index, topics, qrels = collection.quantities, collection.queries, collection.qrels
    fixed = ptq.quantity_aware(collection.bm25, index, candidates="union") % 100
    fold = np.random.default_rng(0).permutation(len(topics)) % folds
    runs = []
    for held_out in range(folds):
        model = make_pipeline(StandardScaler(), LogisticRanker(max_iter=1000))
        learned = fixed >> (pt.Transformer.identity() ** index.features()) >> pt.ltr.apply_learned_model(model)
        train = topics[fold != held_out]
        learned.fit(train, qrels[qrels["qid"].isin(train["qid"])])
        runs.append(learned(topics[fold == held_out]))
    drop = without(collection.doubtful)
    ranked = [drop(fixed(topics)), drop(pd.concat(runs, ignore_index=True))]
    table = pt.Experiment(ranked, topics, qrels, MEASURES, names=["fixed formula", "learned"], baseline=0)
    return table.set_index("name")


if __name__ == "__main__":
    sys.exit(run_program("ltr.py", main))
