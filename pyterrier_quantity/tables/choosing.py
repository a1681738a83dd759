"""What the trained generator sees of a candidate program: how well its numbers fit the question, and each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.plan.calculations import CLASSES
from pyterrier_quantity.tables.operand_candidates import FORMS, Candidate
from pyterrier_quantity.tables.operands import Operand
from pyterrier_quantity.tables.questions import Question, content, periods

NAMES: Final = (
    "bias", "score_mean", "score_least", "score_missing", "periods_covered", "periods_other", "periods_all", "same_row",
    "same_column", "same_name", "same_unit", "percents", "change_column", "adjacent", "in_text", "later_first",
    "earlier_first", "mentioned_first", "mentioned_second", "left_first", "above_first", "total_second", "total_first",
    "smaller_first", "from_second", "names_covered", "words_covered", "size", "size_as_asked", "whole_line",
    "same_value", "sections_apart", "has_total", "two_periods", "consecutive",
)  # fmt: skip
CUES: Final = (
    r"\bfrom\b", r"\bbetween\b", r"\bpercent|%", r"\btotal\b", r"\baverage\b", r"\bmean\b", r"\bratio\b",
    r"\bproportion\b", r"\bdifference\b", r"\bchange\b", r"\bincrease", r"\bdecrease", r"\bsum\b", r"\bcombined\b",
    r"\bper\b", r"\bof\b.*\bof\b", r"\bas a percentage\b", r"\bover\b", r"\bto\b", r"\band\b", r"\bin percent",
    r"\brepresent", r"\bgrowth\b", r"\bnet\b",
)  # fmt: skip
_CUES: Final = tuple(re.compile(cue, re.I) for cue in CUES)
_COUNT: Final = re.compile(
    r"\b(two|three|four|five|six|2|3|4|5|6)[- ](?:fiscal )?(?:year|period|quarter|month|segment|compan)", re.I
)
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_CHANGE: Final = re.compile(r"%|\b(?:change|variance|difference|increase|decrease)\b", re.I)


def question_features(asked: Question) -> list[float]:
    """The class of the wording and the cues in it, one by one."""
    cues = [float(bool(cue.search(asked.text))) for cue in _CUES]
    return [*(float(asked.kind == name) for name in CLASSES), *cues, min(len(asked.periods), 4) / 2, 1.0]


def candidate_features(
    asked: Question, found: Sequence[Candidate], scores: Mapping[str, float]
) -> npt.NDArray[np.float32]:
    """A row of numbers for each candidate.

    Args:
        asked: the question.
        found: its candidates.
        scores: the retrieval score of each operand's fact, by docno of the operand.

    Returns:
        Shape (candidates, `len(NAMES)`).
    """
    seen = {operand: _Seen(operand, asked) for candidate in found for operand in candidate.operands}
    pool = list(seen)
    rows = [_row(asked, candidate, [seen[o] for o in candidate.operands], scores, pool) for candidate in found]
    return np.array(rows, dtype=np.float32).reshape(len(found), len(NAMES))


class _Seen:
    """An operand beside a question."""

    def __init__(self, operand: Operand, asked: Question) -> None:
        self.operand = operand
        self.periods = periods(f"{operand.column} {operand.section} {operand.row}" if operand.is_cell else operand.row)
        self.named = [period for period in self.periods if period in asked.periods]
        self.year = next((int(period) for period in self.periods if period.isdecimal()), 0)
        self.words = frozenset(content(f"{operand.section} {operand.row}" if operand.is_cell else ""))
        self.column_words = frozenset(content(operand.column))
        self.mention = _mention(self.words | self.column_words, asked)
        self.period_mention = min((asked.periods.index(period) for period in self.named), default=len(asked.periods))


def _mention(words: frozenset[str], asked: Question) -> float:
    """Where in the question an operand's own words stand: the mean of their places; 1 where none does."""
    places = [asked.stems.index(word) / len(asked.stems) for word in words if word in asked.stems]
    return sum(places) / len(places) if places else 1.0


def _row(
    asked: Question, candidate: Candidate, seen: Sequence[_Seen], scores: Mapping[str, float], pool: Sequence[Operand]
) -> list[float]:
    return [1.0, *_fit(asked, seen, scores), *_together(seen), *_order(asked, seen), *_extent(asked, seen, pool)]


def _fit(asked: Question, seen: Sequence[_Seen], scores: Mapping[str, float]) -> list[float]:
    known = [scores.get(one.operand.docno, 0.0) for one in seen]
    covered = {period for one in seen for period in one.named}
    share = len(covered) / len(asked.periods) if asked.periods else 1.0
    other = sum(bool(one.periods) and not one.named for one in seen) / len(seen) if asked.periods else 0.0
    return [sum(known) / len(known), min(known), float(min(known) == 0.0), share, other, float(share == 1.0)]


def _together(seen: Sequence[_Seen]) -> list[float]:
    first, *others = [one.operand for one in seen]
    rows = {one.operand.place[0] for one in seen}
    columns = {one.operand.place[1] for one in seen}
    cells = all(one.operand.is_cell for one in seen)
    adjacent = cells and len(seen) == 2 and abs(first.place[0] - others[0].place[0]) + abs(
        first.place[1] - others[0].place[1]) == 1  # fmt: skip
    return [
        float(cells and len(rows) == 1), float(cells and len(columns) == 1),
        float(cells and len(rows) > 1 and len({one.operand.row for one in seen}) == 1),
        float(len({one.operand.unit for one in seen}) == 1),
        sum(one.operand.unit == "percentage" for one in seen) / len(seen),
        sum(bool(_CHANGE.search(one.operand.column)) for one in seen) / len(seen),
        float(adjacent), sum(not one.operand.is_cell for one in seen) / len(seen),
    ]  # fmt: skip


def _order(asked: Question, seen: Sequence[_Seen]) -> list[float]:
    """Which of the first two comes first: in time, in the question, in the table."""
    if len(seen) < 2:
        return [0.0] * 10
    first, second = seen[0], seen[1] if len(seen) == 2 else seen[-1]
    a, b = first.operand, second.operand
    years = bool(first.year and second.year)
    same_row, same_column = a.place[0] == b.place[0], a.place[1] == b.place[1]
    one, other = (s.period_mention if same_row and s.period_mention != t.period_mention else s.mention
                  for s, t in ((first, second), (second, first)))  # fmt: skip
    return [
        float(years and first.year > second.year), float(years and first.year < second.year),
        float(one < other), float(other < one),
        float(same_row and a.place[1] < b.place[1]), float(same_column and a.place[0] < b.place[0]),
        float("total" in b.row.lower()), float("total" in a.row.lower()),
        float(abs(a.value) < abs(b.value)), float(_from(asked, second) - _from(asked, first)),
    ]  # fmt: skip


def _from(asked: Question, one: _Seen) -> int:
    """Whether the question says "from" what the operand is about: its period, or a word of its names."""
    found = re.search(r"\bfrom\s+(?:the\s+)?((?:\S+\s+){0,3}\S+)", asked.text)
    if not found:
        return 0
    behind = found[1].split(" to ")[0]
    return int(any(period in periods(behind) for period in one.named) or bool(one.words & set(content(behind)[:1])))


def _extent(asked: Question, seen: Sequence[_Seen], pool: Sequence[Operand]) -> list[float]:
    """How much of the question the operands cover together, and whether they are as many as it asks for."""
    names = frozenset().union(*(one.words | one.column_words for one in seen))
    words = frozenset(asked.stems)
    each = [len(one.words & words) / len(one.words) if one.words else 0.0 for one in seen]
    size = len(seen)
    sections = {one.operand.section for one in seen}
    years = sorted({one.year for one in seen if one.year})
    return [
        sum(each) / size, len(names & words) / max(len(words), 1), size / 3, float(size == _asked_size(asked)),
        float(_is_whole(seen, pool)), float(len({one.operand.value for one in seen}) < size),
        float(len(sections) > 1), float(any("total" in one.operand.row.lower() for one in seen)),
        float(len(years) == 2), float(bool(years) and years[-1] - years[0] == len(years) - 1),
    ]  # fmt: skip


def _asked_size(asked: Question) -> int:
    found = _COUNT.search(asked.text)
    if found:
        return _NUMBERS.get(found[1].lower()) or int(found[1])
    return len([period for period in asked.periods if period.isdecimal()])


def _is_whole(seen: Sequence[_Seen], pool: Sequence[Operand]) -> bool:
    """Whether the operands are all that the pool has of their row or column."""
    chosen = {one.operand.docno for one in seen}
    for axis in (0, 1):
        places = {one.operand.place[axis] for one in seen}
        if len(places) == 1 and -1 not in places:
            return chosen == {operand.docno for operand in pool if operand.place[axis] in places}
    return False


def form_of(candidate: Candidate) -> int:
    """The number of a candidate's form."""
    return FORMS.index(candidate.form)
