"""Measure how often `ptq.answers.Extractive` finds the right value, with questions on the bundled collection's facts.

    python experiments/answers.py [--out FOLDER]

Questions are made from the facts: "how heavy is the Halden Kombi?" for attributes with an everyday question, "what is
the battery life of ..." for all others that at least `--facts` documents state. An answer is right if a document states
it, within 2 % after conversion, for that subject and attribute. The script writes answers.csv and answers.md. The
package was developed on this collection, so the figures are upper bounds.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.parts import write

import pyterrier_quantity as ptq
from pyterrier_quantity.answers.answer_values import is_same
from pyterrier_quantity.cli import run as run_program

ASKED = {
    "height": "how tall is {}?", "length": "how long is {}?", "weight": "how heavy is {}?",
    "price": "how much does {} cost?", "power": "how powerful is {}?", "top speed": "how fast is {}?",
    "age": "how old is {}?", "depth": "how deep is {}?",
}  # fmt: skip
"""Everyday questions, keyed by attribute."""


def questions(facts: pd.DataFrame, least: int) -> pd.DataFrame:
    """Return `qid`, `query`, `attribute`, and `right`: the (value, unit) pairs that documents state."""
    stated = facts[(facts["subject"] != "") & (facts["low"] == facts["high"])]
    common = stated["attribute"].value_counts()
    rows = []
    for (subject, attribute), group in stated.groupby(["subject", "attribute"], sort=True):
        if common[attribute] >= least:
            query = ASKED.get(attribute, f"what is the {attribute} of {{}}?").format(subject)
            right = list(zip(group["low"], group["unit"], strict=True))
            rows.append({"qid": str(len(rows)), "query": query, "attribute": attribute, "right": right})
    return pd.DataFrame(rows)


def is_right(value: float, unit: str, right: list[tuple[float, str]]) -> bool:
    """Return whether an answer is one of the stated values."""
    registry = ptq.units.default_registry()
    for low, written in right:
        its = registry.resolve(written)
        alike = unit and (its == unit or registry.conversion(its, unit))
        if alike and is_same(value, low if its == unit else float(registry.convert(low, its, unit))):
            return True
    return False


def figures(asked: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Return, for each attribute and in total, the number of questions and the shares with an answer and a right
    answer."""
    found = asked.merge(answers[["qid", "value", "unit"]], on="qid", how="left")
    found["answered"] = found["unit"].fillna("") != ""
    cells = found[["value", "unit", "right"]].itertuples(index=False, name=None)
    found["correct"] = [bool(unit) and is_right(value, unit, right) for value, unit, right in cells]
    measures = {"questions": ("qid", "size"), "answered": ("answered", "mean"), "right": ("correct", "mean")}
    by = found.groupby("attribute").agg(**measures).sort_values("questions", ascending=False)
    total = found.assign(attribute="all").groupby("attribute").agg(**measures)
    return pd.concat([total, by])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=15, metavar="N", help="that state an attribute (%(default)s)")
    parser.add_argument("--documents", type=int, default=10, metavar="N", help="results that are read (%(default)s)")
    parser.add_argument("--work", type=Path, default=Path("var"), help="where the index is kept (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("var/results"), help="where results are written (%(default)s)")
    args = parser.parse_args()
    dataset = ptq.datasets.get_dataset("demo")
    bm25 = ptq.backends.bm25(args.work / "answers.words", dataset.get_corpus_iter(verbose=False))
    search = bm25 % args.documents >> pt.text.get_text(dataset)
    asked = questions(dataset.get_facts(), args.facts)
    answer = search >> ptq.answers.Extractive(documents=args.documents)
    table = figures(asked, answer(asked[["qid", "query"]]))
    print(table.round(3).to_string())
    write(table.replace({np.nan: 0.0}), args.out, "answers", note="Developed on this collection: upper bounds.")


if __name__ == "__main__":
    sys.exit(run_program("answers.py", main))
