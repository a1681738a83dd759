"""Other people's collections with numbers in questions and texts, read from the folders that their users download.

| name | kind | holds |
| --- | --- | --- |
| `numconq-DOMAIN`, `birco-trials` | `ConvertedCollection` | corpus, topics, judgements |
| `clio`, `clio-noaa` | `cross_unit.CrossUnitTexts` | corpus, topics, judgements |
| `tatqa`, `wikitablequestions` | `tables.TatQA`, `tables.WikiTableQuestions` | questions, answers, tables |
| `coqex-lcquad`, `coqex-stresstest` | `CountQuestions` | questions, snippets, true counts |
| `newsquant`, `recognizers-KIND` | `AnnotatedTexts` | texts with annotated quantities |

Nothing of them is in this package. Each knows its source and licence (`about`), says how to get what is missing, and
reads all of it to its end in `check()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.datasets.files import CollectionError, MissingFileError, read_json, read_objects
from pyterrier_quantity.datasets.local import LocalCollection
from pyterrier_quantity.quantity import BOUNDS, Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry


@dataclass(frozen=True)
class About:
    """Where a collection comes from.

    Args:
        title: its name and paper.
        url: where to get it.
        licence: as its source states it.
        published: what was reported on it, for tables beside ours.
    """

    title: str
    url: str
    licence: str
    published: str = ""


class Benchmark(pt.datasets.Dataset):
    """A collection in a folder that the user downloads.

    Args:
        name: of the dataset, without "quantity:".
        about: see `About`.
        folder: where its files are; None: `corpora/NAME` in PyTerrier's home folder. They are read when asked for.
    """

    def __init__(self, name: str, about: About, folder: str | Path | None = None) -> None:
        self.key, self.about = name, about
        self.name = f"quantity:{name}"
        self._configure(folder)

    def _configure(self, folder: str | Path | None = None) -> None:
        """Takes the arguments of `pt.get_dataset`."""
        self._given = None if folder is None else Path(folder)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r}{'' if self._given is None else f', folder={str(self._given)!r}'})"

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self._given or Path(pt.io.pyterrier_home()) / "corpora" / self.key

    def file(self, *names: str) -> Path:
        """The first of these paths below the folder that is there.

        Raises:
            MissingFileError: naming them, and where the collection comes from.
        """
        for name in names:
            if (path := self.folder / name).is_file():
                return path
        raise MissingFileError(
            self.folder,
            None,
            (
                f"{self.about.title} needs {' or '.join(names)} here, and this package may not carry it: get it from "
                f"{self.about.url} ({self.about.licence}), or give its folder: "
                f'pt.get_dataset("{self.name}", folder=...)'
            ),
        )

    def info_url(self) -> str | None:
        """Where the collection comes from."""
        return self.about.url

    def get_topics_lang(self) -> str | None:
        """English."""
        return "en"

    def get_corpus_lang(self) -> str | None:
        """English."""
        return "en"

    def check(self) -> dict[str, int]:
        """Reads every file to its end; how many documents, topics and so on there are. Every benchmark has its own.

        Raises:
            CollectionError: at the first fault, naming file and line.
        """
        raise NotImplementedError


class ConvertedCollection(Benchmark, LocalCollection):
    """A test collection in the folder `corpora/NAME.jsonl[.gz]`, `gold/NAME.topics.tsv`, `gold/NAME.qrels`, or with the
    three files side by side; see `LocalCollection` for their form.
    """

    def _path(self, part: str) -> Path:
        names = {
            "corpus": [
                f"corpora/{self.key}.jsonl.gz",
                f"corpora/{self.key}.jsonl",
                f"{self.key}.jsonl.gz",
                f"{self.key}.jsonl",
            ],
            "topics": [f"gold/{self.key}.topics.tsv", f"{self.key}.topics.tsv"],
            "qrels": [f"gold/{self.key}.qrels", f"{self.key}.qrels"],
        }
        if part not in names:
            raise NotImplementedError(f"{self!r} has no {part}")
        return self.file(*names[part])

    def _has(self, part: str) -> bool:
        return part in ("corpus", "topics", "qrels")

    def check(self) -> dict[str, int]:
        documents = {document["docno"] for document in self.get_corpus_iter(verbose=False)}
        topics, qrels = self.get_topics(), self.get_qrels()
        for column, known, what in (("qid", set(topics["qid"]), "topic"), ("docno", documents, "document")):
            unknown = set(qrels[column]) - known
            if unknown:
                raise CollectionError(self._path("qrels"), None, f"no {what} {min(unknown)!r}, but it is judged")
        return {"documents": len(documents), "topics": len(topics), "judgements": len(qrels)}


class CountQuestions(Benchmark):
    """Questions for a number, with web snippets and the true count: JSON lines of `qid`, `query`, `answer`, `relation`
    and `snippets`, in a file called as the part ("lcquad_counts.jsonl", "stresstest.jsonl").
    """

    FILES: Final = {"coqex-lcquad": "lcquad_counts.jsonl", "coqex-stresstest": "stresstest.jsonl"}

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `query`, `snippets` (a list of texts): what `counts.count_answers()` takes."""
        return self._read()[["qid", "query", "snippets"]]

    def get_answers(self) -> pd.DataFrame:
        """`qid`, `answer` (a float), `relation` ("=")."""
        return self._read()[["qid", "answer", "relation"]]

    def _read(self) -> pd.DataFrame:
        path = self.file(self.FILES[self.key])
        rows = list(_records(path, ("qid", "query", "answer", "snippets")))
        return pd.DataFrame([{"relation": "="} | row | {"answer": float(row["answer"])} for row in rows])

    def check(self) -> dict[str, int]:
        found = self._read()
        return {"topics": found["qid"].nunique(), "snippets": int(found["snippets"].map(len).sum())}

    def _describe_component(self, component: str) -> bool | None:
        return True if component == "topics" else None


class AnnotatedTexts(Benchmark):
    """Texts with the quantities that people found in them, in the form of the evaluation of CQE: a JSON list of `text`
    and `quantities`, each with `value`, `normalized_unit`, and in NewsQuant `change` and `referred_concepts`.
    """

    FILES: Final = {
        "newsquant": "NewsQuant.json",
        "recognizers-age": "age-model.json",
        "recognizers-currency": "currency-model.json",
        "recognizers-dimension": "dimension-model.json",
        "recognizers-temperature": "temperature-model.json",
    }

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        """Documents as dicts with `docno` (the text's number) and `text`."""
        documents: Iterable[dict[str, Any]] = [{"docno": docno, "text": text} for docno, text, _ in self._read()]
        if verbose:
            documents = pt.tqdm(documents, desc=f"{self.name} documents")
        return iter(documents)

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """The annotated quantities of each document by docno, without places in the text."""
        return {docno: stated for docno, _, stated in self._read()}

    def _read(self) -> Iterator[tuple[str, str, list[Quantity]]]:
        path = self.file(self.FILES[self.key])
        items = read_json(path)
        try:
            for number, item in enumerate(items):
                yield str(number), item["text"], [_annotated(one) for one in item["quantities"]]
        except (ValueError, KeyError, TypeError) as error:
            raise CollectionError(path, None, f"not a list of texts with quantities: {error!r}") from error

    def check(self) -> dict[str, int]:
        found = self.get_quantities()
        return {"documents": len(found), "quantities": sum(map(len, found.values()))}

    def _describe_component(self, component: str) -> bool | None:
        return True if component == "corpus" else None


def _records(path: Path, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Objects of a JSON lines file that have all these fields."""
    for number, record in read_objects(path):
        missing = [name for name in names if name not in record]
        if missing:
            raise CollectionError(path, number, f"no {missing[0]!r}; a line has {', '.join(names)}")
        yield record


def _annotated(stated: dict[str, Any]) -> Quantity:
    """A quantity as annotated: "12.5", or the ends of a range, "40-50"."""
    ends = sorted(map(float, re.split(r"(?<=\d)-", stated["value"])))
    name = stated["normalized_unit"]
    try:
        unit = default_registry().resolve(name)
    except UnknownUnitError:
        unit = name
    bound = stated.get("change") if stated.get("change") in BOUNDS else "="
    concept = stated.get("referred_concepts") or "-"
    return Quantity(ends[0], ends[-1], unit, bound or "=", 0, 0, tuple(concept.split()) if concept != "-" else ())
