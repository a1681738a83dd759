"""The forms in which the benchmarks' authors distribute them: each class reads one."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_quantity.datasets.benchmarks import Content, ReadCollection, Rows
from pyterrier_quantity.datasets.files import CollectionError, lines, read_json, read_objects
from pyterrier_quantity.quantity import BOUNDS, Constraint, Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry


class CountQuestions(ReadCollection):
    """Questions for a number, with web snippets and the true count: JSON lines of `qid`, `query`, `answer`, `relation`
    and `snippets`, in a file called as the part ("lcquad_counts.jsonl", "stresstest.jsonl").

    Topics have `snippets` (a list of texts), what `counts.count_answers()` takes; answers `answer` (a float) and
    `relation` ("=").
    """

    PARTS = ("topics",)

    def _read(self) -> Content:
        path, names = self.file(*self.about.files), ("qid", "query", "answer", "snippets")
        rows = []
        for number, record in read_objects(path):
            if missing := [name for name in names if name not in record]:
                raise CollectionError(path, number, f"no {missing[0]!r}; a line has {', '.join(names)}")
            rows.append({"relation": "="} | record | {"answer": float(record["answer"])})
        found = pd.DataFrame(rows)
        counts = {"topics": found["qid"].nunique(), "snippets": int(found["snippets"].map(len).sum())}
        return Content(counts, found[["qid", "query", "snippets"]], answers=found[["qid", "answer", "relation"]])


class AnnotatedTexts(ReadCollection):
    """Texts with the quantities that people found in them, in the form of the evaluation of CQE: a JSON list of `text`
    and `quantities`, each with `value`, `normalized_unit`, and in NewsQuant `change` and `referred_concepts`.

    A text's docno is its number, from 0.
    """

    PARTS, FORM = ("corpus",), "a list of texts with quantities"

    def _read(self) -> Content:
        items = read_json(self.file(*self.about.files))
        texts = {str(number): item["text"] for number, item in enumerate(items)}
        stated = {str(number): list(map(_annotated, item["quantities"])) for number, item in enumerate(items)}
        counts = {"documents": len(texts), "quantities": sum(map(len, stated.values()))}
        return Content(counts, texts=texts, quantities=stated)


def _annotated(stated: dict[str, Any]) -> Quantity:
    """A quantity as annotated: "12.5", or the ends of a range, "40-50"."""
    ends = sorted(map(float, re.split(r"(?<=\d)-", stated["value"])))
    unit = stated["normalized_unit"]
    with suppress(UnknownUnitError):  # the annotators' own
        unit = default_registry().resolve(unit)
    bound = stated.get("change") if stated.get("change") in BOUNDS else "="
    concept = stated.get("referred_concepts") or "-"
    return Quantity(ends[0], ends[-1], unit, bound or "=", 0, 0, tuple(concept.split()) if concept != "-" else ())


class CrossUnitTexts(ReadCollection):
    """CLIO's collections: texts that state values in one unit, and queries that ask for them in another, in the folder
    `code/benchmarks` of CLIO Search: text files, and a JSON file of queries with the files that are relevant.

    A document is a file, its docno the path below the corpus's folder. Topics have `type` ("cross_unit", "same_unit",
    ...), and structured ones the annotated ranges.
    """

    PARTS, FORM = ("topics", "corpus", "qrels"), "lists of queries in CLIO's form"

    def get_corpus(self) -> list[str]:
        """The files of the corpus.

        Raises:
            CollectionError: if there are none.
        """
        queries, corpus = self.about.files
        folder = self.file(queries).parent / corpus
        found = sorted(map(str, folder.rglob("*.txt")))
        if not found:
            raise CollectionError(folder, None, f"holds no text files, but {self.about.title} has its documents here")
        return found

    def _read(self) -> Content:
        groups = read_json(self.file(self.about.files[0]))
        asked = [query for name, group in groups.items() if name.endswith("queries") for query in group]
        rows = [(query["id"], query["query"], query["type"], _ranges(query)) for query in asked]
        qrels = [(query["id"], self._docno(file)) for query in asked for file in query["relevant_docs"]]
        texts = {self._docno(file): Path(file).read_text(encoding="utf-8") for file in self.get_corpus()}
        counts = {"documents": len(texts), "topics": len(rows), "judgements": len(qrels)}
        return Content(counts, pd.DataFrame(rows, columns=["qid", "query", "type", "constraints"]), texts, qrels)

    def _docno(self, path: str) -> str:
        """The path below the corpus's folder; queries of one set name files as they were on the authors' machine."""
        return path.rpartition(f"/{self.about.files[1]}/")[2]

    def _describe_component(self, component: str) -> Any:
        return ["text", "structured"] if component == "topics" else super()._describe_component(component)


def _ranges(query: dict[str, Any]) -> list[Constraint]:
    """The annotated ranges, "200:400:kPa" each."""
    if "numeric_range" in query:
        given = [query["numeric_range"]]
    else:
        given = [one["range"] for one in query.get("constraints", ())]
    parts = [text.split(":") for text in given]
    resolve = default_registry().resolve
    return [Constraint("range", float(low), float(high), resolve(unit)) for low, high, unit in parts]


class TableQuestions(ReadCollection):
    """Questions whose answers stand in tables, or follow from them.

    Documents are paragraphs, and tables with a line a row and " | " between cells; for documents that are cells or rows
    with their quantities, see `tables.facts(dataset.get_tables())`. What a question is answered from is relevant.
    Answers have `answer` (a list of texts), `scale` (what a number is multiplied by, in words), `kind` (as the
    collection says: "arithmetic", "span", ...) and `derivation` (how a number follows, as the collection writes it).
    """

    PARTS = ("topics", "corpus", "qrels")

    @staticmethod
    def _content(asked: list[dict[str, Any]], tables: dict[str, Rows], paragraphs: dict[str, str]) -> Content:
        """Args: asked: questions with their answers, and the docnos in `documents`."""
        texts = paragraphs | {name: "\n".join(" | ".join(row) for row in rows) for name, rows in tables.items()}
        blank = {"scale": "", "kind": "", "derivation": ""}
        names = ["qid", "query", "answer", *blank]
        found = pd.DataFrame([blank | one for one in asked], columns=names)
        return Content(
            {"questions": len(asked), "tables": len(tables), "paragraphs": len(paragraphs)},
            found[["qid", "query"]],
            texts,
            [(one["qid"], docno) for one in asked for docno in one["documents"]],
            found.drop(columns="query"),
            tables,
        )


class TatQA(TableQuestions):
    """TAT-QA: `tatqa_dataset_SPLIT.json` (or `tatqa_SPLIT.json`), SPLIT one of train, dev and test; dev by default."""

    SPLIT, FORM = "dev", "in TAT-QA's form"

    def _read(self) -> Content:
        contexts = read_json(self.file(*(name.format(self.split) for name in self.about.files)))
        tables = {one["table"]["uid"]: [list(map(str, row)) for row in one["table"]["table"]] for one in contexts}
        paragraphs = {part["uid"]: part["text"] for one in contexts for part in one["paragraphs"]}
        return self._content([asked for one in contexts for asked in _tatqa_questions(one)], tables, paragraphs)


def _tatqa_questions(context: dict[str, Any]) -> Iterator[dict[str, Any]]:
    places = {str(part["order"]): part["uid"] for part in context["paragraphs"]}
    for asked in context["questions"]:
        answer = asked.get("answer", [])
        documents = [context["table"]["uid"]] if "table" in asked.get("answer_from", "") else []
        documents += [places[order] for order in asked.get("rel_paragraphs", ()) if order in places]
        yield {
            "qid": asked["uid"],
            "query": asked["question"],
            "answer": list(map(str, answer if isinstance(answer, list) else [answer])),
            "scale": asked.get("scale", ""),
            "kind": asked.get("answer_type", ""),
            "derivation": asked.get("derivation", ""),
            "documents": documents,
        }


class WikiTableQuestions(TableQuestions):
    """WikiTableQuestions: its folders `data` and `csv`; `data/SPLIT.tsv`, "pristine-unseen-tables" by default.

    Documents are named as the split names them, "csv/204-csv/590.csv".
    """

    SPLIT = "pristine-unseen-tables"

    def _read(self) -> Content:
        path = self.file(*(name.format(self.split) for name in self.about.files))
        asked, tables = [], dict[str, Rows]()
        for number, line in lines(path):
            cells = line.split("\t")
            if len(cells) != 4:
                told = f"{len(cells)} columns where id, utterance, context, targetValue are expected"
                raise CollectionError(path, number, f"{told}, parted by single tabs")
            if cells[0] == "id":
                continue
            qid, query, table, target = cells
            answer = list(map(_unescaped, target.split("|")))
            asked.append({"qid": qid, "query": _unescaped(query), "answer": answer, "documents": [table]})
            if table not in tables:
                with self.file(table).open(encoding="utf-8", newline="") as stream:
                    tables[table] = list(csv.reader(stream, doublequote=False, escapechar="\\"))
        return self._content(asked, tables, {})


def _unescaped(text: str) -> str:
    """A cell of the TSV files without its escapes."""
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "p": "|"}.get(found[1], found[1]), text)
