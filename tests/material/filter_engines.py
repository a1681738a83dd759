"""Engines filled with a table of numbers and days, each as a function from a query to the numbers of the rows it finds.

Solr's filters are read by the parser of Lucene that OpenSearch shares with it. Vespa and Typesense do not run here:
a few lines of Python evaluate their filters and LangChain's.
"""

import operator
import re
import secrets
from collections.abc import Callable
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pyterrier_quantity import filters
from pyterrier_quantity.filters import Fields

Row = dict[str, Any]
Search = Callable[[Any], set[int]]


def names_of(fields: Fields) -> list[str]:
    """The fields' own names."""
    return [given if isinstance(given, str) else given[0] for given in fields.values()]


def holds_days(rows: list[Row], name: str) -> bool:
    """Whether a field holds days."""
    return any(isinstance(row.get(name), date) for row in rows)


def in_text(rows: list[Row]) -> list[Row]:
    """The rows with their days as texts."""
    return [{k: v.isoformat() if isinstance(v, date) else v for k, v in row.items()} for row in rows]


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

    kinds = {name: pa.date32() if holds_days(rows, name) else pa.float64() for name in names_of(fields)}
    columns = {name: pa.array([row.get(name) for row in rows], kind) for name, kind in kinds.items()}
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
    client.upsert("products", [models.PointStruct(id=row["number"], vector=[1.0], payload=row)
                               for row in in_text(rows)])  # fmt: skip
    return lambda asked: {
        point.id
        for point in client.scroll("products", scroll_filter=filters.to_qdrant(asked, fields), limit=len(rows))[0]
    }


def lucene(rows: list[Row], fields: Fields, request: Any) -> Callable[[Any], set[int]]:
    """An index of OpenSearch, from a query of its language to the rows."""
    from opensearchpy import OpenSearch
    from opensearchpy.helpers import bulk

    client = OpenSearch(request.getfixturevalue("cluster"))
    kinds = {name: {"type": "date" if holds_days(rows, name) else "double"} for name in names_of(fields)}
    name = f"products-{secrets.token_hex(8)}"  # other test processes use the same cluster
    client.indices.create(index=name, body={"mappings": {"properties": kinds}, "settings": {"number_of_shards": 3}})
    request.addfinalizer(lambda: client.indices.delete(index=name))
    bulk(client, [{"_id": row["number"], **row} for row in in_text(rows)], index=name, refresh=True)

    def search(query):
        body = {"query": {"bool": {"filter": [query]}}, "size": len(rows)}
        return {int(hit["_id"]) for hit in client.search(index=name, body=body)["hits"]["hits"]}

    return search


def opensearch(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    search = lucene(rows, fields, request)
    return lambda asked: search(filters.to_elasticsearch(asked, fields))


def solr(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    search = lucene(rows, fields, request)
    return lambda asked: search({"query_string": {"query": filters.to_solr(asked, fields)}})


def llamaindex(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    store = pytest.importorskip("llama_index.vector_stores.qdrant")
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import VectorStoreQuery
    from qdrant_client import QdrantClient

    if any(holds_days(rows, name) for name in names_of(fields)):
        pytest.skip("LlamaIndex has days as texts, which Qdrant does not order")
    products = store.QdrantVectorStore("products", client=QdrantClient(":memory:"))
    products.add([TextNode(metadata=row, embedding=[1.0]) for row in rows])

    def search(asked):
        query = VectorStoreQuery([1.0], len(rows), filters=filters.to_llamaindex(asked, fields))
        return {node.metadata["number"] for node in products.query(query).nodes}

    return search


SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
         "$lt": operator.lt, "$lte": operator.le, "$gt": operator.gt, "$gte": operator.ge}  # fmt: skip


def langchain(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
    def holds(row: Row, parts: dict) -> bool:
        if joined := parts.get("$and"):
            return all(holds(row, part) for part in joined)
        if joined := parts.get("$or"):
            return any(holds(row, part) for part in joined)
        return all(name in row and SIGNS[sign](row[name], value)
                   for name, ends in parts.items() for sign, value in ends.items())  # fmt: skip

    return lambda asked: {row["number"] for row in in_text(rows) if holds(row, filters.to_langchain(asked, fields))}


def comparisons(write: Callable[[Any, Fields], str], comparison: str, everything: str) -> Callable[..., Search]:
    """A language of comparisons, joined by "and", "or" and brackets, over rows that hold days as seconds.

    Args:
        write: writes a filter.
        comparison: matches a field, a sign and a value.
        everything: the filter that sets no condition.
    """

    def engine(rows: list[Row], fields: Fields, tmp_path: Path, request: Any) -> Search:
        def met(row: Row, name: str, sign: str, value: str) -> bool:
            held = row.get(name)
            if isinstance(held, date):
                held = datetime(held.year, held.month, held.day, 23, 59, tzinfo=timezone.utc).timestamp()
            return held is not None and SIGNS[sign](held, float(value))

        def holds(row: Row, written: str) -> bool:
            truths = re.sub(comparison, lambda found: str(met(row, *found.groups())), written)
            assert re.fullmatch(r"(True|False|and|or|&&|\|\||[ ()])+", truths), written
            return eval(truths.replace("&&", "and").replace("||", "or"))

        def search(asked: Any) -> set[int]:
            written = write(asked, fields)
            return {row["number"] for row in rows if written == everything or holds(row, written)}

        return search

    return engine


ENGINES = {
    "duckdb": duckdb, "lancedb": lancedb, "qdrant": qdrant, "opensearch": opensearch, "solr": solr,
    "llamaindex": llamaindex, "langchain": langchain,
    "vespa": comparisons(filters.to_vespa, r"(\w+) ([<>]?=|[<>]) ([-+.\de]+)", "true"),
    "typesense": comparisons(filters.to_typesense, r"(\w+):([<>]?=|[<>])([-+.\de]+)", ""),
}  # fmt: skip
