"""Programs for the questions of a collection, by a generator whose weights were fitted to other reports' questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from tqdm import tqdm

from lib.fact_ranking import ranked
from lib.program_weights import Example, fitted
from lib.table_questions import Collection, Question, folds
from pyterrier_quantity.tables import CandidateBM25, FactFeatures, Program, TemplateGenerator
from pyterrier_quantity.tables.generator import Weights

Output = list[tuple[Program, float]]
Found = dict[str, list[Output]]
"""By facts, the programs of each question."""

DEPTH = {"cells": ("cell", 5), "rows": ("row", 3)}
"""What the generator gets, as in the paper: the kind, and how many."""
TAUGHT = ("gold cells", "learned cells")
"""The facts over which the weights are fitted."""


@dataclass(frozen=True)
class Candidates:
    """What every cross-validation starts from: the questions, and all facts of their reports with features."""

    collection: Collection

    @cached_property
    def facts(self) -> dict[str, pd.DataFrame]:
        """Of each kind in `DEPTH`, R with `features`, ranked by BM25."""
        rank = CandidateBM25() >> FactFeatures()
        return {kind: rank.transform(self.collection.facts(name, "text")) for kind, (name, _) in DEPTH.items()}

    @cached_property
    def qrels(self) -> dict[str, pd.DataFrame]:
        """Of each kind in `DEPTH`, the facts that hold the gold numbers."""
        return {kind: self.collection.qrels(name) for kind, (name, _) in DEPTH.items()}

    def examples(self, count: int, seed: int = 0) -> dict[str, list[Example]]:
        """The questions with gold facts, with the best ones by BM25, and by the ranker that learns: "gold cells" ...

        Args:
            count, seed: of the folds over which that ranker is cross-validated.
        """
        found: dict[str, list[Example]] = {}
        for kind, (_, depth) in DEPTH.items():
            facts, qrels = self.facts[kind], self.qrels[kind]
            gold = facts.merge(qrels[["qid", "docno"]], on=["qid", "docno"]).assign(score=1.0)
            runs = {"gold": gold, "BM25": facts, "learned": ranked(facts, qrels, count, seed)}
            for name, run in runs.items():
                run = run.sort_values(["qid", "score"], ascending=[True, False], kind="stable")
                best = run if name == "gold" else run.groupby("qid").head(depth)
                by_question = dict(list(best.groupby("qid")))
                found[f"{name} {kind}"] = [_example(q, by_question.get(q.qid, facts.head(0))) for q in self.questions]
        return found

    @property
    def questions(self) -> list[Question]:
        return self.collection.questions


def _example(question: Question, facts: pd.DataFrame) -> Example:
    return Example(question.text, facts.to_dict("records"), facts["score"].tolist(), question.is_right)


def validated(candidates: Candidates, count: int, seed: int = 0, quiet: bool = False) -> Found:
    """The programs of each question over each kind of facts; ranker and weights have not seen its report.

    Args:
        candidates: what the cross-validation is over.
        count, seed: of its folds.
        quiet: no progress bars.
    """
    given = candidates.examples(count, seed)
    reports = [question.report for question in candidates.questions]
    found: Found = {facts: [[] for _ in reports] for facts in given}
    for train, test in tqdm(folds(reports, count, seed), desc="fitting the weights", total=count, disable=quiet):
        generator = TemplateGenerator(taught(given, [report in train for report in reports]))
        for facts, examples in given.items():
            for n in (n for n, report in enumerate(reports) if report in test):
                found[facts][n] = generator.generate(examples[n].question, examples[n].facts, examples[n].scores)
    return found


def taught(given: Mapping[str, Sequence[Example]], chosen: Sequence[bool]) -> Weights:
    """The weights fitted to the chosen questions over the facts of `TAUGHT`."""
    return fitted([e for facts in TAUGHT for e, is_chosen in zip(given[facts], chosen, strict=True) if is_chosen])


def executed(questions: Sequence[Question], outputs: Sequence[Output]) -> np.ndarray:
    """Of each question whether its first program's result is right."""
    right = [bool(o) and q.is_right(o[0][0].execute()) for q, o in zip(questions, outputs, strict=True)]
    return np.array(right)
