"""Programs for a question: the usual forms of calculation over its facts' numbers, chosen by a log-linear model."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final, Protocol

import numpy as np

from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.tables.cell_values import CellValue, is_nil, read_value
from pyterrier_quantity.tables.facts import Cell
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.questions import Question, content, periods, read_question
from pyterrier_quantity.tables.steps import NotExecutable

MOST_OPERANDS: Final = 12
"""So many numbers, those of the best facts, are combined: the candidates grow with their square."""
MOST_SUMMANDS: Final = 6


def _added(numbers: Sequence[str]) -> str:
    steps = [f"add({numbers[0]}, {numbers[1]})"]
    steps += [f"add(#{place}, {number})" for place, number in enumerate(numbers[2:])]
    return ", ".join(steps)


FORMS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    "lookup": lambda n: f"add({n[0]}, 0)",
    "subtract": lambda n: f"subtract({n[0]}, {n[1]})",
    "percentage change": lambda n: f"subtract({n[0]}, {n[1]}), divide(#0, {n[1]})",
    "divide": lambda n: f"divide({n[0]}, {n[1]})",
    "multiply": lambda n: f"multiply({n[0]}, {n[1]})",
    "average": lambda n: f"{_added(n)}, divide(#{len(n) - 2}, const_{len(n)})",
    "sum": _added,
    "compare": lambda n: f"greater({n[0]}, {n[1]})",
}
"""The forms of calculation, and what makes each one's program of its numbers as written."""
_ORDERED: Final = ("subtract", "percentage change", "divide", "compare")
_UNORDERED: Final = ("multiply", "average", "sum")


@dataclass(frozen=True)
class Operand:
    """A number of a cell or sentence.

    Args:
        docno: of the cell's or sentence's fact.
        written: as an argument of a program.
        value: the number as written, without scale; percentages in points.
        unit, scale: what it is measured in; unit "-" where nothing says so.
        fact: the place of the fact among those given.
        text: of the sentence; "" for a cell.
        cell: where it stands; None in a sentence.
        span: where the number stands in the fact's text.
    """

    docno: str
    written: str
    value: float
    unit: str
    scale: float
    fact: int
    text: str = ""
    cell: Cell | None = None
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Candidate:
    """A form filled with operands, in the order of the form."""

    form: str
    operands: tuple[Operand, ...]

    @property
    def program(self) -> Program:
        """The program, its numbers as written; scaled where their scales differ."""
        amounts = [operand for operand in self.operands if operand.unit != "percentage"]
        differ = amounts if len({operand.scale for operand in amounts}) > 1 else ()
        numbers = [f"{one.value * one.scale:.15g}" if one in differ else one.written for one in self.operands]
        return Program.parse(FORMS[self.form](numbers), (operand.docno for operand in self.operands))


def operands(facts: Iterable[Mapping[str, Any]]) -> list[Operand]:
    """The numbers of facts, cells and those of sentences, in the facts' order; each cell once."""
    found: dict[object, Operand] = {}
    for place, fact in enumerate(facts):
        end = -1
        for cell in fact["cells"]:
            start, end = end + 1 + cell.text.rindex(cell.value), end + 1 + len(cell.text)
            if cell.number is not None and cell.docno not in found:
                span = start, start + len(cell.value)
                unit, scale = cell.measure.unit or BARE, cell.measure.scale or 1.0
                found[cell.docno] = Operand(cell.docno, cell.written, cell.number, unit, scale, place, "", cell, span)
        for quantity in () if fact["cells"] else fact["quantities"]:
            if quantity.low == quantity.high:  # of a range no single number is meant
                text, span = fact["text"], (quantity.start, quantity.end)
                value = read_value(text[slice(*span)]) or CellValue(quantity.low, None, 1.0, f"{quantity.low:.12g}")
                about = fact["docno"], value.written, value.number, quantity.unit, value.scale
                found[place, quantity.start] = Operand(*about, place, text, span=span)
    return list(found.values())


def candidates(pool: Sequence[Operand]) -> Iterator[Candidate]:
    """The candidates over a few numbers: pairs, and sums and averages of several in one row or column."""
    for operand in pool:
        yield Candidate("lookup", (operand,))
    for pair in itertools.permutations(pool, 2):
        yield from (Candidate(form, pair) for form in _ORDERED)
    for pair in itertools.combinations(pool, 2):
        yield from (Candidate(form, pair) for form in _UNORDERED)
    lines: dict[tuple[str, int, int], list[Operand]] = {}
    for operand in pool:
        for axis, place in enumerate(operand.cell.place if operand.cell else ()):
            lines.setdefault((operand.docno.rpartition("#")[0], axis, place), []).append(operand)
    for line in lines.values():
        for size in range(3, min(len(line), MOST_SUMMANDS) + 1):
            for chosen in itertools.combinations(line[:MOST_SUMMANDS], size):
                yield from (Candidate(form, chosen) for form in ("average", "sum"))


Facts = Sequence[Mapping[str, Any]]
Weights = Mapping[str, Mapping[str, float]]

USUAL_FORM: Final = {
    "change": "subtract",
    "percentage change": "percentage change",
    "difference": "subtract",
    "average": "average",
    "sum": "sum",
    "ratio": "divide",
    "share": "divide",
    "product": "multiply",
}
"""The form that mostly answers a class of question."""
ONLY_FORM: Final = {"maximum": "lookup", "minimum": "lookup", "lookup": "lookup", "comparison": "compare"}
"""The one form that answers other classes: what asks for no calculation gets none."""
BEAM: Final = 20
"""How many programs are handed on."""
MOST_LOSS: Final = 0.01
LEAST_SCORE: Final = -0.15
"""The FinQA system's thresholds, natural logarithms: see `mixed`."""
Programs = list[tuple[Program, float]]
"""A generator's programs with the logarithms of their probabilities, best first."""


class ProgramGenerator(Protocol):
    """What proposes programs: the one below, or a wrapper around a language model."""

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """Programs with their scores, natural logarithms of probabilities, best first; empty where there is none.

        Args:
            question: its text.
            facts: what was retrieved, the best first, as `facts` makes them.
            scores: of the facts, by the retriever; without them all facts count the same.
        """


@cache
def shipped_weights() -> Weights:
    """The weights that the package brings."""
    text = resources.files("pyterrier_quantity.tables").joinpath("weights.json").read_text(encoding="utf-8")
    weights: Weights = json.loads(text)["weights"]
    return weights


@dataclass(frozen=True)
class TemplateGenerator:
    """Programs for any report, without training: a form by the question's wording, the numbers by names and periods.

    A candidate's probability is that of a log-linear model: a sum of its features by weights of its form.

    Args:
        weights: by form, then by feature; without them those of `weights.json`, which
            `python experiments/programs.py tatqa_dev.json --weights FILE` fitted to TAT-QA's development set.
    """

    weights: Weights = field(default_factory=shipped_weights, repr=False, hash=False)

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """See `ProgramGenerator.generate`; programs that are not executable are left out."""
        found, seen = proposed(question, facts, scores)
        weighed = zip((self.weights.get(candidate.form, {}) for candidate in found), seen, strict=True)
        value = np.array([sum(own.get(name, 0.0) * one[name] for name in one) for own, one in weighed])
        likely = value - np.logaddexp.reduce(value) if found else value
        best = ((found[n].program, float(likely[n])) for n in np.argsort(-likely, kind="stable")[:BEAM])
        return [(program, score) for program, score in best if not isinstance(program.execute(), NotExecutable)]


def proposed(
    question: str, facts: Facts, scores: Sequence[float] | None = None
) -> tuple[list[Candidate], list[dict[str, float]]]:
    """The candidates over a question's facts, with their features; arguments as `ProgramGenerator.generate`.

    Of the largest and the smallest these are the numbers that are so in their columns.
    """
    asked = read_question(question)
    pool = operands(facts)[:MOST_OPERANDS]
    if not pool:
        return [], []
    only = ONLY_FORM.get(asked.kind)
    found = [one for one in candidates(pool) if (one.form == only if only else one.form != "compare")]
    if asked.kind in ("maximum", "minimum"):
        extreme = _extremes(pool, max if asked.kind == "maximum" else min)
        found = [one for one in found if one.operands[0] in extreme]
    given = np.array([1.0] * len(facts) if scores is None else scores, dtype=float)
    relative = np.interp(given, [given.min(), given.max()], [0.1, 1.0])
    named = {operand: _Named(operand, asked, float(relative[operand.fact])) for operand in pool}
    return found, [_features(asked, named, candidate) for candidate in found]


def _extremes(pool: Sequence[Operand], best: Callable[[Iterable[float]], float]) -> set[Operand]:
    """The numbers that are the largest or smallest of their columns; of sentences, of all."""
    columns: dict[int, list[Operand]] = {}
    for one in pool:
        if not (one.cell and is_nil(one.cell.value)):
            columns.setdefault(one.cell.place[1] if one.cell else -1, []).append(one)
    return {one for own in columns.values() for one in own if one.value == best(other.value for other in own)}


class _Named:
    """An operand beside a question: which of its periods and words the question has."""

    def __init__(self, operand: Operand, asked: Question, score: float) -> None:
        cell = operand.cell
        names = f"{cell.section} {cell.row}" if cell else ""
        column = cell.column if cell else ""
        self.operand, self.score, self.place = operand, score, cell.place if cell else None
        self.periods = periods(f"{column} {names}" if cell else operand.text)
        self.named = [period for period in self.periods if period in asked.periods]
        self.year = next((int(period) for period in self.periods if period.isdecimal()), 0)
        self.words = frozenset(content(names))
        self.all_words = self.words | frozenset(content(column))
        self.share = len(self.words & set(asked.stems)) / max(len(self.words), 1)


def _features(asked: Question, named: Mapping[Operand, _Named], candidate: Candidate) -> dict[str, float]:
    """What the model sees of a candidate beside a question, each from 0 to 1.

    Further features (the class of the question, order of mention, totals) brought nothing on TAT-QA's development set,
    cross-validated over reports.
    """
    seen, words = [named[operand] for operand in candidate.operands], frozenset(asked.stems)
    covered = {period for one in seen for period in one.named}
    places = [one.place for one in seen if one.place]
    cells = len(places) == len(seen)
    found = {
        "form": True,
        "usual_form": candidate.form == USUAL_FORM.get(asked.kind),
        "score": min(one.score for one in seen),
        "periods_covered": len(covered) / len(asked.periods) if asked.periods else 1.0,
        "other_periods": sum(bool(one.periods and asked.periods and not one.named) for one in seen) / len(seen),
        "things_named": all(one.share == 1.0 for one in seen) and len({one.words for one in seen}) > 1,
        "names_in_question": sum(one.share for one in seen) / len(seen),
        "question_in_names": sum(any(word in one.all_words for one in seen) for word in words) / max(len(words), 1),
        "whole_line": cells and _is_whole_line(places, [one.place for one in named.values() if one.place]),
        "same_row": cells and len({place[0] for place in places}) == 1,
        "same_column": cells and len({place[1] for place in places}) == 1,
        "same_unit": len({one.operand.unit for one in seen}) == 1,
    }
    if len(seen) > 1:
        first, last = seen[0], seen[-1]
        found["later_first"] = bool(first.year and last.year) and first.year > last.year
        found["smaller_first"] = abs(first.operand.value) < abs(last.operand.value)
    return {name: float(value) for name, value in found.items()}


def _is_whole_line(chosen: Sequence[tuple[int, int]], every: Sequence[tuple[int, int]]) -> bool:
    """Whether cells are all that there is of their row or column; of a single cell its row counts."""
    axis = next((axis for axis in (0, 1) if len({place[axis] for place in chosen}) == 1), None)
    return axis is not None and len(chosen) == sum(place[axis] == chosen[0][axis] for place in every)


def best_output(outputs: Sequence[Programs]) -> Programs:
    """The output whose first program has the highest score, of equal ones the last: the loss and score ensembles.

    Args:
        outputs: of one generator over several kinds of facts; the paper's: cells, rows.
    """
    return max(reversed(outputs), key=lambda output: output[0][1] if output else float("-inf"), default=[])


def mixed(first: Sequence[Programs], second: Sequence[Programs], table: Any = None) -> Programs:
    """The mixed ensemble: the first generator's best output, unless it is in doubt.

    The second's best output takes its place if its first program cannot be executed, or if its loss is above
    `MOST_LOSS` while the second's score is above `LEAST_SCORE`.

    Args:
        first, second: of each generator the outputs over several kinds of facts.
        table: where programs look up rows.

    Source: a numerical reasoning question answering system for FinQA, section 2.4.
    """
    one, other = best_output(first), best_output(second)
    if not (one and other):
        return one or other
    failed = isinstance(one[0][0].execute(table), NotExecutable)
    return other if failed or (-one[0][1] > MOST_LOSS and other[0][1] > LEAST_SCORE) else one
