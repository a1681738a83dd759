"""Building in parts: corpora to Parquet shards, by any number of processes, machines or Spark tasks, and the shards to
one index.

    extract_to_parquet(["news-1.jsonl.gz", "news-2.jsonl.gz"], "shards", workers=8)
    QuantityIndex.from_parquet("shards", "news.quantity")

The index is byte for byte the one that a single build makes of the same documents in the same order. Needs the extra
`parquet`; `build.spark` the extra `spark`.
"""

from pyterrier_quantity.build.extracting import extract_to_parquet
from pyterrier_quantity.build.shards import ShardError, schema

__all__ = ["ShardError", "extract_to_parquet", "schema"]
