"""Quantity-aware BM25 beside BM25, and what it costs: every figure in one run.

    python experiments/ranking.py FOLDER quantity:demo [--names reuters] [--out results] [--work var]

The baseline is BM25 (PISA, k1 = b = 0.5) on the whole query text. Collections are named as `common.py` describes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from common import Collection, arguments, collections, median_seconds, write
from significance import permutation_p

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program

UNCONVERTED = ptq.index.UnitWeights(convertible=0.0)


def systems(collection: Collection) -> dict[str, pt.Transformer]:
    """Every system of the table, over one collection."""
    bm25, index = collection.bm25, collection.quantities
    keywords = pt.apply.query(lambda row: row["keywords"]) >> bm25
    parse = ptq.QuantityQueryParser()
    return {
        "BM25": bm25,
        "BM25, concept's words": keywords,
        "BM25_filter": parse >> bm25 >> index.filter(),
        "QBM25 of the paper": ptq.quantity_aware(bm25, index, alpha=1.0, phi="paper"),
        "QBM25 without concepts": ptq.quantity_aware(bm25, index, fit=False),
        "QBM25": ptq.quantity_aware(bm25, index),
        "QBM25, union": ptq.quantity_aware(bm25, index, candidates="union"),
        "QBM25, union, without conversion": ptq.quantity_aware(bm25, index, candidates="union", units=UNCONVERTED),
        "QBM25, union, feedback": ptq.quantity_aware(bm25, index, candidates="union", feedback=True),
    }


def effectiveness(collection: Collection) -> pd.DataFrame:
    """nDCG@10 (all, and by type of query), R@100, the ratio to BM25 and to the paper's QBM25 with its p; converted:
    the share of the sentences relevant only after conversion that is in the top 100."""
    types = collection.topics.set_index("qid")["type"]
    rows, ndcg = {}, {}
    for name, system in systems(collection).items():
        run = system(collection.topics)
        ndcg[name] = collection.measure(run)
        rows[name] = {"nDCG@10": ndcg[name].mean(), "R@100": collection.measure(run, "R@100").mean()}
        rows[name] |= ndcg[name].groupby(types).mean().to_dict()
        rows[name]["converted"] = collection.converted(run)
        rows[name]["/ BM25"] = ndcg[name].mean() / ndcg["BM25"].mean()
    paper = ndcg["QBM25 of the paper"]
    for name in ("QBM25", "QBM25, union", "QBM25, union, feedback"):
        rows[name] |= {"/ paper": ndcg[name].mean() / paper.mean(), "p": permutation_p(ndcg[name], paper)}
    return pd.DataFrame(rows).T


def cost(collection: Collection) -> dict[str, float]:
    """Indexing time, size, opening time, and latency beside BM25's."""
    documents = list(collection.documents())
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        index = ptq.QuantityIndex(Path(folder) / "index").indexer(threads=2).index(documents)
        figures = {"indexing, s": time.perf_counter() - start, "documents": len(index)}
        files = [file for file in index.folder.iterdir() if not file.name.startswith("docno_")]
        figures["bytes a quantity"] = sum(file.stat().st_size for file in files) / index.columns.quantities
        figures["opening, s"] = median_seconds(lambda: ptq.QuantityIndex(index.folder).columns, 3)
        bm25, queries = collection.bm25, collection.queries
        aware = ptq.quantity_aware(bm25, index)
        batch = median_seconds(lambda: bm25(queries))
        figures["BM25, ms a query in a batch"] = 1000 * batch / len(queries)
        figures["QBM25 / BM25 in a batch"] = median_seconds(lambda: aware(queries)) / batch
        parsed = ptq.QuantityQueryParser()(queries)
        results = bm25(parsed)
        figures["quantity score with concepts / without"] = median_seconds(
            lambda: index.scorer()(results)
        ) / median_seconds(lambda: index.scorer(fit=False)(results))
        one = [queries.iloc[at : at + 1] for at in range(0, len(queries), 4)]
        figures["QBM25, ms for a single query"] = (
            1000 * pd.Series([median_seconds(lambda q=q: aware(q), 3) for q in one]).median()
        )
    return figures


def candidates_of_a_million() -> dict[str, float]:
    """Milliseconds that the index needs for its candidates of one constraint, over a million drawn quantities."""
    rng = np.random.default_rng(0)
    values = np.exp(rng.normal(5, 3, 1_000_000))
    units = rng.choice(["dollar", "percentage", "kilogram", "mile", "-"], len(values), p=[0.4, 0.2, 0.2, 0.1, 0.1])
    stated = [ptq.Quantity(float(value), float(value), str(unit)) for value, unit in zip(values, units, strict=True)]
    documents = ({"docno": f"d{at}", "quantities": stated[at : at + 2]} for at in range(0, len(stated), 2))
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        index = ptq.QuantityIndex(Path(folder) / "index").index(documents)
        retriever = index.retriever()
        for op in ("=", ">", "<", "range", "!="):
            asked = ptq.Constraint(op, 100.0, 200.0 if op == "range" else 100.0, "dollar")
            match = index.vocabulary.match(asked.unit, [], retriever.scoring.units)
            seconds = median_seconds(lambda a=asked, m=match: index.values.documents(a, m, retriever.candidates))
            figures[op] = 1000 * seconds
    return figures


def main() -> None:
    args = arguments(__doc__).parse_args()
    pd.set_option("display.width", 200, "display.max_columns", 20)
    for collection in collections(args):
        print(f"\n== {collection.name}: {len(collection.topics)} queries")
        found = effectiveness(collection)
        print(found.round(3).to_string(na_rep=""))
        figures = cost(collection)
        print("\n".join(f"{name}: {value:.4g}" for name, value in figures.items()))
        write(found, args.out, f"ranking-{collection.name}")
        write(pd.DataFrame({"value": figures}), args.out, f"ranking-cost-{collection.name}")
    million = {op: round(value, 2) for op, value in candidates_of_a_million().items()}
    print("\n== candidates of one constraint over a million quantities, ms:", million)


if __name__ == "__main__":
    sys.exit(run_program("ranking.py", main))
