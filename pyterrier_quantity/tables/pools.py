"""Which facts a question is asked of: all those of its report, or of every table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.tables.facts import KINDS, facts
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.table import Table

COLUMNS = ["docno", "text", "quantities", "report", "row", "column", "cells"]


class ReportFacts(Configured):
    """Q -> R: every fact of a question's report, as candidates for rankers that score texts.

    Args:
        tables: what `facts` takes.
        kinds: "cell", "row", "text": the facts to give.

    Columns in: `qid`, `query`, and optionally `report`, the name of the table that a question is asked of; without it,
    or where it is empty, the facts of all tables. Columns out: also `docno`, `text`, `quantities`, `report`, `row`,
    `column`, `cells`, `score` (0) and `rank`.

    Raises:
        ValueError: naming a report that there is none of.
    """

    def __init__(self, tables: Any, kinds: Sequence[str] = ("cell", "text")) -> None:
        self.tables: list[Table] = list(as_tables(tables))
        self.kinds = tuple(kinds)
        self._by_report: dict[str, pd.DataFrame] = {}
        if unknown := set(kinds) - set(KINDS):
            raise ValueError(f"unknown kind {sorted(unknown)[0]!r}; one of {', '.join(KINDS)}")

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        parts = [self._for_query(query) for query in inp.to_dict("records")]
        if not parts:
            columns = dict.fromkeys([*inp.columns, *COLUMNS])
            return pd.DataFrame(columns=[*columns, "score", "rank"]).astype({"score": float, "rank": np.int64})
        return pd.concat(parts, ignore_index=True)

    def __repr__(self) -> str:
        return f"ReportFacts({len(self.tables)} tables, kinds={self.kinds!r})"

    def _for_query(self, query: dict[Any, Any]) -> pd.DataFrame:
        found = self._report(query.get("report") or "")
        given = {name: [value] * len(found) for name, value in query.items() if name not in COLUMNS}
        frame = pd.DataFrame(given | {name: found[name].tolist() for name in COLUMNS})
        return frame.assign(score=0.0, rank=np.arange(len(frame)))

    def _report(self, name: str) -> pd.DataFrame:
        if name not in self._by_report:
            tables = [table for table in self.tables if name in ("", table.name)]
            if not tables:
                raise ValueError(f"column 'report': there is no table {name!r}; there are {len(self.tables)} others")
            found = [fact for kind in self.kinds for fact in facts(tables, kind)]
            self._by_report[name] = pd.DataFrame(found, columns=COLUMNS)
        return self._by_report[name]
