"""Make and read PyTerrier's frames of queries (Q) and results (R): check cells, compute ranks and sort rows."""

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Floats, Ints, run_lengths, run_starts

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


@lru_cache(maxsize=64)
def _names(names: tuple[str, ...]) -> pd.Index:
    return pd.Index(names)


def framed(columns: Mapping[str, Any], index: pd.Index) -> pd.DataFrame:
    """Return `pd.DataFrame(columns, index)` without copying the columns, which is much faster for a few rows."""
    frame = pd.DataFrame(dict(enumerate(columns.values())), index=index, copy=False)
    frame.columns = _names(tuple(columns))
    return frame


def objects(items: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Return a one-dimensional array of the items, even if the items are lists of equal length."""
    return np.fromiter(items, dtype=object, count=len(items))


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or pandas' NA. Lists and texts, even empty ones, are not missing."""
    if isinstance(value, str):
        return False
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def whole_characters(text: str) -> str:
    """Return a text in which U+FFFD replaces each lone surrogate, and warn if there is one. Files and pandas columns
    cannot store surrogates."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    warnings.warn("halves of characters (lone surrogates) in texts, queries or docnos are read as U+FFFD", stacklevel=2)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def as_text(value: Any) -> str:
    """Return a cell's text without lone surrogates, or "" if it is missing. Raise a TypeError if it is not a string."""
    if is_missing(value):
        return ""
    if not isinstance(value, str):
        raise TypeError(f"a text must be a string, got {type(value).__name__} {value!r}")
    return whole_characters(value)


def best_first(query: Ints, score: npt.NDArray[np.floating[Any]]) -> Ints:
    """Return the indexes of rows, sorted by query number, then by descending score. Ties keep their order."""
    if ((query[1:] > query[:-1]) | ((query[1:] == query[:-1]) & (score[1:] <= score[:-1]))).all():
        return np.arange(len(query))
    begins, grouped = run_starts(query), None
    if len(begins) > 1 and (query[begins][1:] < query[begins][:-1]).any():
        grouped = np.argsort(query, kind="stable")  # most inputs are two ascending runs, which a stable sort merges
        query, score = query[grouped], score[grouped]
        begins = run_starts(query)
    # Sorting each query's few rows takes a third of the time of sorting all by two keys.
    parts = pairwise([*begins.tolist(), len(query)])
    sorted_parts = [begin + np.argsort(-score[begin:end], kind="stable") for begin, end in parts]
    order = np.concatenate([np.empty(0, dtype=np.int64), *sorted_parts])
    return order if grouped is None else grouped[order]


def cells(column: pd.Series) -> Any:
    """Return a column's values as an array. Strings stay a pandas array, because conversion is slow."""
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array


def counted(ordered: Ints) -> Ints:
    """Return the rank of each row in its query, from 0. `ordered` has each row's query: [4, 4, 7] -> [0, 1, 0]."""
    begins = run_starts(ordered)
    return np.arange(len(ordered)) - begins.repeat(run_lengths(begins, len(ordered)))


def ranks(query: Ints, score: npt.NDArray[np.floating[Any]]) -> Ints:
    """Return the rank of each row among the rows of its query, from 0: queries [4, 4], scores [1, 2] -> [1, 0]."""
    order = best_first(query, score)
    result = np.empty(len(query), dtype=np.int64)
    result[order] = counted(query[order])
    return result


def ranked(results: pd.DataFrame, query: Ints, score: npt.NDArray[np.floating[Any]]) -> pd.DataFrame:
    """Return results (R) sorted by query and a new score, with new ranks. `query` and `score` have a value per row."""
    order = best_first(query, score)
    ordered = query[order]
    if np.array_equal(ordered, query):
        # Queries keep their order, so their columns are not moved: copying texts takes longest.
        staying = {*pt.model.query_columns(results), "constraints", "score", "rank"}
        sorted_ = results.reset_index(drop=True)
        for name in (name for name in results if name not in staying):
            sorted_[name] = results[name].take(order).set_axis(sorted_.index)
    else:
        sorted_ = results.take(order).reset_index(drop=True)
    sorted_["score"], sorted_["rank"] = score[order], counted(ordered)
    return sorted_


def rescored(results: pd.DataFrame, **columns: Floats) -> pd.DataFrame:
    """Return results (R) with the given columns, one of which is `score`, and with new ranks. Rows keep their order."""
    kept = results.drop(columns=["score", "rank"], errors="ignore")
    return kept.assign(**columns, rank=ranks(numbered(results), columns["score"]))


def numbered(frame: pd.DataFrame) -> Ints:
    """Number the queries in order of first occurrence. Return each row's number: qids "b", "b", "a" -> [0, 0, 1]."""
    return pd.factorize(frame["qid"])[0].astype(np.int64)


def rows_by_query(inp: pd.DataFrame) -> list[list[int]]:
    """Return, for each query, the positions of its rows, sorted by `rank` or, if it is missing, by `score`."""
    number, best = numbered(inp), np.zeros(len(inp))
    if "rank" in inp.columns:
        best = -inp["rank"].to_numpy(dtype=float)
    elif "score" in inp.columns:
        best = inp["score"].to_numpy(dtype=float)
    order = best_first(number, best)
    ends = np.flatnonzero(np.diff(number[order])) + 1
    return [part.tolist() for part in np.split(order, ends)] if len(order) else []


def checked_texts(qids: Sequence[Any], texts: Sequence[Any]) -> list[str]:
    """Return the texts of queries with lone surrogates replaced. If a row lacks a `qid` or a text, raise a ValueError
    that names the first such row."""
    for place, (qid, query) in enumerate(zip(qids, texts, strict=True)):
        if is_missing(qid):
            raise ValueError(f"row {place} of the queries has no qid; give every query its own")
        if not isinstance(query, str):
            raise ValueError(f"query {qid!r}: column 'query' must hold texts, got {query!r}")
    return list(map(whole_characters, texts))


def check_one_row_each(qids: Sequence[Any]) -> None:
    """Check that each `qid` has only one row. Otherwise raise a ValueError that names the first repeated `qid`."""
    if len(set(qids)) < len(qids):
        qid = next(qid for place, qid in enumerate(qids) if qid in qids[:place])
        raise ValueError(f"query {qid!r} is in several rows; give every query its own qid")


def retrieved(queries: pd.DataFrame, found: Sequence[tuple[Any, npt.NDArray[np.floating[Any]]]]) -> pd.DataFrame:
    """Return results (R) for a frame of queries. `found` has a pair (docnos, scores) for each query, best first."""
    docnos = [docno for docnos, _ in found for docno in docnos]
    scores = [score for _, score in found]
    count = np.array([len(score) for score in scores], dtype=np.int64)
    return as_results(queries, count, docnos, np.concatenate([np.empty(0), *scores]))


def as_results(queries: pd.DataFrame, count: Ints, docnos: Any, score: npt.NDArray[np.floating[Any]]) -> pd.DataFrame:
    """Return results (R) for a frame of queries. `docnos` and `score` list the `count[0]` documents of the first query,
    then the `count[1]` documents of the second query, and so on."""
    result = results_of({name: column.array for name, column in queries.items()}, count, docnos, score)
    result.attrs = dict(queries.attrs)
    return result


def results_of(
    queries: Mapping[str, Any], count: Ints, docnos: Any, score: npt.NDArray[np.floating[Any]]
) -> pd.DataFrame:
    """Return results (R) like `as_results`. The queries are given as a dictionary of arrays, keyed by column name.
    `count` contains the number of results of each query."""
    rows = np.arange(len(count)).repeat(count)
    index = pd.RangeIndex(len(rows))
    columns: dict[str, Any] = {}
    taken: dict[int, Any] = {}
    for name, column in queries.items():  # `query` and `query_0` are often the same array
        known = taken.get(id(column))
        taken[id(column)] = columns[name] = column.take(rows) if known is None else known.copy()
    columns |= {"docno": np.asarray(docnos, dtype=object), "score": score, "rank": counted(rows)}
    for name, known in columns.items():  # without a type, pandas inspects all objects
        if (plain := getattr(known.dtype, "numpy_dtype", known.dtype)) == np.dtype(object):
            columns[name] = pd.Series(known, index, dtype=plain, copy=False)
    return framed(columns, index)
