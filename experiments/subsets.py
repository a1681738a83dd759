"""Reproduce Figure 1 of "Numbers Matter!": the nDCG@10 of every system by type of query and by condition.

    python experiments/subsets.py FOLDER [--names reuters] [--pool] [--systems "BM25 (whole query)" "QBM25 (ours)"]

The runs are those of `table2.py`, and stored runs are reused. The script writes a table and a plot (SVG) for each
collection. For FinQuant and MedQuant, the types are those of the paper: seen and unseen (lexical), expansion and
without surface form (semantic).
"""

import argparse
import sys
from collections.abc import Sequence

import pandas as pd
from lib.collection import Collection
from lib.parts import Part
from lib.runs import Kept, kept_runs
from lib.systems import publish_parts, systems

from pyterrier_quantity.cli import run as run_program

MEASURE = "nDCG@10"
FIRST = ["lexical", "seen", "unseen", "semantic", "expansion", "w/o surface form", "equal", "less", "greater"]
LAST = ["at most", "at least", "range", "not equal", "about", "several", "none", "other"]
"""The last groups, in order. Other groups come before, sorted by name."""


def groupings(collection: Collection) -> dict[str, pd.Series]:
    """Return the groupings of queries: for each title, the group of each query, keyed by qid."""
    topics = collection.topics.set_index("qid")
    kind = next((column for column in ("subset", "type") if column in topics), None)
    types = {"type of query": topics[kind].replace("", "other")} if kind else {}
    return types | {"condition": collection.conditions}


def subsets(kept: Sequence[Kept], collection: Collection) -> pd.DataFrame:
    """Return the mean nDCG@10 of each system (row) for each grouping and group (column), with the number of queries."""
    parts = {}
    for title, groups in groupings(collection).items():
        sizes = groups.value_counts()
        for group in sorted(sizes.index, key=_place):
            chosen = groups.index[groups == group]
            values = {one.system.name: one.perquery[MEASURE].reindex(chosen).mean() for one in kept}
            parts[title, f"{group} ({sizes[group]})"] = pd.Series(values)
    return pd.DataFrame(parts).reindex([one.system.name for one in kept]).rename_axis("system")


def _place(group: str) -> tuple[int, str]:
    if group in FIRST:
        return FIRST.index(group), group
    return len(FIRST) + (LAST.index(group) + 1 if group in LAST else 0), group


def parts(collection: Collection, args: argparse.Namespace) -> list[Part]:
    """Return the table and the plot of one collection."""
    found = subsets(kept_runs(systems(collection, args), collection), collection)
    titles = found.columns.unique(level=0)
    found.columns = pd.Index([group for _, group in found.columns])
    shown = found.map("{:.3f}".format)
    note = f"{MEASURE} by {' and by '.join(titles)}; in brackets the number of queries."
    return [Part(f"subsets-{collection.name}", f"Figure 1: {collection.name}", found, shown, note, "barh")]


def main() -> None:
    publish_parts(__doc__, parts)


if __name__ == "__main__":
    sys.exit(run_program("subsets.py", main))
