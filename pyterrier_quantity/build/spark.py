"""Extract the quantities of documents in a Spark frame, with the workers of a Spark cluster."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.frames.checked_documents import checked_documents
from pyterrier_quantity.index.shards import schema, shard_reader, shard_row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def extract_frame(frame: "DataFrame", text_field: str = "text") -> "DataFrame":
    """Return a Spark frame of documents with their quantities, in the columns of `build.schema`.

    Write the result with `.write.parquet(folder)`, and build the index with `QuantityIndex.from_parquet(folder, path)`.

    Args:
        frame: a Spark frame with `docno` and the text. Partitions keep their order.
        text_field: the column with the text.

    Raises:
        ImportError: if pyspark is missing.
    """
    types = need("pyspark.sql.pandas.types", "spark")

    def extract(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        reader = shard_reader()
        for part in parts:
            documents = list(checked_documents(part.to_dict("records"), text_field))
            rows: list[dict[str, Any]] = [shard_row(*read) for read in reader.with_quantities(documents, None)]
            yield pd.DataFrame(rows, columns=schema().names)

    return frame.select("docno", text_field).mapInPandas(extract, types.from_arrow_schema(schema()))
