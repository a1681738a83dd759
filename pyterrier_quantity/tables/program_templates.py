"""Programs without training: a form by the question's class, over the numbers whose names and periods fit best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pyterrier_quantity.tables.choosing import NAMES, candidate_features
from pyterrier_quantity.tables.operand_candidates import COMPARE, Candidate, candidates, comparisons
from pyterrier_quantity.tables.pool import best_operands, relative_scores
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.questions import read_question
from pyterrier_quantity.tables.steps import NotExecutable

FORMS_OF: Final = {
    "change": {"subtract": 0.0},
    "percentage change": {"percentage change": 0.0},
    "difference": {"subtract": 0.0},
    "average": {"average": 0.0},
    "sum": {"sum": 0.0},
    "ratio": {"divide": 0.0},
    "share": {"divide": 0.0, "share of sum": -2.0},
    "product": {"multiply": 0.0},
    "maximum": {"lookup": 0.0},
    "minimum": {"lookup": 0.0},
    "comparison": {COMPARE: 0.0},
    "lookup": {"lookup": 0.0},
}
"""Which forms answer a class of question, and what a rarer one costs."""

FIT: Final = {
    "score_mean": 2.0, "score_least": 1.0, "periods_covered": 2.0, "periods_other": -2.0, "names_covered": 2.0,
    "words_covered": 2.0, "same_unit": 1.0, "change_column": -2.0, "same_value": -1.0, "sections_apart": -0.5,
    "size_as_asked": 0.5,
}  # fmt: skip
"""What the numbers of any form are chosen by."""
SAME_THING: Final = {"same_row": 2.0, "same_name": 1.0, "later_first": 1.5, "earlier_first": -1.5, "two_periods": 1.0}
"""Of one thing at two times: the later one first."""
TWO_THINGS: Final = {"same_column": 2.0, "mentioned_first": 1.0, "mentioned_second": -1.0, "total_first": -1.0}
"""Of two things at one time: in the order of their mention, a total last."""
LINE: Final = {"same_row": 1.0, "same_column": 1.0, "whole_line": 0.5, "has_total": -0.5}
"""Several numbers of a row or column."""
PART: Final = {"smaller_first": 2.0, "total_second": 1.0}
"""A part, then its whole."""
WEIGHTS: Final = {
    "change": FIT | SAME_THING, "percentage change": FIT | SAME_THING, "comparison": FIT | TWO_THINGS,
    "difference": FIT | {"same_row": 1.0, "later_first": 1.0} | TWO_THINGS, "average": FIT | LINE, "sum": FIT | LINE,
    "ratio": FIT | TWO_THINGS,
    "share": FIT | TWO_THINGS | PART, "product": FIT, "maximum": FIT, "minimum": FIT, "lookup": FIT,
}  # fmt: skip


class TemplateGenerator:
    """Programs for any report, by rules: see `FORMS_OF` and `WEIGHTS`."""

    def generate(
        self, question: str, facts: Sequence[Mapping[str, Any]], scores: Sequence[float] | None = None
    ) -> list[tuple[Program, float]]:
        """The programs of the question's class with the logarithm of their share of the scores, best first.

        Args:
            question: its text.
            facts: cell or row facts and sentences, the best first.
            scores: of the facts, by a retriever; without them all facts count the same.
        """
        asked = read_question(question)
        pool = best_operands(facts)
        prior = FORMS_OF[asked.kind]
        every = comparisons(pool) if COMPARE in prior else candidates(pool)
        found = [candidate for candidate in every if candidate.form in prior]
        if not found:
            return []
        weights = np.array([WEIGHTS[asked.kind].get(name, 0.0) for name in NAMES])
        seen = candidate_features(asked, found, relative_scores(pool, len(facts), scores))
        value = seen @ weights + np.array([prior[candidate.form] for candidate in found])
        value += np.array([_extreme(candidate, pool, asked.kind) for candidate in found])
        return ranked(found, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TemplateGenerator)

    def __hash__(self) -> int:
        return hash(TemplateGenerator)

    def __repr__(self) -> str:
        return "TemplateGenerator()"


BEAM: Final = 20
"""How many programs a generator hands on."""


def ranked(found: Sequence[Candidate], value: np.ndarray) -> list[tuple[Program, float]]:
    """The best candidates as programs with log-probabilities, best first, those that are not executable left out."""
    likely = value - value.max()
    likely -= np.log(np.exp(likely).sum())
    order = np.argsort(-likely, kind="stable")[:BEAM]
    best = ((found[n].program, float(likely[n])) for n in order)
    return [(program, score) for program, score in best if not isinstance(program.execute(), NotExecutable)]


def _extreme(candidate: Candidate, pool: Sequence[Any], kind: str) -> float:
    """For the largest and the smallest: where a lookup's number stands among those of its column."""
    if kind not in ("maximum", "minimum"):
        return 0.0
    chosen = candidate.operands[0]
    beside = [other.value for other in pool if other.place[1] == chosen.place[1]]
    best = max(beside) if kind == "maximum" else min(beside)
    return float(chosen.value == best)
