"""Programs of every generator and ensemble for the questions of a collection, in one cross-validation over reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from tqdm import tqdm

from lib.table_questions import Collection, Question, folds
from pyterrier_quantity.tables import (
    Example,
    FactClassifier,
    FactFeatures,
    Mixed,
    Program,
    SentenceVectors,
    Vote,
    best_score,
)

Output = list[tuple[Program, float]]
Found = dict[tuple[str, str], list[Output]]
"""By system and facts, the programs of each question."""

FACTS = {"cells": ("cell", 5), "rows": ("row", 3)}
"""What the generators get, as in the paper: the kind, and how many."""
TEMPLATES = (0.5, 0.25, 1.0)
"""The weights of the templates' votes beside a trained generator's, of which the other folds choose one."""
VOTED = ("gold cells", "gold rows", "gold", "retrieved cells", "retrieved rows", "retrieved")
"""What votes are taken over: "gold" and "retrieved" are cells and rows together."""


@dataclass(frozen=True)
class Candidates:
    """What every cross-validation starts from: the questions, and all facts of their reports.

    Args:
        collection: the questions.
        vectors: the encoder of the classifier's features.
    """

    collection: Collection
    vectors: SentenceVectors

    @cached_property
    def facts(self) -> dict[str, pd.DataFrame]:
        """Of each kind in `FACTS`, R with the classifier's features."""
        features = FactFeatures(self.vectors)
        return {kind: features.transform(self.collection.facts(name, "text")) for kind, (name, _) in FACTS.items()}

    @cached_property
    def qrels(self) -> dict[str, pd.DataFrame]:
        """Of each kind in `FACTS`, the facts that hold the gold numbers."""
        return {kind: self.collection.qrels(name) for kind, (name, _) in FACTS.items()}


@dataclass(frozen=True)
class Validation:
    """A cross-validation: reports are trained on or tested on, by fold; classifier and generators share the folds.

    Args:
        candidates: what it is over.
        count, seed: of the folds.
        quiet: no progress bars.
    """

    candidates: Candidates
    count: int
    seed: int = 0
    quiet: bool = False

    @cached_property
    def folds(self) -> list[tuple[set[str], set[str]]]:
        return list(folds(self.reports, self.count, self.seed))

    @property
    def questions(self) -> list[Question]:
        return self.candidates.collection.questions

    @property
    def reports(self) -> list[str]:
        return [question.report for question in self.questions]

    def found(self, generators: Mapping[str, Callable[[], object]]) -> Found:
        """The programs of every generator over all kinds of facts, and the ensembles' choices.

        Args:
            generators: what makes each of them, by name.
        """
        found: Found = {}
        for kind in FACTS:
            for facts, prepared in self._examples(kind).items():
                for system, make in generators.items():
                    found[system, facts] = self._generated(prepared, make, f"{system}, {facts}")
        return found | paper_ensembles(found) | self._votes(found)

    def _examples(self, kind: str) -> dict[str, list[Example]]:
        """The questions with the gold facts of a kind, and with the retrieved ones: "gold cells", "retrieved cells"."""
        depth, qrels = FACTS[kind][1], self.candidates.qrels[kind]
        by_question = dict(list(pd.concat([self._ranked(kind, *fold) for fold in self.folds]).groupby("qid")))
        gold = qrels.groupby("qid")["docno"].agg(set).to_dict()
        found: dict[str, list[Example]] = {f"gold {kind}": [], f"retrieved {kind}": []}
        for question in self.questions:
            run = by_question[question.qid].sort_values("rank")
            right = run[run["docno"].isin(gold.get(question.qid, set()))]
            found[f"gold {kind}"].append(_example(question, right, scored=False))
            found[f"retrieved {kind}"].append(_example(question, run.head(depth), scored=True))
        return found

    def _ranked(self, kind: str, train: set[str], test: set[str]) -> pd.DataFrame:
        facts, qrels = self.candidates.facts[kind], self.candidates.qrels[kind]
        seen = facts[facts["report"].isin(train) & facts["qid"].isin(qrels["qid"])]
        model = FactClassifier().fit(seen, qrels[qrels["qid"].isin(seen["qid"])])
        return model.transform(facts[facts["report"].isin(test)])

    def _generated(self, given: Sequence[Example], make: Callable[[], object], what: str) -> list[Output]:
        """The programs of each question, by a generator that has not seen its report."""
        if not hasattr(make(), "fit"):
            return [make().generate(example.question, example.facts, example.scores) for example in given]
        outputs: list[Output] = [[] for _ in given]
        for train, test in tqdm(self.folds, desc=what, disable=self.quiet):
            of_report = list(zip(given, self.reports, strict=True))
            model = make().fit([example for example, report in of_report if report in train])
            for n in (n for n, report in enumerate(self.reports) if report in test):
                outputs[n] = model.generate_for(given[n])
        return outputs

    def _votes(self, found: Found) -> Found:
        """The votes of all generators over each of `VOTED`."""
        return {("vote ensemble", facts): self._chosen_vote({
            key: outputs for key, outputs in found.items() if key[1].startswith(facts)
        }) for facts in VOTED}  # fmt: skip

    def _chosen_vote(self, parts: Found) -> list[Output]:
        """Each question's vote, by the weight of the templates that gets most questions of the other folds right."""
        votes = []
        for weight in TEMPLATES:
            weights = tuple(weight if system == "templates" else 1.0 for system, _ in parts)
            votes.append(_combined(Vote(weights), list(parts.values())))
        right = np.array([executed(self.questions, vote) for vote in votes])
        chosen: list[Output] = [[] for _ in self.questions]
        for _, test in self.folds:
            tested = np.array([report in test for report in self.reports])
            best = votes[int(right[:, ~tested].mean(axis=1).argmax())]
            for n in np.flatnonzero(tested):
                chosen[n] = best[n]
        return chosen


def _example(question: Question, facts: pd.DataFrame, scored: bool) -> Example:
    scores = facts["score"].tolist() if scored else None
    return Example(question.text, facts.to_dict("records"), scores, question.is_right)


def paper_ensembles(found: Found) -> Found:
    """The choices of the FinQA system's rules over what the trained generators made of the retrieved facts."""
    made: Found = {}
    single = [system for system in ("log-linear", "neural") if (system, "retrieved cells") in found]
    for system in single:
        pair = [found[system, "retrieved cells"], found[system, "retrieved rows"]]
        name = "loss ensemble" if system == "neural" else "score ensemble"
        made[f"{name} ({system})", "retrieved"] = _combined(best_score, pair)
    if len(single) == 2:
        four = [found[system, f"retrieved {kind}"] for system in reversed(single) for kind in FACTS]
        made["mixed ensemble", "retrieved"] = _combined(Mixed(), four)
    return made


def _combined(rule: Callable[[list[Output]], Output], outputs: Sequence[list[Output]]) -> list[Output]:
    return [rule(list(of_question)) for of_question in zip(*outputs, strict=True)]


def executed(questions: Sequence[Question], outputs: Sequence[Output]) -> np.ndarray:
    """Of each question whether its first program's result is right."""
    return np.array([bool(output) and question.is_right(output[0][0].execute())
                     for question, output in zip(questions, outputs, strict=True)])  # fmt: skip
