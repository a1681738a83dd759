"""What a ranker that learns sees of a question and a fact of its report."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.tables.questions import content, periods, read_question

Fact = Mapping[str, Any]

_CHANGE_COLUMN: Final = re.compile(r"%|\b(?:change|variance|difference|increase|decrease|growth|percent)", re.I)
NAMES: Final = (
    "bm25",
    "bm25_rank",
    "is_sentence",
    "has_number",
    "name_in_question",
    "question_in_name",
    "row_in_question",
    "section_in_question",
    "exact_name",
    "row_rank",
    "same_name",
    "column_in_question",
    "column_in_name",
    "column_asked",
    "period_named",
    "period_other",
    "no_period_asked",
    "first_period",
    "neighbouring_year",
    "period_unknown",
    "percent",
    "percent_asked",
    "change_column",
    "row_place",
    "column_place",
    "columns",
    "numbers",
    "words",
)


def features(question: str, facts: Sequence[Fact], relevance: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """A row of numbers for each fact of one question's candidates.

    Args:
        question: its text.
        facts: the candidates, as `facts` makes them: cells or rows, with sentences; ranks are among these.
        relevance: each one's BM25.

    Returns:
        Shape (facts, `len(NAMES)`).
    """
    beside = _Beside(question, facts, relevance)
    rows = [beside.features(number, fact) for number, fact in enumerate(facts)]
    return np.array(rows, dtype=np.float32).reshape(len(facts), len(NAMES))


class _Beside:
    """A question's candidates together."""

    def __init__(self, question: str, facts: Sequence[Fact], relevance: npt.NDArray[np.float64]) -> None:
        self.asked = read_question(question)
        self.words = frozenset(self.asked.stems)
        self.relevance, self.ranks = relevance, _ranks(relevance)
        names = [_name(fact) for fact in facts]
        self.names = [content(name) for name in names]
        self.named = Counter(names)
        self.same = [self.named[name] for name in names]
        self.percent_asked = "%" in question or "percent" in question.lower()
        self.row_ranks = self._row_ranks(facts)
        self.table_periods = {period for fact in facts for period in periods(fact["column"] or fact["row"])}
        places = [cell.place for fact in facts for cell in fact["cells"]]
        self.last_row = max((place[0] for place in places), default=1) or 1
        self.last_column = max((place[1] for place in places), default=1) or 1

    def _row_ranks(self, facts: Sequence[Fact]) -> list[int]:
        """The rank of each fact's row by how much of its name and of the question are the same."""
        rows = [fact["docno"].rpartition("c")[0] if fact["column"] else fact["docno"] for fact in facts]
        best: dict[str, float] = {}
        for row, name in zip(rows, self.names, strict=True):
            best[row] = max(best.get(row, 0.0), _share(name, self.words) + _share(self.asked.stems, frozenset(name)))
        order = {row: rank for rank, row in enumerate(sorted(best, key=lambda row: -best[row]))}
        return [order[row] for row in rows]

    def features(self, number: int, fact: Fact) -> list[float]:
        """Of one candidate, in the order of `NAMES`."""
        percent = any(quantity.unit == "percentage" for quantity in fact["quantities"])
        place = fact["cells"][0].place if fact["cells"] else (0, 0)
        return [
            float(self.relevance[number]),
            1 / (1 + float(self.ranks[number])),
            float(not fact["cells"]),
            float(bool(fact["quantities"])),
            *self._name(fact, self.names[number]),
            1 / (1 + self.row_ranks[number]),
            float(self.same[number]),
            *self._column(fact, self.names[number]),
            *self._period(fact),
            float(percent),
            float(self.percent_asked),
            float(bool(_CHANGE_COLUMN.search(fact["column"]))),
            place[0] / self.last_row,
            place[1] / self.last_column,
            float(self.last_column),
            float(len(fact["quantities"])),
            math.log1p(len(fact["text"])),
        ]

    def _name(self, fact: Fact, name: Sequence[str]) -> list[float]:
        exact = bool(name) and f" {' '.join(name)} " in f" {' '.join(self.asked.stems)} "
        return [
            _share(name, self.words),
            _share(self.asked.stems, frozenset(name)),
            _share(content(fact["row"]), self.words),
            _share(content(_section(fact)), self.words),
            float(exact) * len(name),
        ]

    def _column(self, fact: Fact, name: Sequence[str]) -> list[float]:
        words = content(fact["column"])
        other = [word for word in self.words if word not in name]
        return [
            _share(words, self.words),
            _share(words, frozenset(name)),
            _share(other, frozenset(words)) if words else 0.0,
        ]

    def _period(self, fact: Fact) -> list[float]:
        asked = self.asked.periods
        own = periods(f"{fact['column']} {_name(fact)}")
        named = [period for period in own if period in asked]
        years = {int(period) for period in own if period.isdecimal()}
        neighbour = any(str(year + step) in asked for year in years for step in (-1, 1))
        return [
            len(named) / len(asked) if asked else 0.0,
            float(bool(own) and not named),
            float(not asked),
            float(bool(asked) and asked[0] in own),
            float(neighbour and not named),
            float(self.table_periods.isdisjoint(asked)),
        ]


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
