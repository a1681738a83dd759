"""Extract quantities from JSON lines with several processes, and write them as Parquet files (shards).

Each process parses lines, checks the documents and extracts their quantities. The calling process writes the results
in the order of the files. The content of a shard does not depend on the number of processes.
"""

import gzip
import json
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from pyterrier_quantity._extras import need
from pyterrier_quantity._progress import bar
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.frames.checked_documents import checked_documents
from pyterrier_quantity.index.document_reader import DocumentReader, warn_of
from pyterrier_quantity.index.shards import ShardError, schema, shard_reader, shard_row

Item = TypeVar("Item")
Result = TypeVar("Result")
_SIZE: Final = 1 << 17  # approximate number of bytes in a portion (lines that a process handles at once)
_AHEAD: Final = 4  # maximum number of portions per process that are being handled or waiting


def extract_to_parquet(
    paths: str | Path | Iterable[str | Path],
    out: str | Path,
    workers: int = 1,
    extractor: Extractor | None = None,
    text_field: str = "text",
    overwrite: bool = False,
    verbose: bool = False,
    on_error: str = "raise",
) -> list[Path]:
    """Extract the quantities of documents in files, and write a Parquet file (shard) for each file.

    Args:
        paths: files of JSON lines with `docno` and the text, plain or .gz.
        out: the folder for the shards. "news.jsonl.gz" becomes "news.parquet". Several machines may share a folder.
        workers: number of worker processes.
        extractor: a picklable extractor (default: `RuleExtractor` with concepts and dates).
        text_field: the field with the text.
        overwrite: whether to replace existing shards. If False, they are kept, so an interrupted build can be resumed.
        verbose: whether to show progress.
        on_error: what to do with a malformed document, or a document whose extraction fails: "raise" an error, or
            "skip" the document with a warning.

    Returns:
        The paths of the shards, in the order of the files. For their columns, see `schema`.

    Raises:
        FileNotFoundError: if a file is missing. ImportError: if pyarrow is missing.
        ShardError: if two files have the same name, or if a worker process is killed.
        TypeError, ValueError: if a line is not JSON or a document is malformed. Finished shards are kept.
    """
    files = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    names = [file.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json") for file in files]
    shards = {file: Path(out) / f"{name}.parquet" for file, name in zip(files, names, strict=True)}
    if len(set(shards.values())) < len(files):
        raise ShardError("two files have the same name, so their shards would also; rename one file")
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(f"no file {file}")
    need("pyarrow", "parquet")
    Path(out).mkdir(parents=True, exist_ok=True)
    task = partial(portion_rows, text_field=text_field, reader=shard_reader(extractor, on_error))
    wanted = [file for file in files if overwrite or not shards[file].exists()]
    for file, made in groupby(in_order(task, portions(wanted), workers), key=lambda each: each[0].file):
        left_out: list[str] | None = [] if on_error == "skip" else None
        _write_shard(file, shards[file], (result() for _, result in made), left_out, verbose)
        warn_of(left_out, stacklevel=3)
    return list(shards.values())


def in_order(
    task: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[tuple[Item, Callable[[], Result]]]:
    """Run the function `task` on each item, in several processes if `workers` is above 1. Yield each item, in order,
    with a function that returns the item's result or raises its error. Only a few items are read in advance."""
    if workers < 2:
        yield from ((item, partial(task, item)) for item in items)
        return
    waiting: deque[tuple[Item, Callable[[], Result]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for item in items:
            try:
                waiting.append((item, pool.submit(task, item).result))
            except BrokenProcessPool:  # reported with the item on which a process was killed
                break
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft()
        yield from waiting


def _write_shard(
    file: Path, shard: Path, tables: Iterable[tuple[Any, list[str]]], left_out: list[str] | None, verbose: bool
) -> None:
    """Write the tables extracted from `file` to a temporary file, then rename the temporary file to `shard`, so that no
    shard is ever incomplete. If the list `left_out` is given, add messages about skipped documents to it."""
    import pyarrow.parquet as pq

    aside = shard.with_name(f".{shard.name}.{os.getpid()}")
    seen: set[str] = set()
    try:
        with pq.ParquetWriter(aside, schema()) as writer, bar(verbose, desc=file.name, unit="doc") as progress:
            for table, unread in tables:
                if left_out is not None:
                    left_out += unread
                writer.write_table(_new(table, seen, file, left_out))
                progress.update(len(table))
        aside.replace(shard)
    except BrokenProcessPool as error:
        raise ShardError(
            f"{file}: a worker process was killed, perhaps for lack of memory; run again with fewer workers: finished "
            "shards are kept; if no process starts, call the function below `if __name__ == '__main__':`"
        ) from error
    finally:
        aside.unlink(missing_ok=True)


def _new(table: Any, seen: set[str], file: Path, left_out: list[str] | None) -> Any:
    """Return the table without rows whose docnos are in `seen`, and add all other docnos to `seen`. For each removed
    row, add a message to `left_out` or, if `left_out` is None, raise a ShardError that names the file."""
    import pyarrow as pa

    is_new, messages = list[bool](), list[str]()
    for docno in table["docno"].to_pylist():
        is_new.append(docno not in seen)
        seen.add(docno)
        if not is_new[-1]:
            messages.append(f"docno {docno!r} occurred before; make it unique")
    if not messages:
        return table
    if left_out is None:
        raise ShardError(f"{file}: {messages[0]}")
    left_out += messages
    return table.filter(pa.array(is_new))


class Portion(NamedTuple):
    """Consecutive lines of a file. `first` is the number of lines before them. If the rest of the file cannot be read,
    `broken` is the reason."""

    file: Path
    first: int
    lines: list[bytes]
    broken: str | None = None


def portions(files: Iterable[Path]) -> Iterator[Portion]:
    """Yield the lines of the files in portions of limited size. An empty file yields one empty portion."""
    for file in files:
        first = 0
        try:
            with (gzip.open if file.suffix == ".gz" else open)(file, "rb") as opened:
                for lines in iter(partial(opened.readlines, _SIZE), []):
                    yield Portion(file, first, lines)
                    first += len(lines)
            if not first:
                yield Portion(file, first, [])
        except (OSError, EOFError, zlib.error) as error:
            yield Portion(file, first, [], f"it cannot be read beyond line {first}: {error}")


def portion_rows(portion: Portion, text_field: str, reader: DocumentReader) -> tuple[Any, list[str]]:
    """Return an Arrow table of the documents in a portion (lines of a file), and messages about skipped documents.
    Raise a TypeError or ShardError if a line is not JSON, or if a malformed document must not be skipped."""
    import pyarrow as pa

    left_out: list[str] = []
    passed_over = left_out if reader.on_error == "skip" else None
    try:
        checked = checked_documents(_parsed(portion), text_field, left_out=passed_over, first=portion.first)
        documents = list(checked)
        rows = [shard_row(*read) for read in reader.with_quantities(documents, passed_over)]
        return pa.Table.from_pylist(rows, schema()), left_out
    except TypeError as error:
        raise TypeError(f"{portion.file}: {error}") from error
    except ValueError as error:
        raise ShardError(f"{portion.file}: {error}") from error


def _parsed(portion: Portion) -> Iterator[Any]:
    if portion.broken is not None:
        raise ShardError(portion.broken)
    for number, line in enumerate(portion.lines, start=portion.first + 1):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ShardError(f"line {number} is not JSON: {error}") from error
