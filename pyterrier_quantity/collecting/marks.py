"""Annotators' marks on pairs of query and sentence: one file per annotator, saved with every mark."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

import pandas as pd

from pyterrier_quantity.datasets.files import CollectionError, lines, read_rows, write_rows
from pyterrier_quantity.storage.folders import held

MARKS: Final = ("relevant", "not", "doubtful")
SUFFIX: Final = ".marks.tsv"

Pair = tuple[str, str]
"""qid and docno."""

_SPELLINGS: Final = {spelling: mark for mark in MARKS for spelling in (mark, mark[0])}
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_COLUMNS: Final = ("qid", "docno", "mark", "when")


def annotator_name(name: str) -> str:
    """Return the name in lower case, as in file names.

    Raises:
        ValueError: if it has other characters than letters, digits, "-" and "_".
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"annotator {str(name)[:60]!r}: a name has 1 to 40 of the letters a to z, digits, - and _, "
            "and starts with a letter or digit"
        )
    return name.lower()


def read_marks(path: str | Path, known: Collection[Pair] | None = None) -> dict[Pair, str]:
    """Read the marks in a file: an annotator's, or a sheet that was filled in by hand. Empty cells are ignored.

    Args:
        path: a table with `qid`, `docno` and `mark`: relevant, not, doubtful, or r, n, d.
        known: the pairs of the sheet; others are errors.

    Raises:
        CollectionError: naming file and line.
    """
    return {pair: mark for pair, (mark, _) in _marked(Path(path), known).items()}


def _marked(path: Path, known: Collection[Pair] | None = None) -> dict[Pair, tuple[str, str]]:
    """Return the mark of each pair, and its time."""
    marks: dict[Pair, tuple[str, str]] = {}
    for number, row in read_rows(path, ("qid", "docno"), ("mark", "when")):
        pair = row["qid"], row["docno"]
        if not row["mark"]:
            continue
        mark = _SPELLINGS.get(row["mark"].lower())
        if mark is None:
            told = f"column 'mark' is {row['mark']!r}; one of {', '.join(MARKS)}, or r, n, d"
            raise CollectionError(path, number, told)
        if known is not None and pair not in known:
            told = f"{' '.join(pair)} is not in the sheet; take this sheet's marks, or drop the line"
            raise CollectionError(path, number, told)
        before, _ = marks.setdefault(pair, (mark, row["when"]))
        if before != mark:
            raise CollectionError(path, number, f"{' '.join(pair)} was marked {before!r} before; keep one line")
    return marks


def gather_marks(sources: Iterable[str | Path], known: Collection[Pair] | None = None) -> pd.DataFrame:
    """Read the marks of several annotators: a frame by `qid` and `docno`, with a column per annotator.

    Cells without a mark are empty.

    Args:
        sources: files of marks, or folders of them; a file's name without its endings is the annotator's.
        known: the pairs of the sheet; others are errors.

    Raises:
        FileNotFoundError: if a file does not exist, or a folder has no files of marks.
        ValueError: if an annotator has two files.
    """
    names: list[str] = []
    rows: list[tuple[str, str, str, str]] = []
    for source in map(Path, sources):
        files = sorted(source.glob(f"*{SUFFIX}")) if source.is_dir() else [source]
        if not files:
            raise FileNotFoundError(f"no marks in {source}: no file *{SUFFIX}; annotate first")
        for file in files:
            name = file.name.removesuffix(SUFFIX).removesuffix(".tsv")
            if name in names:
                raise ValueError(f"{file}: there are marks of {name!r} already; give each annotator's file once")
            names.append(name)
            rows += [(*pair, name, mark) for pair, mark in read_marks(file, known).items()]
    found = pd.DataFrame(rows, columns=["qid", "docno", "annotator", "mark"], dtype=object)
    return found.pivot(index=["qid", "docno"], columns="annotator", values="mark").reindex(columns=names)


class MarkFile:
    """An annotator's marks, which are saved after every change.

    Args:
        folder: the folder with the files of a sheet's annotators.
        annotator: the annotator's name, which names the file.
        known: the pairs of the sheet.

    Raises:
        ValueError: if the name is invalid.
    """

    def __init__(self, folder: Path, annotator: str, known: Collection[Pair]) -> None:
        self.annotator = annotator_name(annotator)
        self.path = folder / f"{self.annotator}{SUFFIX}"
        self._known = known

    def marks(self) -> dict[Pair, str]:
        """Read the marks from disk, or raise a CollectionError if the file cannot be read."""
        return {pair: mark for pair, (mark, _) in self._read().items()}

    def set(self, pair: Pair, mark: str | None) -> int:
        """Set a mark, or remove it with None, and save the file.

        Returns:
            The new number of marks.

        Raises:
            ValueError: if the mark is unknown, or the pair not in the sheet.
            CollectionError: if the existing file cannot be read.
            OSError: if the file cannot be written; the marks then stay unchanged.

        Other processes may set marks in the same file at the same time; no mark is lost.
        """
        if mark is not None and mark not in MARKS:
            raise ValueError(f"mark {mark!r}: one of {', '.join(MARKS)}, or null to take it back")
        if pair not in self._known:
            raise ValueError(f"{' '.join(pair)[:200]} is not in the sheet")
        with held(self.path.with_name(f".{self.path.name}.lock")):
            marks = self._read()
            marks.pop(pair, None)
            if mark is not None:
                marks[pair] = mark, datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            write_rows(self.path, _COLUMNS, ((*pair, *marked) for pair, marked in marks.items()))
        return len(marks)

    def _read(self) -> dict[Pair, tuple[str, str]]:
        """Read the file; a CollectionError if it is not a file, or has columns that the next mark would lose."""
        if not self.path.exists():
            return {}
        if not self.path.is_file():
            raise CollectionError(self.path, None, "is not a file; marks are kept in a file, move this away")
        header = next((text for _, text in lines(self.path)), "").split("\t")
        others = {name.strip().strip('"') for name in header} - {*_COLUMNS}
        if others:
            told = f"column {min(others)!r} is none of {', '.join(_COLUMNS)}, and would be lost with the next mark"
            raise CollectionError(self.path, 1, f"{told}; take it out")
        return _marked(self.path)
