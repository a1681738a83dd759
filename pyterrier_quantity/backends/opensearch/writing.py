"""Documents into the engine: written in bulk by several writers, retried, and reported where they fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any, Final

from pyterrier_quantity._progress import bar
from pyterrier_quantity.backends.opensearch.connection import Engine, reason

Action = dict[str, Any]

CHUNK: Final = 500
"""Documents a request."""

_CHUNK_BYTES: Final = 10 * 1024 * 1024

_AGAIN: Final = frozenset({429, 500, 502, 503, 504, "N/A"})
"""States in which the engine, or the way to it, may recover; "N/A" is the client's word for no answer."""

_SHOWN: Final = 5


class BulkError(RuntimeError):
    """Documents that the engine did not take, after retries; all others are written, unless an index is overwritten.

    Attributes:
        failures: the engine's reason for each docno.
        written: how many documents the engine took.
    """

    def __init__(self, name: str, failures: dict[str, str], written: int, replacing: bool = False) -> None:
        self.failures = failures
        shown = "; ".join(f"{docno!r}: {why}" for docno, why in list(failures.items())[:_SHOWN])
        more = f"; and {len(failures) - _SHOWN} more, see .failures" if len(failures) > _SHOWN else ""
        remedy = "mend them and index again with resume=True, which skips those that are there"
        if replacing:
            remedy = "the index is as it was; mend them and index again"
        self.written = written
        super().__init__(
            f"{len(failures)} of {written + len(failures)} documents were not written to the engine's index {name!r} "
            f"({shown}{more}); {remedy}"
        )


def write(
    engine: Engine,
    name: str,
    actions: Iterable[Action],
    writers: int = 1,
    retries: int = 5,
    backoff: float = 1.0,
    verbose: bool = False,
) -> int:
    """Write to an index, in bulk.

    Args:
        engine: where the index is.
        name: the index; the engine's own, or one that is built aside.
        actions: what `opensearchpy.helpers` takes, with `_id`.
        writers: requests at a time.
        retries: how often a document is tried again that was refused for want of room or by a shard that fails.
        backoff: seconds before the first retry; doubled at each.
        verbose: show progress.

    Returns:
        How many documents were written.

    Raises:
        BulkError: naming those that were not. Whatever `actions` raises; what came before it is written.
    """
    failures: dict[str, str] = {}
    written = 0
    chunks = _chunks(iter(actions))
    with bar(verbose, desc="written", unit="doc") as progress:
        for count, failed in _ahead(lambda chunk: _write(engine, name, chunk, retries, backoff), chunks, writers):
            failures |= failed
            written += count - len(failed)
            progress.update(count)
    if failures:
        raise BulkError(name, failures, written)
    return written


def _chunks(actions: Iterator[Action]) -> Iterator[list[Action]]:
    while chunk := list(islice(actions, CHUNK)):
        yield chunk


def _ahead(
    task: Callable[[list[Action]], tuple[int, dict[str, str]]], chunks: Iterable[list[Action]], writers: int
) -> Iterator[tuple[int, dict[str, str]]]:
    """The task's results, of as many chunks at a time as there are writers, and no more read ahead."""
    pending: set[Future[tuple[int, dict[str, str]]]] = set()
    with ThreadPoolExecutor(writers) as pool:
        for chunk in chunks:
            pending.add(pool.submit(task, chunk))
            if len(pending) > writers:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        yield from (future.result() for future in pending)


def _write(
    engine: Engine, name: str, chunk: Sequence[Action], retries: int, backoff: float
) -> tuple[int, dict[str, str]]:
    """How many documents there were, and why some of them failed for good."""
    failures: dict[str, str] = {}
    left = list(chunk)
    for attempt in range(retries + 1):
        if attempt:
            time.sleep(min(backoff * 2 ** (attempt - 1), 60.0))
        again = []
        for action, status, why in _failed(engine, name, left):
            if status in _AGAIN and attempt < retries:
                again.append(action)
            else:
                failures[action["_id"]] = why
        left = again
        if not left:
            break
    return len(chunk), failures


def _failed(engine: Engine, name: str, actions: Sequence[Action]) -> list[tuple[Action, Any, str]]:
    """The actions of one request that failed, with their states and reasons."""
    from opensearchpy.helpers import streaming_bulk

    failed = []
    with engine.errors():
        results = streaming_bulk(
            engine.client,
            actions,
            chunk_size=CHUNK,
            max_chunk_bytes=_CHUNK_BYTES,
            index=name,
            raise_on_error=False,
            raise_on_exception=False,
        )
        for action, (ok, result) in zip(actions, results, strict=True):
            if not ok:
                ((operation, answer),) = result.items()
                if operation != "delete" or answer.get("status") != 404:
                    why = reason(answer.get("error")) or str(answer.get("exception"))
                    failed.append((action, answer.get("status"), why))
    return failed
