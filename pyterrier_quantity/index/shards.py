"""Read shards: Parquet files in which each row is a document with its quantities and the words around them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from pyterrier_quantity._extras import need
from pyterrier_quantity._progress import shown
from pyterrier_quantity.english.bracketed import bracketed_names
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.flat_arrays import Ints, Whole
from pyterrier_quantity.frames.checked_documents import Document
from pyterrier_quantity.index.columns_builder import Portion
from pyterrier_quantity.index.context_words import terms_around
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.index.stated_names import line_of
from pyterrier_quantity.index.totals import with_derived
from pyterrier_quantity.quantity import BOUNDS, Quantity

_ROWS: Final = 20_000  # number of documents read at a time


class ShardError(ValueError):
    """Raised if a shard is damaged, or if a file of documents cannot be converted to a shard."""


@cache
def schema() -> Any:
    """Return the Arrow schema of a shard.

    Columns are `docno`, `text` (null if missing), `quantities`, `terms` and `names`. Each quantity has the fields of
    `Quantity`: `low`, `high`, `unit`, `bound`, `start`, `end`, `concept`, `confidence`. Another field, `position`, is
    the quantity's position in `terms`. Terms are 16-bit hashes of the document's words, 0 at clause boundaries. `names`
    contains the synonyms that the document defines in brackets.

    Raises:
        ImportError: if pyarrow is missing.
    """
    pa = need("pyarrow", "parquet")
    quantity = pa.struct([
        ("low", pa.float64()), ("high", pa.float64()), ("unit", pa.string()), ("bound", pa.string()),
        ("start", pa.int64()), ("end", pa.int64()), ("concept", pa.list_(pa.string())),
        ("confidence", pa.float64()), ("position", pa.int64()),
    ])  # fmt: skip
    return pa.schema([
        ("docno", pa.string()), ("text", pa.string()), ("quantities", pa.list_(quantity)),
        ("terms", pa.list_(pa.int32())), ("names", pa.string()),
    ])  # fmt: skip


def shard_reader(extractor: Extractor | None = None, on_error: str = "raise") -> DocumentReader:
    """Return a document reader for shards, which extracts concepts by default. For `on_error`, see `DocumentReader`."""
    return DocumentReader(RuleExtractor(dates=True) if extractor is None else extractor, on_error=on_error)


def shard_row(document: Document, quantities: Sequence[Quantity]) -> dict[str, Any]:
    quantities = with_derived(quantities, document.text or "")
    terms, positions = terms_around(document.text, quantities) if quantities else ([], [])
    records = [
        {
            "low": q.low, "high": q.high, "unit": q.unit, "bound": q.bound, "start": q.start, "end": q.end,
            "concept": list(q.concept), "confidence": q.confidence, "position": position,
        }
        for q, position in zip(quantities, positions, strict=True)
    ]  # fmt: skip
    names = line_of(bracketed_names(document.text or ""))
    return {"docno": document.docno, "text": document.text, "quantities": records, "terms": terms, "names": names}


def shard_files(shards: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return the files in `shards`: a list of files, one file, or a folder, whose Parquet files are sorted by name.
    If there is no such file, raise a FileNotFoundError."""
    if isinstance(shards, str | Path):
        folder = Path(shards)
        files = sorted(folder.glob("*.parquet")) if folder.is_dir() else [folder]
    else:
        files = [Path(each) for each in shards]
    missing = [str(file) for file in files if not file.is_file()]
    if missing or not files:
        raise FileNotFoundError(f"no shards at {missing[0] if missing else shards}; make them with extract_to_parquet")
    return files


def read_shards(shards: str | Path | Iterable[str | Path], verbose: bool = False) -> Iterator[Portion]:
    """Yield the documents of shards in batches, in order and without the texts. For `shards`, see `shard_files`.
    If a file is damaged or is not a shard, raise a ShardError that names the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = schema().remove(schema().get_field_index("text"))
    for file in shown(shard_files(shards), verbose, desc="shards"):
        try:
            for batch in pq.ParquetFile(file).iter_batches(_ROWS, columns=wanted.names):
                table = pa.Table.from_batches([batch]).select(wanted.names).cast(wanted).combine_chunks()
                yield _portion(table, file)
        except (pa.ArrowException, KeyError, ValueError, OSError) as error:
            if isinstance(error, FileNotFoundError | ShardError):
                raise
            fault = f"{file} is not a shard with the columns of build.schema(), or damaged ({error})"
            raise ShardError(f"{fault}; make it again with extract_to_parquet(overwrite=True)") from error


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
    lines = [line or "" for line in batch["names"].to_pylist()]
    return Portion(docnos, count, number["low"], number["high"], names, unit, numbers, terms, words, lines)


def _flat(lists: Any) -> tuple[Any, Ints]:
    """Return the items of all lists in a column, and the length of each list: [[3, 4], [5]] -> [3, 4, 5] and [2, 1]."""
    import pyarrow.compute as pc

    column = lists.combine_chunks()
    count = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return column.flatten(), count


def _named(names: Any) -> tuple[list[str], Whole]:
    encoded = names.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False)
