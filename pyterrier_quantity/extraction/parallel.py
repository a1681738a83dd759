"""Many texts at once, over several processes, for any extractor that can be pickled.

Workers are fresh interpreters that get texts and send quantities through pipes: no fork (threads, JVMs and GPU
contexts of the caller stay out of it) and no import of the caller's main module.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol

from pyterrier_quantity._progress import bar
from pyterrier_quantity.quantity import Quantity

WORTH_IT: Final = 3_000_000
"""Characters from which on starting more processes pays."""

_CHUNK: Final = 150_000
_PATIENCE: Final = 5.0
"""Seconds that a worker gets to end."""


class _Extracts(Protocol):
    def extract(self, text: str) -> list[Quantity]: ...


def extract_all(
    extractor: _Extracts, texts: Iterable[str], threads: int | None = None, verbose: bool = False
) -> list[list[Quantity]]:
    """One list of quantities for each text, in the order of the texts.

    Args:
        extractor: anything with `extract`; one that cannot be pickled, or that another interpreter cannot load (a class
            of `__main__`), works in this process alone.
        threads: how many processes share the work; default: all cores for large batches, one for small ones.
        verbose: show a progress bar.

    Raises:
        TypeError: if a text is no string.
        ValueError: if threads is below 1.
    """
    texts = list(texts)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"extract_batch: every text must be a string, got {type(text).__name__}")
    if threads is not None and threads < 1:
        raise ValueError(f"extract_batch: threads must be at least 1, got {threads}")
    if threads is None:
        threads = (os.cpu_count() or 1) if sum(map(len, texts)) >= WORTH_IT else 1
    chunks = _chunks(texts)
    threads = min(threads, len(chunks))
    packed = _packed(extractor) if threads > 1 else None
    with bar(verbose, total=len(texts), desc="quantities", unit="text") as progress:
        if packed is not None:
            with contextlib.suppress(_CannotLoadError):
                return _in_processes(packed, chunks, threads, progress)
        found = []
        for text in texts:
            found.append(extractor.extract(text))
            progress.update()
        return found


def _packed(extractor: _Extracts) -> bytes | None:
    try:
        return pickle.dumps(extractor)
    except Exception:  # whatever an object raises that is not made for it
        return None


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


def _in_processes(packed: bytes, chunks: list[list[str]], threads: int, progress: Any) -> list[list[Quantity]]:
    """Hand the chunks out one by one; each worker has a thread here that feeds it."""
    results: list[list[list[Quantity]]] = [[] for _ in chunks]
    todo = iter(range(len(chunks)))
    lock = threading.Lock()
    errors: list[BaseException] = []

    def feed() -> None:
        try:
            with _POOL.lent(packed) as worker:
                while not errors:
                    with lock:
                        index = next(todo, None)
                    if index is None:
                        return
                    found = worker.extract(chunks[index])
                    with lock:
                        results[index] = found
                        progress.update(len(found))
        except BaseException as error:  # handed on to the caller's thread
            errors.append(error)

    feeders = [threading.Thread(target=feed, daemon=True) for _ in range(threads)]
    for feeder in feeders:
        feeder.start()
    for feeder in feeders:
        feeder.join()
    if errors:
        raise errors[0]
    return [found for chunk in results for found in chunk]


class _CannotLoadError(Exception):
    """A worker cannot load the extractor."""


class _Worker:
    """Another interpreter that extracts."""

    def __init__(self, packed: bytes) -> None:
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pyterrier_quantity.extraction.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        if not self._ask(packed):
            self.close()
            raise _CannotLoadError

    def _ask(self, value: Any) -> Any:
        try:
            send(self._process.stdin, value)
            return receive(self._process.stdout)
        except (OSError, EOFError) as error:
            raise RuntimeError("extract_batch: a worker process ended early; try threads=1") from error

    def extract(self, texts: list[str]) -> list[list[Quantity]]:
        """The quantities of the texts.

        Raises:
            RuntimeError: if the process died, or the extractor failed there.
        """
        rows = self._ask(texts)
        if isinstance(rows, str):
            raise RuntimeError(f"extract_batch: {rows}")
        return [[Quantity(*row) for row in text] for text in rows]

    def close(self) -> None:
        """End the process. It is told to: a forked child of this process may still hold the pipe open."""
        with contextlib.suppress(OSError, ValueError):
            send(self._process.stdin, None)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class _Pool:
    """Workers that wait for the next batch: starting one takes longer than many a batch."""

    def __init__(self) -> None:
        self._idle: dict[bytes, list[_Worker]] = {}
        self._lock = threading.Lock()
        self._owner = os.getpid()
        atexit.register(self.close)

    @contextlib.contextmanager
    def lent(self, packed: bytes) -> Iterator[_Worker]:
        """A worker with that extractor, back in the pool afterwards unless something went wrong."""
        with self._lock:
            if self._owner != os.getpid():  # a fork must not write into its parent's pipes
                self._idle, self._owner = {}, os.getpid()
            waiting = self._idle.setdefault(packed, [])
            worker = waiting.pop() if waiting else None
        worker = worker or _Worker(packed)
        try:
            yield worker
        except BaseException:
            worker.close()
            raise
        with self._lock:
            self._idle[packed].append(worker)

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
    size = int.from_bytes(_exactly(pipe, 8), "little")
    return marshal.loads(_exactly(pipe, size))


def _exactly(pipe: Any, size: int) -> bytes:
    data: bytes = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
