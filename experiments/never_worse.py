"""Measure the harm by quantities in queries that ask for none: their numbers are removed, or made incidental.

    python experiments/never_worse.py FOLDER quantity:demo [--names reuters] [--queries 200]
        [--wordings tests/data/incidental.tsv] [--around 6] [--told birco-trials]

Collections are named as `lib/arguments.py` describes. Each topic is asked again without its conditions ("removed"), and
the rest is put into wordings with other numbers: about the asker, about time, or in a name. Every kind has several
wordings, which take turns. In "typed", the topic is unchanged, and quantities should help.

With --around, every wording is put around N random topics, and there are three additional rows. "nothing asked" is all
of these together. "beside" has a third as many topics in the same wordings with their conditions. "asked" has the
unchanged topics in ten ways of asking. The last two leave out the collections of --told, whose topics do not set
conditions.

The table contains the nDCG@10 of BM25 and of both quantity-aware rankers over it. The columns worse and better are the
numbers of queries that union loses and wins, and p is from a two-sided permutation test of the difference.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
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
"""The wordings around the topic for each kind of number."""

ASKING: Final = (
    "{}",
    "find {}",
    "which are the {}",
    "news about {}",
    "Can you show me {}?",
    "I would like to know about {}, please",
    "Does anybody know of {}?",
    "Hello everybody, I am writing an article for our paper and my editor wants examples. What I need is {}. "
    "Thank you very much in advance!",
    "We have been discussing this at home for a while now and cannot agree. Are there {}? Any pointers welcome.",
    "Please search the archive for {} and send me whatever you find, my colleague says there must be some",
)
"""Short and long ways to ask."""


def wordings_of(path: Path | None) -> dict[str, tuple[str, ...]]:
    """Return `WORDINGS` and the wordings in a file, whose lines consist of a kind, a tab and a wording with "{}".

    Raises:
        ValueError: if a line has no tab or no "{}".
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
    """Return the topics in the wordings of a kind, which take turns."""
    if not wordings:
        return topics
    texts = [
        wordings[place % len(wordings)].format(without_numbers(text)) for place, text in enumerate(topics["query"])
    ]
    return topics.assign(query=texts)


def around(
    topics: pd.DataFrame, wordings: Iterable[str], count: int, random: Random, conditions: bool = False
) -> pd.DataFrame:
    """Put every wording around several topics. Return a frame with `qid`, `topic` (the topic's qid) and `query`.

    Args:
        conditions: whether to keep the topics' own conditions.
    """
    asked = list(topics[["qid", "query"]].itertuples(index=False, name=None))
    rows = [(topic, wording.format(text if conditions else without_numbers(text))) for wording in wordings
            for topic, text in random.sample(asked, min(count, len(asked)))]  # fmt: skip
    found = pd.DataFrame(rows, columns=["topic", "query"])
    return found.assign(qid=[str(number) for number in range(len(found))])


def without_numbers(query: str) -> str:
    """Return a query without its conditions and other numbers."""
    return re.sub(r"\s*\d[\d.,]*", "", ptq.parse_query(query)[0]).strip()


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """Yield one table, with a row for each kind."""
    topics = collection.queries[["qid", "query"]]
    if len(topics) > args.queries:
        topics = topics.sample(args.queries, random_state=1).reset_index(drop=True)
    kinds = wordings_of(args.wordings)
    if args.around:
        told = collection.name in args.told
        rows = _around_each(collection, topics, kinds, args.around, told)
    else:
        rows = {kind: _row(_values(collection, reworded(topics, wordings))) for kind, wordings in kinds.items()}
    table = pd.DataFrame(rows).T.rename_axis("numbers")
    shown = table.map("{:.3f}".format)
    counts = ["queries", "worse", "better"]
    shown[counts] = table[counts].map("{:.0f}".format)
    yield Part(f"never-worse-{collection.name}", f"{collection.name}, {len(topics)} queries", table, shown)


def _around_each(
    collection: Collection, topics: pd.DataFrame, kinds: dict[str, tuple[str, ...]], count: int, told: bool
) -> dict[str, dict[str, float]]:
    random = Random(1)
    plain = {kind: wordings for kind, wordings in kinds.items() if wordings}
    values = {kind: _values(collection, around(topics, wordings, count, random)) for kind, wordings in plain.items()}
    rows = {"typed": _row(_values(collection, topics))}
    if not told:
        every = [wording for kind, wordings in plain.items() if kind != "removed" for wording in wordings]
        asked = around(topics, ASKING, 2 * count, random, conditions=True)
        beside = around(topics, every, max(1, count // 3), random, conditions=True)
        rows |= {"asked": _row(_values(collection, asked)), "beside": _row(_values(collection, beside))}
    rows["nothing asked"] = _row(pd.concat(values.values(), ignore_index=True))
    return rows | {kind: _row(found) for kind, found in values.items()}


def _values(collection: Collection, asked: pd.DataFrame) -> pd.DataFrame:
    """Return the nDCG@10 of every query (rows) for every ranker (columns)."""
    run = collection.bm25(asked[["qid", "query"]])
    values = {"BM25": measured(collection, run, asked)}
    for name, candidates in (("QBM25", "retriever"), ("union", "union")):
        aware = ptq.quantity_aware(pt.Transformer.from_df(run), collection.quantities, candidates=candidates)
        values[name] = measured(collection, aware(asked[["qid", "query"]]), asked)
    return pd.DataFrame(values).reset_index(drop=True)


def _row(values: pd.DataFrame) -> dict[str, float]:
    gained = values["union"] - values["BM25"]
    row = {"queries": float(len(values)), **values.mean().to_dict()}
    return row | {"worse": int((gained < 0).sum()), "better": int((gained > 0).sum()),
                  "p": permutation_p(values["union"], values["BM25"]) if gained.any() else 1.0}  # fmt: skip


def measured(collection: Collection, run: pd.DataFrame, asked: pd.DataFrame) -> pd.Series:
    """Return the measure for queries about judged topics. A topic may have several queries."""
    if "topic" not in asked:
        return collection.measure(run).reindex(asked["qid"])
    topic = dict(zip(asked["qid"], asked["topic"], strict=True))
    found = []
    for _, round_ in asked.groupby(asked.groupby("topic").cumcount()):
        own = run[run["qid"].isin(round_["qid"])]
        values = collection.measure(own.assign(qid=own["qid"].map(topic))).reindex(round_["topic"])
        found.append(pd.Series(values.to_numpy(), index=round_["qid"]))
    return pd.concat(found).reindex(asked["qid"])


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument("--queries", type=int, default=200, help="topics of a collection, at most (%(default)s)")
    parser.add_argument("--around", type=int, default=0, metavar="N", help="put every wording around N topics")
    parser.add_argument("--told", nargs="*", default=[], metavar="NAME", help="collections whose topics set none")
    parser.add_argument("--wordings", type=Path, help='further wordings: a kind, a tab and a wording with "{}" a line')


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("never_worse.py", main))
