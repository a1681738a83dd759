"""Transformers that return the facts of a table (its cells, rows or sentences), rank them, and compute answers."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import rescored
from pyterrier_quantity.frames.transformer import Configured, check_choice, check_counts
from pyterrier_quantity.plan.calculations import asks_for_number, calculation
from pyterrier_quantity.tables.facts import KINDS, facts, tables_of
from pyterrier_quantity.tables.generator import Operand, ProgramGenerator, TemplateGenerator, content, operands
from pyterrier_quantity.tables.program import NotExecutable, Program
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.table import Table

FACT_COLUMNS: Final = ["query", "text", "quantities", "row", "column", "cells"]
_COLUMNS: Final = ["docno", "text", "quantities", "report", "row", "column", "cells", "table"]
_K1, _B = 1.2, 0.75


class ReportFacts(Configured):
    """Transformer, Q -> R, that returns all facts of the table that a question is about, unranked.

    Args:
        tables: tables in any form that the function `facts` accepts.
        kinds: the kinds of facts to return: any of "cell", "row" and "text" (sentences near the table).

    Columns in: `qid`, `query`, and optionally `report`, the name of the table that the question is about. Without the
    column `report`, the transformer returns the facts of all tables. Columns out: the columns of the input, and
    `docno`, `text`, `quantities`, `report`, `row`, `column`, `cells`, `table`, `score` (always 0) and `rank`.

    Raises:
        ValueError: if the column `report` names a table that does not exist.
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
    """Transformer, R -> R, that scores each query's results by BM25. Word statistics come only from these results.

    Columns in: `qid`, `query`, `docno`, `text`. Columns out: the same rows, with new `score` and `rank`.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["query", "text"], context=self)
        score = np.zeros(len(inp))
        for rows in inp.groupby("qid").indices.values():
            texts = [content(text) for text in inp["text"].iloc[rows]]
            score[rows] = bm25(content(str(inp["query"].iloc[rows[0]])), texts)
        return rescored(inp, score=score)


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """Return an array with the BM25 score of each document. The query and the documents are lists of words."""
    counts, scores = list(map(Counter, documents)), np.zeros(len(documents))
    length = np.array([len(document) for document in documents], dtype=float)
    norm = _K1 * (1 - _B + _B * length / (length.mean() or 1.0))
    for word in query:
        times = np.array([found[word] for found in counts], dtype=float)
        held = np.count_nonzero(times)
        idf = math.log(1 + (len(documents) - held + 0.5) / (held + 0.5))
        scores += idf * times * (_K1 + 1) / (times + norm)
    return scores


_PERCENT: Final = ("percentage change", "share")


@dataclass(frozen=True)
class Answer:
    """An answer to a question about a table. Without an answer, all fields except `reason` are empty.

    Args:
        qanswer: the value with its unit, as text for a reader: "12.5 %".
        value: the number, multiplied by scale words such as "million". "12.5 %" has the value 12.5.
        unit: unit of the number, such as "percentage"; "-" for ratios and bare numbers.
        program: the calculation that gave the value: "subtract(9, 8), divide(#0, 8)".
        program_score: log-probability of the program.
        evidence: docnos of the facts (cells, rows or sentences) that contain the calculation's numbers.
        reason: why the question has no answer, or "" if it is answered.
    """

    qanswer: str = ""
    value: float | None = None
    unit: str = ""
    program: str = ""
    program_score: float | None = None
    evidence: tuple[str, ...] = ()
    reason: str = ""


class TableAnswers(Configured):
    """Transformer, R -> Q, that computes answers from each question's top-ranked facts: cells, rows or sentences.

    Args:
        generator: source of programs (calculations such as "divide(9, 8)"), best first. The first program that can be
            executed gives the answer. None means `TemplateGenerator()`.
        depth: number of top-ranked facts that are used per question.

    Columns in: `qid`, `query`, `docno`, `score`, and the columns that the function `facts` returns. Columns out: the
    query columns and the fields of `Answer`: `qanswer`, `value`, `unit`, `program`, `program_score`, `evidence`,
    `reason`. A query without results has no row.
    """

    def __init__(self, generator: ProgramGenerator | None = None, depth: int = 5) -> None:
        check_counts(depth=depth)
        self.generator, self.depth = generator, depth

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["score", *FACT_COLUMNS], context=self)
        about = [name for name in inp.columns if name in ("qid", "query", "query_0", "report", "gold_answer")]
        rows = []
        for _, group in inp.groupby("qid", sort=False):
            best = group.sort_values("score", ascending=False, kind="stable").head(self.depth)
            found = asdict(self.answer(str(best["query"].iloc[0]), best.to_dict("records"), best["score"].tolist()))
            rows.append(best[about].iloc[0].to_dict() | found | {"evidence": list(found["evidence"])})
        return pd.DataFrame(rows, columns=[*about, *asdict(Answer())])

    def answer(
        self, question: str, facts: Sequence[Mapping[str, Any]], scores: Sequence[float] | None = None
    ) -> Answer:
        """Return the answer to one question from retrieved `facts`, best first, with their retrieval `scores`."""
        if not asks_for_number(question):
            return Answer(reason="the question does not ask for a number that a program could compute")
        pool = operands(facts)
        if not pool:
            return Answer(reason="the retrieved facts contain no number" if facts else "no fact was retrieved")
        tables = tables_of(facts)
        problem = ""
        for program, score in (self.generator or TemplateGenerator()).generate(question, facts, scores):
            result = program.execute(tables or None)
            if isinstance(result, NotExecutable):
                problem = problem or f": {result.reason}"
                continue
            if looked_up := operands([{"cells": program.looked_up(tables), "quantities": ()}]):
                program = replace(program, sources=(*program.sources, *(operand.docno for operand in looked_up)))
                pool = [*pool, *looked_up]
            value, unit = (None, "") if isinstance(result, str) else measured(question, program, result, pool)
            written = str(result) if value is None else _written(value, unit)
            return Answer(written, value, unit, str(program), score, program.sources)
        return Answer(reason=f"no program over the retrieved facts is executable{problem}")


def measured(question: str, program: Program, result: float, pool: Sequence[Operand]) -> tuple[float, str]:
    """Return the value and the unit of a calculation's result. `pool` lists the numbers of facts with their units.

    A ratio of two numbers has the unit "-". If the question asks for a percentage, a ratio of 0.125 is returned as
    (12.5, "percentage"). A result computed from percentages is returned as a percentage. Every other result is
    multiplied by the scale of the numbers, such as 1e6 for "in millions".
    """
    used = [operand for operand in pool if operand.docno in program.sources]
    units, last = {operand.unit for operand in used}, program.steps[-1]
    of_stated = last.operation == "divide" and not last.second.startswith("const_")
    if of_stated or (last.operation == "subtract" and last.second == "const_1"):
        percent = calculation(question) in _PERCENT or "percent" in question.lower() or "%" in question
        return (result * 100, "percentage") if percent else (result, "-")
    if units == {"percentage"}:
        return result * 100, "percentage"
    scales = {operand.scale for operand in used}
    scale = scales.pop() if len(scales) == 1 else 1.0
    if last.operation == "multiply":
        money = units - {"-", "share", "unit"}
        return float(f"{result * scale ** len(used):.12g}"), money.pop() if len(money) == 1 else "-"
    return float(f"{result * scale:.12g}"), units.pop() if len(units) == 1 else "-"


def _written(value: float, unit: str) -> str:
    number = f"{value:,.2f}".rstrip("0").rstrip(".") if abs(value) >= 1 or not value else f"{value:.4g}"
    return {"percentage": f"{number} %", "-": number, "": number}.get(unit, f"{number} {unit}")
