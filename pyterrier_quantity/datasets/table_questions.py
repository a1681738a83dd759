"""TAT-QA and WikiTableQuestions: questions whose answers stand in tables, or follow from them."""

from __future__ import annotations

import csv
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.datasets.benchmarks import About, Benchmark
from pyterrier_quantity.datasets.files import CollectionError, lines, read_json

Rows = list[list[str]]


@dataclass(frozen=True)
class Question:
    """A question with its answer.

    Args:
        qid, query: its number and text.
        answer: the answers, as text.
        scale: what a number is multiplied by, in words: "thousand", "million", "percent", or nothing.
        kind: of the answer, as the collection says: "arithmetic", "span", "count", ...
        derivation: how a number follows, as the collection writes it.
        documents: what it is answered from.
    """

    qid: str
    query: str
    answer: tuple[str, ...]
    scale: str = ""
    kind: str = ""
    derivation: str = ""
    documents: tuple[str, ...] = ()


@dataclass
class Content:
    """All that a split holds: its questions, its tables and paragraphs by docno."""

    questions: list[Question] = field(default_factory=list)
    tables: dict[str, Rows] = field(default_factory=dict)
    paragraphs: dict[str, str] = field(default_factory=dict)


class TableQuestions(Benchmark):
    """Questions, answers and tables of one split.

    Args:
        name, about, folder: see `Benchmark`.
        split: which part of the collection.
    """

    SPLIT: str

    def __init__(self, name: str, about: About, folder: str | Path | None = None, split: str | None = None) -> None:
        super().__init__(name, about, folder)
        self.split = split or self.SPLIT

    def _configure(self, folder: str | Path | None = None, split: str | None = None) -> None:
        super()._configure(folder)
        self.split = split or self.SPLIT
        self._content: Content | None = None

    @abstractmethod
    def _read(self) -> Content:
        """The split's files."""

    @property
    def content(self) -> Content:
        """What the split holds; read once."""
        if self._content is None:
            self._content = self._read()
        return self._content

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `query`."""
        return pd.DataFrame([(one.qid, one.query) for one in self.content.questions], columns=["qid", "query"])

    def get_answers(self) -> pd.DataFrame:
        """`qid`, `answer` (a list of texts), `scale`, `kind`, `derivation`."""
        names = ["qid", "answer", "scale", "kind", "derivation"]
        rows = [(q.qid, list(q.answer), q.scale, q.kind, q.derivation) for q in self.content.questions]
        return pd.DataFrame(rows, columns=names)

    def get_tables(self) -> dict[str, Rows]:
        """The tables by docno, each as a list of rows of text."""
        return self.content.tables

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        """Documents as dicts with `docno` and `text`: paragraphs, and tables with a line a row and " | " between cells.

        For documents that are cells or rows with their quantities, see `tables.facts(dataset.get_tables())`.
        """
        content = self.content
        tables = {docno: "\n".join(" | ".join(row) for row in rows) for docno, rows in content.tables.items()}
        texts: Iterable[tuple[str, str]] = (content.paragraphs | tables).items()
        if verbose:
            texts = pt.tqdm(texts, desc=f"{self.name} documents")
        return ({"docno": docno, "text": text} for docno, text in texts)

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """`qid`, `docno`, `label`: the table and the paragraphs that a question is answered from."""
        rows = [(one.qid, docno, 1) for one in self.content.questions for docno in one.documents]
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])

    def check(self) -> dict[str, int]:
        content, known = self.content, self.content.tables.keys() | self.content.paragraphs.keys()
        for question in content.questions:
            if unknown := set(question.documents) - known:
                raise CollectionError(self.folder, None, f"question {question.qid}: no document {unknown.pop()!r}")
        return {
            "questions": len(content.questions),
            "tables": len(content.tables),
            "paragraphs": len(content.paragraphs),
        }

    def _describe_component(self, component: str) -> bool | None:
        return True if component in ("topics", "corpus", "qrels") else None


class TatQA(TableQuestions):
    """TAT-QA: `tatqa_dataset_SPLIT.json` (or `tatqa_SPLIT.json`), SPLIT one of train, dev and test; dev by default."""

    SPLIT = "dev"

    def _read(self) -> Content:
        path = self.file(f"tatqa_dataset_{self.split}.json", f"tatqa_{self.split}.json")
        content, contexts = Content(), read_json(path)
        try:
            for context in contexts:
                self._add(context, content)
        except (ValueError, KeyError, TypeError) as error:
            raise CollectionError(path, None, f"not in TAT-QA's form: {error!r}") from error
        return content

    def _add(self, context: dict[str, Any], content: Content) -> None:
        table = context["table"]["uid"]
        places = {str(one["order"]): one["uid"] for one in context["paragraphs"]}
        content.tables[table] = [list(map(str, row)) for row in context["table"]["table"]]
        content.paragraphs |= {one["uid"]: one["text"] for one in context["paragraphs"]}
        for asked in context["questions"]:
            answer = asked.get("answer", [])
            texts = tuple(map(str, answer if isinstance(answer, list) else [answer]))
            source = asked.get("answer_from", "")
            documents = [table] if "table" in source else []
            documents += [places[order] for order in asked.get("rel_paragraphs", ()) if order in places]
            content.questions.append(
                Question(
                    asked["uid"],
                    asked["question"],
                    texts,
                    asked.get("scale", ""),
                    asked.get("answer_type", ""),
                    asked.get("derivation", ""),
                    tuple(documents),
                )
            )


class WikiTableQuestions(TableQuestions):
    """WikiTableQuestions: its folders `data` and `csv`; `data/SPLIT.tsv`, "pristine-unseen-tables" by default.

    Documents are named as the split names them, "csv/204-csv/590.csv".
    """

    SPLIT = "pristine-unseen-tables"

    def _read(self) -> Content:
        path = self.file(f"data/{self.split}.tsv", f"{self.split}.tsv")
        content = Content()
        for number, line in lines(path):
            cells = line.split("\t")
            if len(cells) != 4:
                raise CollectionError(
                    path,
                    number,
                    f"{len(cells)} columns where id, utterance, context, targetValue "
                    "are expected, parted by single tabs",
                )
            if cells[0] == "id":
                continue
            qid, query, table, target = cells
            answer = tuple(_plain(one) for one in target.split("|"))
            content.questions.append(Question(qid, _plain(query), answer, documents=(table,)))
            if table not in content.tables:
                content.tables[table] = list(_csv(self.file(table)))
        return content


def _plain(text: str) -> str:
    """A cell of the TSV files without its escapes."""
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "p": "|"}.get(found[1], found[1]), text)


def _csv(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.reader(stream, doublequote=False, escapechar="\\")
