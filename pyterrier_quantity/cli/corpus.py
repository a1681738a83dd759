"""What a command is given to read: a corpus (JSON lines, CSV, TSV, a dataset's name, or stdin), or lines from stdin."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity.datasets import CollectionError, LocalCollection
from pyterrier_quantity.datasets.files import delimiter, read_objects, read_table

FORMS: Final = {"jsonl": ("jsonl", "json", "ndjson"), "csv": ("csv",), "tsv": ("tsv", "tab")}
"""The forms of a corpus's files, by their suffix before ".gz"."""


def typed(what: str) -> Iterator[str]:
    """Lines from stdin, without their ends; at a terminal a prompt says what is waited for."""
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            print(f"{what}> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.rstrip("\r\n")


class Corpus:
    """Documents with `docno`, `text` and their other fields, read anew at each call.

    Args:
        given: as on the command line; see `arguments.CORPUS`.
        docno, text: the fields that hold them; several texts are joined.
        form: of the file, one of `FORMS`; None: as its suffix says, or JSON lines.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if there is no such dataset.
    """

    def __init__(
        self, given: str, docno: str = "docno", text: Sequence[str] = ("text",), form: str | None = None
    ) -> None:
        self.given, self.docno, self.text, self._form = given, docno, list(text), form
        self._dataset: pt.datasets.Dataset | None = None
        if given != "-" and not Path(given).exists():
            if ":" not in given:
                raise FileNotFoundError(f"no corpus file {given!r}; looked in {Path.cwd()}")
            try:
                self._dataset = pt.get_dataset(given)
            except KeyError as error:
                raise ValueError(f"no corpus {given!r}, neither a file nor a dataset: {error.args[0]}") from error

    @classmethod
    def of(cls, args: argparse.Namespace) -> Corpus:
        """The corpus that a command is given with the options `FIELDS`."""
        return cls(args.corpus, args.docno, args.text, args.form)

    def get_corpus_iter(self, *, verbose: bool = False) -> Iterator[dict[str, Any]]:
        """The documents; `verbose` is for indexers to show."""
        usual = (self.docno, self.text) == ("docno", ["text"])
        if self._dataset is not None:
            documents = self._dataset.get_corpus_iter(verbose=False)
            return iter(documents) if usual else (self._document(record, 0) for record in documents)
        if usual and self.form == "jsonl":
            return iter(LocalCollection(self.file).get_corpus_iter(verbose=False))
        records = read_objects(self.file) if self.form == "jsonl" else self._rows()
        return (self._document(record, number) for number, record in records)

    @property
    def form(self) -> str:
        """Of the file."""
        suffix = Path(self.given.removesuffix(".gz")).suffix[1:].lower()
        return self._form or next((form for form, suffixes in FORMS.items() if suffix in suffixes), "jsonl")

    @cached_property
    def file(self) -> Path:
        """The file; of stdin and of pipes, which can be read only once, a copy.

        Raises:
            ValueError: if nothing comes.
        """
        path = Path(self.given)
        if self.given != "-" and path.is_file():
            return path
        self._folder = tempfile.TemporaryDirectory(prefix="corpus.")
        copy = Path(self._folder.name) / f"stdin.{self.form}"
        with nullcontext(sys.stdin.buffer) if self.given == "-" else path.open("rb") as pipe, copy.open("wb") as out:
            shutil.copyfileobj(pipe, out)
        if not copy.stat().st_size:
            raise ValueError("nothing came from stdin; pipe documents into it, one JSON object a line")
        return copy

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a table below its header, with their lines."""
        between = "\t" if self.form == "tsv" else delimiter(self.file)
        table = read_table(self.file, between, strict=True)
        _, header = next(table, (1, []))
        for number, cells in table:
            if len(cells) == len(header):
                yield number, dict(zip(header, cells, strict=True))
            elif any(map(str.strip, cells)):
                told = f"{len(cells)} cells where the header names {len(header)} ({', '.join(header)})"
                remedy = f"fill in what is missing, and put quotation marks around a cell that holds {between!r}"
                raise CollectionError(self.file, number, f"{told}; {remedy}")

    def _document(self, record: Mapping[str, Any], line: int) -> dict[str, Any]:
        missing = [name for name in (self.docno, *self.text) if name not in record]
        if missing:
            fields = ", ".join(map(str, record))
            problem = f"no field {missing[0]!r}, only {fields}; say which by --docno and --text"
            raise CollectionError(self.file if line else Path(self.given), line or None, problem)
        texts = [str(record[name]) for name in self.text if record[name] not in (None, "")]
        others = {name: value for name, value in record.items() if name and name != "quantities"}
        return {**others, "docno": str(record[self.docno]), "text": "\n".join(texts)}
