"""Documents into the engine: written in bulk by several writers, retried, and reported where they fail."""

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
"""The engine's reason for each docno."""

CHUNK: Final = 500
"""Documents a request."""
_CHUNK_BYTES: Final = 10 * 1024 * 1024
_RETRIES, _LONGEST_WAIT = 5, 60
"""How often a document that was refused for want of room is tried again, and the most seconds between two tries."""
_SHOWN: Final = 5


class BulkError(RuntimeError):
    """Documents that the engine did not take, after retries; all others are written, unless an index is overwritten.

    Attributes:
        failures: the engine's reason for each docno.
        written: how many documents the engine took.
    """

    def __init__(self, name: str, failures: Failures, written: int, replacing: bool = False) -> None:
        self.failures, self.written = failures, written
        shown = "; ".join(f"{docno!r}: {why}" for docno, why in list(failures.items())[:_SHOWN])
        more = f"; and {len(failures) - _SHOWN} more, see .failures" if len(failures) > _SHOWN else ""
        remedy = "mend them and index again with resume=True, which skips those that are there"
        if replacing:
            remedy = "the index is as it was; mend them and index again"
        super().__init__(
            f"{len(failures)} of {written + len(failures)} documents were not written to the engine's index {name!r} "
            f"({shown}{more}); {remedy}"
        )


def write(engine: Engine, name: str, actions: Iterable[Action], writers: int = 1, verbose: bool = False) -> None:
    """Write to an index, in bulk.

    Args:
        engine: where the index is.
        name: the index; the engine's own, or one that is built aside.
        actions: what `opensearchpy.helpers` takes, with `_id`.
        writers: requests at a time.
        verbose: show progress.

    Raises:
        BulkError: naming those that were not written. Whatever `actions` raises; what came before it is written.
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
    """The task's results of all chunks in their order; as many chunks are read ahead as there are writers."""
    pending: deque[Future[tuple[int, Failures]]] = deque()
    with ThreadPoolExecutor(writers) as pool:
        while chunk := list(islice(actions, CHUNK)):
            pending.append(pool.submit(task, chunk))
            if len(pending) > writers:
                yield pending.popleft().result()
        yield from (future.result() for future in pending)


def _write(engine: Engine, name: str, chunk: list[Action]) -> tuple[int, Failures]:
    """How many documents there were, and why some of them failed for good."""
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
