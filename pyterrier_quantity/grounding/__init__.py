"""Check the numbers in answers against evidence, such as the texts of retrieved documents.

`check` returns a verdict ("supported", "contradicted", "not found") for each number of an answer. The transformer
`CheckNumbers` checks the answers in a frame. The measure `SupportedNumbers` is the share of supported numbers."""

from collections.abc import Iterator
from typing import Any, Final

import ir_measures
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import is_missing, rows_by_query
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.grounding.checking import COLOURS, CONTRADICTED, NOT_FOUND, SUPPORTED, check

__all__ = ["CONTRADICTED", "NOT_FOUND", "SUPPORTED", "CheckNumbers", "SupportedNumbers", "check"]


class CheckNumbers(Configured):
    """Transformer that checks the numbers in the answer of each query against the query's documents.

    Args:
        documents: a retriever that returns the documents of a query. If None, the input contains the documents: as rows
            with `text`, or in the column `evidence` (of `ptq.answers`) or `qcontext` (of pyterrier_rag).
        text_field: the column with a document's text.

    Columns in: `qid`, the answer in `qanswer`, and the question in `query_0` or, if it is missing, in `query`.

    Columns out: one row per query, with the result of `check` in `checked`. The columns `supported`, `contradicted` and
    `not_found` contain the number of findings with each verdict.
    """

    def __init__(self, documents: pt.Transformer | None = None, text_field: str = "text") -> None:
        self.documents, self.text_field = documents, text_field

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        asked = "query_0" if "query_0" in inp else "query"
        pt.validate.columns(inp, includes=["qid", asked, "qanswer"], context=self)
        groups = rows_by_query(inp)
        rows = inp.iloc[[places[0] for places in groups]].reset_index(drop=True)
        given = [self._evidence(inp.iloc[places], asked) for places in groups]
        answers = ["" if is_missing(answer) else str(answer) for answer in rows["qanswer"]]
        found = [check(*one) for one in zip(answers, given, rows[asked], strict=True)]
        counts = {verdict.replace(" ", "_"): [one.count(verdict) for one in found] for verdict in COLOURS}
        rows = rows.drop(columns=["docno", "docid", "rank", "score", self.text_field], errors="ignore")
        return rows.assign(checked=pd.Series(found, index=rows.index, dtype=object), **counts)

    def _evidence(self, rows: pd.DataFrame, asked: str) -> Any:
        if self.documents is not None:
            rows = self.documents.transform(rows[["qid"]].assign(query=rows[asked]).head(1))
        if self.text_field in rows:
            return rows.rename(columns={self.text_field: "text"}).fillna({"text": ""})
        for name in ("evidence", "qcontext"):
            if name in rows:
                return [] if is_missing(rows[name].iloc[0]) else rows[name].iloc[0]
        fault = f"none of {self.text_field!r}, 'evidence', 'qcontext' is in {sorted(map(str, rows.columns))}"
        raise ValueError(f"{self!r}: the frame has no documents: {fault}; pass CheckNumbers(documents=retriever)")


def _shares(qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
    if "checked" not in run:
        raise ValueError(f"the answers have no column 'checked', only {sorted(map(str, run))}: add >> CheckNumbers()")
    judged = {str(qid): qid for qid in qrels["query_id"]}
    first = run.drop_duplicates("query_id")
    for qid, found in zip(map(str, first["query_id"]), first["checked"], strict=True):
        yield judged.get(qid, qid), found.count() / len(found) if len(found) else 1.0


SupportedNumbers: Final = ir_measures.define(
    _shares, name="SupportedNumbers", support_cutoff=False, run_inputs=["checked"]
)
"""Evaluation measure: the share of an answer's numbers that the evidence supports, or 1 if it has no numbers."""
