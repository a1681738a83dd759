"""Reproduce Table 2 of "Numbers Matter!": every system on every collection, with the paper's figures.

    python experiments/table2.py FOLDER [--names reuters] [--pool] [--base] [--parameters paper] [--test fisher]
    python experiments/table2.py --corpus FILE.jsonl.gz --topics FILE.tsv --qrels FILE --systems "QBM25 (ours)" ...

Collections are named as `lib/arguments.py` describes, and systems as in `lib/systems.py`. A dagger marks a system that
is better than its own base, without quantities, by a two-sided paired test over the queries, with Holm's correction
over all systems of a column. The column ms is the mean response time per query, with all queries in one batch, and
indexes and models in memory.

The paper's figures are those printed for FinQuant and MedQuant, with the paper's labels. Its group labels are swapped:
"joint" are the disjoint rankers, which have an index of quantities (QBM25, QSPLADE, QColBERT), and "disjoint" are the
joint rankers, which are fine-tuned (SPLADE_ft, ColBERT_ft). For models fine-tuned on the other collection (SPLADE_out,
ColBERT_out), the paper prints the difference from these.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lib.collection import Collection
from lib.parts import Part
from lib.runs import MEASURES, Kept, kept_runs
from lib.significance import TESTS, differences, holm
from lib.systems import publish_parts, systems

from pyterrier_quantity.cli import run as run_program

COLUMNS = list(map(str, MEASURES))
CONVERTED = "converted"
"""The share, among the first hundred, of documents that are relevant only after conversion of units."""
LEVEL = 0.01
PAPER = Path(__file__).with_name("table2_paper.tsv")
TEST_NAMES = {"permutation": "permutation test (Riezler and Maxwell)", "fisher": "Fisher's randomisation test",
              "t": "paired t-test"}  # fmt: skip


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument("--test", default="permutation", choices=TESTS, help="of significance (%(default)s)")


def parts(collection: Collection, args: argparse.Namespace) -> list[Part]:
    """Return the table of one collection."""
    kept = kept_runs(systems(collection, args), collection)
    found = figures(kept, args.test)
    if collection.convertible is not None:
        found[CONVERTED] = [collection.converted(one.run()) for one in kept]
    title = f"Table 2: {collection.name}, {len(collection.topics)} queries"
    return [
        Part(
            f"table2{'-base' if args.base else '-pool' if args.pool else ''}-{collection.name}",
            title,
            found,
            readable(found),
            note(args.test),
        )
    ]


def figures(kept: Sequence[Kept], test: str) -> pd.DataFrame:
    """Return a row for each system: means, mrt, the base that it is compared with, and corrected p-values."""
    found = pd.DataFrame({one.system.name: one.perquery.mean() for one in kept}).T[COLUMNS]
    found["mrt"] = [one.mrt for one in kept]
    found["base"] = [one.system.base for one in kept]
    by_name = {one.system.name: one.perquery for one in kept}
    pairs = [(one.system.name, one.system.base) for one in kept if one.system.base in by_name]
    compared = [differences(by_name[name][column], by_name[base][column]) for column in COLUMNS for name, base in pairs]
    p_values: Any = TESTS[test](np.array(compared).T).reshape(len(COLUMNS), -1) if pairs else [[]] * len(COLUMNS)
    for column, uncorrected in zip(COLUMNS, p_values, strict=True):
        found[f"{column} p"] = pd.Series(holm(uncorrected), index=[name for name, _ in pairs], dtype=float)
    return found.rename_axis("system")


def readable(found: pd.DataFrame) -> pd.DataFrame:
    """Return the figures for display, with the paper's in two additional columns, and its other rows at the end."""
    paper = pd.read_csv(PAPER, sep="\t", dtype=str, keep_default_na=False).set_index("row")
    rows = {}
    for name in [*found.index, *paper.index.difference(found.index, sort=False)]:
        rows[name] = _ours(found, name) | (_papers(paper.loc[name]) if name in paper.index else {})
    shown = pd.DataFrame(rows).T.fillna("")
    return shown.rename_axis("system")


def _ours(found: pd.DataFrame, name: str) -> dict[str, str]:
    if name not in found.index:
        return dict.fromkeys([*COLUMNS, "ms"], "")
    row = found.loc[name]
    cells = {}
    for column in COLUMNS:
        better = row[f"{column} p"] < LEVEL and row[column] > found.loc[row["base"], column]
        cells[column] = f"{row[column]:.3f}{'†' if better else ''}"
    if CONVERTED in found:
        cells[CONVERTED] = f"{row[CONVERTED]:.3f}"
    return cells | {"ms": f"{row['mrt']:.2f}"}


def _papers(row: pd.Series) -> dict[str, str]:
    cells = {f"paper, {name}": " ".join(row[f"{name} {column}"].replace("0.", ".") for column in COLUMNS)
             for name in ("FinQuant", "MedQuant")}  # fmt: skip
    return cells | {"paper, ms": row["latency_ms"], "paper's label": row["label"]}


def note(test: str) -> str:
    """Return the note under the table."""
    return (f"† better than its base without quantities: {TEST_NAMES[test]}, Holm's correction, p < {LEVEL}. "
            f"{CONVERTED}: share of what is relevant only after conversion in the first 100. ms: a query, in a batch. "
            f"The paper's figures are {' '.join(COLUMNS)}, of _out models the differences from _ft.")  # fmt: skip


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("table2.py", main))
