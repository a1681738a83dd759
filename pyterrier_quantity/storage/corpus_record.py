"""Records of the corpus that an index was built from: the number of documents, their docnos and their content.

Records show whether two indexes were built from the same corpus.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from pandas.util import hash_array

from pyterrier_quantity.frames.checked_documents import Document
from pyterrier_quantity.storage.folders import read_sealed

CORPUS_FILE: Final = "corpus.json"
"""Name of the file with the record in a backend's index."""
_WAITING: Final = 10_000


@dataclass(frozen=True)
class CorpusRecord:
    """The record of a corpus.

    Args:
        documents: the number of documents.
        docnos: a digest of their docnos, independent of their order.
        content: a digest of docnos and texts in their order, and of the options of reading; None if not known.
    """

    documents: int
    docnos: str
    content: str | None = None

    def write(self, folder: Path) -> None:
        (folder / CORPUS_FILE).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> CorpusRecord | None:
        """Return the record in a folder, or None if a readable one does not exist."""
        try:
            return cls(**read_sealed(folder / CORPUS_FILE))
        except (OSError, ValueError, TypeError):
            return None


class CorpusDigest:
    """Compute the record of a corpus while its documents are read.

    Args:
        options: further values on which the index depends; their `repr` must express their content.
    """

    def __init__(self, *options: object) -> None:
        self._documents, self._docnos = 0, 0
        self._content = blake2b(repr(options).encode(), digest_size=16)
        self._waiting: list[str] = []

    @classmethod
    def of(cls, documents: Iterable[Document], *options: object) -> CorpusRecord:
        digest = cls(*options)
        deque(digest.passing(documents), maxlen=0)
        return digest.record()

    def passing(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents unchanged, and add them to the record."""
        for document in documents:
            self._add(document)
            yield document

    def _add(self, document: Document) -> None:
        self._documents += 1
        self._waiting.append(document.docno)
        if len(self._waiting) >= _WAITING:
            self._count()
        spoken = [document.language] if document.language else []
        for part in (document.docno, document.text or "", repr(document.quantities), *spoken):
            raw = part.encode("utf-8", "surrogatepass")
            self._content.update(len(raw).to_bytes(8, "little") + raw)

    def _count(self) -> None:
        self._docnos, self._waiting = self._docnos + _sum(hash_docnos(self._waiting)), []

    def record(self) -> CorpusRecord:
        """Return the record of the documents read so far."""
        self._count()
        return CorpusRecord(self._documents, _written(self._docnos), self._content.hexdigest())


def hash_docnos(docnos: npt.ArrayLike | Sequence[str]) -> npt.NDArray[np.uint64]:
    values = np.asarray(docnos, dtype=object)
    return hash_array(values, categorize=False) if len(values) else np.empty(0, dtype=np.uint64)


def docnos_digest(*hashes: npt.NDArray[np.uint64], without: npt.NDArray[np.uint64] | None = None) -> str:
    """Return a digest of docnos that does not depend on their order: the sum of their hashes, modulo 2^64.

    Args:
        without: hashes of docnos among them that are left out.
    """
    return _written(sum(map(_sum, hashes)) - (0 if without is None else _sum(without)))


def _sum(hashes: npt.NDArray[np.uint64]) -> int:
    return int(np.add.reduce(hashes, dtype=np.uint64))


def _written(total: int) -> str:
    return f"{total % 2**64:016x}"
