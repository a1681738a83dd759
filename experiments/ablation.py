"""What each step beyond the paper's QBM25 brings: nDCG@10 and R@100, the steps added one by one.

    python experiments/ablation.py FOLDER [--names reuters] [--out results] [--work var]

Collections are named as `common.py` describes. p: permutation test against the line above.
"""

from __future__ import annotations

import sys
from typing import Any

import pandas as pd
from common import arguments, collections, write
from significance import permutation_p

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.index import ConceptFit, UnitWeights

STRICT = UnitWeights(convertible=0.0, part=0.0, more=0.0, noun=0.0, bare=0.0)
PLAIN: dict[str, Any] = {"aggregate": "mean", "units": STRICT, "met": 0.0, "fit": False, "confidence": False}
STEPS: dict[str, dict[str, Any]] = {
    "the paper's": {"alpha": 1.0, "phi": "paper", "keep": "concept"},
    "+ the whole query text": {"keep": "all"},
    "+ phi for every value, scale-free": {"phi": "closest"} | PLAIN,
    "+ the best quantity, not the mean": {"aggregate": "best"},
    "+ credit for meeting the condition": {"met": 0.4},
    "+ conversion": {"units": UnitWeights(part=0.0, more=0.0, noun=0.0, bare=0.0)},
    "+ soft units": {"units": UnitWeights()},
    "+ confidence": {"confidence": True},
    "+ the query's terms in the sentence": {"fit": ConceptFit(rivalry=0.0)},
    "+ their nearness, against rivals": {"fit": True},
    "+ alpha = 4": {"alpha": 4.0},
    "+ the index's own candidates": {"candidates": "union"},
    "+ feedback": {"feedback": True},
}
"""Name of each step, and the options that it changes."""


def main() -> None:
    args = arguments(__doc__).parse_args()
    for collection in collections(args):
        options: dict[str, Any] = {}
        rows, before = {}, None
        for name, change in STEPS.items():
            options |= change
            given = {key: value for key, value in options.items() if key != "keep"}
            parser = ptq.QuantityQueryParser(keep=options["keep"])
            system = ptq.quantity_aware(collection.bm25, collection.quantities, parser=parser, **given)
            run = system(collection.queries)
            ndcg = collection.measure(run)
            rows[name] = {"nDCG@10": ndcg.mean(), "R@100": collection.measure(run, "R@100").mean()}
            rows[name] |= ndcg.groupby(collection.topics.set_index("qid")["type"]).mean().to_dict()
            if before is not None:
                rows[name]["p"] = permutation_p(ndcg, before)
            before = ndcg
        print(f"\n== {collection.name}")
        table = pd.DataFrame(rows).T
        print(table.round(3).to_string(na_rep=""))
        write(table, args.out, f"ablation-{collection.name}")


if __name__ == "__main__":
    sys.exit(run_program("ablation.py", main))
