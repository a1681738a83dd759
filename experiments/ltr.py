"""Learning to rank on the quantity evidence: the fixed formula beside a logistic regression, cross-validated by topic.

    python experiments/ltr.py [--folds 5] [--work var]

On the bundled collection. Candidates and first score come from the fixed formula, the model sees that score, BM25's
and the features of `pyterrier_quantity.features`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pyterrier_quantity as ptq
from pyterrier_quantity.backends import pisa_bm25

MEASURES = ["ndcg_cut_10", "P_10"]


class LogisticRanker(LogisticRegression):
    """A logistic regression whose prediction is a score: the log-odds of relevance."""

    def predict(self, X):  # noqa: N803 (scikit-learn's name)
        return self.decision_function(X)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=Path("var"))
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    data = pt.get_dataset("quantity:demo")
    bm25 = pisa_bm25(args.work / "bundled.pisa", data.get_corpus_iter(verbose=False), k1=0.5, b=0.5, overwrite=True)
    index = ptq.QuantityIndex(args.work / "bundled.quantity")
    index.indexer(overwrite=True).index(data.get_corpus_iter(verbose=False))
    fixed = ptq.quantity_aware(bm25, index, candidates="union") % 100
    topics, qrels = data.get_topics()[["qid", "query"]], data.get_qrels()
    fold = np.random.default_rng(0).permutation(len(topics)) % args.folds
    runs = []
    for held_out in range(args.folds):
        model = make_pipeline(StandardScaler(), LogisticRanker(max_iter=1000))
        learned = fixed >> (pt.Transformer.identity() ** index.features()) >> pt.ltr.apply_learned_model(model)
        train = topics[fold != held_out]
        learned.fit(train, qrels[qrels["qid"].isin(train["qid"])])
        runs.append(learned(topics[fold == held_out]))
    systems = [fixed(topics), pd.concat(runs)]
    table = pt.Experiment(systems, topics, qrels, MEASURES, names=["fixed formula", "learned"], baseline=0)
    print(table.round(4).to_string(index=False))


if __name__ == "__main__":
    main()
