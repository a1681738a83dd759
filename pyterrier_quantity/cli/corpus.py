"""Input of commands: a corpus (JSON lines, CSV, TSV, a dataset's name, or stdin), or lines from stdin."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import pyterrier as pt

from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.datasets.corpus_files import CorpusFile, form_of
from pyterrier_quantity.extraction.source import text_of_html
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.transformers.field_quantities import name_words, unit_of_name


def typed(what: str) -> Iterator[str]:
    """Yield the lines of stdin without line ends. On a terminal, a prompt states the expected input."""
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            print(f"{what}> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.rstrip("\r\n")


def queries(given: Sequence[str]) -> Iterator[str]:
    """Yield the queries of the command line, or else the lines of stdin. Several single words, whose quotation marks
    were probably forgotten, are joined to one query, with a warning."""
    if len(given) > 1 and not any(" " in one for one in given):
        given = [" ".join(given)]
        warnings.warn(f"read as one query, {given[0]!r}; give several queries on stdin, one per line", stacklevel=2)
    return map(whole_characters, given or filter(None, map(str.strip, typed("query"))))


class Corpus:
    """Corpus given on the command line: documents with `docno`, `text` and other fields, read again at each call.

    Args:
        given: a file, a dataset, or - for stdin.
        docno, text: names of the fields with the docno and the text; several texts are joined.
        form: the file's format, one of `FORMS`. None: by the file's suffix, or else JSON lines.

    Raises:
        FileNotFoundError: if the file does not exist.
        ValueError: if the dataset does not exist.
    """

    html = False
    """Whether the texts are HTML, which is converted to plain text."""

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
        """Return the corpus for a command's arguments, which include the options `FIELDS`."""
        corpus = cls(args.corpus, args.docno, args.text, args.form)
        corpus.html = args.html
        return corpus

    def get_corpus_iter(self, *, verbose: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the documents. `verbose` has no effect, because indexers show the progress."""
        for document in self._documents():
            text = document.get("text")
            yield {**document, "text": text_of_html(text).text} if self.html and isinstance(text, str) else document

    def _documents(self) -> Iterator[dict[str, Any]]:
        fields, usual = (self.docno, self.text, self.form), (self.docno, self.text) == ("docno", ["text"])
        if self._dataset is not None:
            documents = self._dataset.get_corpus_iter(verbose=False)
            return iter(documents) if usual else map(CorpusFile(Path(self.given), *fields).document, documents)
        if usual and self.form == "jsonl":
            return iter(LocalCollection(self.file, form=self.form).get_corpus_iter(verbose=False))
        return (document for _, document in CorpusFile(self.file, *fields).records())

    def attributes(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Names of the fields without units, by their words as for `FieldQuantities`: `("weight kg",)` ->
        `("weight",)`."""
        names = map(str, next(self._documents(), {}))
        words = {name_words(name): unit_of_name(name) != BARE for name in names}
        return {name: (" ".join(name[: len(name) - with_unit]),) for name, with_unit in words.items()}

    @property
    def form(self) -> str:
        """Format of the file."""
        return self._form or form_of(self.given)

    @cached_property
    def file(self) -> Path:
        """Return the path of the file. Stdin and pipes, which can be read only once, are first copied to a file.

        Raises:
            ValueError: if the input is empty.
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
