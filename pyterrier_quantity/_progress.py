"""Progress bars that are made only if they are shown.

tqdm shares a lock with forked processes. A process that is killed while it makes a bar never releases it, and every
other process that makes one waits forever. tqdm loads when a bar is shown, so reading needs no package for bars.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, Final, TypeVar

Item = TypeVar("Item")


def shown(items: Iterable[Item], verbose: bool, **options: Any) -> Iterable[Item]:
    """Return the items, with a bar if `verbose`.

    Args:
        items: the items to iterate over.
        verbose: show a bar.
        options: options of `tqdm`.
    """
    return _tqdm(items, **options) if verbose else items


_UNSEEN: Final = SimpleNamespace(update=lambda count=1: None)
"""A context manager that takes the same calls as a bar and shows nothing."""


def bar(verbose: bool, **options: Any) -> Any:
    """Return a context with `update(count)`: tqdm's bar if `verbose`.

    Args:
        verbose: show a bar.
        options: options of `tqdm`.
    """
    return _tqdm(**options) if verbose else nullcontext(_UNSEEN)


def _tqdm(*items: Iterable[Any], **options: Any) -> Any:
    from tqdm.auto import tqdm

    return tqdm(*items, **options)
