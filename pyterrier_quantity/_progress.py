"""Create tqdm progress bars only when they are shown.

tqdm shares a lock with forked processes. If a process is killed while it creates a bar, the lock is never released, and
the other processes wait forever when they create a bar.
"""

from collections.abc import Iterable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, Final, TypeVar

Item = TypeVar("Item")


def shown(items: Iterable[Item], verbose: bool, **options: Any) -> Iterable[Item]:
    """Return `items`, wrapped in a tqdm bar if `verbose` is true. `options` are the keyword arguments of `tqdm`."""
    return _tqdm(items, **options) if verbose else items


_UNSEEN: Final = SimpleNamespace(update=lambda count=1: None)
"""A progress bar that shows nothing."""


def bar(verbose: bool, **options: Any) -> Any:
    """Return a context manager that yields a progress bar with the method `update(count)`. `options` are the keyword
    arguments of `tqdm`. If `verbose` is false, the bar is not shown."""
    return _tqdm(**options) if verbose else nullcontext(_UNSEEN)


def _tqdm(*items: Iterable[Any], **options: Any) -> Any:
    from tqdm.auto import tqdm

    return tqdm(*items, **options)
