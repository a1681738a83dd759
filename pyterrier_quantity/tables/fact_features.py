"""What a ranker that learns sees of a question and a fact of its report.

Of 23 features these are left: on TAT-QA's development set, cross-validated over reports, boosted trees find as many
gold cells with these as with all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity.tables.questions import Question, content, periods, read_question

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
    places = [cell.place for fact in facts for cell in fact["cells"]]
    last_row, last_column = (max((place[axis] for place in places), default=1) or 1 for axis in (0, 1))
    rank = ranks(np.zeros(len(facts), dtype=np.int64), relevance)
    asked = read_question(question)
    words = frozenset(asked.stems)
    rows = [
        {
            "bm25_rank": 1 / (1 + rank[number]),
            "has_number": bool(fact["quantities"]),
            "row_place": (fact["cells"][0].place[0] if fact["cells"] else 0) / last_row,
            "columns": last_column,
            "words": math.log1p(len(fact["text"])),
            **_names(asked, words, fact),
        }
        for number, fact in enumerate(facts)
    ]
    return np.array([list(row.values()) for row in rows], dtype=np.float32).reshape(len(facts), -1)


def _names(asked: Question, words: frozenset[str], fact: Fact) -> dict[str, float]:
    """How much of a fact's names a question's words hold, of these its column, and of the asked periods it names."""
    section = fact["cells"][0].section if fact["cells"] else ""
    name = f"{section} {fact['row']}".strip() if fact["cells"] else fact["text"]
    column, named = content(fact["column"]), frozenset(content(name))
    other = [word for word in words if word not in named]
    own = periods(f"{fact['column']} {name}")
    return {
        "row_in_question": _share(content(fact["row"]), words),
        "column_in_name": _share(column, named),
        "question_in_column": _share(other, frozenset(column)) if column else 0.0,
        "period_named": _share(own, frozenset(asked.periods), of_all=asked.periods),
    }


def _share(words: Sequence[str], known: frozenset[str], of_all: Sequence[str] | None = None) -> float:
    total = len(words if of_all is None else of_all)
    return sum(word in known for word in words) / total if total else 0.0
