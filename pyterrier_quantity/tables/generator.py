"""Analyse questions about tables and propose programs (calculations such as "divide(9, 8)") that may answer them."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import pandas as pd

from pyterrier_quantity.english.stems import STEMMER
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.tables.cell_values import CellValue, is_nil, read_value
from pyterrier_quantity.tables.facts import Cell
from pyterrier_quantity.tables.program import NotExecutable, Program

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’&][^\W\d_]+)*\d*|\d+(?:\.\d+)?")
_STOP: Final = frozenset(
    """a an the of in on at to for from by with and or is are was were be been has have had do does did what which how
    much many when where who its their this that these those as it between across over during than per respectively
    company company's group's if i me you please tell calculate compute find would can could year years fiscal fy ended
    end december january june march september""".split()
)
_YEAR: Final = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?:\s*[/–-]\s*(\d\d(?:\d\d)?))?(?![\d,]|\.\d)")
_SHORT_YEAR: Final = re.compile(r"\b(?:FY|CY|fiscal|fiscal year)\s*['’]?(\d\d)\b(?!\d)|['’](\d\d)\b", re.I)
_SPAN: Final = re.compile(
    r"\b(?:from|between|through|over|across|for)\b[^?.]{0,100}?"
    r"((?:19|20)\d\d)\s*(?:to|and|through|until|[-–])\s*(?:FY\s*)?((?:19|20)\d\d)",
    re.I,
)


@dataclass(frozen=True)
class Question:
    """An analysed question.

    Args:
        text: the question as typed.
        stems: stems of the question's content words, in order, without years.
        periods: the years in the question, then the years in between: "2015", "2017", "2016" for "from 2015 to 2017".
        kind: the calculation that the question asks for, such as "percentage change"; see `plan.calculations.CLASSES`.
    """

    text: str
    stems: tuple[str, ...]
    periods: tuple[str, ...]
    kind: str


@lru_cache(maxsize=50_000)
def read_question(text: str) -> Question:
    span = _SPAN.search(text)
    low, high = sorted(map(int, span.groups())) if span else (0, 0)
    between = (str(year) for year in range(low + 1, min(high, low + 30)))
    return Question(text, content(text), tuple(dict.fromkeys((*periods(text), *between))), calculation(text))


@lru_cache(maxsize=100_000)
def content(text: str) -> tuple[str, ...]:
    """Return the stems of a text's words, without function words and years: "Sales of 2019" -> ("sale",)."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    kept = [word for word in words if word not in _STOP and not re.fullmatch(r"(?:19|20)\d\d|\d", word)]
    return tuple(STEMMER.stemWords(kept))


@lru_cache(maxsize=100_000)
def periods(text: str) -> tuple[str, ...]:
    """Return the distinct years in a text, in order. A fiscal year counts as its second year: "2018/19" -> "2019". A
    longer span gives its first and last year: "2017-2019" -> "2017", "2019"."""
    found = []
    for match in _YEAR.finditer(text):
        first, last = match[1], (match[1][:2] + (match[2] or match[1]))[-4:]
        found += [(match.start(), year) for year in ((first, last) if int(last) - int(first) > 1 else (last,))]
    found += [(match.start(), f"20{match[1] or match[2]}") for match in _SHORT_YEAR.finditer(text)]
    return tuple(dict.fromkeys(year for _, year in sorted(found)))


MOST_OPERANDS: Final = 12
"""Maximum number of operands (numbers from the highest ranked facts). Time grows with the square of this constant."""
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
    "share of sum": lambda n: f"{_added(n[:-1])}, divide(#{len(n) - 3}, {n[-1]})",
}
"""A dictionary from each calculation to a function that writes a program: for "sum", ["9", "8"] -> "add(9, 8)"."""
_ORDERED: Final = ("subtract", "percentage change", "divide", "compare")
_UNORDERED: Final = ("multiply", "average", "sum")


@dataclass(frozen=True)
class Operand:
    """A number in a table cell or sentence that a calculation may use.

    Args:
        docno: docno of the cell or sentence.
        written: the number as it is written in a calculation, such as "5%".
        value: the number without its scale: 5 for "5%" and for "5 million".
        unit: unit of the number; "-" if not stated.
        scale: factor by which the number is multiplied, such as 1e6 for "in millions".
        fact: index of the fact (cell, row or sentence) in the list of retrieved facts.
        text: the sentence, or "" for a cell.
        cell: the cell, or None for a sentence.
        span: span of the number in the fact's text.
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
    """A calculation, such as "subtract" (a key of `FORMS`), and the numbers that it uses, in order."""

    form: str
    operands: tuple[Operand, ...]

    @property
    def program(self) -> Program:
        """The calculation as a `Program`: "subtract(9, 8)". If the numbers have different scales ("in millions"), they
        are multiplied by their scales."""
        amounts = [operand for operand in self.operands if operand.unit != "percentage"]
        differ = amounts if len({operand.scale for operand in amounts}) > 1 else ()
        numbers = [f"{one.value * one.scale:.15g}" if one in differ else one.written for one in self.operands]
        return Program.parse(FORMS[self.form](numbers), (operand.docno for operand in self.operands))


def operands(facts: Iterable[Mapping[str, Any]]) -> list[Operand]:
    """Return the numbers in the cells and sentences of facts, in order, without duplicate cells."""
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


def candidates(pool: Sequence[Operand], kind: str) -> Iterator[Candidate]:
    """Yield all calculations with one or two of the numbers in `pool`, and sums and averages within a row or column. If
    the question asks for a share (`kind` is "share"), also yield sums as a share of another number: (2 + 3) / 10."""
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
        if kind == "share":
            yield from _shares(line)


def _shares(line: Sequence[Operand]) -> Iterator[Candidate]:
    """Yield calculations of several parts as a share of a whole: (2 + 3) / 10 for 2, 3 and 10. All numbers are in one
    row or column (`line`). The parts have the same sign as the whole, and their sum is smaller."""
    for whole in line:
        parts = [one for one in line[:MOST_SUMMANDS] if 0 < one.value * whole.value < whole.value**2]
        for size in range(2, len(parts) + 1):
            for chosen in itertools.combinations(parts, size):
                if abs(sum(one.value for one in chosen)) < abs(whole.value):
                    yield Candidate("share of sum", (*chosen, whole))


Facts = Sequence[Mapping[str, Any]]
Weights = Mapping[str, Mapping[str, float]]
USUAL_FORM: Final = {kind: kind for kind in ("percentage change", "average", "sum")} | {
    "change": "subtract", "difference": "subtract", "ratio": "divide", "share": "divide", "product": "multiply",
}  # fmt: skip
"""A dictionary from each class of question to the usual calculation for such a question: "ratio" -> "divide"."""
ONLY_FORM: Final = {"maximum": "lookup", "minimum": "lookup", "lookup": "lookup", "comparison": "compare"}
"""A dictionary from each class of question to the only calculation that is considered for such a question."""
BEAM: Final = 20  # maximum number of programs returned
Programs = list[tuple[Program, float]]
"""Programs with their log-probabilities, sorted best first."""


class ProgramGenerator(Protocol):
    """Interface of objects that propose programs (calculations such as "divide(9, 8)"), such as `TemplateGenerator`."""

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """Return programs (calculations such as "divide(9, 8)") that may answer the question, with their
        log-probabilities, best first.

        Args:
            question: the text of the question.
            facts: retrieved facts (cells, rows or sentences) as dictionaries from the function `facts`, best first.
            scores: retrieval scores of the facts. If None, all facts have the same weight.
        """


@cache
def read_weights(path: Path | None = None) -> Weights:
    """Return the weights in a TSV file (by default, `weights.tsv`) as {calculation: {feature: weight}}."""
    return pd.read_csv(path or Path(__file__).with_name("weights.tsv"), sep="\t", comment="#", index_col=0).to_dict()


@dataclass(frozen=True)
class TemplateGenerator:
    """Generator of programs (calculations such as "divide(9, 8)") that needs no training. The question's wording
    selects the operation; its names and years select the numbers. A log-linear model gives each program a probability.

    Args:
        weights: `weights[calculation][feature]` is the weight of a feature. The default weights were fitted to the
            development set of TAT-QA, by `python experiments/programs.py tatqa_dev.json --weights FILE`.
    """

    weights: Weights = field(default_factory=read_weights, repr=False, hash=False)

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """Return executable programs such as "divide(9, 8)", best first; see `ProgramGenerator.generate`."""
        found, seen = proposed(question, facts, scores)
        weighed = zip((self.weights.get(candidate.form, {}) for candidate in found), seen, strict=True)
        value = np.array([sum(own.get(name, 0.0) * one[name] for name in one) for own, one in weighed])
        likely = value - np.logaddexp.reduce(value) if found else value
        best = ((found[n].program, float(likely[n])) for n in np.argsort(-likely, kind="stable")[:BEAM])
        return [(program, score) for program, score in best if not isinstance(program.execute(), NotExecutable)]


def proposed(
    question: str, facts: Facts, scores: Sequence[float] | None = None
) -> tuple[list[Candidate], list[dict[str, float]]]:
    """Return the candidate calculations for a question, and a dictionary of features ({"same_row": 1.0, ...}) for each
    candidate. `ProgramGenerator.generate` describes the arguments."""
    asked = read_question(question)
    pool = operands(facts)[:MOST_OPERANDS]
    if not pool:
        return [], []
    only = ONLY_FORM.get(asked.kind)
    found = [one for one in candidates(pool, asked.kind) if (one.form == only if only else one.form != "compare")]
    if asked.kind in ("maximum", "minimum"):
        extreme = _extremes(pool, max if asked.kind == "maximum" else min)
        found = [one for one in found if one.operands[0] in extreme]
    given = np.array([1.0] * len(facts) if scores is None else scores, dtype=float)
    relative = np.interp(given, [given.min(), given.max()], [0.1, 1.0])
    named = {operand: _Named(operand, asked, float(relative[operand.fact])) for operand in pool}
    return found, [_features(asked, named, candidate) for candidate in found]


def _extremes(pool: Sequence[Operand], best: Callable[[Iterable[float]], float]) -> set[Operand]:
    """Return the largest number (smallest if `best` is `min`) of each column. Numbers in sentences form one column."""
    columns: dict[int, list[Operand]] = {}
    for one in pool:
        if not (one.cell and is_nil(one.cell.value)):
            columns.setdefault(one.cell.place[1] if one.cell else -1, []).append(one)
    return {one for own in columns.values() for one in own if one.value == best(other.value for other in own)}


class _Named:
    """A number in a fact, with the words and years that its cell shares with a question."""

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
    """Return features that show how well a calculation (`candidate`) fits the question `asked`: {"same_row": 1.0,
    "score": 0.4, ...}. `named` contains, for each number, the words and years that its cell shares with the
    question."""
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
        found["smaller_first"] = abs(first.operand.value) < abs(last.operand.value)
        later = bool(first.year and last.year) and first.year > last.year
        found["usual_order"] = not found["smaller_first"] if asked.kind == "difference" else later
    return {name: float(value) for name, value in found.items()}


def _is_whole_line(chosen: Sequence[tuple[int, int]], every: Sequence[tuple[int, int]]) -> bool:
    axis = next((axis for axis in (0, 1) if len({place[axis] for place in chosen}) == 1), None)
    return axis is not None and len(chosen) == sum(place[axis] == chosen[0][axis] for place in every)
