"""Show the effect of a constant of ranking, with other values of the constant on every collection.

    python experiments/constant.py FOLDER quantity:demo --constant BOUND --values 0.5 1 [--sample 200]

Collections are named as `lib/arguments.py` describes. The constant is a number in `pyterrier_quantity/constants.py`, or
a field of its `UnitWeights` or `WordWeights`. The table has a row for each value, the one in use first: nDCG@10 of
`quantity_aware` over BM25 on each collection, with the numbers of queries that gain and lose, and p (two-sided
permutation test), and the mean. The collections are development material, so the figures are upper bounds.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace

import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.parts import Part, publish
from lib.significance import permutation_p

import pyterrier_quantity as ptq
from pyterrier_quantity import constants
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.score import Scoring


def in_use(name: str) -> float:
    """Return the constant's value.

    Raises:
        ValueError: if there is no such constant.
    """
    for weights in (constants.UnitWeights(), constants.WordWeights()):
        if name in {field.name for field in fields(weights)}:
            return float(getattr(weights, name))
    found = getattr(constants, name, None)
    if not isinstance(found, int | float):
        raise ValueError(f"--constant {name}: no number of this name in pyterrier_quantity/constants.py")
    return float(found)


@contextmanager
def changed(name: str, value: float) -> Iterator[Scoring]:
    """Yield the scoring with another value of the constant. Inside the `with` block, this value is used everywhere."""
    scoring = Scoring()
    if name in {field.name for field in fields(constants.UnitWeights)}:
        yield replace(scoring, units=replace(scoring.units, **{name: value}))
    elif name in {field.name for field in fields(constants.WordWeights)}:
        yield replace(scoring, fit=replace(constants.WordWeights(), **{name: value}))
    else:
        package = [module for key, module in sys.modules.items() if key.startswith("pyterrier_quantity.")]
        users = [module for module in package if name in vars(module)]
        former = in_use(name)
        try:
            for module in users:
                setattr(module, name, value)
            yield replace(scoring, met=value) if name == "MET" else scoring
        finally:
            for module in users:
                setattr(module, name, former)


def figures(collection: Collection, name: str, values: list[float]) -> pd.DataFrame:
    """Return nDCG@10 of each query (rows) at each value (columns)."""
    topics = collection.queries
    run, found = pt.Transformer.from_df(collection.bm25(topics)), {}
    for value in values:
        with changed(name, value) as scoring:
            aware = ptq.quantity_aware(run, collection.quantities, phi=scoring)
            found[value] = collection.measure(aware(topics)).reindex(topics["qid"])
    return pd.DataFrame(found)


def readable(found: dict[str, pd.DataFrame], value: float, first: float) -> dict[str, str]:
    """Return the table's row for a value: a cell for each collection, and the mean."""
    cells = {}
    for name, queries in found.items():
        gained = queries[value] - queries[first]
        told = f" (+{(gained > 0).sum()} -{(gained < 0).sum()}"
        told += f", p {permutation_p(queries[value], queries[first]):.2f})" if gained.any() else ")"
        cells[name] = f"{queries[value].mean():.4f}{told if value != first else ''}"
    return cells | {"mean": f"{sum(queries[value].mean() for queries in found.values()) / len(found):.4f}"}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--constant", required=True, metavar="NAME", help="BOUND, MET, floor, convertible, ...")
    parser.add_argument("--values", required=True, nargs="+", type=float, help="other values of it")
    args = parser.parse_args()
    first = in_use(args.constant)
    values = list(dict.fromkeys([first, *args.values]))
    found = {each.name: figures(each, args.constant, values) for each in collections(args)}
    table = pd.DataFrame({name: queries.mean() for name, queries in found.items()}).rename_axis(args.constant)
    shown = pd.DataFrame({value: readable(found, value, first) for value in values}).T.rename_axis(args.constant)
    publish(Part(f"constant-{args.constant}", f"{args.constant}, {first:g} in use", table, shown), args.out)


if __name__ == "__main__":
    sys.exit(run_program("constant.py", main))
