"""JSON lines to Parquet shards, on several processes."""

from __future__ import annotations

import gzip
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity._documents import Document, checked_documents
from pyterrier_quantity._progress import bar
from pyterrier_quantity.build.shards import ShardError, schema, shard_reader, shard_row
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.index.document_reader import DocumentReader, warn_of

_PORTION: Final = 1000
"""Documents that a process takes at a time."""


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
    """Write a shard for each file; see `shards.schema` for what it holds.

    Args:
        paths: files of JSON lines with `docno` and the text, plain or .gz.
        out: the folder of the shards; each is named as its file. Several machines may write to one folder.
        workers: processes that extract.
        extractor: the rule extractor, with concepts and dates, by default; with several workers it must survive
            pickling.
        text_field: the field that holds the text.
        overwrite: make shards anew that are there. Without it they are kept, so that a build that ended early goes on.
        verbose: show progress.
        on_error: what becomes of a document of another form, or whose quantities cannot be read: "raise" stops, and
            names it; "skip" leaves it out, and a warning names it.

    Returns:
        The shards, in the order of the files.

    Raises:
        FileNotFoundError: if a file is missing. ImportError: without pyarrow.
        ShardError: if two files have the same name, or a process that extracts is ended.
        TypeError, ValueError: on a line that is no JSON or a document that cannot be read, naming the file. Finished
            shards stay.
    """
    files = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    shards = [Path(out) / f"{_stem(file)}.parquet" for file in files]
    if len(set(shards)) < len(shards):
        raise ShardError("two of the files have the same name, so their shards would; rename one of them")
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(f"no file {file}")
    Path(out).mkdir(parents=True, exist_ok=True)
    read = partial(_table, reader=shard_reader(extractor, on_error))
    with ExitStack() as stack:
        pool = None
        if workers > 1:
            pool = stack.enter_context(ProcessPoolExecutor(workers, mp_context=get_context("spawn")))
        for file, shard in zip(files, shards, strict=True):
            if overwrite or not shard.exists():
                left_out: list[str] | None = [] if on_error == "skip" else None
                _write_shard(file, shard, text_field, _in_order(read, pool, workers), left_out, verbose)
                warn_of(left_out, stacklevel=3)
    return shards


def _stem(file: Path) -> str:
    return file.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")


def _write_shard(
    file: Path,
    shard: Path,
    text_field: str,
    extract: Callable[[Iterable[list[Document]]], Iterator[tuple[Any, list[str]]]],
    left_out: list[str] | None,
    verbose: bool,
) -> None:
    """Written aside and moved into place, so that a shard that is there is whole."""
    import pyarrow.parquet as pq

    aside = shard.with_name(f".{shard.name}.{os.getpid()}")
    try:
        documents = checked_documents(_lines(file), text_field, ready=False, left_out=left_out)
        with (
            pq.ParquetWriter(aside, schema()) as writer,
            bar(verbose, desc=file.name, unit="doc") as progress,
        ):
            for table, unread in extract(_portions(documents)):
                writer.write_table(table)
                progress.update(len(table))
                if left_out is not None:
                    left_out += unread
        aside.replace(shard)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{file}: {error}") from error
    except BrokenProcessPool as error:
        raise ShardError(
            f"{file}: a process that extracts was ended, perhaps for want of memory; run it again with fewer workers: "
            "finished shards are kept; if none starts, call it below `if __name__ == '__main__':`"
        ) from error
    finally:
        aside.unlink(missing_ok=True)


def _lines(file: Path) -> Iterator[Mapping[str, Any]]:
    opener = gzip.open if file.suffix == ".gz" else open
    with opener(file, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise ShardError(f"line {number} is no JSON: {error}") from error


def _portions(documents: Iterator[Document]) -> Iterator[list[Document]]:
    while portion := list(islice(documents, _PORTION)):
        yield portion


def _table(documents: Sequence[Document], reader: DocumentReader) -> tuple[Any, list[str]]:
    """The rows of these documents, and what is said of those that are left out."""
    import pyarrow as pa

    left_out: list[str] = []
    read = reader.with_quantities(documents, left_out if reader.on_error == "skip" else None)
    return pa.Table.from_pylist([shard_row(*one) for one in read], schema()), left_out


def _in_order(
    task: Callable[[list[Document]], Any], pool: ProcessPoolExecutor | None, workers: int
) -> Callable[[Iterable[list[Document]]], Iterator[Any]]:
    """The task over portions, results in their order, with few portions read ahead."""

    def here(portions: Iterable[list[Document]]) -> Iterator[Any]:
        return map(task, portions)

    def there(portions: Iterable[list[Document]]) -> Iterator[Any]:
        assert pool is not None
        pending: deque[Future[Any]] = deque()
        for portion in portions:
            pending.append(pool.submit(task, portion))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    return here if pool is None else there
