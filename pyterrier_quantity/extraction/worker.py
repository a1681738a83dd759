"""A worker of `batch`: texts in at stdin, quantities out at stdout, until stdin is closed.

usage: python -m pyterrier_quantity.extraction.worker CONCEPTS MODEL
"""

from __future__ import annotations

import os
import sys

from pyterrier_quantity.extraction.batch import receive, send
from pyterrier_quantity.extraction.rules import RuleExtractor


def main(concepts: str, model: str) -> None:
    """Serve until the caller closes the pipe."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to stderr, not into the answers
    extractor = RuleExtractor({"True": True, "False": False}.get(concepts, concepts), model=model)
    while True:
        try:
            texts = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(out, [[_row(reading) for reading in extractor.read(text)] for text in texts])


def _row(reading: object) -> tuple[object, ...]:
    names = ("low", "high", "unit", "bound", "start", "end", "concept", "confidence")
    return tuple(getattr(reading, name) for name in names)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
