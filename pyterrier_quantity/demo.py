"""`python -m pyterrier_quantity.demo`: the command `experiment`, by default on the bundled collection."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pyterrier_quantity import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; returns the exit code."""
    return cli.main(["experiment", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    sys.exit(main())
