"""Packages that come with the extras, imported when they are used."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, extra: str = "neural") -> Any:
    """The imported module.

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module} is missing or does not load ({error}); install it: pip install 'pyterrier-quantity[{extra}]'"
        ) from error
