"""Scripts of `experiments/`, run as the command line runs them."""

import sys
from types import ModuleType

import pytest


def call(script: ModuleType, *arguments: object) -> None:
    """Runs a script's `main` with these arguments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [f"{script.__name__}.py", *map(str, arguments)])
        script.main()
