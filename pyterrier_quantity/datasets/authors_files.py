"""Reading the files of FinQuant and MedQuant as their authors distribute them. Plain Python.

Numbers of queries and sentences count the rows of `queries.tsv` and `collection.csv` from 0, as the authors' code does.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from pyterrier_quantity.datasets.files import CollectionError, plain_number, read_json, read_table
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

_WORDS: Final = {
    "=": ("==", "equal", "equals", "equal to"),
    ">": ("greater", "greater than", "bigger", "larger", "more", "more than", "above"),
    "<": ("less", "less than", "smaller", "lower", "below"),
}
CONDITIONS: Final = {
    **{operator: operator for operator in OPERATORS if operator != "range"},
    **{word: operator for operator, words in _WORDS.items() for word in words},
}
"""The words for a condition, and its operator."""

_SENTENCE_COLUMNS: Final = ("sentence", "normalized_sentence", "values", "units")
_QUERY_COLUMNS: Final = ("query_text", "keywords", "unit", "value", "condition")
_UNNAMED: Final = ("", "Unnamed: 0")
"""How a table names the row numbers that pandas wrote into it."""

Item = TypeVar("Item")


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


def count_sentences(path: Path) -> int:
    """How many rows `collection.csv` has; literals are not read."""
    return sum(1 for _ in _rows(path, _SENTENCE_COLUMNS, ","))


def read_sentences(path: Path) -> Iterator[Sentence]:
    """The rows of `collection.csv`, one at a time."""
    for line, row in _rows(path, _SENTENCE_COLUMNS, ","):
        values = _listed(path, line, ("values", row["values"]), "finite numbers, or pairs of them,", _ends)
        units = _listed(path, line, ("units", row["units"]), "strings, such as ['dollar', '-'],", _name)
        if len(values) != len(units):
            told = f"{len(values)} values but {len(units)} units; each value needs one, '-' for none"
            raise CollectionError(path, line, told)
        yield Sentence(row["sentence"], row["normalized_sentence"], values, units)


def read_queries(path: Path) -> Iterator[Query]:
    """The rows of `queries.tsv`; conditions become operators."""
    for line, row in _rows(path, _QUERY_COLUMNS, "\t"):
        for name, cell in row.items():
            if "\n" in cell:
                told = f"a quotation mark in column {name!r} is not closed; close it, or double it if it is a sign"
                raise CollectionError(path, line, told)
        text, keywords, unit, value, condition = (row[name].strip() for name in _QUERY_COLUMNS)
        if not text:
            raise CollectionError(path, line, "column 'query_text' is empty; fill it in")
        if condition.lower() not in CONDITIONS:
            raise CollectionError(path, line, f"column 'condition' is {condition!r}; one of {', '.join(CONDITIONS)}")
        number = plain_number(path, line, "value", value)
        yield Query(line, text, keywords, unit or "-", number, CONDITIONS[condition.lower()])


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
        told = f"a JSON {type(found).__name__}; {{query number: {{sentence number: grade}}}} is expected"
        raise CollectionError(path, None, told)
    return found


def _rows(path: Path, columns: tuple[str, ...], delimiter: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows with the line in which each starts: a quoted cell may span several."""
    # The text of queries may start with a quotation mark of its own; pandas wrote the collection.
    table = read_table(path, delimiter, strict=delimiter == ",")
    _, first = next(table, (1, []))
    header = [cell.strip() for cell in first]
    names = header[1:] if header[:1] and header[0] in _UNNAMED else header
    if sorted(names) != sorted(columns):
        told = f"the columns are {', '.join(map(repr, names)) or 'none'}, expected are {', '.join(columns)}"
        raise CollectionError(path, 1, told)
    for line, cells in table:
        if cells and len(cells) != len(header):
            told = f"{len(cells)} columns where {len(header)} are expected; put quotation marks around cells that hold"
            raise CollectionError(path, line, f"{told} {delimiter!r}")
        if cells:
            yield line, dict(zip(header, cells, strict=True))


def _listed(path: Path, line: int, cell: tuple[str, str], what: str, item: Callable[[Any], Item]) -> tuple[Item, ...]:
    """The items of a list as a cell has it, which is its column and text."""
    try:
        found = _literal(cell[1])
        if isinstance(found, list):
            return tuple(map(item, found))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError):
        pass
    shown = repr(cell[1] if len(cell[1]) <= 60 else cell[1][:57] + "...")
    raise CollectionError(path, line, f"column {cell[0]!r} is {shown}; a list of {what} is expected")


@lru_cache(maxsize=50_000)
def _literal(text: str) -> Any:
    return ast.literal_eval(text.strip())


def _name(unit: Any) -> str:
    if not isinstance(unit, str):
        raise TypeError
    return unit


def _ends(value: Any) -> tuple[float, float]:
    low, high = value if isinstance(value, list | tuple) else (value, value)
    if not all(type(end) in (int, float) and math.isfinite(float(end)) for end in (low, high)):
        raise ValueError
    return float(min(low, high)), float(max(low, high))


def _known(path: Path, what: str, key: str, size: int, file: str) -> int:
    """The number that names one of `size` rows of a file."""
    if not (key.isascii() and key.isdecimal() and int(key) < size):
        raise CollectionError(path, None, f'{what} "{key}"; {file} has the numbers 0 to {size - 1}')
    return int(key)
