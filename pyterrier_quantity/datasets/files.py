"""Reading a test collection's files, with errors that say where and what to do. Plain Python and pandas."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_quantity.quantity import OPERATORS, Constraint

_LARGEST_CELL = 1 << 30
"""Characters of a cell; Python's own limit refuses long texts."""
_PAIRS = re.compile(r"(\S+)\s+(\S+(?:, \S+)*?)(?:: .*)?")
_NEED = re.compile(r" (<=|>=|!=|=|<|>|range) (-?[\d.e+-]+?)(?:\.\.(-?[\d.e+-]+))? (\S.*)$")


class CollectionError(ValueError):
    """A collection's file is not what it should be; the message names file, line and remedy.

    Args:
        path: the file.
        line: from 1; None where the file as a whole is wrong.
        problem: what is wrong and what to do.
    """

    def __init__(self, path: Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}" if line else f"{path}: {problem}")
        self.path, self.line = path, line


class MissingFileError(CollectionError, FileNotFoundError):
    """A file or folder of the collection is not there."""


def existing(path: str | Path | None, part: str) -> Path | None:
    """The path, if given; raises FileNotFoundError if there is no such file."""
    if path is None:
        return None
    path = Path(path)
    if path.is_dir():
        raise FileNotFoundError(f"{part} {str(path)!r} is a folder; give a file")
    if not path.exists():
        raise FileNotFoundError(f"no {part} file {str(path)!r}; looked in {Path.cwd()}")
    return path


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a UTF-8 file, plain or gzip, blank ones and line ends left out."""
    for number, line in enumerate(raw_lines(path), 1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def raw_lines(path: Path) -> Iterator[str]:
    """All lines of a UTF-8 file, plain or gzip, with their ends."""
    number = 0
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as stream:
            for number, raw in enumerate(stream, 1):
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        told = f"not UTF-8 at byte {error.start} of the line; convert the file, for example with iconv -t utf-8"
        raise CollectionError(path, number, told) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CollectionError(path, number + 1, f"broken gzip file ({error}); fetch or compress it again") from error


def survey(path: Path) -> tuple[int, frozenset[str]]:
    """How many documents a JSON lines file holds, and the docnos that several of its lines share.

    Warns of such docnos. Lines that are no documents count, and are complained of by `read_documents`.
    """
    seen: set[str] = set()
    shared: dict[str, int] = {}
    broken = 0
    for _, text in lines(path):
        try:
            docno = json.loads(text)["docno"]
        except (ValueError, TypeError, KeyError, RecursionError):
            docno = None
        if not isinstance(docno, str):
            broken += 1
        elif docno in seen:
            shared[docno] = shared.get(docno, 0) + 1
        else:
            seen.add(docno)
    if shared:
        warnings.warn(
            f"{path}: {sum(shared.values())} lines have the docno of an earlier line ({next(iter(shared))!r} "
            "is the first); lines of one docno become one document",
            stacklevel=3,
        )
    return len(seen) + broken, frozenset(shared)


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


def read_quantities(path: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Per document the stated facts: the fields of a `Quantity`, and others."""
    for _, record in read_objects(path):
        yield record["docno"], [fact | {"concept": tuple(fact["concept"])} for fact in record["quantities"]]


def read_topics(path: Path) -> pd.DataFrame:
    """Topics with every column the file has; `value` and `high` as floats, other cells as text."""
    rows: list[list[str | float]] = []
    header: list[str] | None = None
    seen: dict[str, int] = {}
    for number, text in lines(path):
        cells = [cell.strip() for cell in text.split("\t")]
        if header is None:
            header = cells if cells[0] == "qid" else ["qid", "query"]
            if cells[0] == "qid":
                _check_header(path, number, header)
                continue
        if len(cells) > len(header) or len(cells) < min(2, len(header)):
            told = f"{len(cells)} columns where {len(header)} are expected ({', '.join(header)}), parted by single tabs"
            raise CollectionError(path, number, told)
        cells += [""] * (len(header) - len(cells))
        row = dict(zip(header, cells, strict=True))
        if not row["qid"] or not row["query"]:
            raise CollectionError(path, number, f"column {'query' if row['qid'] else 'qid'!r} is empty; fill it in")
        if row["qid"] in seen:
            told = f"qid {row['qid']!r} was there before, in line {seen[row['qid']]}; make it unique"
            raise CollectionError(path, number, told)
        seen[row["qid"]] = number
        rows.append([_topic_cell(path, number, name, cell) for name, cell in row.items()])
    if header is None:
        raise CollectionError(path, 1, "the file is empty; expected lines of qid<TAB>query")
    return pd.DataFrame(rows, columns=header)


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


def read_json(path: Path, text: str | None = None, line: int | None = None, **options: Any) -> Any:
    """What a JSON file says, or this line of one; options are those of `json.loads`.

    Raises:
        CollectionError: if it is no JSON, or nested too deeply to be read.
    """
    if text is None:
        text = "".join(raw_lines(path))
    try:
        return json.loads(text, **options)
    except json.JSONDecodeError as error:
        remedy = "; each line must be one whole JSON object" if line else ""
        told = f"not JSON: {error.msg} at column {error.colno}{remedy}"
        raise CollectionError(path, line or error.lineno, told) from error
    except CollectionError:
        raise
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise CollectionError(path, line, f"JSON that is too large or nested too deeply: {error}") from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON lines file, with their lines.

    Raises:
        CollectionError: naming the first line that holds something else.
    """
    for number, text in lines(path):
        record = read_json(path, text, number)
        if not isinstance(record, dict):
            raise CollectionError(path, number, f"a JSON {type(record).__name__} where an object is expected")
        yield number, record


def delimiter(path: Path) -> str:
    """What parts the columns of a CSV file: a comma, a semicolon or a tab, of which its header holds most."""
    header = re.sub('"[^"]*"', "", next((text for _, text in lines(path)), ""))
    return max(",;\t", key=header.count)


def read_table(path: Path, delimiter: str, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV or TSV file, with the lines in which they begin: a quoted cell may span several.

    Raises:
        CollectionError: if the quotation marks do not fit.
    """
    csv.field_size_limit(_LARGEST_CELL)
    rows = csv.reader(raw_lines(path), delimiter=delimiter, strict=strict)
    line = 1
    try:
        for cells in rows:
            yield line, cells
            line = rows.line_num + 1
    except csv.Error as error:
        raise CollectionError(path, line, f"not a table: {error}; mind the quotation marks") from error


def _check_header(path: Path, number: int, header: list[str]) -> None:
    if "query" not in header:
        raise CollectionError(path, number, f"the header has no column 'query', only {', '.join(header)}")
    double = {name for name in header if header.count(name) > 1}
    if double:
        raise CollectionError(path, number, f"the header names {', '.join(sorted(double))} twice; drop one")


def _topic_cell(path: Path, number: int, name: str, cell: str) -> str | float:
    if name == "condition" and cell and cell not in OPERATORS:
        raise CollectionError(path, number, f"column 'condition' is {cell!r}; one of {' '.join(OPERATORS)}")
    if name not in ("value", "high"):
        return cell
    return plain_number(path, number, name, cell) if cell else math.nan


def plain_number(path: Path, line: int, column: str, cell: str) -> float:
    """A cell's finite number.

    Raises:
        CollectionError: if it holds anything else.
    """
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        told = f"column {column!r} is {cell!r}; a plain number is expected, such as 1200000 or 17.5"
        raise CollectionError(path, line, told)
    return value


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
