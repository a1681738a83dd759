"""FinQuant and MedQuant, over the folders that their authors distribute (numbers-matter, sections 4.1, C.1 and C.2)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._text_loader import LoadsTexts
from pyterrier_quantity.datasets.authors_files import (
    COLLECTION,
    QRELS,
    QUERIES,
    Query,
    Sentence,
    check_folder,
    count_sentences,
    judged_queries,
    read_judgements,
    read_queries,
    read_sentences,
)
from pyterrier_quantity.datasets.files import CollectionError, MissingFileError
from pyterrier_quantity.quantity import Constraint, Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry

URL: Final = "https://github.com/satya77/QuantityAwareRankers"
TEXTS: Final = ("sentence", "normalized_sentence")
TOPIC_VARIANTS: Final = ("text", "structured", "keywords")
SUBSETS: Final = {
    "in_training": ("lexical", "seen"),
    "not_training": ("lexical", "unseen"),
    "expanded": ("semantic", "expansion"),
    "wo_surface": ("semantic", "w/o surface form"),
}
"""Which queries a relevance file holds: type, and subset as in Figure 1a. Of several files the last counts."""


class QuantCollection(LoadsTexts, pt.datasets.Dataset):
    """A collection in the form of FinQuant and MedQuant: one folder with `collection.csv`, `queries.tsv` and eight
    relevance files.

    Queries and sentences are known by their numbers, from 0, in the order of the files.

    Args:
        folder: where the files are. They are read when they are asked for.
        text: which column is the documents' text: "sentence", or "normalized_sentence".
        name: what to call the collection; None: as the folder.

    Raises:
        CollectionError: at once, if a file is missing, or one is there that is none of the collection's; on reading,
            if a file is not what it should be. It names the file, and the line.
        ValueError: if there is no such column of text.
    """

    def __init__(self, folder: str | Path, text: str = "sentence", name: str | None = None) -> None:
        self.name = name or Path(folder).resolve().name
        self._use(folder, text)

    def _use(self, folder: str | Path | None, text: str) -> None:
        if text not in TEXTS:
            raise ValueError(f"no text {text!r}; one of {', '.join(TEXTS)}")
        self.text = text
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            check_folder(self._folder)

    @property
    def folder(self) -> Path:
        """Where the files are."""
        if self._folder is None:
            raise MissingFileError(Path(self.name), None, "no folder was given")
        return self._folder

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._folder)!r})"

    def get_corpus(self) -> list[str]:
        """The corpus as a list of one file name."""
        return [str(self.folder / COLLECTION)]

    def get_corpus_iter(self, *, verbose: bool = True, quantities: bool = False) -> pt.model.IterDict:
        """Documents as dicts with `docno` (the sentence's number) and `text`, read one at a time.

        Args:
            verbose: show progress.
            quantities: also give `quantities`, those of the authors' extractor (see `get_quantities`), which a
                `QuantityIndex` takes in place of its own reading.
        """
        documents: Iterable[dict[str, Any]] = self._documents(quantities)
        if verbose:
            documents = pt.tqdm(documents, desc=f"{self.name} documents", total=self._sentences)
        return pt.utils.GeneratorLen(iter(documents), self._sentences)

    def _documents(self, quantities: bool) -> Iterator[dict[str, Any]]:
        for number, row in enumerate(read_sentences(self.folder / COLLECTION)):
            document = {"docno": str(number), "text": getattr(row, self.text)}
            yield document | {"quantities": _quantities(row)} if quantities else document

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """The quantities of each document by docno, as the columns `values` and `units` have them: the authors'
        extractor's, with the units' names as here, without places in the text."""
        return {str(number): _quantities(row) for number, row in enumerate(read_sentences(self.folder / COLLECTION))}

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Queries.

        Args:
            variant: None or "text": `qid`, `query` as typed, `keywords`, `type` ("lexical" or "semantic") and `subset`
                ("seen", "unseen", "expansion", "w/o surface form"); "structured": also `condition`, `value`, `unit`
                and the same as `constraints`; "keywords": `qid`, with the keywords as `query`.

        Raises:
            ValueError: if the variant is unknown.
        """
        if variant not in (None, *TOPIC_VARIANTS):
            raise ValueError(f"{self!r}: no topics variant {variant!r}; one of {', '.join(TOPIC_VARIANTS)}")
        asked = self._queries
        qids = [str(number) for number in range(len(asked))]
        if variant == "keywords":
            return pd.DataFrame({"qid": qids, "query": [query.keywords for query in asked]})
        kinds = self._kinds()
        topics = pd.DataFrame(
            {
                "qid": qids,
                "query": [query.text for query in asked],
                "keywords": [query.keywords for query in asked],
                "type": [kinds.get(number, ("", ""))[0] for number in range(len(asked))],
                "subset": [kinds.get(number, ("", ""))[1] for number in range(len(asked))],
            }
        )
        if variant != "structured":
            return topics
        return topics.assign(
            condition=[query.condition for query in asked],
            value=[query.value for query in asked],
            unit=[query.unit for query in asked],
            constraints=[[self._constraint(query)] for query in asked],
        )

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Judgements: `qid`, `docno`, `label`.

        Args:
            variant: None or "complete": of all queries; "in_training", "not_training", "expanded", "wo_surface",
                "equals", "greater", "less": of these queries only.

        Raises:
            ValueError: if the variant is unknown.
        """
        if variant not in (None, *QRELS):
            raise ValueError(f"{self!r}: no qrels variant {variant!r}; one of {', '.join(QRELS)}")
        path = self.folder / QRELS[variant or "complete"]
        found = read_judgements(path, len(self._queries), self._sentences)
        rows = [(str(query), str(sentence), grade) for query, sentence, grade in found]
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])

    def get_doubtful(self) -> pd.DataFrame:
        """Pairs (`qid`, `docno`) to leave out of every ranking: there are none."""
        return pd.DataFrame({"qid": pd.Series(dtype=str), "docno": pd.Series(dtype=str)})

    def check(self) -> dict[str, int]:
        """Reads every file to its end.

        Returns:
            How many sentences, quantities, queries, and judgements of each variant there are.

        Raises:
            CollectionError: at the first fault.
        """
        counts = {"sentences": 0, "quantities": 0, "queries": len(self.get_topics("structured"))}
        for row in read_sentences(self.folder / COLLECTION):
            counts["sentences"] += 1
            counts["quantities"] += len(row.values)
        return counts | {variant: len(self.get_qrels(variant)) for variant in QRELS}

    @cached_property
    def _sentences(self) -> int:
        return count_sentences(self.folder / COLLECTION)

    @cached_property
    def _queries(self) -> list[Query]:
        return list(read_queries(self.folder / QUERIES))

    def _kinds(self) -> dict[int, tuple[str, str]]:
        return {
            number: kind for variant, kind in SUBSETS.items() for number in judged_queries(self.folder / QRELS[variant])
        }

    def _constraint(self, query: Query) -> Constraint:
        try:
            unit = default_registry().resolve(query.unit)
        except UnknownUnitError as error:
            raise CollectionError(self.folder / QUERIES, query.line, f"column 'unit': {error}") from error
        return Constraint(query.condition, query.value, query.value, unit)

    def get_topics_lang(self) -> str | None:
        """English."""
        return "en"

    def get_corpus_lang(self) -> str | None:
        """English."""
        return "en"

    def info_url(self) -> str | None:
        """The authors' repository, which says where the data is."""
        return URL

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "corpus":
            return True
        return {"topics": list(TOPIC_VARIANTS), "qrels": list(QRELS)}.get(component)


class _Distributed(QuantCollection):
    """One of the authors' two collections, which the user downloads: this package may not carry them."""

    title: str

    def __init__(self, folder: str | Path | None = None, text: str = "sentence") -> None:
        self.name = f"quantity:{self.title.lower()}"
        self._use(folder, text)

    def _configure(self, folder: str | Path | None = None, text: str = "sentence") -> None:
        """Takes the arguments of `pt.get_dataset`."""
        self.__dict__.pop("_sentences", None)
        self.__dict__.pop("_queries", None)
        self._use(folder, text)

    @property
    def folder(self) -> Path:
        """As given, or the environment variable's, or the one in PyTerrier's home folder."""
        if self._folder is not None:
            return self._folder
        variable, home = f"{self.title.upper()}_HOME", Path(pt.io.pyterrier_home()) / "corpora" / self.title.lower()
        folder = Path(os.environ.get(variable) or home)
        if not folder.is_dir():
            raise MissingFileError(
                folder,
                None,
                (
                    f"{self.title} is not there. It cannot be downloaded from here: get the benchmark data from {URL} "
                    f"(README, section 'Data and Model Checkpoints'), unpack it, and put the folder with {COLLECTION} "
                    f"and {QUERIES} at this place, or set {variable}, or give folder=... to {self.title}() or "
                    "pt.get_dataset()"
                ),
            )
        check_folder(folder)
        return folder

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self._folder is None else repr(str(self._folder))})"


class FinQuant(_Distributed):
    """FinQuant: 306,291 sentences of news and 420 queries, in the form of `QuantCollection`.

    Args:
        folder: where the files are; None: the environment variable `FINQUANT_HOME`, or `corpora/finquant` in
            PyTerrier's home folder.
        text: see `QuantCollection`.
    """

    title = "FinQuant"


class MedQuant(_Distributed):
    """MedQuant: 153,252 sentences of clinical trials and 210 queries, in the form of `QuantCollection`.

    Args:
        folder: where the files are; None: the environment variable `MEDQUANT_HOME`, or `corpora/medquant` in
            PyTerrier's home folder.
        text: see `QuantCollection`.
    """

    title = "MedQuant"


def _quantities(row: Sentence) -> list[Quantity]:
    return [Quantity(low, high, _unit(unit)) for (low, high), unit in zip(row.values, row.units, strict=True)]


def _unit(name: str) -> str:
    """The unit's name here; the extractor's noise stays as it is."""
    try:
        return default_registry().resolve(name)
    except UnknownUnitError:
        return name
