"""Store the sizes and digests of an index's files, and check later that the files are unchanged.

The check protects against damage: a library that maps a damaged file crashes the interpreter or silently returns wrong
documents. A `CorpusRecord` shows whether two indexes were built from the same corpus.
"""

import json
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pandas.util import hash_array

from pyterrier_quantity.frames.checked_documents import Document
from pyterrier_quantity.storage.folders import IndexFormatError, digest, read_sealed, write_sealed

RECORD: Final = "ptq_files.json"
_READ_AT_ONCE: Final = 1 << 28
"""Maximum size in bytes of an index whose digests are checked whenever the index is opened."""


def record(folder: Path, **noted: Any) -> None:
    """Write a file that contains the sizes and digests of all other files in a folder, and the keyword arguments."""
    files = {file.relative_to(folder).as_posix(): _state(file) for file in _files(folder)}
    aside = folder / f".{RECORD}.new"
    write_sealed(aside, {**noted, "files": files})
    os.replace(aside, folder / RECORD)


def compare(folder: Path, everything: bool = False) -> dict[str, Any] | None:
    """Check that a folder's files still have the sizes and digests that `record` wrote. Return the content of the file
    that `record` wrote, or None if it does not exist. If a file is missing or differs, raise an IndexFormatError that
    names this file. If the folder is large, only sizes are compared, unless `everything` is true."""
    if not (folder / RECORD).is_file():
        return None
    known = read_sealed(folder / RECORD)
    try:
        known["digest"]  # raises a KeyError if this key is damaged
        files = {str(name): (int(size), str(written)) for name, (size, written) in known["files"].items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError.damaged(folder / RECORD, "it is incomplete") from error
    compared = everything or sum(size for size, _ in files.values()) <= _READ_AT_ONCE
    for name, (size, written) in files.items():
        file = folder / name
        if not file.is_file() or file.stat().st_size != size or (compared and _state(file)[1] != written):
            raise IndexFormatError.damaged(file, "it has changed since it was written")
    return known


def foreign_files(folder: Path) -> list[str]:
    """Return the names of the files added to a folder since `record` was called, or [] if it was never called."""
    try:
        known = read_sealed(folder / RECORD)["files"]
    except (IndexFormatError, OSError, KeyError):
        return []
    return [name for file in _files(folder) if (name := file.relative_to(folder).as_posix()) not in known]


def stamp(folder: Path) -> str | None:
    """Return an identifier that changes when the index in a folder is replaced, or None if the folder has no index."""
    return read_sealed(folder / RECORD)["digest"] if (folder / RECORD).is_file() else None


def _files(folder: Path) -> list[Path]:
    found = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != RECORD)
    return [file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts)]


def _state(file: Path) -> tuple[int, str]:
    size = file.stat().st_size
    return size, digest(np.memmap(file, dtype=np.uint8, mode="r") if size else b"")


CORPUS_FILE: Final = "corpus.json"
"""Name of the file in which a backend's index stores the `CorpusRecord` of its documents."""
_WAITING: Final = 10_000


@dataclass(frozen=True)
class CorpusRecord:
    """A description of a corpus. Two indexes of the same corpus have equal descriptions.

    Args:
        documents: the number of documents.
        docnos: a digest of the docnos, independent of their order.
        content: a digest of docnos and texts in order, and of the indexing options; None if it is not known.
    """

    documents: int
    docnos: str
    content: str | None = None

    def write(self, folder: Path) -> None:
        (folder / CORPUS_FILE).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "CorpusRecord | None":
        """Return the `CorpusRecord` in a folder, or None if its file is missing or cannot be read."""
        try:
            return cls(**read_sealed(folder / CORPUS_FILE))
        except (OSError, ValueError, TypeError):
            return None


class CorpusDigest:
    """Build a `CorpusRecord` by computing the digests of a corpus while its documents are read.

    Args:
        options: indexing options, such as a stemmer. The digest of the content includes the `repr` of each.
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
        """Yield the documents unchanged, and include each in the digests."""
        for document in documents:
            self._documents += 1
            self._waiting.append(document.docno)
            if len(self._waiting) >= _WAITING:
                self._count()
            spoken = [document.language] if document.language else []
            for part in (document.docno, document.text or "", repr(document.quantities), *spoken):
                raw = part.encode("utf-8", "surrogatepass")
                self._content.update(len(raw).to_bytes(8, "little") + raw)
            yield document

    def _count(self) -> None:
        self._docnos, self._waiting = self._docnos + _sum(hash_docnos(self._waiting)), []

    def record(self) -> CorpusRecord:
        """Return the `CorpusRecord` of the documents read so far."""
        self._count()
        return CorpusRecord(self._documents, _written(self._docnos), self._content.hexdigest())


def hash_docnos(docnos: npt.ArrayLike | Sequence[str]) -> npt.NDArray[np.uint64]:
    values = np.asarray(docnos, dtype=object)
    return hash_array(values, categorize=False) if len(values) else np.empty(0, dtype=np.uint64)


def docnos_digest(*hashes: npt.NDArray[np.uint64], without: npt.NDArray[np.uint64] | None = None) -> str:
    """Return a digest of docnos that does not depend on their order: the sum of their `hashes`, modulo 2^64. Hashes in
    `without` are subtracted; they must be among `hashes`."""
    return _written(sum(map(_sum, hashes)) - (0 if without is None else _sum(without)))


def _sum(hashes: npt.NDArray[np.uint64]) -> int:
    return int(np.add.reduce(hashes, dtype=np.uint64))


def _written(total: int) -> str:
    return f"{total % 2**64:016x}"
