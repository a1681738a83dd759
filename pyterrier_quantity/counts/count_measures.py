"""Measure predicted counts with ir-measures: EP (exact precision), OMP and OMR (order-of-magnitude precision, recall).

Source: *CardiO*, section 4 (evaluation metrics).
"""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from pyterrier_quantity.frames.frame import is_missing


def order_distance(first: float, second: float) -> float:
    """Return the distance between two counts in orders of magnitude, log10(larger / smaller): 10, 1000 -> 2. The
    distance is infinite between zero and any other number, and between numbers of different signs."""
    if first == second:
        return 0.0
    ratio = first / second if second else 0.0
    return abs(math.log10(ratio)) if ratio > 0 else math.inf


def exactness(predicted: float, truth: float) -> float:
    """Return 1 if the predicted count is the true count, and 0 otherwise."""
    return float(predicted == truth)


def closeness(predicted: float, truth: float) -> float:
    """Return how close two counts are: 1 if they are equal, down to 0 if one is at least ten times the other."""
    return 1.0 - min(1.0, order_distance(predicted, truth))


def as_number(answer: Any) -> float:
    """Return the number in an answer: "1,500" -> 1500. For an empty answer or any other text, return NaN."""
    if is_missing(answer):
        return math.nan
    try:
        return float(answer.replace(",", "").strip() if isinstance(answer, str) else answer)
    except ValueError:
        return math.nan


def _of_questions(
    value: Callable[[float, float], float], missing_is_zero: bool, qrels: pd.DataFrame, run: pd.DataFrame
) -> Iterator[tuple[Any, float]]:
    """Yield pairs (qid, value of a measure). The function `value` computes the measure from a predicted and a true
    count. If a question has several true counts, the highest value of the measure is used.

    Exact precision and order-of-magnitude precision are means over the questions with a prediction, but ir-measures
    averages over all questions. A question without a prediction therefore has the mean of the other questions as its
    value, or 0 if `missing_is_zero` is true.
    """
    _need(qrels, ("query_id", "gold_answer"), "gold answers")
    _need(run, ("query_id", "qanswer"), "answers")
    first = run.drop_duplicates("query_id")
    predicted = dict(zip(map(str, first["query_id"]), map(as_number, first["qanswer"]), strict=True))
    values = {}
    for qid, rows in qrels.groupby("query_id", sort=False):
        golds = [gold for cell in rows["gold_answer"] for gold in (cell if isinstance(cell, list | tuple) else [cell])]
        truths = [number for number in map(as_number, golds) if not math.isnan(number)]
        if not truths:
            raise ValueError(f"query {qid!r}: column 'gold_answer' contains no number: {golds!r}")
        answer = predicted.get(str(qid), math.nan)
        values[qid] = math.nan if math.isnan(answer) else max(value(answer, truth) for truth in truths)
    known = [found for found in values.values() if not math.isnan(found)]
    default = 0.0 if missing_is_zero or not known else float(np.mean(known))
    yield from ((qid, default if math.isnan(found) else found) for qid, found in values.items())


def _need(frame: pd.DataFrame, columns: Iterable[str], what: str) -> None:
    for column in columns:
        if column not in frame.columns:
            name = "qid" if column == "query_id" else column
            raise ValueError(f"the {what} have no column {name!r}, only {sorted(map(str, frame.columns))}")


def _measure(name: str, value: Callable[[float, float], float], said: str, missing_is_zero: bool = False) -> Measure:
    columns: dict[str, Any] = {"run_inputs": ["query_id", "qanswer"], "qrel_inputs": ["query_id", "gold_answer"]}
    compute = partial(_of_questions, value, missing_is_zero)
    return ir_measures.define(compute, name, support_cutoff=False, short_desc=said, **columns)


EP: Final = _measure("EP", exactness, "The share of the predicted counts that is exact.")
OMP: Final = _measure("OMP", closeness, "1 - min(1, log10(max / min)) over the questions with a prediction.")
OMR: Final = _measure("OMR", closeness, "1 - min(1, log10(max / min)); 0 without a prediction.", missing_is_zero=True)
