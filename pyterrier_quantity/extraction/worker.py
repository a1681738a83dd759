"""A worker of `parallel`: an extractor, then lists of texts in at stdin, quantities out at stdout.

usage: python -m pyterrier_quantity.extraction.worker
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from dataclasses import astuple
from typing import Any

from pyterrier_quantity.extraction.parallel import receive, send


def main() -> None:
    """Serve until the caller sends None or closes the pipe."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to stderr, not into the answers
    try:
        extractor = pickle.loads(receive(sys.stdin.buffer))
    except Exception:  # whatever an extractor raises that cannot be carried over
        send(out, False)
        return
    send(out, True)
    with contextlib.suppress(EOFError):
        while (texts := receive(sys.stdin.buffer)) is not None:
            try:
                answer: Any = [[astuple(quantity) for quantity in extractor.extract(text)] for text in texts]
            except Exception as error:  # whatever an extractor raises; the caller raises it
                answer = f"{type(error).__name__}: {error}"
            send(out, answer)


if __name__ == "__main__":
    main()
