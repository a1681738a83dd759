"""Bulk writing of documents to the engine, with concurrent requests, retries, and a report of failures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, Final

from pyterrier_quantity._progress import bar
from pyterrier_quantity.backends.opensearch.connection import Engine, reason

Action = dict[str, Any]
Failures = dict[str, str]
"""The engine's reasons by docno."""

CHUNK: Final = 500
"""Number of documents per request."""
_CHUNK_BYTES: Final = 10 * 1024 * 1024
_RETRIES, _LONGEST_WAIT = 5, 60
"""Number of retries of a document that was refused for lack of resources, and maximum wait in seconds."""
_SHOWN: Final = 5


class BulkError(RuntimeError):
    """Error of documents that the engine refused after retries; all others are written, unless an index is overwritten.

    Attributes:
        failures: the engine's reason for each docno.
        written: number of documents that were written.
    """

    def __init__(self, name: str, failures: Failures, written: int, replacing: bool = False) -> None:
        self.failures, self.written = failures, written
        shown = "; ".join(f"{docno!r}: {why}" for docno, why in list(failures.items())[:_SHOWN])
        more = f"; and {len(failures) - _SHOWN} more, see .failures" if len(failures) > _SHOWN else ""
        remedy = "fix them and index again with resume=True, which skips existing ones"
        if replacing:
            remedy = "the index is unchanged; fix them and index again"
        super().__init__(
            f"{len(failures)} of {written + len(failures)} documents were not written to the engine's index {name!r} "
            f"({shown}{more}); {remedy}"
        )


def write(engine: Engine, name: str, actions: Iterable[Action], writers: int = 1, verbose: bool = False) -> None:
    """Write to an index by bulk requests.

    Args:
        engine: the engine with the index.
        name: the index's name, or the temporary name of a replacement.
        actions: the input of `opensearchpy.helpers`, with `_id`.
        writers: number of concurrent requests.
        verbose: show progress.

    Raises:
        BulkError: if documents were not written; it names them. Errors of `actions` are passed on; earlier actions are
            written.
    """
    failures: Failures = {}
    written = 0
    with bar(verbose, desc="written", unit="doc") as progress:
        for count, failed in _ahead(lambda chunk: _write(engine, name, chunk), iter(actions), writers):
            failures |= failed
            written += count - len(failed)
            progress.update(count)
    if failures:
        raise BulkError(name, failures, written)


def _ahead(
    task: Callable[[list[Action]], tuple[int, Failures]], actions: Iterator[Action], writers: int
) -> Iterator[tuple[int, Failures]]:
    """Yield the task's results for all chunks in order, with `writers` tasks running concurrently."""
    pending: deque[Future[tuple[int, Failures]]] = deque()
    with ThreadPoolExecutor(writers) as pool:
        while chunk := list(islice(actions, CHUNK)):
            pending.append(pool.submit(task, chunk))
            if len(pending) > writers:
                yield pending.popleft().result()
        yield from (future.result() for future in pending)


def _write(engine: Engine, name: str, chunk: list[Action]) -> tuple[int, Failures]:
    """Return the number of documents written, and the reasons of those that failed after retries."""
    from opensearchpy.helpers import streaming_bulk

    failures: Failures = {}
    with engine.errors():
        results = streaming_bulk(
            engine.client,
            chunk,
            index=name,
            chunk_size=CHUNK,
            max_chunk_bytes=_CHUNK_BYTES,
            max_retries=_RETRIES,
            initial_backoff=1,
            max_backoff=_LONGEST_WAIT,
            raise_on_error=False,
            raise_on_exception=False,
            yield_ok=False,
        )
        for _, result in results:
            (answer,) = result.values()
            failures[answer["_id"]] = reason(answer.get("error")) or str(answer.get("exception"))
    return len(chunk), failures
