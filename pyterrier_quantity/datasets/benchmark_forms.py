"""Read published test collections. Each function reads one file format, and returns a `Content`."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import pandas as pd

from pyterrier_quantity.datasets.benchmarks import Content, ReadCollection, Rows, named_unit
from pyterrier_quantity.datasets.files import CollectionError, read_json, read_objects, read_rows
from pyterrier_quantity.datasets.local import LocalCollection, read_topics
from pyterrier_quantity.quantity import BOUNDS, Constraint, Quantity
from pyterrier_quantity.units import default_registry


def local_files(source: ReadCollection) -> Content:
    """Read a collection of three files in the formats of `LocalCollection`: `corpora/NAME.jsonl[.gz]`,
    `gold/NAME.topics.tsv` and `gold/NAME.qrels`. The three files may also be in one folder."""
    topics, qrels = (source.file(f"gold/{source.key}.{end}", f"{source.key}.{end}") for end in ("topics.tsv", "qrels"))
    files = LocalCollection(source.path, topics, qrels)
    stated = {"condition", "needs"} & set(read_topics(topics))
    texts = {document["docno"]: document["text"] for document in files.get_corpus_iter(verbose=False)}
    judged = list(files.get_qrels().itertuples(index=False, name=None))
    return Content(files.get_topics("structured" if stated else "text"), texts, judged, corpus=files.get_corpus())


def count_questions(source: ReadCollection) -> Content:
    """Read questions that begin with "how many". The file has JSON lines with `qid`, `query`, `snippets` (texts from
    the web), `answer` (the true count), and optionally `relation` (the operator before the count, by default "=")."""
    names, rows = ("qid", "query", "answer", "snippets"), []
    for number, record in read_objects(source.path):
        if missing := [name for name in names if name not in record]:
            raise CollectionError(source.path, number, f"no {missing[0]!r}; a line has {', '.join(names)}")
        rows.append({"relation": "="} | record | {"answer": float(record["answer"])})
    found = pd.DataFrame(rows)
    return Content(found[["qid", "query", "snippets"]], answers=found[["qid", "answer", "relation"]])


def annotated_texts(source: ReadCollection) -> Content:
    """Read texts with manually annotated quantities, in the format of the extractor CQE. The file is a JSON list of
    objects with `text` and `quantities`. A quantity has `value`, `normalized_unit`, and optionally `change` (">") and
    `referred_concepts`. The docno of a text is its index in the list."""
    items = read_json(source.path)
    return Content(
        texts={str(number): item["text"] for number, item in enumerate(items)},
        quantities={str(number): list(map(_annotated, item["quantities"])) for number, item in enumerate(items)},
    )


def _annotated(stated: dict[str, Any]) -> Quantity:
    """Convert an annotated quantity, whose `value` is a number ("12.5") or a range ("40-50"), to a `Quantity`."""
    ends = sorted(map(float, re.split(r"(?<=\d)-", stated["value"])))
    unit, change = named_unit(stated["normalized_unit"]), stated.get("change")
    concept = stated.get("referred_concepts") or "-"
    words = tuple(concept.split()) if concept != "-" else ()
    return Quantity(ends[0], ends[-1], unit, change if change in BOUNDS else "=", 0, 0, words)


def measured_spans(source: ReadCollection) -> Content:
    """Read MeasEval: scientific paragraphs in `data/SPLIT/text`, and annotated spans in `data/SPLIT/tsv`. SPLIT is
    train, eval or trial.

    The kinds of spans are "Quantity", "MeasuredEntity", "MeasuredProperty" and "Qualifier". The column `about` contains
    dictionaries: `unit` and `mods` ("IsRange") of a "Quantity"; for another kind of span, the id of its quantity."""
    home = source.path.parent / "data" / source.split
    texts = [file for name in ("text", "txt") for file in sorted((home / name).glob("*.txt"))]
    if not texts:
        raise CollectionError(home, None, f"holds no texts, but {source.about.title} has them here")
    names = ("docId", "annotSet", "annotType", "annotId", "startOffset", "endOffset", "text")
    rows = []
    for file in sorted((home / "tsv").glob("*.tsv")):
        for line, row in read_rows(file, names, ("other",), spaced=("text",), quoted=False):
            start, end = int(row["startOffset"]), int(row["endOffset"])
            about = read_json(file, row["other"], line) if row["other"] else {}
            rows.append([*(row[name] for name in names[:4]), start, end, row["text"], about])
    return Content(
        texts={file.stem: file.read_bytes().decode() for file in texts},
        spans=pd.DataFrame(rows, columns=["docno", "set", "kind", "id", "start", "end", "text", "about"]),
        corpus=list(map(str, texts)),
    )


def checked_claims(source: ReadCollection) -> Content:
    """Read QuanTemp: claims with numbers (the queries), and articles by fact checkers (the documents). The answer is
    the article's verdict: "True", "False" or "Conflicting". The file is the JSON list
    `data/raw_data/SPLIT_claims_quantemp.json`; SPLIT is train, val or test. A qid is an index in the list."""
    claims = [(str(number), one) for number, one in enumerate(read_json(source.path))]
    return _paired((qid, one["claim"], one["label"], one["label_original"], qid, one["doc"]) for qid, one in claims)


def report_questions(source: ReadCollection) -> Content:
    """Read T²-RAGBench: questions about company reports. The answers are numbers. The documents are pages of reports,
    with tables in Markdown. The file is `data/SET/SPLIT/metadata.jsonl`, with a JSON object in each line."""
    names = ("id", "question", "program_answer", "original_answer", "context_id", "context")
    return _paired([str(row[name]) for name in names] for _, row in read_objects(source.path))


def query_forms(source: ReadCollection) -> Content:
    """Read FactGap (Qiu and Chen, 2026): `documents.jsonl`, and `pairs.jsonl` with several topics for each pair of
    documents. One document of a pair is relevant (label 1); the other states a different value (label 0). Topics of
    type "D0" or "D1" use the relevant document's words; topics of type "P0" or "P1" use another unit or year."""
    asked = [
        (f"{pair['pair_id']}-{form}", text, form, pair["gold_doc_id"], pair["critical_negative_doc_id"])
        for _, pair in read_objects(source.path)
        for form, text in pair["queries"].items()
    ]
    documents = read_objects(source.path.with_name("documents.jsonl"))
    return Content(
        pd.DataFrame([row[:3] for row in asked], columns=["qid", "query", "type"]),
        {one["doc_id"]: one["text"] for _, one in documents},
        [(qid, docno, label) for qid, _, _, *judged in asked for docno, label in zip(judged, (1, 0), strict=True)],
    )


def _paired(rows: Iterable[Sequence[str]]) -> Content:
    """Return a `Content` from rows (qid, query, answer, original answer, docno and text of the relevant document)."""
    found = pd.DataFrame(rows, columns=["qid", "query", "answer", "original", "docno", "text"])
    return Content(
        found[["qid", "query"]],
        dict(zip(found["docno"], found["text"], strict=True)),
        [(qid, docno, 1) for qid, docno in zip(found["qid"], found["docno"], strict=True)],
        found[["qid", "answer", "original"]],
    )


def cross_unit_texts(source: ReadCollection) -> Content:
    """Read one of the published CLIO Search benchmarks, whose queries and relevant texts often have different units.
    The folder `code/benchmarks` contains a text file for each document, and a JSON file with the queries. A docno is a
    file's path in the corpus's folder. Topics have `type` ("cross_unit", "same_unit", ...) and `constraints`."""
    groups, corpus = read_json(source.path), source.about.files[1]
    asked = [query for name, group in groups.items() if name.endswith("queries") for query in group]
    rows = [(query["id"], query["query"], query["type"], _ranges(query)) for query in asked]
    folder = source.path.parent / corpus
    files = sorted(folder.rglob("*.txt"))
    if not files:
        raise CollectionError(folder, None, f"holds no text files, but {source.about.title} has its documents here")

    def docno(path: str) -> str:
        # Some queries contain paths on the authors' machine.
        return path.rpartition(f"/{corpus}/")[2]

    return Content(
        pd.DataFrame(rows, columns=["qid", "query", "type", "constraints"]),
        {docno(str(file)): file.read_text(encoding="utf-8") for file in files},
        [(query["id"], docno(file), 1) for query in asked for file in query["relevant_docs"]],
        corpus=list(map(str, files)),
    )


def _ranges(query: dict[str, Any]) -> list[Constraint]:
    """Return the ranges in a query's annotation as constraints: "200:400:kPa" -> [200 to 400 kilopascal]."""
    if "numeric_range" in query:
        given = [query["numeric_range"]]
    else:
        given = [one["range"] for one in query.get("constraints", ())]
    parts = [text.split(":") for text in given]
    resolve = default_registry().resolve
    return [Constraint("range", float(low), float(high), resolve(unit)) for low, high, unit in parts]


def tatqa(source: ReadCollection) -> Content:
    """Read TAT-QA: questions about tables and paragraphs of financial reports. The file is `tatqa_dataset_SPLIT.json`
    or `tatqa_SPLIT.json`; SPLIT is train, dev or test."""
    contexts = read_json(source.path)
    tables = {one["table"]["uid"]: [list(map(str, row)) for row in one["table"]["table"]] for one in contexts}
    paragraphs = {part["uid"]: part["text"] for one in contexts for part in one["paragraphs"]}
    return _answered([asked for one in contexts for asked in _tatqa_questions(one)], tables, paragraphs)


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


def wiki_table_questions(source: ReadCollection) -> Content:
    """Read WikiTableQuestions: questions in `data/SPLIT.tsv`, about tables in the folder `csv`. A docno is the path of
    a table, such as "csv/204-csv/590.csv"."""
    asked, tables = [], dict[str, Rows]()
    for _, row in read_rows(source.path, ("id", "utterance", "context", "targetValue"), quoted=False):
        table, answer = row["context"], list(map(_unescaped, row["targetValue"].split("|")))
        query = _unescaped(row["utterance"])
        asked.append({"qid": row["id"], "query": query, "answer": answer, "documents": [table]})
        if table not in tables:
            with source.file(table).open(encoding="utf-8", newline="") as stream:
                tables[table] = list(csv.reader(stream, doublequote=False, escapechar="\\"))
    return _answered(asked, tables, {})


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "p": "|"}.get(found[1], found[1]), text)


def _answered(asked: list[dict[str, Any]], tables: dict[str, Rows], paragraphs: dict[str, str]) -> Content:
    """Return the `Content` of a collection of questions about tables and paragraphs, both keyed by docno. `asked`
    contains the questions as dictionaries, each with the docnos of relevant documents under the key `documents`. A
    table becomes a document with a line per row and " | " between cells."""
    blank = {"scale": "", "kind": "", "derivation": ""}
    found = pd.DataFrame([blank | one for one in asked], columns=["qid", "query", "answer", *blank])
    return Content(
        found[["qid", "query"]],
        paragraphs | {name: "\n".join(" | ".join(row) for row in rows) for name, rows in tables.items()},
        [(one["qid"], docno, 1) for one in asked for docno in one["documents"]],
        found.drop(columns="query"),
        tables,
    )


_READERS: Final = (
    annotated_texts, checked_claims, count_questions, cross_unit_texts, local_files, measured_spans, query_forms,
    report_questions, tatqa, wiki_table_questions,
)  # fmt: skip
FORMS: Final[dict[str, Callable[[ReadCollection], Content]]] = {read.__name__: read for read in _READERS}
"""A dictionary from the name of a file format in `sources.tsv` to the function that reads files in this format."""
