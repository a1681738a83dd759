"""EP, OMP and OMR: how good predicted counts are, as ir-measures measures that `pt.Experiment` takes.

Source: CardiO, section 4 (evaluation metrics) and Eq. 3 and 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from ir_measures import Metric
from ir_measures.measures import Measure

from pyterrier_quantity._frames import is_missing


def order_distance(first: float, second: float) -> float:
    """By how many orders of magnitude two counts differ: log10(max / min); 0 for equal ones.

    Zero, and values of different signs, are infinitely far from all others.
    Source: CardiO, Eq. 3.
    """
    if first == second:
        return 0.0
    ratio = first / second if second else 0.0
    return abs(math.log10(ratio)) if ratio > 0 else math.inf


def exactness(predicted: float, truth: float) -> float:
    """1 if the predicted count is the true one, else 0."""
    return float(predicted == truth)


def closeness(predicted: float, truth: float) -> float:
    """1 - min(1, order distance): 1 for the true count, 0 for one that is an order of magnitude off (Eq. 5)."""
    return 1.0 - min(1.0, order_distance(predicted, truth))


def as_number(answer: Any) -> float:
    """An answer as a number; NaN for an empty one and for text that is no number.

    Readers answer in text: "1,500" counts as 1500.
    """
    if is_missing(answer):
        return math.nan
    try:
        return float(answer.replace(",", "").strip() if isinstance(answer, str) else answer)
    except ValueError:
        return math.nan


class CountMeasure(Measure):
    """A measure of predicted counts, over the run's `qanswer` and the qrels' `gold_answer`.

    A question with several true counts (several rows, or a list in one) takes the best. EP and OMP are means over the
    questions with a prediction. Tools such as `pt.Experiment` average over all questions, so a question without a
    prediction is given the mean of the others there, which leaves the mean as it is.
    """

    RUN_INPUTS: Final = ("query_id", "qanswer")
    QREL_INPUTS: Final = ("query_id", "gold_answer")
    PRETTY_NAME: str
    SHORT_DESC: str

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.__name__ = self.NAME

    value: ClassVar[Callable[[float, float], float]]
    missing_is_zero: ClassVar[bool] = False

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Metric]:
        """Yields each question's value; called by ir-measures."""
        _need(qrels, self.QREL_INPUTS, "gold answers")
        _need(run, self.RUN_INPUTS, "answers")
        first = run.drop_duplicates("query_id")
        predicted = dict(zip(first["query_id"], map(as_number, first["qanswer"]), strict=True))
        values = {qid: self._best(predicted.get(qid, math.nan), gold) for qid, gold in _truths(qrels)}
        known = [value for value in values.values() if not math.isnan(value)]
        default = 0.0 if self.missing_is_zero or not known else float(np.mean(known))
        for qid, value in values.items():
            yield Metric(qid, self, default if math.isnan(value) else value)

    def _best(self, predicted: float, truths: list[float]) -> float:
        if math.isnan(predicted):
            return math.nan
        return max((type(self).value(predicted, truth) for truth in truths), default=math.nan)


def _need(frame: pd.DataFrame, columns: Iterable[str], what: str) -> None:
    for column in columns:
        if column not in frame.columns:
            name = "qid" if column == "query_id" else column
            raise ValueError(f"the {what} have no column {name!r}, only {sorted(map(str, frame.columns))}")


def _truths(qrels: pd.DataFrame) -> Iterator[tuple[str, list[float]]]:
    for qid, rows in qrels.groupby("query_id", sort=False):
        golds = [gold for cell in rows["gold_answer"] for gold in (cell if isinstance(cell, list | tuple) else [cell])]
        numbers = [number for number in map(as_number, golds) if not math.isnan(number)]
        if not numbers:
            raise ValueError(f"query {qid!r}: column 'gold_answer' holds no number: {golds!r}")
        yield str(qid), numbers


class ExactPrecision(CountMeasure):
    """Which share of the predicted counts is exact."""

    NAME = "EP"
    PRETTY_NAME = "exact precision"
    SHORT_DESC = "The share of the predicted counts that is exact."
    value = exactness


class OrderOfMagnitudePrecision(CountMeasure):
    """How near the predicted counts come in order of magnitude."""

    NAME = "OMP"
    PRETTY_NAME = "order of magnitude precision"
    SHORT_DESC = "1 - min(1, log10(max / min)) of predicted and true count, over the questions with a prediction."
    value = closeness


class OrderOfMagnitudeRecall(CountMeasure):
    """How near the predicted counts come in order of magnitude, over all questions: 0 without a prediction."""

    NAME = "OMR"
    PRETTY_NAME = "order of magnitude recall"
    SHORT_DESC = "1 - min(1, log10(max / min)) of predicted and true count; 0 without a prediction."
    value = closeness
    missing_is_zero = True


EP: Final = ExactPrecision()
OMP: Final = OrderOfMagnitudePrecision()
OMR: Final = OrderOfMagnitudeRecall()
