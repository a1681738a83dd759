"""The concept/unit index on disk: NumPy columns, lists of names, and the texts in one file. No pickle."""

from __future__ import annotations

import json
import mmap
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._folder import moved_into_place

FORMAT: Final = 1
COLUMNS: Final = {
    "document": np.int32, "concept": np.int32, "unit": np.int32, "low": np.float64, "high": np.float64,
    "bound": np.uint8, "start": np.int32, "end": np.int32,
}  # fmt: skip
"""One entry per quantity, in the order of the documents."""

NAMES: Final = ("concepts", "units", "docnos")
_META: Final = "meta.json"
_TEXTS: Final = "texts.utf8"


class Texts:
    """Texts in one file, read by number. They are collected in an unnamed file that leaves with the object."""

    def __init__(self) -> None:
        self._stream: IO[bytes] | None = tempfile.TemporaryFile()  # noqa: SIM115
        self._ends: Any = []
        self._size = 0
        self._view: mmap.mmap | bytes | None = None

    def append(self, text: str) -> None:
        """Add a text; only while they are collected."""
        assert self._stream is not None
        self._size += self._stream.write(text.encode("utf-8", "surrogatepass"))
        self._ends.append(self._size)
        self._view = None

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> str:
        start = int(self._ends[number - 1]) if number else 0
        return self._bytes()[start : int(self._ends[number])].decode("utf-8", "surrogatepass")

    def _bytes(self) -> mmap.mmap | bytes:
        if self._view is None:
            assert self._stream is not None
            self._stream.flush()
            self._view = _mapped(self._stream, self._size)
        return self._view

    def save(self, folder: Path) -> None:
        (folder / _TEXTS).write_bytes(self._bytes())
        np.save(folder / "text_ends.npy", np.asarray(self._ends, dtype=np.int64), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path) -> Texts:
        found = cls.__new__(cls)
        found._stream = None
        found._ends = np.load(folder / "text_ends.npy", allow_pickle=False)
        found._size = int(found._ends[-1]) if len(found._ends) else 0
        with open(folder / _TEXTS, "rb") as stream:
            size = stream.seek(0, 2)
            if size != found._size:
                raise ValueError(f"{folder / _TEXTS} has {size} bytes where {found._size} are expected; "
                                 "build the concept index again")  # fmt: skip
            found._view = _mapped(stream, size)
        return found


def _mapped(stream: IO[bytes], size: int) -> mmap.mmap | bytes:
    """The file's bytes, read as they are used; an empty file cannot be mapped."""
    return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if size else b""


def save(
    folder: Path, columns: Mapping[str, npt.NDArray[Any]], names: Mapping[str, Iterable[str]], texts: Texts,
    meta: Mapping[str, Any], overwrite: bool,
) -> None:  # fmt: skip
    """Write all parts beside the folder, then put them in its place at once; raises as `check_place` does."""
    check_place(folder, overwrite)
    with moved_into_place(folder) as fresh:
        for name in COLUMNS:
            np.save(fresh / f"{name}.npy", columns[name], allow_pickle=False)
        for name in NAMES:
            (fresh / f"{name}.txt").write_text("".join(f"{line}\n" for line in names[name]), encoding="utf-8")
        texts.save(fresh)
        (fresh / _META).write_text(json.dumps({"format": FORMAT, **meta}, indent=1) + "\n", encoding="utf-8")


def check_place(folder: Path, overwrite: bool) -> None:
    """Raises FileExistsError if the folder holds something, unless it is a concept index and `overwrite` is set."""
    taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if taken and not (folder / _META).is_file():
        raise FileExistsError(f"{folder} is there and no concept index; choose another folder")
    if taken and not overwrite:
        raise FileExistsError(f"{folder} holds a concept index already; pass overwrite to replace it")


def load(folder: Path) -> tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]], Texts, dict[str, Any]]:
    """Columns, names, texts and meta of a folder that `save` wrote; columns stay on disk until used.

    Raises:
        FileNotFoundError: if the folder holds no concept index.
        ValueError: if it is of another format, or broken.
    """
    if not (folder / _META).is_file():
        raise FileNotFoundError(f"no concept index in {str(folder)!r}; build one: "
                                "pyterrier-quantity collect index CORPUS FOLDER")  # fmt: skip
    try:
        meta = json.loads((folder / _META).read_text(encoding="utf-8"))
        if meta.get("format") != FORMAT:
            raise ValueError(f"{folder} is a concept index of format {meta.get('format')}, this version reads "
                             f"{FORMAT}; build it again")  # fmt: skip
        columns = {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in COLUMNS}
        names = {name: (folder / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1] for name in NAMES}
        texts = Texts.load(folder)
    except FileNotFoundError as error:
        raise ValueError(f"{error.filename} is missing; build the concept index again") from error
    except (json.JSONDecodeError, EOFError) as error:
        raise ValueError(f"{folder} is broken ({error}); build the concept index again") from error
    _check(folder, columns, names, texts)
    return columns, names, texts, meta


def _check(folder: Path, columns: Mapping[str, npt.NDArray[Any]], names: Mapping[str, list[str]], texts: Texts) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1 or len(names["docnos"]) != len(texts):
        raise ValueError(f"{folder} is broken: its parts differ in length ({lengths}); build the concept index again")
    for column, of in (("document", "docnos"), ("concept", "concepts"), ("unit", "units")):
        found = columns[column]
        if len(found) and not 0 <= found.min() <= found.max() < len(names[of]):
            raise ValueError(f"{folder} is broken: {column}.npy names what {of}.txt lacks; build it again")
