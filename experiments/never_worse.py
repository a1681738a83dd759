"""Whether quantities do harm where a query asks for none: its numbers removed, or made incidental.

    python experiments/never_worse.py FOLDER quantity:demo [--names reuters] [--queries 200]
        [--wordings tests/data/incidental.tsv]

Collections are named as `lib/arguments.py` describes. Each topic is asked again by what its conditions leave of its
text ("removed"), and with this in wordings whose numbers say something of who asks, when, or of a thing's name; every
kind has several, which take turns. "typed" is the topic as it is: there quantities should help.

nDCG@10 of BM25 and of both quantity-aware rankers over it. worse, better: queries that union loses and wins. p: of the
difference that it makes, two-sided permutation test.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pandas as pd
import pyterrier as pt
from lib.collection import Collection
from lib.parts import Part
from lib.significance import permutation_p
from lib.systems import publish_parts

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program

WORDINGS: Final = {
    "typed": (),
    "removed": ("{}",),
    "ages": (
        "I am 34 years old and looking for {}",
        "As a 52-year-old teacher I would like to read about {}",
        "My daughter is 7 and has homework about {}",
        "We are both 61 years old; {}",
    ),
    "times": (
        "{} (I first read about it in 2016)",
        "since I last looked in 2014: {}",
        "I have been a nurse for 12 years and need {}",
        "My essay is due in 3 days, {}",
    ),
    "names": (
        "my iPhone 15 Pro cannot open pages about {}",
        "{} on Windows 11",
        "Room 101 group, question 4: {}",
        "section 12 of my report is about {}",
        "top 10 {}",
    ),
    "story": (
        "Yesterday I met a man of 58 years who had worked 30 years in a factory. He told me that he walks 5 km a day. "
        "We then spoke about {}.",
        "A 41-year-old woman wrote to us on 3 May 2019. She lives 200 miles from the next city and has 4 children. "
        "Her letter was about {}.",
    ),
}  # fmt: skip
"""Kind of number, and the wordings around what is asked."""


def wordings_of(path: Path | None) -> dict[str, tuple[str, ...]]:
    """`WORDINGS`, and those of a file: kind, tab, wording with "{}".

    Raises:
        ValueError: on a line that has no tab or no "{}".
    """
    if path is None:
        return WORDINGS
    own: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        kind, _, wording = line.partition("\t")
        if line.startswith("#"):
            continue
        if "{}" not in wording:
            raise ValueError(f"{path}, line {number}: expected a kind, a tab and a wording with {{}}, got {line!r}")
        own[kind] = (*own.get(kind, ()), wording)
    return WORDINGS | own


def reworded(topics: pd.DataFrame, wordings: tuple[str, ...]) -> pd.DataFrame:
    """The topics in the wordings of a kind, in turns."""
    if not wordings:
        return topics
    texts = [
        wordings[place % len(wordings)].format(without_numbers(text))
        for place, text in enumerate(topics["query"])
    ]
    return topics.assign(query=texts)


def without_numbers(query: str) -> str:
    """What a query is about, without its conditions and other numbers."""
    return re.sub(r"\s*\d[\d.,]*", "", ptq.parse_query(query)[0]).strip()


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """One table: a row a kind."""
    topics = collection.queries[["qid", "query"]]
    if len(topics) > args.queries:
        topics = topics.sample(args.queries, random_state=1).reset_index(drop=True)
    kinds = wordings_of(args.wordings)
    rows = {kind: _compared(collection, reworded(topics, wordings)) for kind, wordings in kinds.items()}
    table = pd.DataFrame(rows).T.rename_axis("numbers")
    shown = table.map("{:.3f}".format)
    shown[["worse", "better"]] = table[["worse", "better"]].map("{:.0f}".format)
    yield Part(f"never-worse-{collection.name}", f"{collection.name}, {len(topics)} queries", table, shown)


def _compared(collection: Collection, topics: pd.DataFrame) -> dict[str, float]:
    run = collection.bm25(topics)
    values = {"BM25": _measured(collection, run, topics)}
    for name, candidates in (("QBM25", "retriever"), ("union", "union")):
        aware = ptq.quantity_aware(pt.Transformer.from_df(run), collection.quantities, candidates=candidates)
        values[name] = _measured(collection, aware(topics), topics)
    gained = values["union"] - values["BM25"]
    row = {name: float(value.mean()) for name, value in values.items()}
    changed = bool((gained != 0).any())
    return row | {"worse": int((gained < 0).sum()), "better": int((gained > 0).sum()),
                  "p": permutation_p(values["union"], values["BM25"]) if changed else 1.0}  # fmt: skip


def _measured(collection: Collection, run: pd.DataFrame, topics: pd.DataFrame) -> pd.Series:
    return collection.measure(run).reindex(topics["qid"])


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this script alone."""
    parser.add_argument("--queries", type=int, default=200, help="topics of a collection, at most (%(default)s)")
    parser.add_argument("--wordings", type=Path, help='further wordings: a kind, a tab and a wording with "{}" a line')


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("never_worse.py", main))
