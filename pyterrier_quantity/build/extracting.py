"""Convert JSON lines to Parquet shards with several processes.

Each process takes portions of raw lines, so parsing, checking and extraction all run in parallel. The calling process
writes the results in the order of the files. A shard does not depend on the number of processes.
"""

from __future__ import annotations

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

import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity._progress import bar
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.frames.checked_documents import checked_documents
from pyterrier_quantity.index.document_reader import DocumentReader, warn_of
from pyterrier_quantity.index.shards import ShardError, schema, shard_reader, shard_row

Item = TypeVar("Item")
Result = TypeVar("Result")
_SIZE: Final = 1 << 17
"""Approximate number of bytes in a portion: a tenth of a second's work."""
_AHEAD: Final = 4
"""Number of portions for each process that are being processed or wait for it."""


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
    """Write a shard for each file; see `shards.schema` for its columns.

    Args:
        paths: files of JSON lines with `docno` and the text, plain or .gz.
        out: the folder of the shards, each named after its file. Several machines may write to the same folder.
        workers: the number of processes that extract.
        extractor: by default the rule extractor, with concepts and dates. With several workers it must be picklable.
        text_field: the field that holds the text.
        overwrite: whether to write existing shards again instead of continuing an interrupted build.
        verbose: whether to show progress.
        on_error: what to do with a malformed document, or one whose extraction fails: "raise" stops with an error that
            names it; "skip" leaves it out with a warning that names it.

    Returns:
        The paths of the shards, in the order of the files.

    Raises:
        FileNotFoundError: if a file is missing. ImportError: if pyarrow is missing.
        ShardError: if two files have the same name, or a worker process is killed.
        TypeError, ValueError: if a line is not JSON or a document cannot be read; the message names the file. Finished
            shards are kept.
    """
    files = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    names = [file.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json") for file in files]
    shards = {file: Path(out) / f"{name}.parquet" for file, name in zip(files, names, strict=True)}
    if len(set(shards.values())) < len(files):
        raise ShardError("two files have the same name, and so would their shards; rename one of them")
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
    """Run a task on each item, in several processes from 2 `workers` on. Yield each item, in order, with a function
    that returns its result or raises its error. Only a few items are read ahead."""
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
    """Write a shard to a temporary file and rename it, so that a shard that exists is complete."""
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
            f"{file}: a process that extracts was ended, perhaps for lack of memory; run it again with fewer workers: "
            "finished shards are kept; if none starts, call it below `if __name__ == '__main__':`"
        ) from error
    finally:
        aside.unlink(missing_ok=True)


def _new(table: Any, seen: set[str], file: Path, left_out: list[str] | None) -> Any:
    """Return the rows with new docnos. Repeated docnos raise an error, or are left out."""
    import pyarrow as pa

    docnos = pd.Series(table["docno"].to_pylist(), dtype=object)
    again = docnos.duplicated() | docnos.isin(seen)
    seen.update(docnos)
    if not again.any():
        return table
    messages = [f"docno {docno!r} occurred before; make it unique" for docno in docnos[again]]
    if left_out is None:
        raise ShardError(f"{file}: {messages[0]}")
    left_out += messages
    return table.filter(pa.array(~again))


class Portion(NamedTuple):
    """Raw lines of a file, after the first `first` lines; an empty file has an empty portion. `broken` is the reason
    why the rest of the file cannot be read, or None."""

    file: Path
    first: int
    lines: list[bytes]
    broken: str | None = None


def portions(files: Iterable[Path]) -> Iterator[Portion]:
    """Yield the lines of files in portions, at least one portion for each file."""
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
    """Return a table of a portion's documents (see `shards.schema`), and messages on the documents left out. A
    TypeError or ShardError names the file, if a line is not JSON or a document cannot be read and errors are not
    skipped."""
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
