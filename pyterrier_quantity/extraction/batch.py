"""Many texts at once, over several processes.

Workers are fresh interpreters that get texts and send readings through pipes: no fork (threads, JVMs and GPU
contexts of the caller stay out of it) and no import of the caller's main module.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyterrier_quantity.quantity import Quantity

if TYPE_CHECKING:
    from .rules import RuleExtractor

WORTH_IT = 3_000_000
"""Characters from which on starting more processes pays."""

_CHUNK = 150_000


def extract_batch(
    extractor: RuleExtractor, texts: list[str], threads: int | None, verbose: bool
) -> list[list[Quantity]]:
    """As `RuleExtractor.extract_batch`, which documents it."""
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"extract_batch: every text must be a string, got {type(text).__name__}")
    if threads is not None and threads < 1:
        raise ValueError(f"extract_batch: threads must be at least 1, got {threads}")
    chunks = _chunks(texts)
    if threads is None:
        threads = (os.cpu_count() or 1) if sum(map(len, texts)) >= WORTH_IT else 1
    if extractor.customised:
        threads = 1  # a worker would not know the user's units
    threads = min(threads, len(chunks))
    bar = _Bar(len(texts), verbose)
    try:
        if threads <= 1:
            return [bar.step(extractor.extract(text)) for text in texts]
        return _in_processes(extractor, chunks, threads, bar)
    finally:
        bar.close()


class _Bar:
    """A progress bar, or nothing."""

    def __init__(self, total: int, verbose: bool) -> None:
        self._bar: Any = None
        if verbose:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, desc="quantities", unit="text")

    def step(self, found: list[Quantity]) -> list[Quantity]:
        if self._bar is not None:
            self._bar.update(1)
        return found

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _chunks(texts: list[str]) -> list[list[str]]:
    chunks: list[list[str]] = []
    size = _CHUNK
    for text in texts:
        if size >= _CHUNK:
            chunks.append([])
            size = 0
        chunks[-1].append(text)
        size += len(text) + 20
    return chunks


def _in_processes(extractor: RuleExtractor, chunks: list[list[str]], threads: int, bar: _Bar) -> list[list[Quantity]]:
    """Hand the chunks out one by one; each worker has a thread here that feeds it."""
    results: list[list[list[Quantity]] | None] = [None] * len(chunks)
    todo = iter(range(len(chunks)))
    lock = threading.Lock()
    errors: list[BaseException] = []

    def feed() -> None:
        try:
            with _POOL.lent(str(extractor.concepts), extractor.model) as worker:
                while not errors:
                    with lock:
                        index = next(todo, None)
                    if index is None:
                        return
                    found = worker.extract(chunks[index])
                    with lock:
                        results[index] = found
                        for one in found:
                            bar.step(one)
        except BaseException as error:  # handed on to the caller's thread
            errors.append(error)

    feeders = [threading.Thread(target=feed, daemon=True) for _ in range(threads)]
    for feeder in feeders:
        feeder.start()
    for feeder in feeders:
        feeder.join()
    if errors:
        raise errors[0]
    return [found for chunk in results if chunk is not None for found in chunk]


class _Worker:
    """Another interpreter that extracts."""

    def __init__(self, concepts: str, model: str) -> None:
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pyterrier_quantity.extraction.worker", concepts, model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()

    def extract(self, texts: list[str]) -> list[list[Quantity]]:
        """The quantities of the texts.

        Raises:
            RuntimeError: if the process died.
        """
        try:
            send(self._process.stdin, texts)
            rows = receive(self._process.stdout)
        except (OSError, EOFError) as error:
            raise RuntimeError("extract_batch: a worker process ended early; try threads=1") from error
        return [[Quantity(*row) for row in text] for text in rows]


class _Pool:
    """Workers that wait for the next batch: starting one takes longer than many a batch."""

    def __init__(self) -> None:
        self._idle: dict[tuple[str, str], list[_Worker]] = {}
        self._lock = threading.Lock()
        self._owner = os.getpid()
        atexit.register(self.close)

    @contextlib.contextmanager
    def lent(self, concepts: str, model: str) -> Iterator[_Worker]:
        """A worker of that kind, back in the pool afterwards unless something went wrong."""
        with self._lock:
            if self._owner != os.getpid():  # a fork must not write into its parent's pipes
                self._idle, self._owner = {}, os.getpid()
            waiting = self._idle.setdefault((concepts, model), [])
            worker = waiting.pop() if waiting else None
        worker = worker or _Worker(concepts, model)
        try:
            yield worker
        except BaseException:
            worker.close()
            raise
        with self._lock:
            self._idle[concepts, model].append(worker)

    def close(self) -> None:
        """End all waiting workers."""
        with self._lock:
            workers = [worker for waiting in self._idle.values() for worker in waiting]
            self._idle = {}
        if self._owner == os.getpid():
            for worker in workers:
                worker.close()


_POOL = _Pool()


def send(pipe: Any, value: Any) -> None:
    """Write one value, its length first."""
    data = marshal.dumps(value)
    pipe.write(len(data).to_bytes(8, "little") + data)
    pipe.flush()


def receive(pipe: Any) -> Any:
    """Read one value.

    Raises:
        EOFError: if the other side has closed the pipe.
    """
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    size = int.from_bytes(head, "little")
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return marshal.loads(data)
