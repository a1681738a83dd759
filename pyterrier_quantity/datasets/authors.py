"""FinQuant and MedQuant, over the folders that their authors distribute (numbers-matter, sections 4.1, C.1 and C.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._progress import shown
from pyterrier_quantity.datasets.authors_files import (
    COLLECTION,
    FILES,
    QRELS,
    QUERIES,
    Query,
    Sentence,
    count_sentences,
    judged_queries,
    read_judgements,
    read_queries,
    read_sentences,
)
from pyterrier_quantity.datasets.benchmarks import ABOUT, Benchmark
from pyterrier_quantity.datasets.files import CollectionError
from pyterrier_quantity.quantity import Constraint, Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry

TEXTS: Final = ("sentence", "normalized_sentence")
TOPIC_VARIANTS: Final = ("text", "structured", "keywords")
SUBSETS: Final = {
    "in_training": ("lexical", "seen"),
    "not_training": ("lexical", "unseen"),
    "expanded": ("semantic", "expansion"),
    "wo_surface": ("semantic", "w/o surface form"),
}
"""Which queries a relevance file holds: type, and subset as in Figure 1a. Of several files the last counts."""


class QuantCollection(Benchmark):
    """A collection in the form of FinQuant and MedQuant: one folder with `collection.csv`, `queries.tsv` and eight
    relevance files.

    Queries and sentences are known by their numbers, from 0, in the order of the files.

    Args:
        folder: where the files are. They are read when they are asked for.
        text: which column is the documents' text: "sentence", or "normalized_sentence".

    Raises:
        CollectionError: at once, if a file is missing; on reading, if one is not what it should be. It names the file,
            and the line.
        ValueError: if there is no such column of text.
    """

    KEY: ClassVar[str] = ""
    """Which one it is, as `ABOUT` calls it."""

    def __init__(self, folder: str | Path | None = None, text: str = "sentence") -> None:
        super().__init__(self.KEY or Path(folder or ".").resolve().name, ABOUT[self.KEY or "finquant"], folder)
        self.name = self.name if self.KEY else self.key
        self._configure(folder, text)

    # A text in place of a split: each collection takes options of its own.
    def _configure(self, folder: str | Path | None = None, text: str = "sentence") -> None:  # type: ignore[override]
        super()._configure(folder)
        if text not in TEXTS:
            raise ValueError(f"no text {text!r}; one of {', '.join(TEXTS)}")
        self.text = text
        for kept in ("_sentences", "_queries"):
            self.__dict__.pop(kept, None)
        for name in FILES if folder is not None else ():
            self.file(name)

    def get_corpus(self) -> list[str]:
        """The corpus as a list of one file name."""
        return [str(self.file(COLLECTION))]

    def get_corpus_iter(self, *, verbose: bool = True, quantities: bool = False) -> pt.model.IterDict:
        """Documents as dicts with `docno` (the sentence's number) and `text`, read one at a time.

        Args:
            verbose: show progress.
            quantities: also give `quantities`, those of the authors' extractor (see `get_quantities`), which a
                `QuantityIndex` takes in place of its own reading.
        """
        total = self._sentences
        documents = shown(self._documents(quantities), verbose, desc=f"{self.name} documents", total=total)
        return pt.utils.GeneratorLen(iter(documents), total)

    def _documents(self, quantities: bool) -> Iterator[dict[str, Any]]:
        for number, row in enumerate(read_sentences(self.file(COLLECTION))):
            document = {"docno": str(number), "text": getattr(row, self.text)}
            yield document | {"quantities": _quantities(row)} if quantities else document

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """The quantities of each document by docno, as the columns `values` and `units` have them: the authors'
        extractor's, with the units' names as here, without places in the text."""
        return {document["docno"]: document["quantities"] for document in self._documents(quantities=True)}

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Queries.

        Args:
            variant: None or "text": `qid`, `query` as typed, `keywords`, `type` ("lexical" or "semantic") and `subset`
                ("seen", "unseen", "expansion", "w/o surface form"); "structured": also `condition`, `value`, `unit`
                and the same as `constraints`; "keywords": `qid`, with the keywords as `query`.

        Raises:
            ValueError: if the variant is unknown.
        """
        self._check_variant("topics", variant, TOPIC_VARIANTS)
        topics = pd.DataFrame(self._queries, columns=["line", "query", "keywords", "unit", "value", "condition"])
        topics.insert(0, "qid", [str(number) for number in range(len(topics))])
        if variant == "keywords":
            return topics[["qid", "keywords"]].rename(columns={"keywords": "query"})
        kinds = {number: kind for name, kind in SUBSETS.items() for number in judged_queries(self.file(QRELS[name]))}
        of_each = [kinds.get(number, ("", "")) for number in range(len(topics))]
        topics = topics.assign(type=[kind for kind, _ in of_each], subset=[subset for _, subset in of_each])
        typed = ["qid", "query", "keywords", "type", "subset"]
        if variant != "structured":
            return topics[typed]
        return topics[[*typed, "condition", "value", "unit"]].assign(
            constraints=[[self._constraint(query)] for query in self._queries]
        )

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Judgements: `qid`, `docno`, `label`.

        Args:
            variant: None or "complete": of all queries; "in_training", "not_training", "expanded", "wo_surface",
                "equals", "greater", "less": of these queries only.

        Raises:
            ValueError: if the variant is unknown.
        """
        self._check_variant("qrels", variant, QRELS)
        found = read_judgements(self.file(QRELS[variant or "complete"]), len(self._queries), self._sentences)
        rows = [(str(query), str(sentence), grade) for query, sentence, grade in found]
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])

    def check(self) -> dict[str, int]:
        """Reads every file to its end.

        Returns:
            How many sentences, quantities, queries, and judgements of each variant there are.

        Raises:
            CollectionError: at the first fault.
        """
        stated = [len(row.values) for row in read_sentences(self.file(COLLECTION))]
        counts = {"sentences": len(stated), "quantities": sum(stated), "queries": len(self.get_topics("structured"))}
        return counts | {variant: len(self.get_qrels(variant)) for variant in QRELS}

    @cached_property
    def _sentences(self) -> int:
        return count_sentences(self.file(COLLECTION))

    @cached_property
    def _queries(self) -> list[Query]:
        return list(read_queries(self.file(QUERIES)))

    def _constraint(self, query: Query) -> Constraint:
        try:
            unit = default_registry().resolve(query.unit)
        except UnknownUnitError as error:
            raise CollectionError(self.file(QUERIES), query.line, f"column 'unit': {error}") from error
        return Constraint(query.condition, query.value, query.value, unit)

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "corpus":
            return True
        return {"topics": list(TOPIC_VARIANTS), "qrels": list(QRELS)}.get(component)


class FinQuant(QuantCollection):
    """FinQuant: 306,291 sentences of news and 420 queries, with the arguments of `QuantCollection`.

    Without a folder: that of the environment variable `FINQUANT_HOME`, or `corpora/finquant` in PyTerrier's home
    folder.
    """

    KEY = "finquant"


class MedQuant(QuantCollection):
    """MedQuant: 153,252 sentences of clinical trials and 210 queries; else as `FinQuant`."""

    KEY = "medquant"


def _quantities(row: Sentence) -> list[Quantity]:
    return [Quantity(low, high, _unit(unit)) for (low, high), unit in zip(row.values, row.units, strict=True)]


def _unit(name: str) -> str:
    """The unit's name here; the extractor's noise stays as it is."""
    try:
        return default_registry().resolve(name)
    except UnknownUnitError:
        return name
