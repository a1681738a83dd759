"""Draw the picture in the README: the values that documents state in the query's unit, and the score of each value.

python experiments/picture.py [--out docs/query.png] [--query "car with more than 500 hp"]
"""

import argparse
import sys
import tempfile
from pathlib import Path

import pandas as pd

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.datasets import get_dataset
from pyterrier_quantity.units import default_registry


def draw(query: str, out: Path) -> None:
    """Draw the picture for a query with a single condition over the bundled collection.

    Raises:
        ValueError: if the query does not set exactly one condition.
    """
    import matplotlib.pyplot as plt

    terms, constraints = ptq.parse_query(query)
    if len(constraints) != 1:
        raise ValueError(f"{query!r} sets {len(constraints)} conditions; one is drawn")
    with tempfile.TemporaryDirectory() as folder:
        index = ptq.QuantityIndex(Path(folder) / "quantities").index(get_dataset("demo").get_corpus_iter(verbose=False))
        everything = ptq.Constraint("range", 0, 1e6, constraints[0].unit)
        asked = pd.DataFrame([{"qid": "1", "query": terms, "constraints": [everything]}])
        found = index.retriever().transform(asked)
        scored = index.scorer().transform(found.assign(constraints=[constraints] * len(found)))
        table = ptq.explain(scored, index)
    table["value"] = [default_registry().convert(one.low, one.unit, constraints[0].unit) for one in table["quantity"]]
    nearby = table[table["value"] < 3 * constraints[0].low]
    figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
    for met, colour in ((True, "tab:green"), (False, "tab:gray")):
        part = nearby[nearby["met"] == met]
        axes.scatter(part["value"], part["quantity_score"], s=14, alpha=0.6, color=colour)
    axes.axvline(constraints[0].low, color="tab:red", linewidth=1)
    axes.set(xlabel=f"{constraints[0].unit} that a document states", ylabel="quantity score", title=query)
    figure.savefig(out, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/query.png"))
    parser.add_argument("--query", default="car with more than 500 hp")
    args = parser.parse_args()
    draw(args.query, args.out)


if __name__ == "__main__":
    sys.exit(run_program("picture.py", main))
