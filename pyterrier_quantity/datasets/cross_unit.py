"""CLIO's collections: texts that state values in one unit, and queries that ask for them in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._text_loader import LoadsTexts
from pyterrier_quantity.datasets.benchmarks import Benchmark
from pyterrier_quantity.datasets.files import CollectionError, read_json
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import default_registry

VARIANTS: Final = ("text", "structured")


@dataclass(frozen=True)
class Asked:
    """A query: its number, text and type, the files that are relevant, and its annotated conditions."""

    qid: str
    query: str
    type: str
    relevant: list[str]
    constraints: list[Constraint]


class CrossUnitTexts(LoadsTexts, Benchmark):
    """A collection of the folder `code/benchmarks` of CLIO Search: text files, and a JSON file of queries with the
    files that are relevant.

    A document is a file, its docno the path below the corpus's folder.
    """

    FILES: Final = {"clio": ("queries_v2.json", "corpus_v2"), "clio-noaa": ("real_queries.json", "corpus_real")}

    def _configure(self, folder: str | Path | None = None) -> None:
        super()._configure(folder)
        self._read: list[Asked] | None = None

    @property
    def _corpus(self) -> str:
        return self.FILES[self.key][1]

    def get_corpus(self) -> list[str]:
        """The files of the corpus.

        Raises:
            CollectionError: if there are none.
        """
        folder = self.file(self.FILES[self.key][0]).parent / self._corpus
        found = sorted(map(str, folder.rglob("*.txt")))
        if not found:
            raise CollectionError(folder, None, f"holds no text files, but {self.about.title} has its documents here")
        return found

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        """Documents as dicts with `docno` and `text`."""
        files: Iterable[str] = self.get_corpus()
        if verbose:
            files = pt.tqdm(files, desc=f"{self.name} documents")
        return ({"docno": self._docno(path), "text": Path(path).read_text(encoding="utf-8")} for path in files)

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `query`, `type` ("cross_unit", "same_unit", ...).

        Args:
            variant: None or "text"; "structured": also the annotated ranges as `constraints`.

        Raises:
            ValueError: if the variant is unknown.
        """
        if variant not in (None, *VARIANTS):
            raise ValueError(f"{self!r}: no topics variant {variant!r}; one of {', '.join(VARIANTS)}")
        topics = pd.DataFrame([(q.qid, q.query, q.type) for q in self._queries], columns=["qid", "query", "type"])
        return topics if variant != "structured" else topics.assign(constraints=[q.constraints for q in self._queries])

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `docno`, `label`, all of them 1.

        Raises:
            ValueError: on any variant.
        """
        if variant is not None:
            raise ValueError(f"{self!r}: no qrels variant {variant!r}; there is one set of judgements")
        rows = [(q.qid, self._docno(path), 1) for q in self._queries for path in q.relevant]
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])

    def get_doubtful(self) -> pd.DataFrame:
        """`qid` and `docno` of nothing: all is judged."""
        return pd.DataFrame({"qid": pd.Series(dtype=str), "docno": pd.Series(dtype=str)})

    def check(self) -> dict[str, int]:
        qrels = self.get_qrels()
        documents = {self._docno(path) for path in self.get_corpus()}
        if unknown := set(qrels["docno"]) - documents:
            raise CollectionError(self.folder, None, f"no document {min(unknown)!r}, but it is judged")
        return {"documents": len(documents), "topics": len(self._queries), "judgements": len(qrels)}

    def _docno(self, path: str) -> str:
        """The path below the corpus's folder; queries of one set name files as they were on the authors' machine."""
        return path.rpartition(f"/{self._corpus}/")[2]

    @property
    def _queries(self) -> list[Asked]:
        """The queries of the file; read once."""
        if self._read is None:
            path = self.file(self.FILES[self.key][0])
            groups = read_json(path)
            try:
                self._read = list(_asked(groups))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise CollectionError(path, None, f"not lists of queries in CLIO's form: {error!r}") from error
        return self._read

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "topics":
            return list(VARIANTS)
        return True if component in ("corpus", "qrels") else None


def _asked(groups: dict[str, Any]) -> Iterator[Asked]:
    """The queries of every list of the file, which holds other things beside."""
    for name, group in groups.items():
        for query in group if name.endswith("queries") else ():
            ranges = (
                [query["numeric_range"]]
                if "numeric_range" in query
                else [one["range"] for one in query.get("constraints", ())]
            )
            constraints = list(map(_constraint, ranges))
            yield Asked(query["id"], query["query"], query["type"], list(query["relevant_docs"]), constraints)


def _constraint(text: str) -> Constraint:
    """A range of the form "200:400:kPa"."""
    low, high, unit = text.split(":")
    return Constraint("range", float(low), float(high), default_registry().resolve(unit))
