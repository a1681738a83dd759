"""Generate programs for the questions of a collection, with generators trained on the questions about other reports."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from tqdm import tqdm

from lib.fact_features import FactFeatures
from lib.fact_ranking import ranked
from lib.program_weights import Example, fitted
from lib.table_questions import Collection, Question, folds
from pyterrier_quantity.tables import (
    CandidateBM25,
    NotExecutable,
    ProgramGenerator,
    SequenceGenerator,
    Table,
    TemplateGenerator,
)
from pyterrier_quantity.tables.facts import tables_of
from pyterrier_quantity.tables.generator import Programs, Weights
from pyterrier_quantity.tables.neural_generator import Encoding, NetworkPreset, NeuralGenerator, ProgramExample
from pyterrier_quantity.training import ReaderSettings

Found = dict[tuple[str, str], list[Programs]]
"""The programs for each question, keyed by generator and facts."""

DEPTH = {"cells": ("cell", 5), "rows": ("row", 3)}
"""The kind and number of facts that the generator gets, as in the paper."""
MOST_LOSS: Final = 0.01
LEAST_SCORE: Final = -0.15
"""Thresholds of the FinQA system, natural logarithms: see `mixed`."""
TAUGHT = ("gold cells", "learned cells")
"""The facts over which weights are fitted."""
TEMPLATES, NETWORK, SEQUENCE = "templates", "network", "sequence"
Trained = tuple[NetworkPreset, ReaderSettings]
"""Training settings of the paper's two generators: a network like FinQANet, and a sequence model instead of UniLM."""


@dataclass(frozen=True)
class Candidates:
    """The input of every cross-validation: the questions, and all facts of their reports with features."""

    collection: Collection

    @cached_property
    def facts(self) -> dict[str, pd.DataFrame]:
        """The facts with `features` as results (R), ranked by BM25, for each kind in `DEPTH`."""
        rank = CandidateBM25() >> FactFeatures()
        return {kind: rank.transform(self.collection.facts(name, "text")) for kind, (name, _) in DEPTH.items()}

    @cached_property
    def qrels(self) -> dict[str, pd.DataFrame]:
        """The facts that contain the gold numbers, for each kind in `DEPTH`."""
        return {kind: self.collection.qrels(name) for kind, (name, _) in DEPTH.items()}

    def examples(self, count: int, seed: int = 0) -> dict[str, list[Example]]:
        """Return the questions with the gold facts, with the best facts by BM25, and with those by the learned ranker.

        Args:
            count, seed: the number and the random seed of the folds for cross-validating this ranker.
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


def validated(
    candidates: Candidates, count: int, seed: int = 0, quiet: bool = False, trained: Trained | None = None
) -> Found:
    """Return programs for each question over each kind of facts. Ranker and generators have not seen the report.

    Args:
        candidates: the questions and facts.
        count, seed: the number and the random seed of the folds.
        quiet: whether to hide progress bars.
        trained: training settings of the paper's two generators, over cells and over rows, or None for templates only.
    """
    given = candidates.examples(count, seed)
    reports = [question.report for question in candidates.questions]
    found: Found = {}
    papers = (Encoding(trained[0]), trained[1]) if trained else None
    for train, test in tqdm(folds(reports, count, seed), desc="training", total=count, disable=quiet):
        tested = [n for n, report in enumerate(reports) if report in test]
        for name, generator, kinds in _generators(candidates, given, train, papers):
            for facts in kinds:
                outputs = found.setdefault((name, facts), [[] for _ in reports])
                for n in tested:
                    one = given[facts][n]
                    outputs[n] = generator.generate(one.question, one.facts, one.scores)
    return found | (ensembles(found, [tables_of(one.facts) for one in given["learned cells"]]) if trained else {})


def ensembles(found: Found, tables: Sequence[list[Table]]) -> Found:
    """Return the paper's ensembles (section 2.4) over learned facts: by loss, by score, of two generators, of all."""
    pairs = {name: [found[name, f"learned {kind}"] for kind in DEPTH] for name in (NETWORK, SEQUENCE)}
    both = "learned cells and rows"
    result = {(f"{name}s, the better one", both): [best_output(one) for one in zip(*two, strict=True)]
              for name, two in pairs.items()}  # fmt: skip
    for kind, place in (("learned rows", slice(1, 2)), (both, slice(2))):
        outputs = zip(*(zip(*two[place], strict=True) for two in pairs.values()), tables, strict=True)
        result["mixed", kind] = [mixed(*one) for one in outputs]
    return result


def best_output(outputs: Sequence[Programs]) -> Programs:
    """Return the output whose first program scores highest, as in the paper's ensembles. The last output wins a tie.

    Args:
        outputs: the outputs of one generator for several kinds of facts, such as cells and rows.
    """
    return max(reversed(outputs), key=lambda output: output[0][1] if output else float("-inf"), default=[])


def mixed(first: Sequence[Programs], second: Sequence[Programs], table: Any = None) -> Programs:
    """Return the mixed ensemble's output: the first generator's best output, or the second's if the first is uncertain.

    The first generator is uncertain if its first program cannot be executed, or if its loss is above `MOST_LOSS` and
    the score of the second generator is above `LEAST_SCORE`.

    Args:
        first, second: the outputs of each generator for several kinds of facts.
        table: the table in which programs look up rows.

    Source: *A numerical reasoning question answering system for FinQA*, section 2.4.
    """
    one, other = best_output(first), best_output(second)
    if not (one and other):
        return one or other
    failed = isinstance(one[0][0].execute(table), NotExecutable)
    return other if failed or (-one[0][1] > MOST_LOSS and other[0][1] > LEAST_SCORE) else one


def _generators(
    candidates: Candidates,
    given: Mapping[str, Sequence[Example]],
    train: set[str],
    papers: tuple[Encoding, ReaderSettings] | None,
) -> Iterator[tuple[str, ProgramGenerator, Sequence[str]]]:
    """Yield the generators trained on some reports, with the facts over which they are tested.

    The paper's two generators are trained over the learned facts of a kind, and over the gold facts missing from these.
    """
    chosen = [question.report in train for question in candidates.questions]
    yield TEMPLATES, TemplateGenerator(taught(given, chosen)), tuple(given)
    held = set(sorted(train)[::10])
    for kind in DEPTH if papers else ():
        kinds = (f"gold {kind}", f"learned {kind}")
        parts: tuple[list[ProgramExample], list[ProgramExample]] = ([], [])
        for question, *both in zip(candidates.questions, *(given[facts] for facts in kinds), strict=True):
            gold, learned = (one.facts for one in both)
            known = {fact["docno"] for fact in learned}
            facts = [*learned, *(fact for fact in gold if fact["docno"] not in known)]
            if question.report in train:
                parts[question.report in held].append(ProgramExample(question.text, facts, question.program))
        yield NETWORK, NeuralGenerator.train(*parts, papers[0]), kinds
        with tempfile.TemporaryDirectory() as folder:
            examples, validation = parts
            yield SEQUENCE, SequenceGenerator.train(examples, Path(folder, "model"), validation, papers[1]), kinds


def taught(given: Mapping[str, Sequence[Example]], chosen: Sequence[bool]) -> Weights:
    """Return the weights that are fitted to the chosen questions over the facts of `TAUGHT`."""
    return fitted([e for facts in TAUGHT for e, is_chosen in zip(given[facts], chosen, strict=True) if is_chosen])


def executed(collection: Collection, outputs: Sequence[Programs]) -> np.ndarray:
    """Return whether the first program for each question gives the right result. Rows are looked up in the report."""
    reports = {report["table"]["uid"]: report for report in collection.reports}
    pairs = zip(collection.questions, outputs, strict=True)
    return np.array([bool(output) and q.is_right(output[0][0].execute(reports[q.report])) for q, output in pairs])
