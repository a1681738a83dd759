"""What PyTerrier's frames need everywhere: missing cells, ranks, the columns of a result's query."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA; lists and texts, empty ones too, are values."""
    if isinstance(value, str):
        return False
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def as_text(value: Any) -> str:
    """A cell as text, "" where it is missing.

    Raises:
        TypeError: if it is anything else than a string.
    """
    if is_missing(value):
        return ""
    if not isinstance(value, str):
        raise TypeError(f"a text must be a string, got {type(value).__name__} {value!r}")
    return value


def best_first(query: npt.NDArray[np.int64], score: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.int64]:
    """The order of rows by query, then by score, highest first; equal scores keep their order."""
    begins = run_starts(query)
    if len(begins) > 1 and (query[begins][1:] < query[begins][:-1]).any():
        return np.lexsort((-score, query))
    # Queries stand together: sorting each one's few rows takes half the time.
    parts = pairwise([*begins.tolist(), len(query)])
    sorted_parts = [begin + np.argsort(-score[begin:end], kind="stable") for begin, end in parts]
    return np.concatenate([np.empty(0, dtype=np.int64), *sorted_parts])


def run_starts(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The places at which another value stands than at the place before; the first place is one of them."""
    starts = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return np.flatnonzero(starts)


def _counted(ordered: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The rank of each row, from 0, where rows are ordered by query and score."""
    begins = run_starts(ordered)
    return np.arange(len(ordered)) - np.repeat(begins, np.diff(np.append(begins, len(ordered))))


def ranks(query: npt.NDArray[np.int64], score: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.int64]:
    """The rank of each row within its query, from 0, as `pt.model.add_ranks` gives it, but faster."""
    order = best_first(query, score)
    result = np.empty(len(query), dtype=np.int64)
    result[order] = _counted(query[order])
    return result


def ranked(
    results: pd.DataFrame, query: npt.NDArray[np.int64], score: npt.NDArray[np.floating[Any]]
) -> pd.DataFrame:
    """R with these scores, sorted by query and score, with new ranks."""
    order = best_first(query, score)
    ordered = query[order]
    if np.array_equal(ordered, query):
        # Queries keep their places, and what belongs to a query stays where it is: copying texts costs most.
        staying = {*pt.model.query_columns(results), "constraints", "score", "rank"}
        sorted_ = results.reset_index(drop=True)
        for name in (name for name in results if name not in staying):
            taken = results[name].array.take(order)
            sorted_[name] = pd.Series(taken, index=sorted_.index, dtype=results[name].dtype, copy=False)
    else:
        sorted_ = results.take(order).reset_index(drop=True)
    sorted_["score"], sorted_["rank"] = score[order], _counted(ordered)
    return sorted_


def numbered(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    """The number of each row's query, in order of their first rows."""
    return pd.factorize(frame["qid"])[0].astype(np.int64)


def rows_by_query(inp: pd.DataFrame) -> list[list[int]]:
    """The places of each query's rows, best first by `rank`, else `score`, else as they stand."""
    number = numbered(inp)
    keys: list[Any] = [number]
    if "rank" in inp.columns:
        keys.insert(0, inp["rank"].to_numpy(dtype=float))
    elif "score" in inp.columns:
        keys.insert(0, -inp["score"].to_numpy(dtype=float))
    order = np.lexsort(keys)
    ends = np.flatnonzero(np.diff(number[order])) + 1
    return [part.tolist() for part in np.split(order, ends)] if len(order) else []


def check_queries(queries: pd.DataFrame, one_row_each: bool = True) -> None:
    """Raise a ValueError that names the first row of Q without a `qid` or a text to search, or with another's `qid`."""
    qids = queries["qid"].tolist()
    for place, (qid, query) in enumerate(zip(qids, queries["query"].tolist(), strict=True)):
        if is_missing(qid):
            raise ValueError(f"row {place} of the queries has no qid; give every query its own")
        if not isinstance(query, str):
            raise ValueError(f"query {qid!r}: column 'query' must hold texts, got {query!r}")
    if one_row_each and len(set(qids)) < len(qids):
        qid = next(qid for place, qid in enumerate(qids) if qid in qids[:place])
        raise ValueError(f"query {qid!r} stands in several rows; give every query its own qid")


def with_queries_columns(results: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """R with those columns of its queries that a retriever dropped."""
    place = pd.Index(queries["qid"]).get_indexer(results["qid"])
    dropped = {name: queries[name].to_numpy()[place] for name in queries if name not in results.columns}
    return results.assign(**dropped)


def retrieved(queries: pd.DataFrame, found: list[tuple[list[str], npt.NDArray[np.floating[Any]]]]) -> pd.DataFrame:
    """R of what was found for each query, in order: docnos and scores, best first. Q's columns are kept."""
    count = [len(score) for _, score in found]
    result = queries.iloc[np.repeat(np.arange(len(queries)), count)].reset_index(drop=True)
    result["docno"] = pd.Series([docno for docnos, _ in found for docno in docnos], dtype=object)
    result["score"] = np.concatenate([np.empty(0), *(score for _, score in found)])
    result["rank"] = np.concatenate([np.empty(0, dtype=np.int64), *map(np.arange, count)])
    return result
