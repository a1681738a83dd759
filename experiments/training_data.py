"""Measure the quality of training data: the number of samples, and the share that is right by a second extraction.

    python experiments/training_data.py FOLDER [--names reuters clinical] [--pairs 2000] [--wordnet]

Training data are made from each collection's corpus by every method. The extractor then reads each sample again. A
positive sample is right if one of its quantities of the query's concept meets the query, in the query's unit
("converted": in a unit that converts to it, within a thousandth; "several": if each condition is met, by any quantity).
A negative sample is right if none does. A second table contains the number of concepts for which each expander knows
another name.
"""

import argparse
import sys
from collections.abc import Iterator

import pandas as pd
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.joint_models import concept_index, training_data
from lib.parts import Part, publish

from pyterrier_quantity import Quantity, RuleExtractor
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.concept_units.concept_unit_index import concept_key
from pyterrier_quantity.training import (
    DataSettings,
    Expander,
    HeadNounExpander,
    Sample,
    TrainingData,
    TrainingQuery,
    WordNetExpander,
)
from pyterrier_quantity.training.expansion import expansions
from pyterrier_quantity.training.generation import ALL_METHODS
from pyterrier_quantity.training.pairs import at_most, find_pairs
from pyterrier_quantity.training.sampling import meets


def read_back(data: TrainingData) -> pd.DataFrame:
    """Return a row for each method: the number of samples, their share of the requested number, and the share of right
    samples for each label."""
    texts = list(dict.fromkeys(sample.text for sample in data.samples))
    found = dict(zip(texts, RuleExtractor().extract_batch(texts), strict=True))
    samples = pd.DataFrame(
        [
            {"method": s.method, "label": s.label, "right": is_right(s, data.queries[s.qid], found[s.text])}
            for s in data.samples
        ]
    )
    right = samples.pivot_table(index="method", columns="label", values="right", aggfunc="mean")
    asked, made = (pd.Series(data.settings["tally"][name]) for name in ("asked", "made"))
    share = made.groupby(lambda name: name.split()[0]).sum() / asked.groupby(lambda name: name.split()[0]).sum()
    table = pd.DataFrame(
        {
            "samples": samples["method"].value_counts(),
            "of those asked for": share,
            "positives right": right[1],
            "negatives right": right[0],
        }
    )
    return table.reindex([method for method in ALL_METHODS if method in table.index]).rename_axis("method")


def is_right(sample: Sample, query: TrainingQuery, found: list[Quantity]) -> bool:
    """Return whether the label of a sample agrees with the extracted quantities."""
    concept = concept_key(query.concept.split())
    return meets(query.constraint, [q for q in found if concept_key(q.concept) == concept]) == bool(sample.label)


def coverage(concepts: list[str], named: dict[str, Expander]) -> pd.DataFrame:
    """Return a row for each expander: the share of concepts for which it knows another name, and some examples."""
    rows = {}
    for name, expander in named.items():
        found = expansions(expander, concepts)
        shown = "; ".join(f"{one} -> {other}" for one, other in list(found.items())[:3])
        rows[name] = {"concepts": len(concepts), "expanded": len(found) / len(concepts), "such as": shown}
    return pd.DataFrame(rows).T.rename_axis("expander")


def parts(collection: Collection, args: argparse.Namespace) -> Iterator[Part]:
    """Yield the tables of one collection."""
    data = training_data(collection, DataSettings(ALL_METHODS, pairs=args.pairs, seed=args.seed))
    table = read_back(data)
    shown = table.map(_shown)
    yield Part(f"training-data-{collection.name}", f"Training data: {collection.name}", table, shown)
    pairs = at_most(find_pairs(concept_index(collection)), args.pairs, args.seed)
    named: dict[str, Expander] = {"head nouns": HeadNounExpander()}
    if args.wordnet:
        named["WordNet, else head nouns"] = WordNetExpander()
    known = coverage(list(dict.fromkeys(pair.concept for pair in pairs)), named)
    shown = known.map(lambda value: f"{value:.3f}" if isinstance(value, float) else str(value))
    yield Part(f"expansion-{collection.name}", f"Other names of concepts: {collection.name}", known, shown)


def _shown(value: float) -> str:
    """Return a count or a share as text, or "" if none was requested."""
    if pd.isna(value):
        return ""
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="of concept and unit (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of all choices (%(default)s)")
    parser.add_argument("--wordnet", action="store_true", help="also by WordNet")
    args = parser.parse_args()
    for collection in collections(args):
        for part in parts(collection, args):
            publish(part, args.out)


if __name__ == "__main__":
    sys.exit(run_program("training_data.py", main))
