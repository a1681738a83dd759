"""Programs for a question: the usual forms of calculation over its facts' numbers, chosen by a log-linear model."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import pandas as pd

from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.tables.cell_values import CellValue, is_nil, read_value
from pyterrier_quantity.tables.facts import Cell
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.questions import Question, content, periods, read_question
from pyterrier_quantity.tables.steps import NotExecutable

MOST_OPERANDS: Final = 12
"""Largest number of operands, taken from the best facts; the number of candidates grows with its square."""
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
"""Forms of calculation, and the function that makes each one's program from its numbers as written."""
_ORDERED: Final = ("subtract", "percentage change", "divide", "compare")
_UNORDERED: Final = ("multiply", "average", "sum")


@dataclass(frozen=True)
class Operand:
    """A number of a cell or sentence.

    Args:
        docno: the docno of the cell's or sentence's fact.
        written: the number as an argument of a program.
        value: the number as written, without scale; percentages in points.
        unit, scale: the measure; unit "-" if it is not stated.
        fact: the index of the fact among those given.
        text: the text of the sentence; "" for a cell.
        cell: the cell; None in a sentence.
        span: the number's span in the fact's text.
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
    """A form filled with operands, in the form's order."""

    form: str
    operands: tuple[Operand, ...]

    @property
    def program(self) -> Program:
        """The program, with its numbers as written; they are scaled if their scales differ."""
        amounts = [operand for operand in self.operands if operand.unit != "percentage"]
        differ = amounts if len({operand.scale for operand in amounts}) > 1 else ()
        numbers = [f"{one.value * one.scale:.15g}" if one in differ else one.written for one in self.operands]
        return Program.parse(FORMS[self.form](numbers), (operand.docno for operand in self.operands))


def operands(facts: Iterable[Mapping[str, Any]]) -> list[Operand]:
    """Return the numbers of facts, from cells and sentences, in the facts' order; each cell once."""
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
            if quantity.low == quantity.high:  # a range does not mean a single number
                text, span = fact["text"], (quantity.start, quantity.end)
                value = read_value(text[slice(*span)]) or CellValue(quantity.low, None, 1.0, f"{quantity.low:.12g}")
                about = fact["docno"], value.written, value.number, quantity.unit, value.scale
                found[place, quantity.start] = Operand(*about, place, text, span=span)
    return list(found.values())


def candidates(pool: Sequence[Operand]) -> Iterator[Candidate]:
    """Yield the candidates over a few numbers: pairs, and sums and averages of several in one row or column."""
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
"""Usual form of calculation for each class of question."""
ONLY_FORM: Final = {"maximum": "lookup", "minimum": "lookup", "lookup": "lookup", "comparison": "compare"}
"""Form for all other classes: a question without a calculation gets a single number."""
BEAM: Final = 20
"""Number of programs that are returned."""
MOST_LOSS: Final = 0.01
LEAST_SCORE: Final = -0.15
"""Thresholds of the FinQA system, natural logarithms: see `mixed`."""
Programs = list[tuple[Program, float]]
"""Programs of a generator with the logarithms of their probabilities, best first."""


class ProgramGenerator(Protocol):
    """A source of programs: the class below, or a wrapper around a language model."""

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """Return programs with their scores, natural logarithms of probabilities, best first; empty if no program fits.

        Args:
            question: its text.
            facts: the retrieved facts, the best first, as `facts` makes them.
            scores: the retriever's scores of the facts; without them all facts count the same.
        """


@cache
def read_weights(path: Path | None = None) -> Weights:
    """Return the weights in a table, those of the package by default."""
    return pd.read_csv(path or Path(__file__).with_name("weights.tsv"), sep="\t", comment="#", index_col=0).to_dict()


@dataclass(frozen=True)
class TemplateGenerator:
    """Programs for any report, without training: the form by the question's wording, the numbers by names and periods.

    A log-linear model gives a candidate's probability: a sum of its features, weighted by form.

    Args:
        weights: by form, then by feature. The default is `weights.tsv`, which `python experiments/programs.py
            tatqa_dev.json --weights FILE` fitted to TAT-QA's development set.
    """

    weights: Weights = field(default_factory=read_weights, repr=False, hash=False)

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """See `ProgramGenerator.generate`; programs that cannot be executed are left out."""
        found, seen = proposed(question, facts, scores)
        weighed = zip((self.weights.get(candidate.form, {}) for candidate in found), seen, strict=True)
        value = np.array([sum(own.get(name, 0.0) * one[name] for name in one) for own, one in weighed])
        likely = value - np.logaddexp.reduce(value) if found else value
        best = ((found[n].program, float(likely[n])) for n in np.argsort(-likely, kind="stable")[:BEAM])
        return [(program, score) for program, score in best if not isinstance(program.execute(), NotExecutable)]


def proposed(
    question: str, facts: Facts, scores: Sequence[float] | None = None
) -> tuple[list[Candidate], list[dict[str, float]]]:
    """Return the candidates over a question's facts, and their features; arguments as `ProgramGenerator.generate`.
    For a question about the largest or the smallest, these are the extreme numbers of each column."""
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
    """Return the numbers that are the largest or smallest of their columns; in sentences, of all sentences."""
    columns: dict[int, list[Operand]] = {}
    for one in pool:
        if not (one.cell and is_nil(one.cell.value)):
            columns.setdefault(one.cell.place[1] if one.cell else -1, []).append(one)
    return {one for own in columns.values() for one in own if one.value == best(other.value for other in own)}


class _Named:
    """An operand compared with a question: the periods and words that they share."""

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
    """Return the model's features of a candidate for a question, each from 0 to 1. Further features (the class of
    the question, order of mention, totals) gained nothing on TAT-QA's development set, cross-validated over reports."""
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
    """Return whether cells make up a whole row or column; for a single cell only its row counts."""
    axis = next((axis for axis in (0, 1) if len({place[axis] for place in chosen}) == 1), None)
    return axis is not None and len(chosen) == sum(place[axis] == chosen[0][axis] for place in every)


def best_output(outputs: Sequence[Programs]) -> Programs:
    """Return the output whose first program has the highest score; in a tie the last. These are the loss and score
    ensembles.

    Args:
        outputs: outputs of one generator over several kinds of facts; the paper's: cells, rows.
    """
    return max(reversed(outputs), key=lambda output: output[0][1] if output else float("-inf"), default=[])


def mixed(first: Sequence[Programs], second: Sequence[Programs], table: Any = None) -> Programs:
    """Return the mixed ensemble's output: the first generator's best output, unless it is in doubt.

    The second's best output takes its place if its first program cannot be executed, or if its loss is above
    `MOST_LOSS` while the second's score is above `LEAST_SCORE`.

    Args:
        first, second: each generator's outputs over several kinds of facts.
        table: the table in which programs look up rows.

    Source: a numerical reasoning question answering system for FinQA, section 2.4.
    """
    one, other = best_output(first), best_output(second)
    if not (one and other):
        return one or other
    failed = isinstance(one[0][0].execute(table), NotExecutable)
    return other if failed or (-one[0][1] > MOST_LOSS and other[0][1] > LEAST_SCORE) else one
