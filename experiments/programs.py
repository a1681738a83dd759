"""Evaluate programs that answer arithmetic questions about tables: gold derivations, the template generator, and the
paper's generators.

    python experiments/programs.py FILE [--repeats N] [--network PRESET] [--weights FILE] [--out DIR]

experiments/lib/table_questions.py describes FILE. The script writes programs.csv: generator, facts, execution, program.
Execution accuracy is the share of questions whose program gives the gold program's result; program accuracy is the
share whose program is equivalent to the gold one. Facts are the gold cells or rows, or the first 5 cells or 3 rows by
BM25 and by the learned ranker. All learned parts are cross-validated over reports, with the same folds. --network also
trains the paper's two generators over cells and over rows: an encoder with an LSTM ("network"), and a
sequence-to-sequence model ("sequence", instead of UniLM). It adds the paper's ensembles: the better one of two by its
loss or score, and "mixed", of both generators. With --reports, only N reports are used. Figures are means over the
cross-validations, each with its own folds. --weights fits the weights to all questions and writes them in the format of
pyterrier_quantity/tables/weights.tsv.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from lib.parts import Part, publish
from lib.program_runs import Candidates, Found, executed, taught, validated
from lib.table_questions import Collection, Question, arguments, load

from pyterrier_quantity.tables import neural_generator, sequence_generator
from pyterrier_quantity.tables.generator import Programs

REPEATS = 3
"""Number of cross-validations."""
PRESETS = {
    "small": (neural_generator.PRESETS["small"], sequence_generator.PRESETS["tiny"]),
    "paper": (neural_generator.PRESETS["paper"], sequence_generator.PRESETS["paper"]),
}
"""Presets of the network and of the sequence model."""
PUBLISHED = {"gold rows": 0.70, "gold cells": 0.7543, "retrieved rows": 0.639, "retrieved cells": 0.6294,
             "the better one by loss": 0.6634, "mixed": 0.68}  # fmt: skip
"""Execution accuracy of the FinQA system's network, and of its ensembles, on FinQA's test set."""


def equivalent(collection: Collection, outputs: Sequence[Programs]) -> float:
    """Return the share of questions whose first program is right and equivalent to the gold one."""
    each = zip(collection.questions, outputs, executed(collection, outputs), strict=True)
    return float(np.mean([bool(right) and output[0][0].equivalent(q.program) for q, output, right in each]))


def is_answer(question: Question) -> bool:
    """Return whether the gold program gives the annotated answer, which is rounded to two decimals."""
    result = question.result
    factors = (100.0, 1.0) if question.scale == "percent" else (1.0,)
    return isinstance(result, float) and any(
        abs(round(result * factor, 2) - question.answer) <= max(0.0101, 1e-4 * abs(question.answer))
        for factor in factors
    )


def results(collection: Collection, repeats: Sequence[Found]) -> pd.DataFrame:
    """Return means over the cross-validations, the gold derivations first: generator, facts, execution, program."""
    right = float(np.mean([is_answer(question) for question in collection.questions]))
    rows = [("", "gold derivations", right, right)]
    for generator, facts in repeats[0]:
        outputs = [found[generator, facts] for found in repeats]
        execution = float(np.mean([executed(collection, output) for output in outputs]))
        same = float(np.mean([equivalent(collection, output) for output in outputs]))
        rows.append((generator, facts, execution, same))
    return pd.DataFrame(rows, columns=["generator", "facts", "execution", "program"])


def report(table: pd.DataFrame, out: Path) -> None:
    """Print the table and write programs.csv."""
    table = table.set_index("generator")
    shown = table.round(4).astype(object).where(table.notna(), "").astype(str)
    publish(Part("programs", "Programs that answer", table, shown), out)
    published = ", ".join(f"{name} {value}" for name, value in PUBLISHED.items())
    print(f"published execution accuracy on FinQA's test set, another collection: {published}")


def main(given: list[str] | None = None) -> int:
    """Run the experiment, and return the exit code."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--repeats", type=int, default=REPEATS, metavar="N", help="how many cross-validations (%(default)s)"
    )
    parser.add_argument("--network", choices=tuple(PRESETS), help="also train the paper's two networks")
    parser.add_argument("--reports", type=int, metavar="N", help="only N reports, drawn at random (all)")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="where the weights of all questions are written")
    args = parser.parse_args(given)
    try:
        collection = load(args.file, args.reports)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    candidates = Candidates(collection)
    if args.weights:
        write_weights(candidates, args)
    repeats = outputs(candidates, args, args.repeats, args.network)
    report(results(collection, repeats), args.out)
    return 0


def outputs(
    candidates: Candidates, args: argparse.Namespace, repeats: int = 1, trained: str | None = None
) -> list[Found]:
    """Return the programs from each cross-validation over all kinds of facts."""
    presets = PRESETS[trained] if trained else None
    return [validated(candidates, args.folds, seed, args.quiet, presets) for seed in range(repeats)]


def write_weights(candidates: Candidates, args: argparse.Namespace) -> None:
    """Fit the weights to all questions, and write them to a table with their origin."""
    weights = taught(candidates.examples(args.folds), [True] * len(candidates.questions))
    made = f"python experiments/programs.py {args.file.name} --weights FILE"
    head = f"# Weight of each feature (rows) for each form of calculation (columns). Made by {made}\n"
    args.weights.write_text(head + pd.DataFrame(weights).to_csv(sep="\t", index_label="feature"), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
