"""Answers computed from ranked facts (sentences, rows or cells of a table) by a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.plan.calculations import asks_for_number
from pyterrier_quantity.tables.facts import tables_of
from pyterrier_quantity.tables.generator import Operand, ProgramGenerator, TemplateGenerator, operands, read_question
from pyterrier_quantity.tables.program import NotExecutable, Program
from pyterrier_quantity.tables.retrieval import FACT_COLUMNS

NO_FACT: Final = "no fact was retrieved"
NO_NUMBER: Final = "the retrieved facts hold no number"
NO_PROGRAM: Final = "no program over the retrieved facts is executable"
NOT_NUMERIC: Final = "the question asks for no number that a program could compute"
_PERCENT: Final = ("percentage change", "share")


@dataclass(frozen=True)
class Answer:
    """Answer to a table question, computed by a program; all fields except `reason` are empty if there is no answer.

    Args:
        qanswer: the value with its unit, as text for a reader: "12.5 %".
        value, unit: the number, with scale words multiplied out, and its unit. Percentages have the value 12.5 and the
            unit "percentage". Ratios and bare numbers have the unit "-".
        program, program_score: the program that computed the value, and its log-probability.
        evidence: docnos of the facts that contain the program's numbers.
        reason: why there is no answer; otherwise "".
    """

    qanswer: str = ""
    value: float | None = None
    unit: str = ""
    program: str = ""
    program_score: float | None = None
    evidence: tuple[str, ...] = ()
    reason: str = ""


class TableAnswers(Configured):
    """Transformer, R -> Q, that answers each question by a program over its highest ranked facts.

    Args:
        generator: a source of programs; the first program that can be executed gives the answer. None:
            `TemplateGenerator()`.
        depth: number of top-ranked facts that are used per question (5 cells or 3 rows in the paper).

    Columns in: `qid`, `query`, `docno`, `score`, and the columns of `facts`. Columns out: those of the queries, and the
    fields of `Answer`: `qanswer`, `value`, `unit`, `program`, `program_score`, `evidence`, `reason`. A query without
    results has no row.
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
        """Return the answer to one question; `facts` are sorted by rank."""
        if not asks_for_number(question):
            return Answer(reason=NOT_NUMERIC)
        pool = operands(facts)
        if not pool:
            return Answer(reason=NO_NUMBER if facts else NO_FACT)
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
        return Answer(reason=NO_PROGRAM + problem)


def measured(question: str, program: Program, result: float, pool: Sequence[Operand]) -> tuple[float, str]:
    """Return the value and unit of a program's result, derived from the units and scales of its numbers. A ratio of two
    numbers has no unit; if the question asks for a percentage, 0.125 becomes 12.5. Percentages are computed as
    fractions and returned as percentages. Any other result is multiplied by the scale (such as "in millions") of all
    its numbers."""
    used = [operand for operand in pool if operand.docno in program.sources]
    units, last = {operand.unit for operand in used}, program.steps[-1]
    of_stated = last.operation == "divide" and not last.second.startswith("const_")
    if of_stated or (last.operation == "subtract" and last.second == "const_1"):
        percent = read_question(question).kind in _PERCENT or "percent" in question.lower() or "%" in question
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
