"""Progress bars that are created only if they are shown.

tqdm shares a lock with forked processes. A process that is killed while it creates a bar never releases the lock, and
every other process that creates one waits forever. tqdm is imported only to show a bar.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, Final, TypeVar

Item = TypeVar("Item")


def shown(items: Iterable[Item], verbose: bool, **options: Any) -> Iterable[Item]:
    """Return the items, wrapped in a progress bar if `verbose`.

    Args:
        items: the items to iterate over.
        verbose: whether to show a bar.
        options: options of `tqdm`.
    """
    return _tqdm(items, **options) if verbose else items


_UNSEEN: Final = SimpleNamespace(update=lambda count=1: None)
"""A stand-in for a bar that accepts the same calls and shows nothing."""


def bar(verbose: bool, **options: Any) -> Any:
    """Return a context manager with `update(count)`: a tqdm bar if `verbose`, otherwise one that shows nothing.

    Args:
        verbose: whether to show a bar.
        options: options of `tqdm`.
    """
    return _tqdm(**options) if verbose else nullcontext(_UNSEEN)


def _tqdm(*items: Iterable[Any], **options: Any) -> Any:
    from tqdm.auto import tqdm

    return tqdm(*items, **options)
