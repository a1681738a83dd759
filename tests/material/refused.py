"""A check that the tests of bad files share."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pyterrier_quantity.datasets import CollectionError


def refused(path: Path, line: int | None, says: str, read: Callable[[], object]) -> None:
    """Reading raises a CollectionError with these words, which names the file and the line."""
    with pytest.raises(CollectionError, match=re.escape(says)) as caught:
        read()
    assert (caught.value.path, caught.value.line) == (path, line)
    assert str(caught.value).startswith(f"{path}, line {line}: " if line else f"{path}: ")
