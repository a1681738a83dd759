"""Rankings in OpenSearch beside those of the columns: nDCG@10, milliseconds a query, and how far the scores differ.

    python experiments/scale_opensearch.py shared --names reuters clinical --url http://localhost:9200

Collections are named as `lib/arguments.py` describes. The engine gets the quantities that the columns hold, so that
only the engines differ.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.parts import write

import pyterrier_quantity as ptq
from pyterrier_quantity.backends.opensearch import OpenSearchIndex
from pyterrier_quantity.cli import run as run_program


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--url", default="http://localhost:9200", help="the engine's address (%(default)s)")
    parser.add_argument("--shards", type=int, default=3, help="of an index that is not there yet (%(default)s)")
    args = parser.parse_args()
    for collection in collections(args):
        index = OpenSearchIndex(args.url, f"experiment-{collection.name}".lower())
        if not index.built() or len(index) < len(collection.quantities):  # a build that was cut off goes on
            index.index(documents(collection), shards=args.shards, verbose=not args.quiet)
        table = compare(collection, index)
        print(f"\n== {collection.name}: scores differ by at most {difference(collection, index):.1e}")
        print(table.round(4).to_string())
        write(table, args.out, f"opensearch-{collection.name}")


def documents(collection: Collection) -> Iterator[dict[str, Any]]:
    """The corpus with the quantities that the columns hold; the first line of each docno."""
    seen: set[str] = set()
    for document in collection.documents():
        if document["docno"] not in seen:
            seen.add(document["docno"])
            yield {**document, "quantities": collection.quantities.quantities(document["docno"])}


def compare(collection: Collection, index: OpenSearchIndex) -> pd.DataFrame:
    """nDCG@10 and time of every ranking."""
    columns, bm25 = collection.quantities, collection.bm25
    rankings: dict[str, pt.Transformer] = {
        "columns: filter": collection.parse >> bm25 >> columns.filter(),
        "columns": ptq.quantity_aware(bm25, columns, candidates="retriever"),
        "columns, union": ptq.quantity_aware(bm25, columns),
        "columns over the engine's BM25": ptq.quantity_aware(index.bm25(), columns, candidates="retriever"),
        "engine: BM25": index.bm25(),
        "engine: filter": index.filter(),
        "engine": index.quantity_aware(),
        "engine, twice the candidates": index.quantity_aware(num_results=2000),
    }
    rows = {}
    for name, ranking in rankings.items():
        ranking(collection.queries.head(3))  # what is read once is read
        begin = time.perf_counter()
        run = ranking(collection.queries)
        milliseconds = 1000 * (time.perf_counter() - begin) / len(collection.queries)
        rows[name] = {"nDCG@10": collection.measure(run).mean(), "ms a query": milliseconds}
    return pd.DataFrame(rows).T


def difference(collection: Collection, index: OpenSearchIndex) -> float:
    """The largest difference between the engine's and the columns' quantity scores of BM25's results."""
    results = collection.bm25(collection.parse(collection.queries))
    found, expected = index.scorer()(results), collection.quantities.scorer()(results)
    return float(np.abs(found["score"] - expected["score"]).max())


if __name__ == "__main__":
    sys.exit(run_program("scale_opensearch.py", main))
