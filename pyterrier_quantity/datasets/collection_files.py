"""The files of a test collection: documents, topics, qrels and pairs to leave out."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_quantity.datasets.files import CollectionError, lines, plain_number, read_objects, read_rows
from pyterrier_quantity.quantity import OPERATORS, Constraint

_PAIRS = re.compile(r"(\S+)\s+(\S+(?:, \S+)*?)(?:: .*)?")
_NEED = re.compile(r" (<=|>=|!=|=|<|>|range) (-?[\d.e+-]+?)(?:\.\.(-?[\d.e+-]+))? (\S.*)$")


def survey(path: Path) -> tuple[int, frozenset[str]]:
    """How many documents a JSON lines file holds, and the docnos that several of its lines share.

    Warns of such docnos. Of lines that are no documents `read_documents` complains.
    """
    seen: Counter[Any] = Counter()
    for _, text in lines(path):
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            seen[json.loads(text)["docno"]] += 1
    shared = [docno for docno, times in seen.items() if times > 1 and isinstance(docno, str)]
    if shared:
        warnings.warn(
            f"{path}: {sum(seen[docno] - 1 for docno in shared)} lines have the docno of an earlier line "
            f"({shared[0]!r} is the first); lines of one docno become one document",
            stacklevel=3,
        )
    return len(seen), frozenset(shared)


def read_documents(path: Path, shared: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Documents of a JSON lines file, each with a unique `docno` and a `text`; other fields come with them, but for
    `quantities`, which are no objects there.

    Args:
        path: the file.
        shared: docnos that several lines may have; their texts are joined by line breaks, their other fields
            are the first one's, and they come last.
    """
    seen: set[str] = set()
    joined: dict[str, list[dict[str, Any]]] = {}
    for number, document in read_objects(path):
        document.pop("quantities", None)
        if problem := _document_problem(document):
            raise CollectionError(path, number, problem)
        docno = document["docno"]
        if docno in seen:
            raise CollectionError(path, number, f"docno {docno!r} was there before; make it unique or drop the line")
        if docno in shared:
            joined.setdefault(docno, []).append(document)
            continue
        seen.add(docno)
        yield document
    for parts in joined.values():
        yield {**parts[0], "text": "\n".join(part["text"] for part in parts)}


def _document_problem(document: dict[str, Any]) -> str:
    for name in ("docno", "text"):
        if name not in document:
            return f'no "{name}"; each line must be like {{"docno": "d1", "text": "..."}}'
        if not isinstance(document[name], str):
            return f'"{name}" is a {type(document[name]).__name__}, not a string; put it in quotation marks'
    docno = document["docno"]
    sound = docno and docno.split() == [docno]
    return "" if sound else f"docno {docno!r} is empty or holds spaces, which qrels and runs cannot write; rename it"


def read_topics(path: Path) -> pd.DataFrame:
    """Topics with every column the file has; `value` and `high` as floats, other cells as text."""
    rows: list[dict[str, str | float]] = []
    seen: dict[str, int] = {}
    for number, row in read_rows(path, ("qid", "query"), None, quoted=False, headless=True):
        if (before := seen.setdefault(row["qid"], number)) != number:
            told = f"qid {row['qid']!r} was there before, in line {before}; make it unique"
            raise CollectionError(path, number, told)
        rows.append({name: _topic_cell(path, number, name, cell) for name, cell in row.items()})
    return pd.DataFrame(rows, columns=None if rows else ["qid", "query"])


def structured_topics(topics: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Adds `constraints` from the column `needs` where filled, else from `condition`, `value`, `high`, `unit`."""
    if "needs" not in topics and "condition" not in topics:
        told = "the structured variant needs the columns condition, value and unit (and high for ranges)"
        raise ValueError(f"{path} has no conditions; {told}")
    records: list[dict[str, Any]] = topics.to_dict("records")
    constraints = [_needed(row["needs"]) if row.get("needs") else _conditioned(row, path) for row in records]
    return topics.drop(columns=[name for name in ("needs",) if name in topics]).assign(constraints=constraints)


def read_qrels(path: Path) -> pd.DataFrame:
    """TREC qrels as `qid`, `docno`, `label`."""
    found: dict[tuple[str, str], int] = {}
    for number, text in lines(path):
        cells = text.split()
        if len(cells) != 4:
            raise CollectionError(path, number, f"{len(cells)} columns where 4 are expected: qid 0 docno label")
        if not re.fullmatch(r"[+-]?\d+", cells[3]):
            raise CollectionError(path, number, f"column 4, the label, is {cells[3]!r}; a whole number is expected")
        if found.setdefault((cells[0], cells[2]), int(cells[3])) != int(cells[3]):
            raise CollectionError(path, number, f"{cells[0]} {cells[2]} was judged otherwise before; keep one line")
    return pd.DataFrame([(*pair, label) for pair, label in found.items()], columns=["qid", "docno", "label"])


def read_pairs(path: Path) -> pd.DataFrame:
    """Pairs, from lines of `qid docno` or of `qid docno, docno: remark`."""
    pairs = []
    for number, text in lines(path):
        found = _PAIRS.fullmatch(text.strip())
        if not found:
            raise CollectionError(path, number, f"{text!r} is not of the form qid docno, nor qid docno, docno: remark")
        pairs += [(found[1], docno) for docno in found[2].split(", ")]
    return pd.DataFrame(pairs, columns=["qid", "docno"])


def _topic_cell(path: Path, number: int, name: str, cell: str) -> str | float:
    if name == "condition" and cell and cell not in OPERATORS:
        raise CollectionError(path, number, f"column 'condition' is {cell!r}; one of {' '.join(OPERATORS)}")
    if name not in ("value", "high"):
        return cell
    return plain_number(path, number, name, cell) if cell else math.nan


def _needed(needs: str) -> list[Constraint]:
    """Reads `laptop / memory >= 16 gigabyte & laptop / price < 1000 dollar`; needs without a value set none."""
    found = [_NEED.search(need) for need in needs.split(" & ")]
    return [Constraint(m[1], float(m[2]), float(m[3] or m[2]), m[4].strip()) for m in found if m]


def _conditioned(row: dict[str, Any], path: Path) -> list[Constraint]:
    if not row.get("condition") or math.isnan(row.get("value", math.nan)):
        return []
    low, high = row["value"], row.get("high", math.nan)
    try:
        return [Constraint(row["condition"], low, low if math.isnan(high) else high, row.get("unit") or "-")]
    except ValueError as error:
        raise ValueError(f"{path}, qid {row['qid']}: {error}") from error
