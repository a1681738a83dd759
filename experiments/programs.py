"""Programs that answer arithmetic questions on tables: gold derivations, templates, trained generators, ensembles.

    python experiments/programs.py FILE [--repeats N] [--out DIR]

FILE: see experiments/lib/table_questions.py. Writes programs.csv: system, facts, execution, program; and
programs.jsonl, every program. Execution accuracy
is the share of questions whose program gives the gold program's result, program accuracy the share whose program is
equivalent to it. Facts: the gold cells or rows, or the first 5 cells or 3 rows by the classifier. Classifier and
generators are cross-validated over reports, the same folds for both; the weight of the templates' votes is the one that
gets most questions of the other folds right. Figures are means over the cross-validations, each with folds of its own.

The votes are compared with their best part question by question: a paired randomisation test over each question's mean
over the cross-validations, with Holm's correction for the votes of all generators, with gold facts and with retrieved.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from lib.program_runs import VOTED, Candidates, Found, Output, Validation, executed
from lib.significance import holm, permutation_p
from lib.table_questions import Collection, Question, arguments, encoder, load

from pyterrier_quantity.cli.show import table as text_table
from pyterrier_quantity.tables import LogLinearGenerator, NeuralGenerator, SentenceVectors, TemplateGenerator
from pyterrier_quantity.tables.answers import measured
from pyterrier_quantity.tables.measures import SCALES
from pyterrier_quantity.tables.operands import operands

REPEATS = 3
"""So many cross-validations."""
COMPARED = ("gold", "retrieved")
"""The facts over which the vote takes in all generators, and is tested against the best of them."""
PUBLISHED = {"gold rows": 0.70, "gold cells": 0.7543, "retrieved": 0.68}
"""Execution accuracy of the FinQA system on FinQA's test set."""


def makers(vectors: SentenceVectors) -> dict[str, Callable[[], object]]:
    """What makes each generator."""
    return {
        "templates": TemplateGenerator,
        "log-linear": LogLinearGenerator,
        "neural": partial(NeuralGenerator, vectors),
    }


def kept(questions: Sequence[Question], repeats: Sequence[Found], path: Path) -> None:
    """Write every system's program of every question as JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        for repeat, found in enumerate(repeats):
            for (system, facts), outputs in found.items():
                right = executed(questions, outputs).tolist()
                for question, output, is_right in zip(questions, outputs, right, strict=True):
                    program = str(output[0][0]) if output else ""
                    line = {"repeat": repeat, "qid": question.qid, "question": question.text, "system": system,
                            "facts": facts, "program": program, "right": is_right}  # fmt: skip
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")


def equivalent(questions: Sequence[Question], outputs: Sequence[Output]) -> float:
    """The share of questions whose first program is right and equivalent to the gold one."""
    right = executed(questions, outputs)
    return float(np.mean([
        bool(is_right) and output[0][0].equivalent(question.program)
        for question, output, is_right in zip(questions, outputs, right, strict=True)
    ]))  # fmt: skip


def gold_row(collection: Collection) -> tuple[str, str, float, float]:
    """How many gold derivations the executor takes to the gold answer."""
    right = [_is_answer(question) for question in collection.questions]
    return ("gold derivations", "gold", float(np.mean(right)), float(np.mean(right)))


def _is_answer(question: Question) -> bool:
    """Whether the gold program gives the annotated answer, which is rounded to two decimals."""
    result = question.result
    factors = (100.0, 1.0) if question.scale == "percent" else (1.0,)
    return isinstance(result, float) and any(
        abs(round(result * factor, 2) - question.answer) <= max(0.0101, 1e-4 * abs(question.answer))
        for factor in factors
    )


def results(collection: Collection, repeats: Sequence[Found]) -> pd.DataFrame:
    """system, facts, execution, program: means over the cross-validations."""
    rows = [gold_row(collection)]
    for key in repeats[0]:
        execution = np.mean([executed(collection.questions, found[key]).mean() for found in repeats])
        program = np.mean([equivalent(collection.questions, found[key]) for found in repeats])
        rows.append((*key, float(execution), float(program)))
    return pd.DataFrame(rows, columns=["system", "facts", "execution", "program"])


def exact(collection: Collection, outputs: Sequence[Output]) -> float:
    """TAT-QA's exact match on these questions: the value with its scale or percent sign; F1 is the same on numbers."""
    known = {o.docno: o for o in operands(collection.facts("cell", "text").drop_duplicates("docno").to_dict("records"))}
    matches = []
    for question, output in zip(collection.questions, outputs, strict=True):
        result = output[0][0].execute() if output else None
        if not isinstance(result, float):
            matches.append(False)
            continue
        program = output[0][0]
        value, unit = measured(question.text, program, result, [known[docno] for docno in program.sources])
        gold = question.answer * SCALES.get(question.scale, 1.0)
        near = abs(value - gold) <= 0.0101 * SCALES.get(question.scale, 1.0)
        matches.append(near and (unit == "percentage") == (question.scale == "percent"))
    return float(np.mean(matches))


def comparisons(collection: Collection, repeats: Sequence[Found]) -> pd.DataFrame:
    """facts, best part, gain, p, p (Holm): of each vote over its best part, by questions' means over the repeats.

    Holm's correction is for the two of `COMPARED`.
    """
    right = {
        key: pd.Series(np.mean([executed(collection.questions, found[key]) for found in repeats], axis=0))
        for key in repeats[0]
    }
    rows = []
    for facts in VOTED:
        parts = {key: s for key, s in right.items() if key[1].startswith(facts) and "ensemble" not in key[0]}
        best = max(parts, key=lambda key: parts[key].mean())
        vote = right["vote ensemble", facts]
        gain = float(vote.mean() - parts[best].mean())
        rows.append((facts, f"{best[0]}, {best[1]}", gain, permutation_p(vote, parts[best])))
    table = pd.DataFrame(rows, columns=["facts", "best part", "gain", "p"]).set_index("facts")
    corrected = pd.Series(holm(table["p"][list(COMPARED)].tolist()), index=list(COMPARED))
    return table.assign(**{"p (Holm)": corrected.reindex(table.index)}).reset_index()


def report(collection: Collection, repeats: Sequence[Found], args: argparse.Namespace) -> None:
    """Print the tables and write programs.csv."""
    table = results(collection, repeats)
    table.to_csv(args.out / "programs.csv", index=False, float_format="%.4f")
    _show(table.round(4))
    print(f"\nvotes over their best part, {len(repeats)} cross-validations")
    _show(comparisons(collection, repeats).round(4))
    for facts in COMPARED:
        match = np.mean([exact(collection, found["vote ensemble", facts]) for found in repeats])
        print(f"vote ensemble, {facts}: exact match with scale {match:.4f}")
    published = ", ".join(f"{name} {value}" for name, value in PUBLISHED.items())
    print(f"published execution accuracy on FinQA's test set, another collection: {published}")
    print("published exact match and F1 on TAT-QA's test set, all types of questions (its authors' leaderboard): "
          "TagOp 50.1 and 58.0, people 84.1 and 90.8")  # fmt: skip


def _show(table: pd.DataFrame) -> None:
    shown = table.astype(object).where(table.notna(), "").astype(str)
    print(text_table(list(shown.columns), shown.to_numpy().tolist()))


def main(given: list[str] | None = None) -> int:
    """Run the experiment; 0 where it went well."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--repeats", type=int, default=REPEATS, metavar="N", help="how many cross-validations (%(default)s)"
    )
    args = parser.parse_args(given)
    try:
        collection = load(args.file)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    vectors = encoder(args)
    repeats = outputs(collection, vectors, makers(vectors), args, args.repeats)
    args.out.mkdir(parents=True, exist_ok=True)
    kept(collection.questions, repeats, args.out / "programs.jsonl")
    report(collection, repeats, args)
    return 0


def outputs(
    collection: Collection,
    vectors: SentenceVectors,
    generators: Mapping[str, Callable[[], object]],
    args: argparse.Namespace,
    repeats: int = 1,
) -> list[Found]:
    """Of each cross-validation the programs of all generators and ensembles."""
    candidates = Candidates(collection, vectors)
    return [Validation(candidates, args.folds, seed, args.quiet).found(generators) for seed in range(repeats)]


if __name__ == "__main__":
    raise SystemExit(main())
