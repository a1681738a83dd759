"""Import optional packages on first use."""

import importlib
from typing import Any


def need(module: str, extra: str = "neural") -> Any:
    """Import and return the named module of an optional package.
    If the module is missing, raise an ImportError that names the `extra` of this package to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        fault = f"{module} is missing or does not load ({error})"
        raise ImportError(f"{fault}; install it: pip install 'pyterrier-quantity[{extra}]'") from error
