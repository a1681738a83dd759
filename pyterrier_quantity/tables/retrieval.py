"""Retrieval of a question's facts: all facts of its report as candidates, and BM25 over these candidates."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import rescored
from pyterrier_quantity.frames.transformer import Configured, check_choice
from pyterrier_quantity.tables.facts import KINDS, facts
from pyterrier_quantity.tables.generator import content
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.table import Table

FACT_COLUMNS: Final = ["query", "text", "quantities", "row", "column", "cells"]
"""Columns of facts in a frame of results."""
_COLUMNS: Final = ["docno", "text", "quantities", "report", "row", "column", "cells", "table"]
_K1, _B = 1.2, 0.75


class ReportFacts(Configured):
    """Transformer, Q -> R, that returns all facts of the report that a question is about, unranked.

    Args:
        tables: tables in any form that `facts` accepts.
        kinds: kinds of facts to return: "cell", "row", "text".

    Columns in: `qid`, `query`, and optionally `report`, the name of the table that the question is about. Without this
    column, the facts of all tables are returned. Columns out: the same, and `docno`, `text`, `quantities`, `report`,
    `row`, `column`, `cells`, `table`, `score` (0) and `rank`.

    Raises:
        ValueError: if a report is not among the tables; the message names it.
    """

    def __init__(self, tables: Any, kinds: Sequence[str] = ("cell", "text")) -> None:
        self.tables: list[Table] = list(as_tables(tables))
        self.kinds = tuple(kinds)
        self._by_report: dict[str, pd.DataFrame] = {}
        for kind in kinds:
            check_choice("kind", kind, KINDS)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        own = inp.drop(columns=_COLUMNS, errors="ignore")
        asked = [""] * len(inp) if "report" not in inp.columns else inp["report"].fillna("")
        parts = [own.iloc[[n]].merge(self._report(name), how="cross") for n, name in enumerate(asked)]
        found = pd.concat(parts or [own.merge(pd.DataFrame(columns=_COLUMNS), how="cross")], ignore_index=True)
        return found.assign(score=0.0, rank=found.groupby("qid").cumcount())

    def __repr__(self) -> str:
        return f"ReportFacts({len(self.tables)} tables, kinds={self.kinds!r})"

    def _report(self, name: str) -> pd.DataFrame:
        if name not in self._by_report:
            tables = [table for table in self.tables if name in ("", table.name)]
            if not tables:
                raise ValueError(f"column 'report': there is no table {name!r}; there are {len(self.tables)} others")
            found = [fact for kind in self.kinds for fact in facts(tables, kind)]
            self._by_report[name] = pd.DataFrame(found, columns=_COLUMNS)
        return self._by_report[name]


class CandidateBM25(Configured):
    """Transformer, R -> R, that scores by BM25 with the term statistics of each query's results. It needs no index.

    Columns in: `qid`, `query`, `docno`, `text`. Columns out: the same, with `score` and `rank`, rows in the same order.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["query", "text"], context=self)
        score = np.zeros(len(inp))
        for rows in inp.groupby("qid").indices.values():
            texts = [content(text) for text in inp["text"].iloc[rows]]
            score[rows] = bm25(content(str(inp["query"].iloc[rows[0]])), texts)
        return rescored(inp, score=score)


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """Return the BM25 scores of tokenised documents. Terms are counted in these documents only; idf is Lucene's."""
    counts, scores = list(map(Counter, documents)), np.zeros(len(documents))
    length = np.array([len(document) for document in documents], dtype=float)
    norm = _K1 * (1 - _B + _B * length / (length.mean() or 1.0))
    for word in query:
        times = np.array([found[word] for found in counts], dtype=float)
        held = np.count_nonzero(times)
        idf = math.log(1 + (len(documents) - held + 0.5) / (held + 0.5))
        scores += idf * times * (_K1 + 1) / (times + norm)
    return scores
