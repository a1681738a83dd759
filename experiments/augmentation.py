"""Reproduce Figure 8 of "Numbers Matter!": the effect of each way of making training data on a joint model.

    python experiments/augmentation.py FOLDER [--names reuters] --pool [--kinds splade] [--pairs 2000] [--steps 300]
        [--seeds 0 1 2] [--forms plain terms] [--bfloat16] [--wordnet | --brackets]

Training data are made from each collection's corpus in eight ways: from original sentences only, and from these with
unit permutation, value permutation, expanded concepts and all combinations of the three. A model is trained on each of
the data sets, once for each seed. The base is not trained; with quantities as terms, its gate is fitted on queries
generated from original sentences. Expanded concepts are head nouns, or synonyms like those of the paper's language
model (`--wordnet`), or abbreviations that the corpus states (`--brackets`). For each collection and kind of model, a
table contains the mean and spread of nDCG@10 over the seeds, and the paper's order relations with p of a paired
permutation test over topics. The paper's Figure 8 is a plot without numbers. Data, models and runs are stored in the
folder --work.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pandas as pd
from lib.collection import Collection
from lib.joint_models import expander_of, joint_model, recipe_arguments
from lib.neural_search import NeuralSearch
from lib.parts import Part
from lib.runs import NEURAL_CODE, System, kept_runs
from lib.significance import permutation_p
from lib.systems import publish_parts

from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.neural.numeric_terms import FORMS, TERMS
from pyterrier_quantity.training import DataSettings, TrainingSettings

MEASURE = "nDCG@10"
BASE = "base"
SETS: Final = {
    BASE: (),
    "original": (),
    "value": ("value",),
    "unit": ("unit",),
    "concept": ("concept",),
    "value + unit": ("value", "unit"),
    "value + concept": ("value", "concept"),
    "unit + concept": ("unit", "concept"),
    "value + unit + concept": ("value", "unit", "concept"),
}
"""The methods added to the original sentences, keyed by way."""
ORDER: Final = (
    *((way, BASE) for way in ("original", "value", "unit", "concept")),
    ("unit", "value"),
    ("concept", "value"),
    *(("unit + concept", way) for way in ("original", "unit", "concept", "value + unit + concept")),
    ("unit", "value + unit"),
    ("concept", "value + concept"),
)
"""The paper's order relations: the first of a pair is better."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument("--kinds", nargs="+", choices=("splade", "colbert"), default=["splade", "colbert"],
                        help="(%(default)s)")  # fmt: skip
    parser.add_argument("--sets", nargs="+", choices=SETS, metavar="SET", help="only these ways (all eight)")
    parser.add_argument("--pairs", type=int, default=2000, help="of concept and unit (%(default)s)")
    parser.add_argument("--steps", type=int, help="of training (the preset's)")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], help="(%(default)s)")
    parser.add_argument(
        "--forms", nargs="+", choices=FORMS, default=["plain"], help="how models take quantities (%(default)s)"
    )
    recipe_arguments(parser)


def parts(collection: Collection, args: argparse.Namespace) -> list[Part]:
    """Return the tables of one collection: one for each kind of model and form of quantities."""
    ways = {name: SETS[name] for name in args.sets or SETS}
    found = []
    for kind in args.kinds:
        for form in args.forms:
            perquery = _perquery(collection, args, kind, form, ways)
            result = table(perquery)
            title = f"Figure 8: {collection.name}, {kind}, quantities {form}"
            names = "-wordnet" if args.wordnet else "-brackets" if args.brackets else ""
            name = f"augmentation-{collection.name}-{kind}-{form}{names}"
            shown = result.map(lambda value: f"{value:.3f}")
            means = {way: sum(seeds) / len(seeds) for way, seeds in perquery.items()}
            found.append(Part(name, title, result, shown, order(means)))
    return found


def table(perquery: Mapping[str, Sequence[pd.Series]]) -> pd.DataFrame:
    """Return a row for each way: the mean and spread over its seeds, and the difference from the base.

    Args:
        perquery: the topics' values for each seed, keyed by way.
    """
    means = {way: [float(values.mean()) for values in seeds] for way, seeds in perquery.items()}
    found = pd.DataFrame(
        {way: {"mean": sum(of) / len(of), "least": min(of), "most": max(of)} for way, of in means.items()}
    ).T
    if BASE in found.index:
        found["times base"] = found["mean"] / found.loc[BASE, "mean"]
    return found.rename_axis("training data")


def order(perquery: Mapping[str, pd.Series]) -> str:
    """Return whether each of the paper's order relations holds, with its p, for the ways that were trained.

    Args:
        perquery: the topics' values, averaged over the seeds, keyed by way.
    """
    lines = []
    for one, other in ORDER:
        if one in perquery and other in perquery:
            confirmed = perquery[one].mean() > perquery[other].mean()
            p = permutation_p(perquery[one], perquery[other])
            lines.append(f"{one} > {other}: {'confirmed' if confirmed else 'not confirmed'} (p = {p:.2g})")
    return "; ".join(lines)


def _perquery(
    collection: Collection, args: argparse.Namespace, kind: str, form: str, ways: Mapping[str, Sequence[str]]
) -> dict[str, list[pd.Series]]:
    """Return the topics' values for each seed, keyed by way."""
    found = {}
    for name, methods in ways.items():
        if name == BASE:
            models = [_model(collection, args, kind, form, (), args.seeds[0], steps=0) if form == TERMS else None]
        else:
            models = [_model(collection, args, kind, form, methods, seed, args.steps) for seed in args.seeds]
        found[name] = [_measured(collection, args, kind, name, model) for model in models]
    return found


def _model(
    collection: Collection,
    args: argparse.Namespace,
    kind: str,
    form: str,
    methods: Sequence[str],
    seed: int,
    steps: int | None,
) -> Path:
    """Return the folder of a model. If the model does not exist, make its training data and train it."""
    data = DataSettings(("original", *methods), pairs=args.pairs, seed=seed)
    run = TrainingSettings(
        kind,
        start=getattr(args, kind),
        steps=steps,
        quantities=form,
        device=args.device,
        bfloat16=args.bfloat16 and steps != 0,
        seed=seed,
    )
    return joint_model(collection, data, run, expander_of(args, collection) if "concept" in methods else None)


def _measured(collection: Collection, args: argparse.Namespace, kind: str, name: str, model: Path | None) -> pd.Series:
    given = getattr(args, kind) if model is None else str(model)
    search = NeuralSearch(collection, argparse.Namespace(**vars(args) | {kind: given}))
    settings = {"name": f"{kind} {name}", "model": search.models[kind], "dtype": args.dtype, "pool": args.pool}
    system = System(name, getattr(search, kind), settings, [search.path(kind)], NEURAL_CODE)
    (kept,) = kept_runs([system], collection)
    return kept.perquery[MEASURE]


def main() -> None:
    publish_parts(__doc__, parts, options)


if __name__ == "__main__":
    sys.exit(run_program("augmentation.py", main))
