"""The input of the experiments on tables: questions with gold programs, their facts, and folds over reports.

FILE is JSON in the format of TAT-QA: reports with `table`, `paragraphs` and `questions`. Each question has `question`,
`derivation`, `answer`, `answer_type` and `scale`.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.derivations import derivation
from lib.gold_facts import gold_docnos
from pyterrier_quantity.tables import Program, ReportFacts

KINDS = ("cell", "row")


@dataclass(frozen=True)
class Question:
    """A question that is answered by arithmetic, with its gold program."""

    qid: str
    text: str
    report: str
    program: Program
    answer: float
    scale: str

    @cached_property
    def result(self) -> Any:
        """The result of the gold program."""
        return self.program.execute()

    def is_right(self, result: Any) -> bool:
        """Return whether a result is the gold program's or, for percentages, the answer as a fraction or in percent."""
        if not isinstance(result, float):
            return False
        if isinstance(self.result, float) and abs(result - self.result) <= self.tolerance:
            return True
        return self.scale == "percent" and abs(round(100 * result, 2) - self.answer) < 0.0101

    @property
    def tolerance(self) -> float:
        return max(2e-5, 1e-6 * abs(self.result)) if isinstance(self.result, float) else 0.0


@dataclass(frozen=True)
class Collection:
    """The reports of a file and their arithmetic questions."""

    reports: list[dict[str, Any]]
    questions: list[Question]

    @cached_property
    def topics(self) -> pd.DataFrame:
        """The questions, with `qid`, `query` and `report`."""
        return pd.DataFrame([(q.qid, q.text, q.report) for q in self.questions], columns=["qid", "query", "report"])

    def facts(self, *kinds: str) -> pd.DataFrame:
        """Return all facts of the given kinds in each question's report, as results (R)."""
        return ReportFacts(self.reports, kinds).transform(self.topics)

    def qrels(self, kind: str) -> pd.DataFrame:
        """Return the facts of a kind, including sentences, that contain the gold numbers."""
        by_report: dict[str, list[dict[str, Any]]] = {}
        for fact in self.facts("cell", "text").drop_duplicates("docno").to_dict("records"):
            by_report.setdefault(fact["report"], []).append(fact)
        rows = [(q.qid, docno, 1) for q in self.questions
                for docno in gold_docnos(q.text, q.program, by_report[q.report], kind)]  # fmt: skip
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])


def load(path: Path, most: int | None = None) -> Collection:
    """Return the arithmetic questions in a file, with gold programs. If a number is given, use a random sample of this
    many reports.

    Raises:
        ValueError: if the file does not contain such questions. The message names the file.
    """
    reports = json.loads(path.read_text(encoding="utf-8"))
    if most is not None:
        reports = random.Random(0).sample(reports, min(most, len(reports)))
    try:
        found = [_question(report, number, q) for report in reports for number, q in enumerate(report["questions"])
                 if q["answer_type"] == "arithmetic"]  # fmt: skip
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"{path} is not of TAT-QA's form: {error!r}; see the head of experiments/lib/table_questions.py"
        ) from error
    if not found:
        raise ValueError(f"{path} has no question of answer_type 'arithmetic'")
    return Collection(reports, found)


def _question(report: dict[str, Any], number: int, q: dict[str, Any]) -> Question:
    uid = report["table"]["uid"]
    return Question(f"{uid}-{number}", q["question"], uid, derivation(q["derivation"]), float(q["answer"]), q["scale"])


def folds(reports: Sequence[str], count: int, seed: int = 0) -> Iterator[tuple[set[str], set[str]]]:
    """Yield, for each fold, the reports for training and the reports for testing, which are always different."""
    names = sorted(set(reports))
    order = np.random.default_rng(seed).permutation(len(names))
    for fold in range(count):
        test = {names[n] for n in order[fold::count]}
        yield set(names) - test, test


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of both experiments."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="questions on tables, of TAT-QA's form")
    parser.add_argument(
        "--folds", type=int, default=5, metavar="N", help="of the cross-validation over reports (%(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("var/results"), metavar="DIR", help="where results are written (%(default)s)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    return parser
