"""`pyterrier-quantity train-data` and `train`: generate training data, and train a model of words and quantities."""

import argparse
import json
from dataclasses import fields, replace
from typing import Any, Final

from pyterrier_quantity import training
from pyterrier_quantity.cli.arguments import FIELDS, FLAG, PATH, option, takes, whole
from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.datasets.files import lines
from pyterrier_quantity.neural.models import SETTINGS_FILE
from pyterrier_quantity.neural.numeric_terms import FORMS
from pyterrier_quantity.training.generation import ALL_METHODS, DATA_PRESETS
from pyterrier_quantity.training.pairs import VALUES
from pyterrier_quantity.training.presets import KINDS, PRESETS

_USUAL: Final = training.DataSettings()


@takes(
    "corpus", "--html",
    option("out", **PATH, help="the folder to write"),
    option("--pairs", type=whole, help="pairs of a concept and a unit, at random (all)"),
    option("--exclude", **PATH, help="concepts to hold out, one per line"),
    option("--methods", nargs="+", metavar="METHOD", default=list(_USUAL.methods),
           help=f"some of {' '.join(ALL_METHODS)} ({' '.join(_USUAL.methods)})"),
    option("--preset", choices=list(DATA_PRESETS), default="small",
           help="paper: --values both, and 1000 validation queries (%(default)s)"),
    option("--values", choices=list(VALUES), help="which values queries contain (the preset's: typical)"),
    option("--size", type=whole, default=_USUAL.size,
           help="positive samples, and negative ones, for each query and method (%(default)s)"),
    option("--validation", type=whole, help="validation queries (the preset's: 100)"),
    *FIELDS, "--seed", "--overwrite", "--quiet",
    [option("--expansions", **PATH, help="other names of concepts: TSV, columns concept, expansion"),
     option("--wordnet", **FLAG, help="other names of concepts from WordNet")],
)  # fmt: skip
def make_data(args: argparse.Namespace) -> None:
    """Generate training data from a corpus: queries with conditions, and sentences that meet or nearly meet each query.

    The command writes queries.tsv, samples.jsonl, triples.tsv and settings.json to a folder. An interrupted run can be
    resumed with the same command.

    example: pyterrier-quantity train-data news.jsonl.gz news.training --pairs 2000 --exclude unseen.txt
    """
    settings = replace(DATA_PRESETS[args.preset], **_given(args, training.DataSettings))
    excluded = [line.strip() for _, line in lines(args.exclude)] if args.exclude else []
    expander: training.Expander = training.WordNetExpander() if args.wordnet else training.HeadNounExpander()
    if args.expansions:
        expander = training.TableExpander(args.expansions)
    corpus = Corpus.of(args).get_corpus_iter(verbose=False)
    data = training.make_training_data(corpus, args.out, settings, excluded, expander, args.overwrite, not args.quiet)
    counts = data.settings["counts"]
    counted = ", ".join(f"{counts[name]:,} {name}" for name in ("pairs", "queries", "samples", "triples"))
    expanded = f"expansions for {counts['expanded concepts']:,} of {counts['concepts']:,} concepts"
    print(f"{args.out}: {counted}; {expanded}")
    for name, made in data.settings["tally"]["made"].items():
        asked = data.settings["tally"]["asked"][name]
        print(f"  {name}: {made:,} of {asked:,} positives, and as many negatives")


@takes(
    option("data", **PATH, help="the folder that train-data wrote, or a file of triples"),
    option("model", **PATH, help="the folder to write the model to"),
    option("--kind", choices=KINDS, required=True, help="the kind of model to train"),
    option("--model", dest="start", metavar="START", help="the model to start from (the preset's)"),
    option("--preset", choices=sorted({name for _, name in PRESETS}), default="small",
           help="learning rate, batch and start model (%(default)s)"),
    option("--steps", type=whole, help="optimiser steps (the preset's: two epochs, at most 60 for small, not dense)"),
    option("--quantities", choices=list(FORMS),
           help="encode quantities as text, or also as terms (the preset's: terms for small splade and colbert)"),
    option("--device", help="cpu, cuda, ... (a GPU if there is one)"),
    option("--bfloat16", **FLAG, help="compute in bfloat16 if the device supports it"),
    option("--at-once", type=whole, help="triples per forward pass, as memory allows (the preset's)"),
    "--seed", "--overwrite", "--quiet",
)  # fmt: skip
def train_model(args: argparse.Namespace) -> None:
    """Train a model on the data that the command train-data wrote.

    The checkpoint with the best nDCG@10 on the validation queries is kept. An interrupted run can be resumed with the
    same command.

    example: pyterrier-quantity train news.training news.splade --kind splade
    """
    settings = training.TrainingSettings(**_given(args, training.TrainingSettings))
    folder = training.train(args.data, args.model, settings, overwrite=args.overwrite, verbose=not args.quiet)
    report = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    measured = list(zip(report["validation nDCG@10"], report["validated after"], strict=True))
    print(f"{folder}: {report['steps']} steps")
    for value, step in measured:
        kept = ", the model that is kept" if (value, step) == max(measured, key=lambda pair: pair[0]) else ""
        print(f"  nDCG@10 on the validation queries after {step} steps: {value:.3f}{kept}")
    if (with_terms := report.get("validation nDCG@10 with terms")) is not None:
        print(f"  of that model with the gate {report['gate']:g}, fitted last: {with_terms:.3f}")


def _given(args: argparse.Namespace, settings: type) -> dict[str, Any]:
    named = ((field.name, getattr(args, field.name, None)) for field in fields(settings))
    return {name: tuple(value) if isinstance(value, list) else value for name, value in named if value is not None}
