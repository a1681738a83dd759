"""The concept/unit index on disk: columns, names, and the texts, kept as every index is; see `_arrays`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity._index_folder import Kind, new_folder, open_parts

COLUMNS: Final = {
    **dict.fromkeys(("document", "concept", "unit"), "<u4"),
    **dict.fromkeys(("low", "high"), "<f8"),
    "bound": "u1",
    **dict.fromkeys(("start", "end"), "<u4"),
}
"""One entry per quantity, in the order of the documents."""

NAMES: Final = ("concepts", "units", "docnos")
"""Lists of strings, each kept as `NAME_bytes`, one behind the other, and `NAME_begin`, where they begin."""
_TEXTS: Final = "texts"
_FORM: Final = ("utf-8", "surrogatepass")


class Texts:
    """Texts one behind the other, read by number.

    Args:
        content: their bytes.
        begin: where each begins, and where the last one ends.
    """

    def __init__(self, content: npt.NDArray[np.uint8], begin: npt.NDArray[Any]) -> None:
        self.content, self.begin = content, begin

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> str:
        number = range(len(self))[number]  # counts back from the end, and ends there
        return self.content[int(self.begin[number]) : int(self.begin[number + 1])].tobytes().decode(*_FORM)


def save(
    folder: Path,
    columns: Mapping[str, npt.NDArray[Any]],
    names: Mapping[str, Sequence[str]],
    texts: Texts,
    meta: Mapping[str, Any],
    overwrite: bool,
) -> None:
    """Write all parts aside, then put them in their place at once; raises as `check_target` does."""
    with new_folder(folder, overwrite, KIND) as part:
        arrays = {name: np.asarray(columns[name]) for name in COLUMNS}
        for name in NAMES:
            arrays |= _of_strings(name, names[name])
        arrays |= {f"{_TEXTS}_bytes": texts.content, f"{_TEXTS}_begin": texts.begin}
        _arrays.write(part, arrays, meta)


def load(folder: Path) -> tuple[_arrays.Part, dict[str, list[str]], Texts]:
    """The part, names and texts of an index; columns and texts stay on disk until used.

    Raises:
        FileNotFoundError: if there is no such folder.
        IndexFormatError: if it holds no concept index, one of another format, or a damaged one.
    """
    _, (part,) = open_parts(folder, KIND)
    names = {name: _strings(part.columns, name) for name in NAMES}
    return part, names, Texts(part.columns[f"{_TEXTS}_bytes"], part.columns[f"{_TEXTS}_begin"])


KIND: Final = Kind(
    "concept_index", "columns", 4, "concept index", "build one: pyterrier-quantity collect index CORPUS FOLDER"
)


def _of_strings(name: str, strings: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    encoded = [string.encode(*_FORM) for string in strings]
    begin = np.cumsum([0, *map(len, encoded)], dtype=np.uint64)
    return {f"{name}_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}_begin": begin}


def _strings(arrays: Mapping[str, Any], name: str) -> list[str]:
    raw, begin = arrays[f"{name}_bytes"].tobytes(), arrays[f"{name}_begin"].tolist()
    return [raw[first:last].decode(*_FORM) for first, last in pairwise(begin)]
