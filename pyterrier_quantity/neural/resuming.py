"""Columns that grow chunk by chunk in a folder aside; an interrupted encoding can go on where it was."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._documents import checked_documents
from pyterrier_quantity._index_folder import Kind, check_target, install, new_folder

CHUNK: Final = 4096
"""Documents that are encoded and written at a time."""
_PROGRESS: Final = "progress.json"

Chunk = tuple[list[str], list[str]]
"""Documents' docnos and texts."""


def chunks(documents: Iterable[Mapping[str, Any]], text_field: str) -> Iterator[Chunk]:
    """The documents, checked, some at a time; raises as `checked_documents` does."""
    stream = checked_documents(documents, text_field)
    while chunk := list(islice(stream, CHUNK)):
        yield [document.docno for document in chunk], [document.text or "" for document in chunk]


class Growing:
    """A folder whose columns grow; what is there after each `append` can be gone on with.

    Args:
        folder: empty, or with what an interrupted run left.
        settings: how the documents are encoded, as JSON can write it; a run with other settings does not go on.

    Raises:
        ValueError: if the folder was begun with other settings.
        FileExistsError: if it holds a link: what is written there would be written elsewhere.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        _refuse_links(folder)
        self.folder, self.docnos = folder, list[str]()
        self._settings, self._checksum = dict(settings), 0
        self._done: dict[str, Any] = {"settings": self._settings, "documents": 0, "checksum": 0, "sizes": {}}
        if (folder / _PROGRESS).is_file():
            self._done = _read_progress(folder / _PROGRESS)
        if self._done["settings"] != json.loads(json.dumps(self._settings)):
            raise ValueError(
                f"{folder} was begun with other settings ({self._done['settings']}, now {self._settings}); give the "
                "same, or remove that folder"
            )
        for file in folder.rglob("*.bin"):
            name = file.relative_to(folder).as_posix().removesuffix(".bin")
            os.truncate(file, self._done["sizes"].get(name, 0))

    def new(self, chunked: Iterable[Chunk]) -> Iterator[Chunk]:
        """Those of the chunks that are not encoded yet.

        Raises:
            ValueError: if the others are not what the interrupted run encoded.
        """
        for docnos, texts in chunked:
            before = len(self.docnos)
            self.docnos += docnos
            for line in (*docnos, *texts):
                self._checksum = zlib.crc32(line.encode("utf-8", "surrogatepass"), self._checksum)
            if before >= self._done["documents"]:
                yield docnos, texts
            elif len(self.docnos) >= self._done["documents"]:
                self._check()
        if len(self.docnos) < self._done["documents"]:
            self._check()

    def _check(self) -> None:
        if (len(self.docnos), self._checksum) != (self._done["documents"], self._done["checksum"]):
            raise ValueError(
                f"the first {self._done['documents']} documents are not those that {self.folder} was begun with; give "
                "the same corpus, or remove that folder"
            )

    def append(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add to each column what the latest chunk gave; a name may hold a folder, as in `tokens/steps`."""
        for name, values in columns.items():
            path = self.folder / f"{name}.bin"
            path.parent.mkdir(exist_ok=True)
            with open(path, "ab") as out:
                values.tofile(out)
                out.flush()
                os.fsync(out.fileno())
            self._done["sizes"][name] = path.stat().st_size
        self._done |= {"documents": len(self.docnos), "checksum": self._checksum}
        aside = self.folder / f"{_PROGRESS}.new"
        aside.write_text(json.dumps(self._done), encoding="utf-8")
        os.replace(aside, self.folder / _PROGRESS)

    def column(self, name: str, dtype: npt.DTypeLike, width: int | None = None) -> npt.NDArray[Any]:
        """A column as it stands, memory-mapped.

        Args:
            name: the column.
            dtype: of its values.
            width: how many a row has; None: one, without a second dimension.
        """
        path = self.folder / f"{name}.bin"
        rows = (path.stat().st_size if path.exists() else 0) // (np.dtype(dtype).itemsize * (width or 1))
        shape: Sequence[int] = (rows,) if width is None else (rows, width)
        return np.memmap(path, dtype=dtype, mode="r", shape=tuple(shape)) if rows else np.empty(shape, dtype=dtype)

    def finish(self) -> None:
        """The columns are whole: nothing is left to go on with."""
        (self.folder / _PROGRESS).unlink(missing_ok=True)


def _refuse_links(folder: Path) -> None:
    """Raise a FileExistsError where writing to a folder's files would change files that lie elsewhere."""
    for entry in (folder, *folder.rglob("*")):
        if entry.is_symlink() or (entry.is_file() and entry.stat().st_nlink > 1):
            raise FileExistsError(f"{entry} is a link to another file or folder; remove {folder} and begin anew")


def _read_progress(file: Path) -> dict[str, Any]:
    """What an interrupted run noted of what it had done.

    Raises:
        ValueError: naming the file, if it is not what a run writes.
    """
    try:
        done = json.loads(file.read_bytes())
        sizes = (done["documents"], done["checksum"], *done["sizes"].values())
        if isinstance(done["settings"], dict) and all(isinstance(size, int) and size >= 0 for size in sizes):
            return done
        problem = "it is not what a run writes"
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        problem = str(error)
    raise ValueError(f"{file} is damaged ({problem}); remove the folder {file.parent}, and the run begins anew")


@contextmanager
def growing(path: Path, kind: Kind, settings: Mapping[str, Any], overwrite: bool, resume: bool) -> Iterator[Growing]:
    """A folder aside of `path` to fill, which takes its place at the end.

    Args:
        path: where the index is to be.
        kind: of the index.
        settings: see `Growing`.
        overwrite: replace an index at this path.
        resume: if anything is raised, what is encoded stays in `.NAME.part` beside the path, for the next run to go on;
            otherwise nothing stays.

    Raises:
        FileExistsError: if `path` exists and `overwrite` is off, or is no index of this kind; or if what an interrupted
            run left holds links.
        ValueError: if an interrupted run had other settings.
    """
    if not resume:
        with new_folder(path, overwrite, kind) as folder:
            grown = Growing(folder, settings)
            yield grown
            grown.finish()
        return
    check_target(path, overwrite, kind)
    folder = path.with_name(f".{path.name}.part")
    folder.mkdir(parents=True, exist_ok=True)
    grown = Growing(folder, settings)
    yield grown
    grown.finish()
    install(folder, path, overwrite, kind)
