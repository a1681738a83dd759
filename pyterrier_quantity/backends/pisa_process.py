"""Builds a PISA index in a process of its own: `python pisa_process.py EXTENSION FOLDER STEMMER THREADS K1 B PARENT`.

The documents come in at stdin; with 0 threads none are read, and only the bounds for these parameters are made.

PISA ends the whole process where it cannot write (a full disk), and prints as it goes; here it ends and disturbs
nothing but itself. Each line of stdin is a docno, a blank, and a text. The script loads PISA's extension module alone,
which takes milliseconds where importing PyTerrier takes seconds.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from importlib.util import module_from_spec, spec_from_file_location

STEMMER = "porter2"
ENCODING = "block_simdbp"
BATCH, EVERYTHING = 100_000, 1 << 30
"""Documents that PISA inverts at a time. It reads on while others are inverted: with one processor it would wait for
itself forever, so there it takes all at once."""


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _end_with_parent(parent: int) -> None:
    """A builder that is killed must not leave a process that still writes where the next build clears up; it may have
    been killed before this process could ask for it."""
    control = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None
    if control is not None:
        pr_set_pdeathsig = 1
        control(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("the process that wanted this index is gone")


def main(extension: str, folder: str, stemmer: str, threads: str, k1: str, b: str, parent: str) -> None:
    """Index stdin, and make the bounds that BM25 needs, which are stored with the index."""
    _end_with_parent(int(parent))
    spec = spec_from_file_location("_pisathon", extension)
    assert spec is not None
    assert spec.loader is not None
    pisa = module_from_spec(spec)
    spec.loader.exec_module(pisa)
    if int(threads):
        pisa.index("/dev/stdin", folder, stemmer, BATCH if processors() > 1 else EVERYTHING, int(threads))
    context = pisa.RetrievalContext()
    scoring = {"bm25_k1": float(k1), "bm25_b": float(b)}
    pisa.prepare_index(context, folder, ENCODING, "bm25", stemmer, quantize=0, stop_fname="", **scoring)


if __name__ == "__main__":
    main(*sys.argv[1:])
