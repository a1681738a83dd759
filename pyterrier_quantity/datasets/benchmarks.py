"""Other people's collections with numbers in questions and texts, read from the folders that their users download.

Nothing of them is in this package. `sources.tsv` lists them. Each knows its source and licence (`about`), says how to
get what is missing, and reads all of it to its end in `check()`.
"""

from __future__ import annotations

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
    """Where a collection comes from.

    Args:
        form: the function of `benchmark_forms` that reads it; "": `QuantCollection` does.
        files: what it is read from, one of several names that it may have, with braces for the split, or its name.
        split: which part of it is usually measured on, where it has several.
        parts: what PyTerrier is told that it offers.
        title: its name and paper.
        url: where to get it.
        licence: as its source states it.
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
"""By name; "numconq" stands for all its domains, "numconq-DOMAIN"."""


class Benchmark(Judged):
    """A collection in a folder that the user downloads.

    Args:
        name: of the dataset, without "quantity:".
        about: see `About`.
        folder: where its files are; None: the environment variable `NAME_HOME`, or `corpora/NAME` in PyTerrier's home
            folder. They are read when asked for.
        split: which part of the collection, where it has several; None: the one that is usually measured on.
    """

    def __init__(self, name: str, about: About, folder: str | Path | None = None, split: str | None = None) -> None:
        self.key, self.about = name, about
        self.name = f"quantity:{name}"
        Benchmark._configure(self, folder, split)

    def _configure(self, folder: str | Path | None = None, split: str | None = None) -> None:
        """Takes the arguments of `pt.get_dataset`."""
        self._given = None if folder is None else Path(folder)
        self.split = split or self.about.split
        self.__dict__.pop("content", None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r}{'' if self._given is None else f', folder={str(self._given)!r}'})"

    @property
    def folder(self) -> Path:
        """Where the files are."""
        set_by_user = self._given or os.environ.get(f"{self.key.upper().replace('-', '_')}_HOME")
        return Path(set_by_user or Path(pt.io.pyterrier_home()) / "corpora" / self.key)

    @property
    def path(self) -> Path:
        """The file that the source names."""
        return self.file(*(name.format(self.split or self.key) for name in self.about.files))

    def file(self, *names: str) -> Path:
        """The first of these paths below the folder that is there.

        Raises:
            MissingFileError: naming them, and where the collection comes from.
        """
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
        """Where the collection comes from."""
        return self.about.url


def named_unit(name: str) -> str:
    """A unit's name here; what is no unit, as annotators and extractors have some, stays as it is."""
    try:
        return default_registry().resolve(name)
    except UnknownUnitError:
        return name


Rows = list[list[str]]


@dataclass
class Content:
    """All that a collection holds, with None for the parts that it lacks.

    Args:
        topics: Q; `constraints`, and `condition`, `value`, `high`, `unit`, belong to the structured variant only.
        texts: by docno.
        qrels: qid, docno and label.
        answers: with `qid` and `answer`.
        tables: by docno.
        quantities: by docno.
        spans: annotated places of texts: `docno`, `set` (rows that belong together), `kind`, `id`, `start`, `end`,
            `text`, and `about`, a dictionary with the collection's other fields.
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
    """A benchmark whose files are read once, all together. Asking for what it lacks raises NotImplementedError.

    Args:
        name, about: see `Benchmark`.
        read: reads its content.
    """

    def __init__(self, name: str, about: About, read: Callable[[ReadCollection], Content]) -> None:
        super().__init__(name, about)
        self._read = read

    @cached_property
    def content(self) -> Content:
        """All of it; read once.

        Raises:
            CollectionError: naming the file, if it is not in the collection's form.
        """
        try:
            return self._read(self)
        except CollectionError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:  # what JSON of another form leads to
            raise CollectionError(self.path, None, f"not in the form of {self.about.title}: {error!r}") from error

    def _part(self, name: str) -> Any:
        found = getattr(self.content, name)
        if found is None:
            raise NotImplementedError(f"{self!r} has no {name}")
        return found

    def get_corpus(self) -> list[str]:
        """The names of the corpus's files."""
        return self._part("corpus")

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `query`, and what the collection says of them beside, such as `type` or `snippets`.

        Args:
            variant: None or "text"; "structured": also the annotated conditions as `constraints`, where there are any.

        Raises:
            ValueError: if the variant is unknown.
        """
        topics: pd.DataFrame = self._part("topics")
        self._check_variant("topics", variant, TOPIC_VARIANTS if "constraints" in topics else ("text",))
        asked = ["constraints", "condition", "value", "high", "unit"]
        return topics if variant == "structured" else topics.drop(columns=asked, errors="ignore")

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `docno`, `label`.

        Raises:
            ValueError: on any variant.
        """
        self._check_variant("qrels", variant, ())
        return pd.DataFrame(self._part("qrels"), columns=["qid", "docno", "label"])

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        """Documents as dicts with `docno` and `text`."""
        texts = shown(self._part("texts").items(), verbose, desc=f"{self.name} documents")
        return ({"docno": docno, "text": text} for docno, text in texts)

    def get_answers(self) -> pd.DataFrame:
        """`qid`, `answer`, and what the collection says of the answer beside."""
        return self._part("answers")

    def get_tables(self) -> dict[str, Rows]:
        """The tables by docno, each as a list of rows of text."""
        return self._part("tables")

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """The annotated quantities of each document by docno, without places in the text."""
        return self._part("quantities")

    def get_spans(self) -> pd.DataFrame:
        """The annotated places of the texts, see `Content`, to measure an extractor's `start` and `end` against."""
        return self._part("spans")

    def check(self) -> dict[str, int]:
        """Reads every file to its end; how many documents, topics and so on there are.

        Raises:
            CollectionError: at the first fault, naming file and line.
        """
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
