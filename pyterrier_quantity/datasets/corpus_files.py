"""Readers of corpus files: JSON lines, CSV or TSV with any fields."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity.datasets.files import CollectionError, delimiter, read_objects, read_table

FORMS: Final = {"jsonl": ("jsonl", "json", "ndjson"), "csv": ("csv",), "tsv": ("tsv", "tab")}
"""File suffixes (before ".gz") by format."""


def form_of(path: str | Path) -> str:
    """Return the format of a file by its suffix. For an unknown suffix, it is JSON lines."""
    suffix = Path(str(path).removesuffix(".gz")).suffix[1:].lower()
    return next((form for form, suffixes in FORMS.items() if suffix in suffixes), "jsonl")


@dataclass(frozen=True)
class CorpusFile:
    """A file of documents.

    Args:
        path: the file, plain or `.gz`.
        docno, text: the fields with docno and text. If there are several text fields, they are joined by line breaks.
        form: one of `FORMS`; None: the format is derived from the file's suffix.
    """

    path: Path
    docno: str = "docno"
    text: Sequence[str] = ("text",)
    form: str | None = None

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield documents with `docno`, `text` and their other fields except `quantities`, each with its line number.
        JSON lines with the default field names are not checked or converted.

        Raises:
            CollectionError: if a field is missing or a row does not fit its header; the message names file and line.
        """
        jsonl = (self.form or form_of(self.path)) == "jsonl"
        for line, record in read_objects(self.path) if jsonl else self._rows():
            record.pop("quantities", None)
            usual = jsonl and (self.docno, *self.text) == ("docno", "text")
            yield line, record if usual else self.document(record, line)

    def document(self, record: Mapping[str, Any], line: int | None = None) -> dict[str, Any]:
        """Convert a record to a document with the fields `docno` and `text`."""
        missing = [name for name in (self.docno, *self.text) if name not in record]
        if missing:
            told = f"no field {missing[0]!r}, only {', '.join(map(str, record))}"
            raise CollectionError(self.path, line, f"{told}; name the fields by the options docno and text")
        texts = [str(record[name]) for name in self.text if record[name] not in (None, "")]
        others = {name: value for name, value in record.items() if name and name != "quantities"}
        return {**others, "docno": str(record[self.docno]), "text": "\n".join(texts)}

    def survey(self) -> tuple[int, frozenset[str]]:
        """Return the number of documents in the file, and the docnos that occur on several lines. Such docnos cause a
        warning. Malformed lines are reported by `documents`, not here."""
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
        """Yield the documents, each with a unique `docno`, a `text`, and other fields.

        Args:
            shared: docnos that may occur on several lines. These documents come last; their texts are joined by line
                breaks, and other fields are those of the first line.
        """
        seen: set[str] = set()
        joined: dict[str, list[dict[str, Any]]] = {}
        for number, document in self.records():
            if problem := _document_problem(document):
                raise CollectionError(self.path, number, problem)
            docno = document["docno"]
            if docno in seen:
                told = f"docno {docno!r} occurred before; make it unique or drop the line"
                raise CollectionError(self.path, number, told)
            if docno in shared:
                joined.setdefault(docno, []).append(document)
                continue
            seen.add(docno)
            yield document
        for parts in joined.values():
            yield {**parts[0], "text": "\n".join(part["text"] for part in parts)}

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows below a table's header, with their line numbers."""
        between = "\t" if (self.form or form_of(self.path)) == "tsv" else delimiter(self.path)
        table = read_table(self.path, between, strict=True)
        _, header = next(table, (1, []))
        for number, cells in table:
            if len(cells) == len(header):
                yield number, dict(zip(header, cells, strict=True))
            elif any(map(str.strip, cells)):
                told = f"{len(cells)} cells where the header names {len(header)} ({', '.join(header)})"
                remedy = f"fill in what is missing, and put quotation marks around a cell that holds {between!r}"
                raise CollectionError(self.path, number, f"{told}; {remedy}")


def _document_problem(document: dict[str, Any]) -> str:
    for name in ("docno", "text"):
        if name not in document:
            return f'no "{name}"; each line must be like {{"docno": "d1", "text": "..."}}'
        if not isinstance(document[name], str):
            return f'"{name}" is a {type(document[name]).__name__}, not a string; put it in quotation marks'
    docno = document["docno"]
    sound = docno and docno.split() == [docno]
    return "" if sound else f"docno {docno!r} is empty or holds spaces, which qrels and runs cannot write; rename it"
