"""Test whether a change of the code changes the results of extraction or ranking.

    python experiments/frozen.py FOLDER quantity:demo --keep before.npz      before the change
    python experiments/frozen.py FOLDER quantity:demo --against before.npz   after it

Collections are named as `lib/arguments.py` describes. The script compares the reading of every document (or, with
`--every N`, of each N-th), the query texts and constraints of every topic and of the queries in `--queries FILE ...`
(every cell of its lines), and the first 100 results of every pipeline. `--neural NAME ...` names collections whose
topics' candidates are also encoded, for the pipelines over models.

The script prints a line for each kind: the number of equal entries, and the first that differ. Scores are compared with
a tolerance of 1e-9. The exit code is 1 if anything differs.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.arguments import collections
from lib.collection import Collection
from lib.neural_search import NeuralSearch
from lib.systems import SYSTEMS, systems_parser
from lib.systems import systems as systems_of

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.neural import Hybrid
from pyterrier_quantity.neural.systems import packaged_model
from pyterrier_quantity.quantity import Constraint, Quantity

DEPTH: Final = 100
TOLERANCE: Final = 1e-9
SHOWN: Final = 10
WORDS: Final = ("BM25_filter (paper)", "BM25_filter (whole query)", "QBM25 (paper)", "QBM25 (ours)",
                "QBM25 (ours, union)")  # fmt: skip
NEURAL: Final = ("dense", "SPLADE", "ColBERT", "Qdense (ours)", "QSPLADE (ours)", "QColBERT (ours)", "QNeural (ours)")
assert set(WORDS) | set(NEURAL) <= set(SYSTEMS)

Frozen = dict[str, tuple[list[str], list[float]]]
"""The keys and numbers of the entries, keyed by kind: a digest of each text's reading, and the score of each result."""


def readings(texts: Iterable[tuple[str, str]]) -> tuple[list[str], list[float]]:
    """Return a digest of the reading of each text."""
    extractor, keys, numbers = ptq.RuleExtractor(), [], []
    texts = iter(texts)
    while batch := list(islice(texts, 2000)):
        keys += [key for key, _ in batch]
        found = extractor.extract_batch([text for _, text in batch])
        numbers += [_digest([_plain(quantity) for quantity in one]) for one in found]
    return keys, numbers


def asked(queries: list[str]) -> tuple[list[str], list[float]]:
    """Return a digest of the reading of each query: its terms and its constraints."""
    numbers = []
    for query in queries:
        terms, constraints = ptq.parse_query(query)
        numbers.append(_digest([terms, *(_plain(constraint) for constraint in constraints)]))
    return queries, numbers


def run(pipeline: Callable[[], pt.Transformer], queries: pd.DataFrame) -> tuple[list[str], list[float]]:
    """Return the first results of each query and their scores. Ties are ordered by docno."""
    found = pipeline()(queries)[["qid", "docno", "score"]]
    found = found.sort_values(["qid", "score", "docno"], ascending=[True, False, True]).groupby("qid").head(DEPTH)
    return (found["qid"] + " " + found["docno"]).tolist(), found["score"].astype(float).tolist()


def frozen(args: argparse.Namespace) -> Frozen:
    """Return all entries, keyed by kind."""
    found: Frozen = {}
    for path in args.queries:
        lines = path.read_text(encoding="utf-8").splitlines()
        found[f"queries of {path.name}"] = asked([cell for line in lines for cell in line.split("\t")])
    for collection in collections(args):
        documents = ((d["docno"], d["text"]) for d in islice(collection.documents(), 0, None, args.every))
        _tell(collection.name, "readings")
        found[f"{collection.name}: readings"] = readings(documents)
        found[f"{collection.name}: queries"] = asked(collection.queries["query"].tolist())
        for name, pipeline in _pipelines(collection, args).items():
            _tell(collection.name, name)
            found[f"{collection.name}: {name}"] = run(pipeline, collection.topics)
    return found


def _pipelines(collection: Collection, args: argparse.Namespace) -> dict[str, Callable[[], pt.Transformer]]:
    quantities, bm25 = collection.quantities, collection.bm25
    neural = collection.name in args.neural
    chosen = argparse.Namespace(**vars(args) | {"systems": [*WORDS, *(NEURAL if neural else ())]})
    found = {system.name: system.make for system in systems_of(collection, chosen)}
    found["retriever"] = lambda: collection.parse >> quantities.retriever()
    found["strict"] = partial(ptq.quantity_aware, bm25, quantities, candidates="retriever", units="strict")
    return found | ({"hybrid": partial(_hybrid, collection, args)} if neural else {})


def _hybrid(collection: Collection, args: argparse.Namespace) -> pt.Transformer:
    model = Hybrid(packaged_model("splade"), verbose=False)
    texts = {document["docno"]: document["text"] for document in NeuralSearch(collection, args).documents()}
    candidates = collection.bm25 % DEPTH >> pt.apply.generic(lambda res: res[res["docno"].isin(texts)])
    return candidates >> pt.apply.text(lambda row: texts[row["docno"]]) >> model.scorer()


def _plain(value: Quantity | Constraint) -> list[str]:
    """Return the fields of a value as text. Numbers are rounded to 12 digits, which are the same on every machine."""
    cells = (getattr(value, field.name) for field in fields(value))
    return [f"{cell:.12g}" if isinstance(cell, float) else str(cell) for cell in cells]


def _digest(content: object) -> float:
    return float(int.from_bytes(hashlib.sha256(str(content).encode()).digest()[:6], "little"))


def _tell(*words: str) -> None:
    print(*words, file=sys.stderr, flush=True)


def compare(before: Frozen, after: Frozen) -> int:
    """Print the differences, and return the number of kinds that differ."""
    different = 0
    for kind in before.keys() | after.keys():
        old, new = (dict(zip(*all_.get(kind, ((), ())), strict=True)) for all_ in (before, after))
        changed = [
            key
            for key in old.keys() | new.keys()
            if abs(old.get(key, np.inf) - new.get(key, -np.inf)) > TOLERANCE * max(1.0, abs(old.get(key, 0.0)))
        ]
        print(f"{kind}: {len(old.keys() | new.keys()) - len(changed)} the same, {len(changed)} differ", flush=True)
        for key in sorted(changed)[:SHOWN]:
            print(f"    {key}: {old.get(key, 'missing')} -> {new.get(key, 'missing')}")
        different += bool(changed)
    return different


def save(found: Frozen, path: Path) -> None:
    """Write the entries as one compressed file."""
    columns = {
        f"{part} {kind}": np.array(values)
        for kind, pair in found.items()
        for part, values in zip(("keys", "numbers"), pair, strict=True)
    }
    np.savez_compressed(path, **columns)


def load(path: Path) -> Frozen:
    """Read a file that `save` wrote."""
    with np.load(path) as stored:
        kinds = [name.removeprefix("keys ") for name in stored.files if name.startswith("keys ")]
        return {kind: (stored[f"keys {kind}"].tolist(), stored[f"numbers {kind}"].tolist()) for kind in kinds}


def main() -> None:
    parser = systems_parser(__doc__)
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write what is frozen")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with what --keep wrote")
    parser.add_argument("--queries", type=Path, nargs="*", default=[], metavar="FILE", help="further queries")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="read each N-th document (all)")
    parser.add_argument("--neural", nargs="*", default=[], metavar="NAME", help="collections to encode (none)")
    args = parser.parse_args()
    found = frozen(args)
    if args.keep:
        save(found, args.keep)
    if args.against and compare(load(args.against), found):
        sys.exit(1)


if __name__ == "__main__":
    sys.exit(run_program("frozen.py", main))
