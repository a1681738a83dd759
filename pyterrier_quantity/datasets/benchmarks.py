"""Published test collections about numbers, read from folders that users download. `sources.tsv` lists the collections
with their source and licence."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._progress import shown
from pyterrier_quantity.datasets.files import CollectionError, MissingFileError
from pyterrier_quantity.datasets.local import TOPIC_VARIANTS, Judged
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry


@dataclass(frozen=True)
class About:
    """The source and format of a collection: a row of `sources.tsv`.

    Args:
        form: the name of the function in `benchmark_forms` that reads the collection, or "" for `QuantCollection`.
        files: the possible names of the main file. "{}" in a name stands for the split or the collection's name.
        split: the default split, or "" for an undivided collection.
        parts: the components that the PyTerrier dataset has, such as "topics" and "qrels".
        title: the collection's name and paper.
        url: the download address of the collection.
        licence: the licence as the collection's authors state it.
    """

    form: str
    files: tuple[str, ...]
    split: str
    parts: tuple[str, ...]
    title: str
    url: str
    licence: str


def _sources() -> dict[str, About]:
    text = resources.files("pyterrier_quantity.datasets").joinpath("sources.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return {
        name: About(form, tuple(files.split()), split, tuple(parts.split()), *told)
        for name, form, files, split, parts, *told in rows
    }


ABOUT: Final = _sources()
"""A dictionary from a collection's name to its `About`. "numconq" stands for all datasets "numconq-DOMAIN"."""


class Benchmark(Judged):
    """A collection in a folder that the user downloads.

    Args:
        name: the dataset's name, without "quantity:".
        about: the collection's source and format.
        folder: the folder with the files. None means the folder in the environment variable `NAME_HOME` (`FACTGAP_HOME`
            for "factgap"), or `corpora/NAME` in PyTerrier's home folder.
        split: the part of the collection, such as "train" or "test", or None for the default split.
    """

    def __init__(self, name: str, about: About, folder: str | Path | None = None, split: str | None = None) -> None:
        self.key, self.about = name, about
        self.name = f"quantity:{name}"
        Benchmark._configure(self, folder, split)

    def _configure(self, folder: str | Path | None = None, split: str | None = None) -> None:
        self._given = None if folder is None else Path(folder)
        self.split = split or self.about.split
        self.__dict__.pop("content", None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r}{'' if self._given is None else f', folder={str(self._given)!r}'})"

    @property
    def folder(self) -> Path:
        set_by_user = self._given or os.environ.get(f"{self.key.upper().replace('-', '_')}_HOME")
        return Path(set_by_user or Path(pt.io.pyterrier_home()) / "corpora" / self.key)

    @property
    def path(self) -> Path:
        """The path of the collection's main file."""
        return self.file(*(name.format(self.split or self.key) for name in self.about.files))

    def file(self, *names: str) -> Path:
        """Return the path of the first of the named files that exists in the folder, or raise a MissingFileError."""
        for name in names:
            if (path := self.folder / name).is_file():
                return path
        about = self.about
        told = (
            f"{about.title} needs {' or '.join(names)} here, and this package may not carry it: get it from "
            f'{about.url} ({about.licence}), or give its folder: pt.get_dataset("{self.name}", folder=...)'
        )
        raise MissingFileError(self.folder, None, told)

    def info_url(self) -> str | None:
        return self.about.url


def named_unit(name: str) -> str:
    """Return this package's name for a unit: "km" -> "kilometre". An unknown name is returned unchanged."""
    try:
        return default_registry().resolve(name)
    except UnknownUnitError:
        return name


Rows = list[list[str]]


@dataclass
class Content:
    """The data in a collection's files. Parts that the collection lacks are None.

    Args:
        topics: a frame with `qid`, `query`, and optionally other columns; see `Benchmark.get_topics`.
        texts: the texts, keyed by docno.
        qrels: tuples (qid, docno, label).
        answers: a frame with `qid` and `answer`.
        tables: the tables, keyed by docno.
        quantities: lists of quantities, keyed by docno.
        spans: a frame of annotated spans, with `docno`, `set` (a number shared by all rows about one quantity), `kind`,
            `id`, `start`, `end`, `text`, and `about`, a dictionary with all other fields of the row.
        corpus: the names of the corpus's files.
    """

    topics: pd.DataFrame | None = None
    texts: dict[str, str] | None = None
    qrels: list[tuple[str, str, int]] | None = None
    answers: pd.DataFrame | None = None
    tables: dict[str, Rows] | None = None
    quantities: dict[str, list[Quantity]] | None = None
    spans: pd.DataFrame | None = None
    corpus: list[str] | None = None


class ReadCollection(Benchmark):
    """A collection that a function reads from files. A request for a missing part raises a NotImplementedError.

    Args:
        name, about: see `Benchmark`.
        read: a function that reads the files and returns their content.
    """

    def __init__(self, name: str, about: About, read: "Callable[[ReadCollection], Content]") -> None:
        super().__init__(name, about)
        self._read = read

    @cached_property
    def content(self) -> Content:
        """All parts of the collection. The files are read once. A malformed file raises a CollectionError."""
        try:
            return self._read(self)
        except CollectionError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:  # the file has another format
            raise CollectionError(self.path, None, f"not in the form of {self.about.title}: {error!r}") from error

    def _part(self, name: str) -> Any:
        found = getattr(self.content, name)
        if found is None:
            raise NotImplementedError(f"{self!r} has no {name}")
        return found

    def get_corpus(self) -> list[str]:
        return self._part("corpus")

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics with `qid`, `query`, and the collection's other columns, such as `type` or `snippets`.
        `variant` selects the columns: "structured" includes `constraints`, the annotated conditions; None or "text"
        does not. Any other value raises a ValueError."""
        topics: pd.DataFrame = self._part("topics")
        self._check_variant("topics", variant, TOPIC_VARIANTS if "constraints" in topics else ("text",))
        asked = ["constraints", "condition", "value", "high", "unit"]
        return topics if variant == "structured" else topics.drop(columns=asked, errors="ignore")

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the judgements with `qid`, `docno`, `label`. Any `variant` except None raises a ValueError."""
        self._check_variant("qrels", variant, ())
        return pd.DataFrame(self._part("qrels"), columns=["qid", "docno", "label"])

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        texts = shown(self._part("texts").items(), verbose, desc=f"{self.name} documents")
        return ({"docno": docno, "text": text} for docno, text in texts)

    def get_answers(self) -> pd.DataFrame:
        """Return the answers with `qid`, `answer`, and the collection's other columns, such as `scale`."""
        return self._part("answers")

    def get_tables(self) -> dict[str, Rows]:
        """Return the tables, keyed by docno. A table is a list of rows, and a row is a list of cell texts."""
        return self._part("tables")

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """Return the annotated quantities of each document, without spans, keyed by docno."""
        return self._part("quantities")

    def get_spans(self) -> pd.DataFrame:
        """Return the annotated spans of the texts, with the columns of `Content.spans`."""
        return self._part("spans")

    def check(self) -> dict[str, int]:
        """Read all files, and return the number of documents, topics, judgements and other parts. Raise a
        CollectionError if a file is malformed, or if a judged topic or document does not exist."""
        found = self.content
        qids = () if found.topics is None else set(found.topics["qid"])
        for qid, docno, _ in found.qrels or ():
            for name, known, what in ((docno, found.texts or (), "document"), (qid, qids, "topic")):
                if name not in known:
                    raise CollectionError(self.path, None, f"no {what} {name!r}, but it is judged for query {qid!r}")
        parts = {name: getattr(found, name) for name in ("topics", "answers", "tables", "spans")}
        parts |= {"documents": found.texts, "judgements": found.qrels}
        counts = {name: len(part) for name, part in parts.items() if part is not None}
        stated = found.quantities
        return counts if stated is None else counts | {"quantities": sum(map(len, stated.values()))}

    def _describe_component(self, component: str) -> bool | None:
        return True if component in self.about.parts else None
