"""Ablate the steps from the paper's QBM25 to ours: nDCG@10 and R@100, with the steps added one by one.

    python experiments/ablation.py FOLDER [--names reuters] [--out results] [--work var]

Collections are named as `lib/arguments.py` describes. The column p is from a permutation test against the line above.
"""

import sys
from dataclasses import replace
from typing import Any

import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.parts import write
from lib.significance import permutation_p
from lib.tuning import Deep, depth_of

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.constants import ALPHA, UNITS, UnitWeights, WordWeights
from pyterrier_quantity.score import PAPER, Scoring

STRICT = UnitWeights(convertible=0.0, part=0.0, more=0.0, noun=0.0, bare=0.0, number=1.0)
STEPS: dict[str, dict[str, Any]] = {
    "the paper's": {"alpha": 1.0, "scoring": PAPER, "keep": "concept", "deep": True},
    "only BM25's first 1000 results": {"deep": False},
    "+ the whole query text": {"keep": "all"},
    "+ phi for every value, scale-free": {"phi": "closest", "units": STRICT},
    "+ the best quantity, not the mean": {"aggregate": "best"},
    "+ credit for meeting the condition": {"met": Scoring().met},
    "+ bounds that texts state": {"bounds": True},
    "+ conversion": {"units": UnitWeights(part=0.0, more=0.0, noun=0.0, bare=0.0, number=1.0)},
    "+ soft units": {"units": UNITS["soft"]},
    "+ confidence": {"confidence": True},
    "+ the query's terms, or other names of them, in the sentence": {"fit": WordWeights(rivalry=0.0)},
    "+ their nearness, against rivals": {"fit": WordWeights()},
    f"+ alpha = {ALPHA:g}": {"alpha": ALPHA},
    "+ the index's own candidates": {"candidates": "union"},
}
"""The name of each step, and the fields of `Scoring` or options that it changes."""


def pipeline(collection: Collection, options: dict[str, Any]) -> pt.Transformer:
    """Return QBM25 with the given options. `keep` selects the query words for BM25; `deep` ranks all documents that
    BM25 finds."""
    given = {name: value for name, value in options.items() if name not in ("keep", "deep", "scoring")}
    given.setdefault("candidates", "retriever")
    bm25 = collection.bm25_with(0.5, 0.5, depth_of(options["deep"]))
    concept = pt.apply.query(lambda row: ptq.parse_query(row["query"], keep=options["keep"])[0])
    aware = ptq.quantity_aware(concept >> bm25, collection.quantities, phi=options["scoring"], **given)
    return Deep(aware) if options["deep"] else aware


def main() -> None:
    args = arguments(__doc__).parse_args()
    for collection in collections(args):
        options: dict[str, Any] = {}
        rows, before = {}, None
        for step, change in STEPS.items():
            scored = {field: value for field, value in change.items() if field in Scoring.__dataclass_fields__}
            options |= {name: value for name, value in change.items() if name not in scored}
            options["scoring"] = replace(options["scoring"], **scored)
            run = pipeline(collection, options)(collection.queries)
            ndcg = collection.measure(run)
            rows[step] = {"nDCG@10": ndcg.mean(), "R@100": collection.measure(run, "R@100").mean()}
            rows[step] |= ndcg.groupby(collection.topics.set_index("qid")["type"]).mean().to_dict()
            if before is not None:
                rows[step]["p"] = permutation_p(ndcg, before)
            before = ndcg
        print(f"\n== {collection.name}")
        table = pd.DataFrame(rows).T
        print(table.round(3).to_string(na_rep=""))
        write(table, args.out, f"ablation-{collection.name}")


if __name__ == "__main__":
    sys.exit(run_program("ablation.py", main))
