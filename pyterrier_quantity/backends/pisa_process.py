"""Build a PISA index in a separate process: `python pisa_process.py EXTENSION FOLDER STEMMER THREADS K1 B PARENT`.

The process reads documents from stdin, one per line: docno, space, text. With 0 threads, the process reads nothing, and
only computes the upper bounds of term scores for k1 and b. PARENT is the id of the parent process.

PISA prints progress, and ends its process if the disk is full. A separate process protects the caller from both. The
script loads only PISA's compiled module, and not PyTerrier, which takes seconds to load.
"""

import ctypes
import os
import signal
import sys
from importlib.util import module_from_spec, spec_from_file_location

STEMMER = "porter2"
ENCODING = "block_simdbp"
BATCH, EVERYTHING = 100_000, 1 << 30
"""Number of documents per batch: with several processors `BATCH`, so that PISA indexes while documents are read; with
one processor `EVERYTHING`, because PISA would otherwise wait forever."""


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _end_with_parent(parent: int) -> None:
    """End this process when the process `parent` ends, or immediately if `parent` has already ended. Otherwise this
    process would write into a folder that the next build clears."""
    control = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None
    if control is not None:
        pr_set_pdeathsig = 1
        control(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("the process that wanted this index is gone")


def main(extension: str, folder: str, stemmer: str, threads: str, k1: str, b: str, parent: str) -> None:
    """Index the documents from stdin, and store the upper bounds of term scores for BM25. `extension` is the path of
    PISA's compiled module, and `parent` is the id of the process that started this one."""
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
