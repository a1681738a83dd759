"""What a ranker that learns sees of a question and a fact of its report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.tables.questions import content, periods, read_question

Fact = Mapping[str, Any]


def features(question: str, facts: Sequence[Fact], relevance: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """A row of numbers for each fact of one question's candidates.

    Args:
        question: its text.
        facts: the candidates, as `facts` makes them: cells or rows, with sentences; ranks are among these.
        relevance: each one's BM25.

    Returns:
        Shape (facts, features).
    """
    beside = _Beside(question, facts, relevance)
    rows = [list(beside.features(number, fact).values()) for number, fact in enumerate(facts)]
    return np.array(rows, dtype=np.float32).reshape(len(facts), -1)


class _Beside:
    """A question's candidates together."""

    def __init__(self, question: str, facts: Sequence[Fact], relevance: npt.NDArray[np.float64]) -> None:
        self.asked = read_question(question)
        self.words = frozenset(self.asked.stems)
        self.relevance, self.ranks = relevance, _ranks(relevance)
        self.names = [content(_name(fact)) for fact in facts]
        self.table_periods = {period for fact in facts for period in periods(fact["column"] or fact["row"])}
        places = [cell.place for fact in facts for cell in fact["cells"]]
        self.last_row = max((place[0] for place in places), default=1) or 1
        self.last_column = max((place[1] for place in places), default=1) or 1

    def features(self, number: int, fact: Fact) -> dict[str, float]:
        """Of one candidate."""
        place = fact["cells"][0].place if fact["cells"] else (0, 0)
        return {
            "bm25": float(self.relevance[number]),
            "bm25_rank": 1 / (1 + float(self.ranks[number])),
            "is_sentence": float(not fact["cells"]),
            "has_number": float(bool(fact["quantities"])),
            "row_place": place[0] / self.last_row,
            "column_place": place[1] / self.last_column,
            "columns": float(self.last_column),
            "numbers": float(len(fact["quantities"])),
            "words": math.log1p(len(fact["text"])),
            **self._names(fact, self.names[number]),
            **self._periods(fact),
        }

    def _names(self, fact: Fact, name: Sequence[str]) -> dict[str, float]:
        """How much of its names the question has, and of the question its names."""
        exact = bool(name) and f" {' '.join(name)} " in f" {' '.join(self.asked.stems)} "
        column = content(fact["column"])
        other = [word for word in self.words if word not in name]
        return {
            "name_in_question": _share(name, self.words),
            "question_in_name": _share(self.asked.stems, frozenset(name)),
            "row_in_question": _share(content(fact["row"]), self.words),
            "section_in_question": _share(content(_section(fact)), self.words),
            "exact_name": float(exact) * len(name),
            "column_in_question": _share(column, self.words),
            "column_in_name": _share(column, frozenset(name)),
            "question_in_column": _share(other, frozenset(column)) if column else 0.0,
        }

    def _periods(self, fact: Fact) -> dict[str, float]:
        """Whether it names the periods that are asked for, or others."""
        asked = self.asked.periods
        own = periods(f"{fact['column']} {_name(fact)}")
        named = [period for period in own if period in asked]
        years = {int(period) for period in own if period.isdecimal()}
        neighbour = any(str(year + step) in asked for year in years for step in (-1, 1))
        return {
            "period_named": len(named) / len(asked) if asked else 0.0,
            "period_other": float(bool(own) and not named),
            "no_period_asked": float(not asked),
            "first_period": float(bool(asked) and asked[0] in own),
            "neighbouring_year": float(neighbour and not named),
            "period_unknown": float(self.table_periods.isdisjoint(asked)),
        }


def _name(fact: Fact) -> str:
    return f"{_section(fact)} {fact['row']}".strip() if fact["cells"] else fact["text"]


def _section(fact: Fact) -> str:
    return fact["cells"][0].section if fact["cells"] else ""


def _share(words: Sequence[str], of: frozenset[str]) -> float:
    return sum(word in of for word in words) / len(words) if words else 0.0


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    order = np.empty(len(values), dtype=np.int64)
    order[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return order
