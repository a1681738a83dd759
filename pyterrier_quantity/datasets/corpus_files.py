"""Read documents from corpus files: JSON lines, CSV or TSV, with arbitrary field names."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity.datasets.files import CollectionError, delimiter, read_objects, read_table

FORMS: Final = {"jsonl": ("jsonl", "json", "ndjson"), "csv": ("csv",), "tsv": ("tsv", "tab")}
"""A dictionary from each format to its file suffixes (before ".gz")."""


def form_of(path: str | Path) -> str:
    """Return the format of a file, judging by its suffix: "news.csv.gz" -> "csv". The default is "jsonl"."""
    suffix = Path(str(path).removesuffix(".gz")).suffix[1:].lower()
    return next((form for form, suffixes in FORMS.items() if suffix in suffixes), "jsonl")


@dataclass(frozen=True)
class CorpusFile:
    """A file of documents.

    Args:
        path: the path of the file, which may be compressed (`.gz`).
        docno: the name of the field with the docno.
        text: the names of the fields with texts, which are joined by line breaks.
        form: the format: "jsonl", "csv" or "tsv". If None, the file's suffix decides.
    """

    path: Path
    docno: str = "docno"
    text: Sequence[str] = ("text",)
    form: str | None = None

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, document) for each document, with all fields except `quantities`. Raise a CollectionError
        if a field is missing, or if a row does not fit its header."""
        jsonl = (self.form or form_of(self.path)) == "jsonl"
        for line, record in read_objects(self.path) if jsonl else self._rows():
            record.pop("quantities", None)
            usual = jsonl and (self.docno, *self.text) == ("docno", "text")
            yield line, record if usual else self.document(record, line)

    def document(self, record: Mapping[str, Any], line: int | None = None) -> dict[str, Any]:
        """Convert a record of the file to a document, with `docno`, `text` and all other fields except `quantities`.
        `line` is the line number for an error message."""
        missing = [name for name in (self.docno, *self.text) if name not in record]
        if missing:
            fault = f"no field {missing[0]!r}, only {', '.join(map(str, record))}"
            raise CollectionError(self.path, line, f"{fault}; name the fields by the options docno and text")
        texts = [str(record[name]) for name in self.text if record[name] not in (None, "")]
        others = {name: value for name, value in record.items() if name and name != "quantities"}
        return {**others, "docno": str(record[self.docno]), "text": "\n".join(texts)}

    def survey(self) -> tuple[int, frozenset[str]]:
        """Return the number of distinct docnos in the file, and the set of docnos that occur on several lines. If there
        are such docnos, issue a warning. A malformed line ends the count without an error."""
        seen: Counter[str] = Counter()
        with suppress(CollectionError):
            seen.update(docno for _, record in self.records() if isinstance(docno := record.get("docno"), str))
        shared = [docno for docno, times in seen.items() if times > 1]
        if shared:
            warnings.warn(
                f"{self.path}: {sum(seen[docno] - 1 for docno in shared)} lines have the docno of an earlier line "
                f"({shared[0]!r} is the first); lines of one docno become one document",
                stacklevel=3,
            )
        return len(seen), frozenset(shared)

    def documents(self, shared: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
        """Check and yield the documents, each with a unique `docno`, a `text` and other fields. Only docnos in `shared`
        may occur on several lines. Lines with the same docno become one document, which has the joined texts and the
        other fields of the first line. These documents come last."""
        seen: set[str] = set()
        joined: dict[str, list[dict[str, Any]]] = {}
        for number, document in self.records():
            if problem := _document_problem(document):
                raise CollectionError(self.path, number, problem)
            docno = document["docno"]
            if docno in seen:
                fault = f"docno {docno!r} occurred before; make it unique or drop the line"
                raise CollectionError(self.path, number, fault)
            if docno in shared:
                joined.setdefault(docno, []).append(document)
                continue
            seen.add(docno)
            yield document
        for parts in joined.values():
            yield {**parts[0], "text": "\n".join(part["text"] for part in parts)}

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, dictionary of cells keyed by column) for each row of a CSV or TSV file."""
        between = "\t" if (self.form or form_of(self.path)) == "tsv" else delimiter(self.path)
        table = read_table(self.path, between, strict=True)
        _, header = next(table, (1, []))
        for number, cells in table:
            if len(cells) == len(header):
                yield number, dict(zip(header, cells, strict=True))
            elif any(map(str.strip, cells)):
                fault = f"{len(cells)} cells where the header names {len(header)} ({', '.join(header)})"
                remedy = f"fill in what is missing, and put quotation marks around a cell that holds {between!r}"
                raise CollectionError(self.path, number, f"{fault}; {remedy}")


def _document_problem(document: dict[str, Any]) -> str:
    for name in ("docno", "text"):
        if name not in document:
            return f'no "{name}"; each line must be like {{"docno": "d1", "text": "..."}}'
        if not isinstance(document[name], str):
            return f'"{name}" is a {type(document[name]).__name__}, not a string; put it in quotation marks'
    docno = document["docno"]
    sound = docno and docno.split() == [docno]
    return "" if sound else f"docno {docno!r} is empty or holds spaces, which qrels and runs cannot write; rename it"
