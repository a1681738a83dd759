"""Define the interface of extractors, and run any extractor that can be pickled in several processes.

joblib starts each worker process as a new Python interpreter and reuses the process for the next batch. The workers
share no memory with the caller, so the caller's threads, JVM and GPU are unaffected.
"""

import gc
import marshal
import os
import pickle
from collections.abc import Iterable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import astuple
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Any, Final, Protocol, runtime_checkable

from pyterrier_quantity._progress import bar
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import default_registry

WORTH_IT: Final = 3_000_000
"""The size of a batch, in characters, from which several processes are faster than one."""

_CHUNK: Final = 150_000
_OWNER: Final = os.getpid()  # the process that may start workers; a forked child must not write into its pipes


@runtime_checkable
class Extractor(Protocol):
    """The interface of extractors. Every object with these two methods is accepted as an extractor."""

    def extract(self, text: str) -> list[Quantity]:
        """Return the quantities in a text, ordered by position."""
        ...

    def extract_batch(self, texts: Iterable[str], threads: int | None = None) -> list[list[Quantity]]:
        """Return one list of quantities for each text, in order. An extractor may use up to `threads` processes."""
        ...


class Comparable:
    """Base class of extractors: two extractors of the same class are equal if their settings are equal."""

    _settings: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._settings == other._settings

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._settings))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._settings


def check_text(text: object) -> str:
    """Return the text unchanged. Raise a TypeError if the text is not a string."""
    if not isinstance(text, str):
        raise TypeError(f"extract: text must be a string, got {type(text).__name__}")
    return text


class uncollected:  # noqa: N801 - used as a statement
    """A context manager that pauses Python's garbage collector. Extraction creates no reference cycles to collect."""

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *raised: object) -> None:
        if self._collecting:
            gc.enable()


def extract_all(
    extractor: Extractor, texts: Iterable[str], threads: int | None = None, verbose: bool = False
) -> list[list[Quantity]]:
    """Return one list of quantities for each text, in the order of the texts.

    Args:
        extractor: any object with `extract`. It runs in this process if it cannot be pickled, or if another interpreter
            cannot load it (a class defined in `__main__`).
        threads: the number of processes (default: all cores for large batches, one process for small batches).
        verbose: whether to show a progress bar.

    Raises:
        TypeError: if a text is not a string.
        ValueError: if `threads` is below 1.
        RuntimeError: if a worker process ends early.
    """
    texts = list(texts)
    for text in texts:
        check_text(text)
    if threads is not None and threads < 1:
        raise ValueError(f"extract_batch: threads must be at least 1, got {threads}")
    if threads is None:
        threads = (os.cpu_count() or 1) if sum(map(len, texts)) >= WORTH_IT else 1
    chunks = _chunks(texts)
    threads = min(threads, len(chunks))
    with bar(verbose, total=len(texts), desc="quantities", unit="text") as progress:
        shared = threads > 1 and os.getpid() == _OWNER
        found = _in_processes(extractor, chunks, threads, progress) if shared else None
        if found is None:
            found = []
            for chunk in chunks:
                with uncollected():
                    found += [extractor.extract(text) for text in chunk]
                progress.update(len(chunk))
        return found


def _chunks(texts: list[str]) -> list[list[str]]:
    ends = accumulate(len(text) + 20 for text in texts)
    shares = groupby(zip(ends, texts, strict=True), key=lambda pair: pair[0] // _CHUNK)
    return [[text for _, text in share] for _, share in shares]


def _in_processes(
    extractor: Extractor, chunks: list[list[str]], threads: int, progress: Any
) -> list[list[Quantity]] | None:
    """Return a list of quantities for each text in `chunks`, or None if the extractor cannot run in other processes."""
    from joblib import Parallel, delayed

    try:
        packed = pickle.dumps((default_registry().own, pickle.dumps(extractor)))
    except Exception:  # an object may raise any exception when pickled
        return None
    found: list[list[Quantity]] = []
    try:
        work = Parallel(threads, backend="loky", return_as="generator")
        for answer in work(delayed(_rows)(packed, chunk) for chunk in chunks):
            if answer is None:
                return None
            rows = marshal.loads(answer)
            found += [[Quantity(*row) for row in text] for text in rows]
            progress.update(len(rows))
    except BrokenProcessPool as error:
        raise RuntimeError("extract_batch: a worker process ended early; try threads=1") from error
    return found


def _rows(packed: bytes, texts: list[str]) -> bytes | None:
    try:
        extractor = _loaded(packed)
    except Exception:  # an extractor may raise any exception when loaded
        return None
    with uncollected():
        return marshal.dumps([[astuple(quantity) for quantity in extractor.extract(text)] for text in texts])


@lru_cache(maxsize=8)
def _loaded(packed: bytes) -> Extractor:
    own, inner = pickle.loads(packed)
    if own != default_registry().own:
        default_registry().extend(own)
    extractor: Extractor = pickle.loads(inner)
    return extractor
