"""Reading the files of FinQuant and MedQuant as their authors distribute them. Plain Python.

Numbers of queries and sentences count the rows of `queries.tsv` and `collection.csv` from 0, as the authors' code does.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyterrier_quantity.datasets.files import CollectionError, MissingFileError, read_json, read_table
from pyterrier_quantity.quantity import OPERATORS

COLLECTION: Final = "collection.csv"
QUERIES: Final = "queries.tsv"
QRELS: Final = {
    "complete": "qrel_compelete.json",
    "in_training": "qrel_in_training.json",
    "not_training": "qrel_not_training.json",
    "expanded": "qrel_expanded.json",
    "wo_surface": "qrel_wo_surface.json",
    "equals": "qrels_equal.json",
    "greater": "qrels_greater.json",
    "less": "qrels_less.json",
}
"""The relevance files by variant; the first is spelt so by the authors."""
FILES: Final = (COLLECTION, QUERIES, *QRELS.values())

CONDITIONS: Final = {
    **{operator: operator for operator in OPERATORS if operator != "range"},
    "==": "=",
    "equal": "=",
    "equals": "=",
    "equal to": "=",
    "greater": ">",
    "greater than": ">",
    "bigger": ">",
    "larger": ">",
    "more": ">",
    "more than": ">",
    "above": ">",
    "less": "<",
    "less than": "<",
    "smaller": "<",
    "lower": "<",
    "below": "<",
}
"""The words for a condition, and its operator."""

_SENTENCE_COLUMNS: Final = ("sentence", "normalized_sentence", "values", "units")
_QUERY_COLUMNS: Final = ("query_text", "keywords", "unit", "value", "condition")
_UNNAMED: Final = ("", "Unnamed: 0")
"""How a table names the row numbers that pandas wrote into it."""
_DOCUMENTS: Final = (".pdf", ".md", ".html", ".docx")


class Sentence(NamedTuple):
    """A row of `collection.csv`; a value is a number, or the two ends of a range."""

    sentence: str
    normalized_sentence: str
    values: tuple[tuple[float, float], ...]
    units: tuple[str, ...]


class Query(NamedTuple):
    """A row of `queries.tsv`, and the line where it stands."""

    line: int
    text: str
    keywords: str
    unit: str
    value: float
    condition: str


def check_folder(folder: Path) -> None:
    """Raises CollectionError if a file is missing, or one is there that might be a misnamed one.

    Hidden files, folders and documents (a readme, a licence, guidelines) may be there.
    """
    if not folder.is_dir():
        raise MissingFileError(
            folder,
            None,
            f"{'is a file' if folder.exists() else 'no such folder'}; "
            f"give the folder that holds {COLLECTION} and {QUERIES}",
        )
    there = {file.name for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")}
    extra = sorted(name for name in there - set(FILES) if not _is_document(name))
    for name in FILES:
        if name not in there:
            hint = f"; is it {', '.join(extra)}? Rename it" if extra else "; download the collection again"
            raise MissingFileError(folder / name, None, f"the file is missing{hint}")
    if extra:
        raise CollectionError(
            folder / extra[0], None, f"no file of the collection, which has only {', '.join(FILES)}; move it elsewhere"
        )


def _is_document(name: str) -> bool:
    return name.lower().endswith(_DOCUMENTS) or name.upper().startswith(("README", "LICENSE", "LICENCE"))


def count_sentences(path: Path) -> int:
    """How many rows `collection.csv` has; literals are not read."""
    return sum(1 for _ in _rows(path, _SENTENCE_COLUMNS, ","))


def read_sentences(path: Path) -> Iterator[Sentence]:
    """The rows of `collection.csv`, one at a time."""
    for line, row in _rows(path, _SENTENCE_COLUMNS, ","):
        values = [_value(path, line, value) for value in _literal_list(path, line, "values", row["values"])]
        units = _literal_list(path, line, "units", row["units"])
        if not all(isinstance(unit, str) for unit in units):
            raise CollectionError(
                path,
                line,
                f"column 'units' is {_short(row['units'])}; a list of strings is expected, such as ['dollar', '-']",
            )
        if len(values) != len(units):
            raise CollectionError(
                path, line, f"{len(values)} values but {len(units)} units; each value needs one, '-' for none"
            )
        yield Sentence(row["sentence"], row["normalized_sentence"], tuple(values), tuple(units))


def read_queries(path: Path) -> Iterator[Query]:
    """The rows of `queries.tsv`; conditions become operators."""
    for line, row in _rows(path, _QUERY_COLUMNS, "\t"):
        for name, cell in row.items():
            if "\n" in cell:
                raise CollectionError(
                    path,
                    line,
                    f"a quotation mark in column {name!r} is not closed; close it, or "
                    "double it if it is meant as a sign",
                )
        text, condition = row["query_text"].strip(), row["condition"].strip()
        if not text:
            raise CollectionError(path, line, "column 'query_text' is empty; fill it in")
        if condition.lower() not in CONDITIONS:
            raise CollectionError(path, line, f"column 'condition' is {condition!r}; one of {', '.join(CONDITIONS)}")
        yield Query(
            line,
            text,
            row["keywords"].strip(),
            row["unit"].strip() or "-",
            _number(path, line, row["value"]),
            CONDITIONS[condition.lower()],
        )


def read_judgements(path: Path, queries: int, sentences: int) -> Iterator[tuple[int, int, int]]:
    """The entries of a relevance file, `{query number: {sentence number: grade}}`: query, sentence, grade.

    Args:
        path: the file.
        queries, sentences: how many there are; others may not be named.
    """
    for query, entries in _by_query(path).items():
        number = _known(path, "unknown query", query, queries, QUERIES)
        if not isinstance(entries, dict):
            raise CollectionError(path, None, f'query "{query}" does not hold {{sentence number: grade}}')
        for sentence, grade in entries.items():
            place = _known(path, f'query "{query}": unknown sentence', sentence, sentences, COLLECTION)
            if type(grade) is not int:
                told = f'query "{query}", sentence "{sentence}": the grade is {grade!r}; a whole number is expected'
                raise CollectionError(path, None, told)
            yield number, place, grade


def judged_queries(path: Path) -> list[int]:
    """The numbers of the queries that a relevance file names, also those without entries."""
    return [int(query) for query in _by_query(path) if query.isdecimal()]


def _by_query(path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            ((double, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise CollectionError(path, None, f'"{double}" was there before; keep one')
        return found

    found = read_json(path, object_pairs_hook=once)
    if not isinstance(found, dict):
        told = (
            f"a JSON {type(found).__name__} where an object is expected, {{query number: {{sentence number: grade}}}}"
        )
        raise CollectionError(path, None, told)
    return found


def _rows(path: Path, columns: tuple[str, ...], delimiter: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows with the line in which each starts: a quoted cell may span several."""
    header: list[str] | None = None
    # The text of queries may start with a quotation mark of its own; pandas wrote the collection.
    for line, cells in read_table(path, delimiter, strict=delimiter == ","):
        if header is None:
            header = [cell.strip() for cell in cells]
            _check_header(path, header, columns)
        elif cells and len(cells) != len(header):
            raise CollectionError(
                path,
                line,
                f"{len(cells)} columns where {len(header)} are expected; put "
                f"quotation marks around cells that hold {delimiter!r}",
            )
        elif cells:
            yield line, dict(zip(header, cells, strict=True))
    if header is None:
        raise CollectionError(path, 1, f"the file is empty; expected a table of {', '.join(columns)}")


def _check_header(path: Path, header: list[str], columns: tuple[str, ...]) -> None:
    missing = [name for name in columns if name not in header]
    extra = [name for at, name in enumerate(header) if name not in columns and not (at == 0 and name in _UNNAMED)]
    if missing:
        raise CollectionError(
            path, 1, f"no column {', '.join(map(repr, missing))}; the header has {', '.join(map(repr, header))}"
        )
    if extra or len(set(header)) < len(header):
        double = sorted({name for name in header if header.count(name) > 1})
        raise CollectionError(
            path, 1, f"unknown or doubled column {', '.join(map(repr, extra or double))}; expected {', '.join(columns)}"
        )


def _literal_list(path: Path, line: int, column: str, text: str) -> list[Any]:
    try:
        found = _literal(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise CollectionError(
            path,
            line,
            f"column {column!r} is {_short(text)}; a list is expected, such as "
            f"{'[12.5, 3]' if column == 'values' else str(['dollar', '-'])}",
        )
    return found


@lru_cache(maxsize=50_000)
def _literal(text: str) -> Any:
    return ast.literal_eval(text.strip())


def _value(path: Path, line: int, value: Any) -> tuple[float, float]:
    ends = value if isinstance(value, list | tuple) and len(value) == 2 else (value, value)
    for end in ends:
        if isinstance(end, bool) or not isinstance(end, int | float) or not math.isfinite(_float(end)):
            raise CollectionError(
                path,
                line,
                f"column 'values' holds {_short(repr(value))}; finite numbers are expected, or pairs of them",
            )
    return min(map(_float, ends)), max(map(_float, ends))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _number(path: Path, line: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CollectionError(
            path, line, f"column 'value' is {cell!r}; a plain number is expected, such as 1200000 or 17.5"
        )
    return value


def _known(path: Path, what: str, key: str, size: int, file: str) -> int:
    """The number that names one of `size` rows of a file."""
    if not (key.isascii() and key.isdecimal() and int(key) < size):
        raise CollectionError(path, None, f'{what} "{key}"; {file} has the numbers 0 to {size - 1}')
    return int(key)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
