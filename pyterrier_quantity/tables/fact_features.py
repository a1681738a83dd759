"""What the fact classifier sees of a question and a fact, beside the encoder's similarity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.plan.calculations import CLASSES
from pyterrier_quantity.tables.questions import Question, content, periods, read_question

_CHANGE_COLUMN: Final = re.compile(r"%|\b(?:change|variance|difference|increase|decrease|growth|percent)", re.I)
_TOTAL: Final = re.compile(r"\btotal\b", re.I)
_K1, _B = 1.2, 0.75

PLAIN: Final = (
    "is_sentence", "has_number", "similarity", "similarity_rank", "similarity_gap", "bm25", "bm25_rank",
    "name_in_question", "question_in_name", "row_in_question", "section_in_question", "exact_name", "row_rank",
    "column_in_question", "column_in_name", "column_asked", "period_named", "period_other", "period_none_asked",
    "period_first", "period_neighbour", "no_period_in_table", "percent", "percent_asked", "change_column",
    "total_row", "total_asked", "row_position", "column_position", "columns", "row_best_similarity", "numbers",
    "words", "same_name_rows",
)  # fmt: skip
NAMES: Final = (*PLAIN, *(f"class_{name}" for name in CLASSES))


def features(
    question: str, facts: Sequence[Mapping[str, Any]], similarity: npt.NDArray[Any]
) -> npt.NDArray[np.float32]:
    """A row of numbers for each fact of one question's candidates.

    Args:
        question: its text.
        facts: the candidates, as `facts` makes them: cells or rows, with sentences; ranks are among these.
        similarity: of the question with each fact, by an encoder; nought without one.

    Returns:
        Shape (facts, `len(NAMES)`).
    """
    asked = read_question(question)
    context = _Context(asked, facts, similarity)
    kind = [float(asked.kind == name) for name in CLASSES]
    rows = [[*_of_fact(context, n), *kind] for n in range(len(facts))]
    return np.array(rows, dtype=np.float32).reshape(len(facts), len(NAMES))


class _Context:
    """What is known of all candidates of a question together."""

    def __init__(self, asked: Question, facts: Sequence[Mapping[str, Any]], similarity: npt.NDArray[Any]) -> None:
        self.asked, self.facts, self.similarity = asked, facts, similarity
        self.words = frozenset(asked.stems)
        self.bm25 = bm25(asked.stems, [content(fact["text"]) for fact in facts])
        self.similarity_rank, self.bm25_rank = _ranks(similarity), _ranks(self.bm25)
        names = [_name(fact) for fact in facts]
        self.name_words = [content(name) for name in names]
        self.shared = np.array([_share(words, self.words) for words in self.name_words])
        self.fit = self.shared + np.array([_share(asked.stems, frozenset(words)) for words in self.name_words])
        self.row_of = [_row_docno(fact) for fact in facts]
        self.row_best = _best_by(self.row_of, similarity)
        self.row_rank = _group_ranks(self.row_of, self.fit + 0.5 * similarity)
        self.named = Counter(names)
        self.table_periods = {period for fact in facts for period in periods(fact["column"] or fact["row"])}
        self.last_row = max((cell.place[0] for fact in facts for cell in fact["cells"]), default=1) or 1
        self.last_column = max((cell.place[1] for fact in facts for cell in fact["cells"]), default=1) or 1


def _of_fact(context: _Context, n: int) -> list[float]:
    fact, asked = context.facts[n], context.asked
    similarity, words = context.similarity, context.words
    own = context.name_words[n]
    exact = bool(own) and f" {' '.join(own)} " in f" {' '.join(asked.stems)} "
    best = float(similarity.max()) if len(similarity) else 0.0
    return [
        float(not fact["cells"]), float(bool(fact["quantities"])), float(similarity[n]),
        1 / (1 + context.similarity_rank[n]), best - float(similarity[n]),
        context.bm25[n], 1 / (1 + context.bm25_rank[n]),
        context.shared[n], _share(asked.stems, frozenset(own)), _share(content(fact["row"]), words),
        _share(content(_section(fact)), words), float(exact) * len(own), 1 / (1 + context.row_rank[n]),
        *_column(context, fact), *_period(context, fact), *_shape(context, fact),
        context.row_best[n], float(len(fact["quantities"])), math.log1p(len(fact["text"])),
        float(context.named[_name(fact)]),
    ]  # fmt: skip


def _column(context: _Context, fact: Mapping[str, Any]) -> list[float]:
    words = content(fact["column"])
    covered = _share(words, context.words)
    other = [word for word in context.words if word not in content(_name(fact))]
    return [covered, _share(words, frozenset(content(_name(fact)))), _share(other, frozenset(words)) if words else 0.0]


def _period(context: _Context, fact: Mapping[str, Any]) -> list[float]:
    asked = context.asked.periods
    where = fact["column"] if fact["cells"] else fact["text"]
    own = periods(f"{where} {fact['row']} {_section(fact)}" if fact["cells"] else where)
    named = [period for period in own if period in asked]
    years = {int(period) for period in own if period.isdecimal()}
    neighbour = any(str(year + step) in asked for year in years for step in (-1, 1))
    return [
        len(named) / len(asked) if asked else 0.0, float(bool(own) and not named), float(not asked),
        float(bool(asked) and asked[0] in own), float(neighbour and not named),
        float(not any(period in context.table_periods for period in asked)),
    ]  # fmt: skip


def _shape(context: _Context, fact: Mapping[str, Any]) -> list[float]:
    """Percentages, totals, and where in the table a cell stands."""
    percent = any(quantity.unit == "percentage" for quantity in fact["quantities"])
    asked_percent = "%" in context.asked.text or "percent" in context.asked.text.lower()
    place = fact["cells"][0].place if fact["cells"] else (0, 0)
    return [
        float(percent), float(asked_percent), float(bool(_CHANGE_COLUMN.search(fact["column"]))),
        float(bool(fact["cells"]) and bool(_TOTAL.search(fact["row"]))), float(bool(_TOTAL.search(context.asked.text))),
        place[0] / context.last_row, place[1] / context.last_column, float(context.last_column),
    ]  # fmt: skip


def _name(fact: Mapping[str, Any]) -> str:
    return f"{_section(fact)} {fact['row']}".strip() if fact["cells"] else fact["text"]


def _section(fact: Mapping[str, Any]) -> str:
    return fact["cells"][0].section if fact["cells"] else ""


def _row_docno(fact: Mapping[str, Any]) -> str:
    docno, cells = fact["docno"], fact["cells"]
    return docno[: docno.rindex("c")] if cells and cells[0].docno == docno else docno


def _share(words: Sequence[str], of: frozenset[str]) -> float:
    return sum(word in of for word in words) / len(words) if words else 0.0


def _ranks(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return ranks


def _best_by(groups: Sequence[str], values: npt.NDArray[Any]) -> list[float]:
    best: dict[str, float] = {}
    for group, value in zip(groups, values, strict=True):
        best[group] = max(best.get(group, -1.0), float(value))
    return [best[group] for group in groups]


def _group_ranks(groups: Sequence[str], values: npt.NDArray[Any]) -> list[int]:
    """The rank of each one's group by the group's best value."""
    best = dict(zip(groups, _best_by(groups, values), strict=True))
    order = {group: rank for rank, group in enumerate(sorted(best, key=lambda group: -best[group]))}
    return [order[group] for group in groups]


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """BM25 within the candidates, with Lucene's idf."""
    length = sum(map(len, documents)) / max(len(documents), 1) or 1.0
    frequency = Counter(word for document in documents for word in set(document))
    scores = np.zeros(len(documents))
    for n, document in enumerate(documents):
        counts = Counter(document)
        norm = _K1 * (1 - _B + _B * len(document) / length)
        for word in query:
            if counts[word]:
                idf = math.log(1 + (len(documents) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                scores[n] += idf * counts[word] * (_K1 + 1) / (counts[word] + norm)
    return scores
