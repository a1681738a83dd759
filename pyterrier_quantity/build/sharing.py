"""Work that several processes share, with its results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from multiprocessing import get_context
from typing import Final, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD: Final = 2
"""Items that lie ready for each other process, so that none waits for the next."""

_KEPT: Final = 10
"""Results for each process that may wait for one before them."""


def processes(workers: int) -> AbstractContextManager[ProcessPoolExecutor | None]:
    """Those that work beside this one, which is one of the workers; none where it works alone."""
    if workers < 2:
        return nullcontext()
    return ProcessPoolExecutor(workers - 1, mp_context=get_context("spawn"))


def in_order(
    task: Callable[[Item], Result], items: Iterable[Item], pool: ProcessPoolExecutor | None, workers: int
) -> Iterator[tuple[Item, Future[Result]]]:
    """Each item with what the task makes of it, or with the error that it raises, in the order of the items.

    Args:
        task: survives pickling, as items and results do.
        items: are read a few ahead.
        pool: the `processes` beside this one, which works on what they have no room for.
        workers: how many work, this one among them.
    """
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    for item in items:
        unfinished = sum(not future.done() for _, future in waiting)
        given = _given(task, item, pool) if unfinished < _AHEAD * (workers - 1) else None
        waiting.append((item, given or _done_here(task, item)))
        while waiting and (waiting[0][1].done() or len(waiting) > _KEPT * workers):
            yield waiting.popleft()
    yield from waiting


def _given(task: Callable[[Item], Result], item: Item, pool: ProcessPoolExecutor | None) -> Future[Result] | None:
    """None: there is nobody to give it to. Where one was ended over another item, that item's future says so."""
    try:
        return pool.submit(task, item) if pool is not None else None
    except BrokenProcessPool:
        return None


def _done_here(task: Callable[[Item], Result], item: Item) -> Future[Result]:
    future: Future[Result] = Future()
    try:
        future.set_result(task(item))
    except Exception as error:  # whatever it is, it is raised when the item's turn comes
        future.set_exception(error)
    return future
