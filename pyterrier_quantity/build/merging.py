"""Parquet shards to the columns of one index: read once, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pyterrier_quantity._progress import shown
from pyterrier_quantity._ragged import Ints, Whole
from pyterrier_quantity.build.shards import ShardError, shard_batches, shard_files
from pyterrier_quantity.index.columns_builder import Portion
from pyterrier_quantity.quantity import BOUNDS


def read_shards(shards: str | Path | Iterable[str | Path], verbose: bool = False) -> Iterator[Portion]:
    """The documents of shards, in their order; see `shards.shard_files`."""
    for file in shown(shard_files(shards), verbose, desc="shards"):
        for batch in shard_batches(file):
            yield _portion(batch, file)


def _portion(batch: Any, file: Path) -> Portion:
    docnos = batch["docno"].to_pylist()
    if None in docnos:
        raise ShardError(f"{file}: a document has no docno")
    quantities, count = _flat(batch["quantities"])
    terms, words = _flat(batch["terms"])
    number = {
        name: quantities.field(name).to_numpy(zero_copy_only=False)
        for name in ("low", "high", "start", "end", "confidence", "position")
    }
    bounds, bound = _named(quantities.field("bound"))
    numbers = {
        "bound": np.array([BOUNDS.index(name) for name in bounds], dtype=np.uint8)[bound],
        "confidence": np.maximum(np.rint(255 * number["confidence"]), 1),
        "start": np.minimum(number["start"], 2**32 - 1),
        "length": np.minimum(number["end"] - number["start"], 2**16 - 1),
        "position": number["position"],
    }
    names, unit = _named(quantities.field("unit"))
    terms = terms.to_numpy(zero_copy_only=False)
    return Portion(docnos, count, number["low"], number["high"], names, unit, numbers, terms, words)


def _flat(lists: Any) -> tuple[Any, Ints]:
    """The items of a column of lists, and how many each list has."""
    import pyarrow.compute as pc

    column = lists.combine_chunks()
    count = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return column.flatten(), count


def _named(names: Any) -> tuple[list[str], Whole]:
    """The distinct names of a column, and for each entry the place of its own among them."""
    encoded = names.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False)
