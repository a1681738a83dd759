"""Input of a command: a corpus (JSON lines, CSV, TSV, a dataset's name, or stdin), or lines from stdin."""

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
    """Yield the lines of stdin without their ends. At a terminal a prompt states which input is expected."""
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            print(f"{what}> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.rstrip("\r\n")


def queries(given: Sequence[str]) -> Iterator[str]:
    """Yield the queries of the command line, or else the lines of stdin. Several single words without quotation
    marks are joined to one query, with a warning."""
    if len(given) > 1 and not any(" " in one for one in given):
        given = [" ".join(given)]
        warnings.warn(f"taken as one query, {given[0]!r}; several queries go to stdin, one a line", stacklevel=2)
    return map(whole_characters, given or filter(None, map(str.strip, typed("query"))))


class Corpus:
    """Documents with `docno`, `text` and their other fields, read again at each call.

    Args:
        given: the argument of the command line, a file, a dataset, or - for stdin.
        docno, text: names of the fields with the docno and the text; several texts are joined.
        form: the file's format, one of `FORMS`. None takes the format of the suffix, or else JSON lines.

    Raises:
        FileNotFoundError: if the file does not exist.
        ValueError: if the dataset does not exist.
    """

    html = False
    """Whether the texts are HTML, from which the text is extracted."""

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
        """Return the corpus that a command is given with the options `FIELDS`."""
        corpus = cls(args.corpus, args.docno, args.text, args.form)
        corpus.html = args.html
        return corpus

    def get_corpus_iter(self, *, verbose: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the documents. Indexers show the progress themselves, so `verbose` has no effect here."""
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
        """Names of the fields without their unit, `("weight kg",)`, by the words that `FieldQuantities` takes."""
        names = map(str, next(self._documents(), {}))
        words = {name_words(name): unit_of_name(name) != BARE for name in names}
        return {name: (" ".join(name[: len(name) - with_unit]),) for name, with_unit in words.items()}

    @property
    def form(self) -> str:
        """Format of the file."""
        return self._form or form_of(self.given)

    @cached_property
    def file(self) -> Path:
        """Return the path of the file. Stdin and pipes, which can be read only once, are copied to a file first.

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
