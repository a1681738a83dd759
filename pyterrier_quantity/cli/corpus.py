"""Read the input of commands (a corpus, or lines from stdin), and format their output (tables, highlighted texts)."""

import argparse
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.datasets.corpus_files import CorpusFile, form_of
from pyterrier_quantity.explanation.explain import explain
from pyterrier_quantity.extraction.source import text_of_html
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.transformers.field_quantities import name_words, unit_of_name


def typed(what: str) -> Iterator[str]:
    """Yield the lines of stdin without line endings. On a terminal, print `what` as a prompt before each line."""
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            print(f"{what}> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.rstrip("\r\n")


def queries(given: Sequence[str]) -> Iterator[str]:
    """Yield the queries on the command line, or else the lines of stdin. If all queries are single words,
    join them into one query with a warning, because the user probably forgot quotation marks."""
    if len(given) > 1 and not any(" " in one for one in given):
        given = [" ".join(given)]
        warnings.warn(f"read as one query, {given[0]!r}; give several queries on stdin, one per line", stacklevel=2)
    return map(whole_characters, given or filter(None, map(str.strip, typed("query"))))


class Corpus:
    """A corpus that a user names on the command line. Its documents have `docno`, `text` and other fields.

    Args:
        given: the path of a file, the name of a dataset, or "-" for stdin.
        docno, text: the names of the fields with the docno and the texts. Several texts are joined by line breaks.
        form: "jsonl", "csv" or "tsv". If None, the file's suffix decides, and the default is "jsonl".

    Raises:
        FileNotFoundError: if the file does not exist.
        ValueError: if the dataset does not exist.
    """

    html = False
    """Whether the texts are HTML, which `get_corpus_iter` converts to plain text."""

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
    def of(cls, args: argparse.Namespace) -> "Corpus":
        """Return the corpus described by the arguments `corpus`, `docno`, `text`, `form` and `html` of a command."""
        corpus = cls(args.corpus, args.docno, args.text, args.form)
        corpus.html = args.html
        return corpus

    def get_corpus_iter(self, *, verbose: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the documents. The argument `verbose` has no effect, because indexers show the progress."""
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
        """Return a dictionary from field names (as words) to names without units: {("size", "cm"): ("size",)}."""
        names = map(str, next(self._documents(), {}))
        words = {name_words(name): unit_of_name(name) != BARE for name in names}
        return {name: (" ".join(name[: len(name) - with_unit]),) for name, with_unit in words.items()}

    @property
    def form(self) -> str:
        return self._form or form_of(self.given)

    @cached_property
    def file(self) -> Path:
        """The path of the corpus file. Stdin and pipes are first copied to a temporary file, because they can be read
        only once. If stdin or the pipe is empty, raise a ValueError."""
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


PLAIN: Final = ("**", "**")
ANSI: Final = ("\x1b[1;32m", "\x1b[0m")
"""Terminal codes that begin and end the highlighting of a quantity."""


def terminal_marks() -> tuple[str, str]:
    """Return the marks before and after a highlighted quantity: colour codes on a terminal (unless the environment
    variable NO_COLOR is set), and asterisks elsewhere."""
    return ANSI if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else PLAIN


def met_quantities(index: QuantityIndex, results: pd.DataFrame) -> list[list[Quantity]]:
    """Return, for each result, a list with the best quantity for each constraint that the result meets. The results
    need the column `constraints`."""
    explained = explain(results, index)
    met = explained[explained["met"]].groupby(["qid", "docno"])["quantity"].agg(list).to_dict()
    return [met.get(pair, []) for pair in zip(results["qid"], results["docno"], strict=True)]


def data_texts(data: LocalCollection | Corpus, wanted: set[str] | None = None, between: str = " ") -> dict[str, str]:
    """Return the texts of all documents, or of the documents in `wanted`, keyed by docno. Each line break is replaced
    by the character `between`, so that offsets stay valid."""
    documents = ((whole_characters(d["docno"]), d["text"]) for d in data.get_corpus_iter(verbose=False))
    known = ((docno, text) for docno, text in documents if wanted is None or docno in wanted)
    return {docno: whole_characters(text.replace("\n", between)) for docno, text in known}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a text table. The first column is left-aligned, the other columns are right-aligned."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        first, *others = zip(row, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join([line(header), "-" * (sum(widths) + 2 * (len(widths) - 1)), *map(line, rows)])
