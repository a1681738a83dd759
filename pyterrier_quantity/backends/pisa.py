"""BM25 retrieval with PISA. A separate process builds the index, because PISA ends its process if the disk is full."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import pyterrier as pt

from pyterrier_quantity._extras import need
from pyterrier_quantity.backends import pisa_process
from pyterrier_quantity.backends.bm25 import BM25, Found, Texts
from pyterrier_quantity.storage import file_records
from pyterrier_quantity.storage.folders import IndexFormatError

_SPARE_BYTES: Final = 1 << 16
"""Minimum free disk space in bytes during a build. With less, PISA may write an incomplete index without an error."""
NEEDED: Final = ("fwd", "fwd.doclex", "fwd.documents", "fwd.termlex", "fwd.terms", "inv.docs", "inv.freqs", "inv.sizes")
"""The names of the files that every PISA index contains."""
_output_lock = threading.RLock()


class PisaBM25(BM25):
    """BM25 with PISA; see `pisa_bm25`. PISA needs an upper bound of each term's score, which depends on k1 and b. The
    index stores these bounds for one pair of values. Bounds for other values are computed in a temporary folder."""

    called = runs_on = "PISA"
    module, format = "pyterrier_pisa", "pisa"
    word = re.compile("[a-zA-Z0-9]")
    _links: tempfile.TemporaryDirectory[str] | None = None
    """The temporary folder with score bounds for values of k1 and b other than those of the index."""

    @classmethod
    def built_at(cls, path: Path) -> bool:
        return super().built_at(path) or (path / "pt_pisa_config.json").is_file()

    @classmethod
    def load(cls) -> None:
        load_pisa()

    def _build(self, folder: Path, documents: Texts) -> dict[str, Any]:
        fed = 0
        with (
            _least_space(folder) as least,
            self._process("build the index", folder, self.threads) as stream,
            suppress(BrokenPipeError),  # if the process ended early, its exit code states the reason
            stream,
        ):
            for document in documents:
                stream.write(f"{document['docno']} {document['text']}\n".encode())
                fed += 1
        if least[0] < _SPARE_BYTES or not is_whole(folder, fed):
            raise OSError("PISA could not write the whole index; is the disk full?")
        meta = {"type": "sparse_index", "format": self.format, "package_hint": "pyterrier-pisa"}
        meta["stemmer"] = pisa_process.STEMMER
        (folder / "pt_meta.json").write_text(json.dumps(meta), encoding="utf-8")
        return {"bounds": [self._parameters]}

    def _open(self) -> pt.Transformer:
        for _ in range(10):
            known, whole = self._compare(), file_records.stamp(self.path)
            there = known is None or self._parameters in known.get("bounds", ())
            index = load_pisa().PisaIndex(str(self.path if there else self._with_bounds()))
            with kept_quiet():
                opened = index.bm25(k1=self.k1, b=self.b, num_results=self._depth, threads=self.threads)
            # Check that no other process has replaced the index meanwhile.
            if whole == file_records.stamp(self.path):
                return opened
        raise OSError(f"{self.path} is replaced again and again; open it when it is built")

    def _found(self, texts: Sequence[tuple[int, str]]) -> Found:
        ranker, depth = self._retriever, self._depth
        place, score = np.empty(len(texts) * depth, dtype=np.int32), np.empty(len(texts) * depth, dtype=np.float32)
        docnos = np.empty(len(texts) * depth, dtype=object)
        size = load_pisa()._pisathon.retrieve(
            ranker._ctxt, ranker.query_algorithm.value, texts, k=depth, threads=self.threads, result_qidxs=place,
            result_docnos=docnos, result_ranks=np.empty_like(place), result_scores=score,
        )  # fmt: skip
        return place[:size].astype(np.int64), docnos[:size], score[:size].astype(np.float64)

    def _count(self) -> int:
        return len(load_pisa().PisaIndex(str(self.path)))

    def _compare(self, everything: bool = False) -> dict[str, Any] | None:
        for name in NEEDED:
            if not (self.path / name).is_file():
                raise IndexFormatError(f"{self.path} is not a complete PISA index: {name} is missing; build it again")
        return file_records.compare(self.path, everything)

    @property
    def _parameters(self) -> str:
        """The BM25 parameters as text, such as "k1=0.5, b=0.5". The index stores this text with its score bounds."""
        return f"k1={np.float32(self.k1)!s}, b={np.float32(self.b)!s}"

    def _with_bounds(self) -> Path:
        """Return a temporary folder with links to the files of the index, and newly computed score bounds."""
        self._links = tempfile.TemporaryDirectory(prefix="pisa-bounds-")
        folder = Path(self._links.name)
        for name in (file.name for file in self.path.iterdir() if not file.name.startswith(".")):
            (folder / name).symlink_to((self.path / name).absolute())
        with self._process("make the bounds", folder, threads=0) as stream:
            stream.close()
        return folder

    @contextmanager
    def _process(self, task: str, folder: Path, threads: int) -> Iterator[IO[bytes]]:
        """Start a process that indexes documents, and yield its stdin, to which the caller writes the documents. With 0
        threads, the process only computes score bounds. If the process fails, raise an OSError that names `task`."""
        with tempfile.TemporaryFile() as messages:
            command = _command(folder, threads, self.k1, self.b)
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages)
            assert child.stdin is not None
            try:
                yield child.stdin
            except BaseException:
                child.kill()
                raise
            finally:
                child.wait()
            if child.returncode:
                messages.seek(0)
                said = messages.read().decode(errors="replace")
                reasons = re.findall(r"what\(\): *(.*)|^(\w+Error: .*)", said, re.MULTILINE)
                message = "".join(reasons[-1]) if reasons else f"exit code {child.returncode}"
                raise OSError(f"PISA could not {task} ({message}); is the disk full?")


def _command(folder: Path, threads: int, k1: float, b: float) -> list[str]:
    extension = sys.modules[f"{load_pisa().__name__}._pisathon"].__file__
    given = [extension, folder, pisa_process.STEMMER, threads, k1, b, os.getpid()]
    return [sys.executable, "-I", pisa_process.__file__, *map(str, given)]


@contextmanager
def _least_space(folder: Path) -> Iterator[list[int]]:
    """Monitor a folder's free disk space in a `with` block. Yield a list of one item: the fewest free bytes so far."""
    least, over = [shutil.disk_usage(folder).free], threading.Event()

    def watch() -> None:
        while not over.wait(0.005):
            least[0] = min(least[0], shutil.disk_usage(folder).free)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield least
    finally:
        over.set()
        thread.join()


def is_whole(folder: Path, documents: int) -> bool:
    """Return whether a folder contains a complete PISA index of this many documents, judging by the file sizes."""
    words = {name: np.fromfile(folder / name, dtype="<u4") for name in ("fwd", "inv.docs", "inv.freqs", "inv.sizes")}
    with open(folder / "fwd.documents", "rb") as docnos, open(folder / "fwd.terms", "rb") as terms:
        listed, vocabulary = sum(1 for _ in docnos), sum(1 for _ in terms)
    tokens = int(words["inv.sizes"][1:].sum(dtype=np.int64))
    postings = len(words["inv.freqs"]) - vocabulary
    return (
        listed == len(words["inv.sizes"]) - 1 == documents
        and len(words["fwd"]) == 2 + documents + tokens
        and len(words["inv.docs"]) == 2 + len(words["inv.freqs"])
        # The number of postings plus the sum of their frequencies, which is the number of tokens.
        and int(words["inv.freqs"].sum(dtype=np.int64)) == postings + tokens
    )


def load_pisa() -> Any:
    return need("pyterrier_pisa", "pisa")


@contextmanager
def kept_quiet(streams: Iterable[int] = (1, 2)) -> Iterator[None]:
    """Discard what compiled code prints to stdout (1) and stderr (2) inside a `with` block."""
    with _output_lock, open(os.devnull, "w") as nowhere:
        sys.stdout.flush()
        sys.stderr.flush()
        kept = {fd: os.dup(fd) for fd in streams}
        try:
            for fd in kept:
                os.dup2(nowhere.fileno(), fd)
            yield
        finally:
            for fd, copy in kept.items():
                os.dup2(copy, fd)
                os.close(copy)
