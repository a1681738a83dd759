"""`pyterrier-quantity train-data` and `train`: make training data from a corpus, and train a joint model on them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.datasets.files import lines
from pyterrier_quantity.neural.models import SETTINGS_FILE
from pyterrier_quantity.neural.numeric_terms import FORMS
from pyterrier_quantity.training import (
    DataSettings,
    Expander,
    HeadNounExpander,
    TableExpander,
    TrainingSettings,
    WordNetExpander,
    make_training_data,
    train,
)
from pyterrier_quantity.training.generation import ALL_METHODS, DATA_PRESETS
from pyterrier_quantity.training.pairs import VALUES as VALUES_ASKED
from pyterrier_quantity.training.presets import KINDS, PRESETS

_USUAL: Final = DataSettings()
VALUES: Final = {
    "methods": " ".join(_USUAL.methods),
    "all_methods": " ".join(ALL_METHODS),
    "data_presets": "|".join(DATA_PRESETS),
    "values": "|".join(VALUES_ASKED),
    "size": str(_USUAL.size),
    "kinds": "|".join(KINDS),
    "presets": "|".join(sorted({name for _, name in PRESETS})),
    "forms": "|".join(FORMS),
}
"""Functions by the names that `commands.tsv` uses for them."""


def make_data(args: argparse.Namespace) -> None:
    settings = replace(DATA_PRESETS[args.preset], **_given(args, DataSettings))
    excluded = [line.strip() for _, line in lines(args.exclude)] if args.exclude else []
    expander: Expander = WordNetExpander() if args.wordnet else HeadNounExpander()
    if args.expansions:
        expander = TableExpander(args.expansions)
    documents = Corpus.of(args).get_corpus_iter(verbose=False)
    data = make_training_data(documents, args.out, settings, excluded, expander, args.overwrite, not args.quiet)
    print(f"{args.out}: {_counted(data.settings['counts'])}")
    for name, made in data.settings["tally"]["made"].items():
        asked = data.settings["tally"]["asked"][name]
        print(f"  {name}: {made:,} of {asked:,} positives, and as many negatives")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in ("pairs", "queries", "samples", "triples")) + (
        f"; expansions for {counts['expanded concepts']:,} of {counts['concepts']:,} concepts"
    )


def train_model(args: argparse.Namespace) -> None:
    settings = TrainingSettings(**_given(args, TrainingSettings))
    folder = train(args.data, args.model, settings, overwrite=args.overwrite, verbose=not args.quiet)
    report = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    measured = list(zip(report["validation nDCG@10"], report["validated after"], strict=True))
    print(f"{folder}: {report['steps']} steps")
    for value, step in measured:
        kept = ", the model that is kept" if (value, step) == max(measured, key=lambda pair: pair[0]) else ""
        print(f"  nDCG@10 on the validation queries after {step} steps: {value:.3f}{kept}")
    if (with_terms := report.get("validation nDCG@10 with terms")) is not None:
        print(f"  of that model with the gate {report['gate']:g}, fitted last: {with_terms:.3f}")


def _given(args: argparse.Namespace, settings: type[DataSettings | TrainingSettings]) -> dict[str, Any]:
    """Return the arguments that were given and that are settings."""
    named = ((field.name, getattr(args, field.name, None)) for field in fields(settings))
    return {name: tuple(value) if isinstance(value, list) else value for name, value in named if value is not None}
