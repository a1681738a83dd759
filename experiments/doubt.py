"""Learn how much support in the first results an uncertain number needs, and test it on held-out collections.

    python experiments/doubt.py FOLDER quantity:demo --told birco-trials [--data tests/data]

Collections are named as `lib/arguments.py` describes. Each topic is put into wordings whose numbers do not set
conditions ("nothing") and, except in the collections of --told, into ten wordings with its own condition ("asked").
Queries with exactly one uncertain number are ranked twice by union: with and without the number as a condition.

A logistic regression predicts whether the condition gains or loses nDCG@10. Its features are the parser's log-odds, the
best quantity score among the results, the share of the first results that state a quantity in the unit, and how
everyday the unit is. The weight of a query is its gain, or `LOSS` times its loss, because queries that do not ask for a
value must not be ranked worse. The script prints the sums of nDCG@10 gained over no conditions, by the weights in use
and by those learned from the other collections, and the weights learned from all, next to those of `constants.py`. All
wordings were visible while rules were written, so the figures are upper bounds.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pandas as pd
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.parts import Part, publish
from never_worse import ASKING, around, measured, wordings_of
from sklearn.linear_model import LogisticRegression

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.constants import BEST, BIAS, EVERYDAY, FULL_EFFECT, NO_EFFECT, PARSED, STATED
from pyterrier_quantity.plan.signs import everyday
from pyterrier_quantity.score import settling
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.score.settling import with_support

LOSS: Final = 2.0
"""The factor on a loss."""
FEATURES: Final = ["parsed", "best", "stated", "everyday"]
IN_USE: Final = np.array([PARSED, BEST, STATED, EVERYDAY])

Floats = npt.NDArray[np.float64]


def rows_of(
    collection: Collection, data: Path, told: bool, topics_a_wording: Sequence[int]
) -> Iterator[dict[str, object]]:
    """Return the features of each query with one number in doubt, and the gain from treating it as a condition.

    Args:
        collection: the collection to search.
        data: the folder of `incidental.tsv`.
        told: whether the topics' numbers set no condition.
        topics_a_wording: the number of topics put into each wording.
    """
    topics, random = collection.queries, Random(1)
    kinds = wordings_of(data / "incidental.tsv")
    plain = [wording for kind, ways in kinds.items() if kind != "removed" for wording in ways]
    frames = {"nothing": around(topics, plain, topics_a_wording[0], random)}
    if not told:
        frames["asked"] = around(topics, ASKING, topics_a_wording[1], random, conditions=True)
    for kind, asked in frames.items():
        doubtful = _in_doubt(asked)
        support = _support(collection, doubtful)
        believed, not_believed = (_values(collection, doubtful, counts) for counts in (True, False))
        for (_, row), on, off in zip(doubtful.iterrows(), believed, not_believed, strict=True):
            (constraint,) = row["constraints"]
            best, stated = support.get(row["qid"], (0.0, 0.0))
            odds = np.log(constraint.certainty) - np.log1p(-constraint.certainty)
            yield {
                "collection": collection.name,
                "kind": kind,
                "parsed": odds,
                "best": best,
                "stated": stated,
                "everyday": everyday(constraint.unit, constraint.low),
                "gain": on - off,
            }


def _in_doubt(asked: pd.DataFrame) -> pd.DataFrame:
    """Return the queries with exactly one constraint, if this is uncertain."""
    parsed = ptq.QuantityQueryParser()(asked)
    one = [len(all_) == 1 and all_[0].certainty < 1 for all_ in parsed["constraints"]]
    return parsed[one].reset_index(drop=True)


def _support(collection: Collection, doubtful: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the inputs of `settling` for each query with results, keyed by `qid`: the best quantity score among BM25's
    results, and the share of the first results that state a quantity in the unit."""
    results = collection.bm25(doubtful)
    seen: list[tuple[float, float]] = []

    def noted(query: IndexQuery, best: Floats, stated: Floats, trusted: bool = False) -> IndexQuery:
        seen.append((float(best[0]), float(stated[0])))
        return with_support(query, best, stated, trusted)

    with patch.object(settling, "with_support", noted):
        collection.quantities.settle()(results)
    return dict(zip(pd.unique(results["qid"]), seen, strict=True))


def _values(collection: Collection, doubtful: pd.DataFrame, counts: bool) -> Floats:
    """Return the nDCG@10 of each query with and without its number as a condition."""
    constraints = [[replace(one, certainty=1.0) for one in all_] if counts else [] for all_ in doubtful["constraints"]]
    asked = doubtful.assign(constraints=constraints)
    run = ptq.quantity_aware(collection.bm25, collection.quantities, candidates="union")(asked)
    return measured(collection, run, asked).to_numpy()


def learn(found: pd.DataFrame) -> LogisticRegression:
    """Return the weights. Queries without a gain or loss are ignored."""
    own = found[found["gain"] != 0]
    weight = own["gain"].abs() * np.where(own["gain"] < 0, LOSS, 1.0)
    return LogisticRegression(C=10.0, max_iter=5000).fit(own[FEATURES], own["gain"] > 0, 100 * weight)


def gained(found: pd.DataFrame, weights: Floats, bias: float) -> dict[str, float]:
    """Return the gain of the given weights over no conditions, keyed by kind. Partial effects gain proportionally."""
    odds = found[FEATURES].to_numpy() @ weights + bias
    effect = np.clip((odds - NO_EFFECT) / (FULL_EFFECT - NO_EFFECT), 0.0, 1.0) ** 2
    return (effect * found["gain"]).groupby(found["kind"]).sum().to_dict()


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each collection: the gain of the weights in use, that of the weights learned from the other
    collections, and the largest possible gain."""
    rows = {}
    for name in found["collection"].unique():
        own, others = found[found["collection"] == name], found[found["collection"] != name]
        model = learn(others)
        possible = own["gain"].clip(lower=0).groupby(own["kind"]).sum()
        ways = {
            "in use": gained(own, IN_USE, BIAS),
            "others'": gained(own, model.coef_[0], float(model.intercept_[0])),
            "best": possible,
        }
        rows[name] = {f"{kind}, {way}": values[kind] for kind in possible.index for way, values in ways.items()}
    return pd.DataFrame(rows).T.rename_axis("collection")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--told", nargs="*", default=[], metavar="NAME", help="collections whose topics set none")
    parser.add_argument("--data", type=Path, default=Path("tests/data"), help="with incidental.tsv (%(default)s)")
    parser.add_argument(
        "--around",
        type=int,
        nargs=2,
        default=(5, 20),
        metavar="N",
        help="topics that each wording and each way of asking is put around (5 20)",
    )
    args: argparse.Namespace = parser.parse_args()
    given = collections(args)
    if len(given) < 2:
        raise ValueError("leaving one out takes at least two collections")
    rows = [
        row for collection in given for row in rows_of(collection, args.data, collection.name in args.told, args.around)
    ]
    found = pd.DataFrame(rows)
    figures = table(found)
    shown = figures.map(lambda value: "" if pd.isna(value) else f"{value:.2f}")
    shown.loc["all"] = [f"{total:.2f}" for total in figures.sum()]
    model = learn(found)
    learned = ", ".join(f"{name} {weight:.2f}" for name, weight in zip(FEATURES, model.coef_[0], strict=True))
    note = f"{len(found)} queries. All teach: {learned}, bias {model.intercept_[0]:.2f}. Sums of nDCG@10; upper bounds."
    publish(Part("doubt", "Gain from doubtful numbers as conditions", figures, shown, note), args.out)


if __name__ == "__main__":
    sys.exit(run_program("doubt.py", main))
