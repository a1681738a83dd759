"""The collections of a folder whose systems give numbers, not rankings: quantities, counts, facts and programs, each
measured as its own script measures it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import counts
import extraction
import pandas as pd
import programs
import tables

from lib.program_runs import Candidates
from lib.table_questions import load
from pyterrier_quantity.datasets.benchmarks import ABOUT


@dataclass(frozen=True)
class Figures:
    """What a system reaches on a collection.

    Args:
        collection, system: their names.
        figures: by measure; None where a system has no such figure.
        published: what was reported, in words; the same for all systems of a collection.
    """

    collection: str
    system: str
    figures: Mapping[str, float]
    published: str = ""


def of_folder(folder: Path, args: argparse.Namespace) -> Iterator[Figures]:
    """The figures of all systems on what is there: `extraction/*.json`, `counts/*.jsonl`, `tables/*.json`.

    Args:
        folder: may hold any of these folders.
        args: `folds` and `quiet`, as `table_questions.arguments` has them.
    """
    for path in sorted(folder.glob("extraction/*.json")):
        if path.name.count(".") == 1:  # GOLD.NAME.json is another extractor's output
            yield from _extraction(path)
    for path in sorted(folder.glob("counts/*.jsonl")):
        yield from _counts(path, args)
    for path in sorted(folder.glob("tables/*.json")):
        yield from _facts(path, args)
        yield from _programs(path, args)


def _extraction(path: Path) -> Iterator[Figures]:
    stored = sorted(map(str, path.parent.glob(f"{path.stem}.*.json")))
    gold = json.loads(path.read_text(encoding="utf-8"))
    about = ABOUT.get(path.stem.lower())
    for system, rows in extraction.readings(str(path), extraction.installed(), stored).items():
        scores = {measure: value / 100 for measure, value in extraction.f1(gold, rows).items() if value}
        yield Figures(f"{path.stem}, F1", system, scores, about.published if about else "")


def _counts(path: Path, args: argparse.Namespace) -> Iterator[Figures]:
    questions = counts.read_questions(path)
    rows, _ = counts.predictions(questions, None, verbose=not args.quiet)
    published = "on other questions (NQ), EP OMP OMR: CoQEx .329 .665 .626, CardiO .298 .661 .661"
    for system, scores in counts.scores(rows, questions.truth).iterrows():
        yield Figures(path.stem, str(system), {name: float(scores[name]) for name in ("EP", "OMP", "OMR")}, published)


def _facts(path: Path, args: argparse.Namespace) -> Iterator[Figures]:
    found = tables.results(load(path), args.folds)
    published = ", ".join(f"{kind}s recall@{cutoff} {value:.3f}" for (kind, cutoff), value in tables.PUBLISHED.items())
    for (system, kind), row in found.set_index(["system", "kind"]).iterrows():
        scores = {f"recall@{cutoff}": float(row[f"recall@{cutoff}"]) for cutoff in tables.CUTOFFS}
        yield Figures(f"{path.stem}, {kind} facts", system, scores, f"on FinQA: {published}")


def _programs(path: Path, args: argparse.Namespace) -> Iterator[Figures]:
    """Execution accuracy, exact match and program accuracy."""
    collection = load(path)
    published = ", ".join(f"{name} {value:.2f}" for name, value in programs.PUBLISHED.items())
    found = programs.results(collection, programs.outputs(Candidates(collection), args))
    for generator, facts, execution, exact, program in found.itertuples(index=False):
        scores = {"execution": execution, "exact": exact, "program": program}
        scores = {measure: value for measure, value in scores.items() if pd.notna(value)}
        yield Figures(f"{path.stem}, programs over {facts}", generator or "executed", scores, f"on FinQA: {published}")


def table(found: list[Figures]) -> pd.DataFrame:
    """A row a figure: collection, system, measure, value, published."""
    rows = [(one.collection, one.system, measure, value, one.published)
            for one in found for measure, value in one.figures.items()]  # fmt: skip
    return pd.DataFrame(rows, columns=["collection", "system", "measure", "value", "published"])
