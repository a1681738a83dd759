"""A file of JSON lines, portion by portion, and what becomes of a portion: the rows of a shard."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyterrier_quantity._documents import checked_documents
from pyterrier_quantity.build.shards import ShardError, schema, shard_row
from pyterrier_quantity.index.document_reader import DocumentReader

_SIZE: Final = 1 << 17
"""Bytes of a portion, about: a tenth of a second's work."""


class Portion(NamedTuple):
    """Some lines of a file, as they stand there.

    Args:
        file: the file.
        first: how many lines stand before them.
        lines: the lines; none where the file is empty.
        broken: why no more can be read, where it cannot.
    """

    file: Path
    first: int
    lines: list[bytes]
    broken: str | None = None


def portions(files: Iterable[Path]) -> Iterator[Portion]:
    """The files' lines, at least one portion of each file."""
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
    """The rows of a portion's documents, a table of `shards.schema`, and what is said of documents that are left out.

    Raises:
        TypeError, ShardError: naming the file, on a line that is no JSON, and on a document that cannot be read where
            the reader leaves none out.
    """
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
            raise ShardError(f"line {number} is no JSON: {error}") from error
