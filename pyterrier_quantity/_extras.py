"""Packages of the optional extras, imported at their first use."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, extra: str = "neural") -> Any:
    """Return the imported module.

    Raises:
        ImportError: if it is missing; the message names the extra to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module} is missing or does not load ({error}); install it: pip install 'pyterrier-quantity[{extra}]'"
        ) from error
