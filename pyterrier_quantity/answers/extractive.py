"""Answer questions about quantities with the value on which documents agree, and compare several entities."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.answers.answer_distribution import Distribution
from pyterrier_quantity.answers.answer_values import YEAR, asked_for, common_unit, in_unit, is_same, read_values
from pyterrier_quantity.counts.count_transformers import agreement, first_rows, with_answers
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.frames.frame import is_missing, rows_by_query
from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.units import default_registry

NO_QUANTITY: Final = "the question does not ask for a quantity"
_EVIDENCE: Final = ("docno", "sentence", "span", "quantity", "value", "relevance")
COLUMNS: Final = ("qanswer", "value", "unit", "score", "evidence", "reason")


class Extractive(Configured):
    """Transformer, R -> Q, that answers questions such as "how heavy is ...", "what did ... cost" or "when ...".

    The most relevant value of each top document is a candidate: a value of the kind that the question asks for, near
    the question's words. The answer is the candidate that agrees best with all candidates, weighted by relevance.
    Questions and texts should be English. In texts of other languages, only numbers and units are recognised.

    Args:
        documents: number of top-ranked documents to use.
        extractor: extractor of quantities (default: the rule extractor). Not used if the frame has `quantities`.
        text_field: the column with the text; None and NaN count as empty texts.
        verbose: whether to show progress.

    Columns in: `qid`, `query` (or `query_0`, the question as typed, if a parser has changed `query`), `docno`, the
    text, `rank` or `score`, and optionally `quantities`. Columns out: `qid`, `query` and other query columns, and

    - `qanswer`: the value as text ("1,950 kilogram"), a year ("1984"), or "" for an empty answer;
    - `value`, `unit`: the value as a number and its canonical unit, or NaN and "" for an empty answer;
    - `score`: how well the candidates agree, from 0 to 1;
    - `evidence`: a list of dictionaries, one per document, the best agreement first: `docno`, `sentence`, `span`,
      `start`, `end` (in the text), `quantity` (as in the text), `value` (in the answer's unit), `relevance`;
    - `reason`: why the answer is empty, or "".
    """

    def __init__(
        self, documents: int = 10, extractor: Extractor | None = None, text_field: str = "text", verbose: bool = False
    ) -> None:
        check_counts(documents=documents)
        self.documents, self.extractor, self.text_field, self.verbose = documents, extractor, text_field, verbose

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query", "docno", self.text_field], context=self)
        groups = rows_by_query(inp)
        shown = pt.tqdm(groups, desc="answers", disable=not self.verbose)
        return with_answers(first_rows(inp, groups), [self._answer(inp.iloc[places]) for places in shown], COLUMNS)

    def distributions(self, results: pd.DataFrame) -> dict[str, Distribution]:
        """Return a dictionary from qid to the `Distribution` of the values in the query's top-ranked results."""
        answers = self.transform(results)
        rows = answers[["qid", "query", "unit", "evidence"]].itertuples(index=False, name=None)
        return {qid: Distribution(query, unit, evidence) for qid, query, unit, evidence in rows}

    def _answer(self, results: pd.DataFrame) -> dict[str, Any]:
        typed = "query_0" if "query_0" in results.columns else "query"
        asked = asked_for(results[typed].iloc[0])
        if not asked.kind.is_quantity:
            return empty_answer(NO_QUANTITY)
        values = read_values(asked, self._read(results.head(self.documents)), self.extractor)
        unit = asked.kind.unit or common_unit(values)
        values = in_unit(values, unit)
        if not values:
            return empty_answer("no document states such a quantity")
        relevance = np.array([value.relevance for value in values])
        agreed = agreement([value.value for value in values], relevance, exact=0.5, same=is_same, doubt=0.0)
        top = values[int(np.argmax(agreed))]
        same = [place for place, value in enumerate(values) if is_same(value.value, top.value)]
        best = max(same, key=lambda place: values[place].relevance)
        order = sorted(range(len(values)), key=lambda place: (place != best, -agreed[place], -values[place].relevance))
        evidence = [
            {name: getattr(value, name) for name in _EVIDENCE}
            | {"start": value.quantity.start, "end": value.quantity.end}
            for value in (values[place] for place in order)
        ]
        answer, score = values[best].value, float(agreed[best])
        found = {"qanswer": as_answer(answer, unit), "value": answer, "unit": unit}
        return found | {"score": score, "evidence": evidence, "reason": ""}

    def _read(self, results: pd.DataFrame) -> Sequence[Mapping[str, Any]]:
        texts = ["" if is_missing(text) else text for text in results[self.text_field]]
        kept = results[[name for name in ("docno", "quantities") if name in results.columns]]
        return kept.assign(text=texts).to_dict("records")


def as_answer(value: float, unit: str) -> str:
    return f"{value:.0f}" if unit == YEAR else f"{value:,.6g} {unit}"


def empty_answer(reason: str) -> dict[str, Any]:
    return {"qanswer": "", "value": np.nan, "unit": "", "score": 0.0, "evidence": [], "reason": reason}


def compare(answers: pt.Transformer, question: str, entities: Sequence[str], unit: str | None = None) -> pd.DataFrame:
    """Ask the same question about several entities, and return the answers as a table.

    Args:
        answers: transformer, Q -> Q, that answers questions, such as `bm25 >> get_text >> Extractive()`.
        question: a question with `{}` instead of the entity, "how heavy is the {}?".
        entities: the names of the entities.
        unit: the unit of the table, in any spelling, or None for the most frequent unit of the answers.

    Returns:
        A frame with a row per entity, the largest value first: `entity`, `value`, `unit`, `qanswer` (in the unit of the
        table), `score`, `docno` and `sentence` of the best evidence, and `reason`. A missing value, or a value that
        cannot be converted to the unit of the table, is NaN, and `reason` states the cause.

    Raises:
        ValueError: if the question lacks `{}`, the list of entities is empty, or the unit is unknown.
    """
    if "{}" not in question:
        raise ValueError(f"compare: the question {question!r} needs {{}} in place of the entity")
    if not len(entities):
        raise ValueError("compare: no entities")
    queries = [{"qid": str(n), "query": question.replace("{}", entity)} for n, entity in enumerate(entities)]
    found = {row["qid"]: row for row in answers.transform(pd.DataFrame(queries)).to_dict("records")}
    given = [found.get(str(n)) or empty_answer("nothing was retrieved") for n in range(len(entities))]
    known = pd.Series([row["unit"] for row in given if row["unit"]])
    common = default_registry().resolve(unit) if unit else (known.mode()[0] if len(known) else "")
    table = pd.DataFrame([_row(entity, answer, common) for entity, answer in zip(entities, given, strict=True)])
    return table.sort_values("value", ascending=False, kind="stable", na_position="last", ignore_index=True)


def _row(entity: str, answer: Mapping[str, Any], unit: str) -> dict[str, Any]:
    best = answer["evidence"][0] if answer["evidence"] else {"docno": "", "sentence": ""}
    row = {"entity": entity, **{name: answer[name] for name in ("value", "unit", "qanswer", "score")}}
    row |= {"docno": best["docno"], "sentence": best["sentence"], "reason": answer["reason"]}
    if row["unit"] in ("", unit):
        return row
    if default_registry().conversion(row["unit"], unit) is None:
        return row | {"value": np.nan, "qanswer": "", "reason": f"{row['qanswer']} does not convert to {unit}"}
    value = float(default_registry().convert(row["value"], row["unit"], unit))
    return row | {"value": value, "unit": unit, "qanswer": as_answer(value, unit)}
