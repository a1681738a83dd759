"""Progress bars that are not even made where none is shown.

tqdm shares a lock with forked processes: one that is killed while it makes a bar, shown or not, never gives it back,
and every other process that makes one waits for ever. It loads when a bar is shown: reading needs no package for bars.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, Final, TypeVar

Item = TypeVar("Item")


def shown(items: Iterable[Item], verbose: bool, **options: Any) -> Iterable[Item]:
    """The items, with a bar if wanted.

    Args:
        items: to go through.
        verbose: show a bar.
        options: of `tqdm`.
    """
    return _tqdm(items, **options) if verbose else items


_UNSEEN: Final = SimpleNamespace(update=lambda count=1: None)
"""Takes what a bar takes."""


def bar(verbose: bool, **options: Any) -> Any:
    """A context with `update(count)`: tqdm's bar if wanted.

    Args:
        verbose: show a bar.
        options: of `tqdm`.
    """
    return _tqdm(**options) if verbose else nullcontext(_UNSEEN)


def _tqdm(*items: Iterable[Any], **options: Any) -> Any:
    from tqdm.auto import tqdm

    return tqdm(*items, **options)
