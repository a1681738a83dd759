"""Real engines filled with a table of numbers, each as a function from a query to the numbers of the rows it finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pyterrier_quantity import filters
from pyterrier_quantity.filters import Fields

Row = dict[str, float]
Search = Callable[[Any], set[int]]


def names_of(fields: Fields) -> list[str]:
    """The fields' own names."""
    return [given if isinstance(given, str) else given[0] for given in fields.values()]


def duckdb(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    duckdb = pytest.importorskip("duckdb")
    import pandas as pd

    frame = pd.DataFrame(rows)
    database = duckdb.connect()
    database.register("frame", frame)
    database.execute("CREATE TABLE products AS SELECT * FROM frame")
    return lambda asked: {
        number for number, in database.execute(
            f"SELECT number FROM products WHERE {filters.to_duckdb(asked, fields)}").fetchall()
    }  # fmt: skip


def lancedb(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    lancedb = pytest.importorskip("lancedb")
    import pyarrow as pa

    columns = {name: pa.array([row.get(name) for row in rows], pa.float64()) for name in names_of(fields)}
    data = pa.table({"number": pa.array(range(len(rows))), **columns})
    products = lancedb.connect(tmp_path).create_table("products", data)
    return lambda asked: {
        row["number"] for row in products.search().where(filters.to_lancedb(asked, fields)).limit(len(rows)).to_list()
    }


def qdrant(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    qdrant = pytest.importorskip("qdrant_client")
    from qdrant_client import models

    client = qdrant.QdrantClient(":memory:")
    client.create_collection("products", models.VectorParams(size=1, distance=models.Distance.DOT))
    client.upsert("products", [models.PointStruct(id=row["number"], vector=[1.0], payload=row) for row in rows])
    return lambda asked: {
        point.id
        for point in client.scroll("products", scroll_filter=filters.to_qdrant(asked, fields), limit=len(rows))[0]
    }


def opensearch(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    from opensearchpy import OpenSearch
    from opensearchpy.helpers import bulk

    client = OpenSearch(request.getfixturevalue("cluster"))
    mappings = {"properties": {name: {"type": "double"} for name in names_of(fields)}}
    client.indices.create(index="products", body={"mappings": mappings, "settings": {"number_of_shards": 3}})
    request.addfinalizer(lambda: client.indices.delete(index="products"))
    bulk(client, [{"_id": row["number"], **row} for row in rows], index="products", refresh=True)

    def search(asked):
        body = {"query": {"bool": {"filter": [filters.to_elasticsearch(asked, fields)]}}, "size": len(rows)}
        return {int(hit["_id"]) for hit in client.search(index="products", body=body)["hits"]["hits"]}

    return search


ENGINES = {"duckdb": duckdb, "lancedb": lancedb, "qdrant": qdrant, "opensearch": opensearch}
