"""Build an index in parallel: processes, machines or Spark tasks make Parquet shards, and shards become an index.

    extract_to_parquet(["news-1.jsonl.gz", "news-2.jsonl.gz"], "shards", workers=8)
    QuantityIndex.from_parquet("shards", "news.quantity")

The index is byte-for-byte identical to an index that one process builds from the same documents in the same order. This
package needs the extra `parquet`, and `build.spark` needs the extra `spark`.
"""

from pyterrier_quantity.build.extracting import extract_to_parquet
from pyterrier_quantity.index.shards import ShardError, schema

__all__ = ["ShardError", "extract_to_parquet", "schema"]
