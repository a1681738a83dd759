"""Builds in parts: corpora become Parquet shards, on many processes, machines or Spark tasks, and shards become an
index.

    extract_to_parquet(["news-1.jsonl.gz", "news-2.jsonl.gz"], "shards", workers=8)
    QuantityIndex.from_parquet("shards", "news.quantity")

The index is byte for byte the same as that of a single build of the same documents in the same order. Needs the extra
`parquet`; `build.spark` needs the extra `spark`.
"""

from pyterrier_quantity.build.extracting import extract_to_parquet
from pyterrier_quantity.index.shards import ShardError, schema

__all__ = ["ShardError", "extract_to_parquet", "schema"]
