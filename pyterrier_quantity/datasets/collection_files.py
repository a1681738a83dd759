"""Readers of topics, qrels and lists of doubtful pairs."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_quantity.datasets.files import CollectionError, lines, plain_number, read_rows
from pyterrier_quantity.quantity import OPERATORS, Constraint

_PAIRS = re.compile(r"(\S+)\s+(\S+(?:, \S+)*?)(?:: .*)?")
_NEED = re.compile(r" (<=|>=|!=|=|<|>|range) (-?[\d.e+-]+?)(?:\.\.(-?[\d.e+-]+))? (\S.*)$")


def read_topics(path: Path) -> pd.DataFrame:
    """Read topics with all columns of the file; `value` and `high` as floats, other cells as text."""
    rows: list[dict[str, str | float]] = []
    seen: dict[str, int] = {}
    for number, row in read_rows(path, ("qid", "query"), None, quoted=False, headless=True):
        if (before := seen.setdefault(row["qid"], number)) != number:
            told = f"qid {row['qid']!r} occurred before, in line {before}; make it unique"
            raise CollectionError(path, number, told)
        rows.append({name: _topic_cell(path, number, name, cell) for name, cell in row.items()})
    return pd.DataFrame(rows, columns=None if rows else ["qid", "query"])


def structured_topics(topics: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Add `constraints`, from the column `needs` if it is filled, or else from `condition`, `value`, `high`, `unit`."""
    if "needs" not in topics and "condition" not in topics:
        told = "the structured variant needs the columns condition, value and unit (and high for ranges)"
        raise ValueError(f"{path} has no conditions; {told}")
    records: list[dict[str, Any]] = topics.to_dict("records")
    constraints = [_needed(row["needs"]) if row.get("needs") else _conditioned(row, path) for row in records]
    return topics.drop(columns=[name for name in ("needs",) if name in topics]).assign(constraints=constraints)


def read_qrels(path: Path) -> pd.DataFrame:
    """Read TREC qrels as `qid`, `docno`, `label`."""
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
    """Read pairs from lines of the form `qid docno` or `qid docno, docno: remark`."""
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
    """Parse `laptop / memory >= 16 gigabyte & laptop / price < 1000 dollar`; parts without a value are ignored."""
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
