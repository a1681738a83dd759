"""`pyterrier-quantity train-data`: from a corpus to training data for joint models."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.datasets.files import lines
from pyterrier_quantity.training import (
    DataSettings,
    Expander,
    HeadNounExpander,
    TableExpander,
    WordNetExpander,
    make_training_data,
)
from pyterrier_quantity.training.generation import ALL_METHODS, DATA_PRESETS
from pyterrier_quantity.training.query_generation import CONDITIONS
from pyterrier_quantity.training.query_generation import VALUES as VALUES_ASKED

_USUAL: Final = DataSettings()
VALUES: Final = {
    "methods": " ".join(_USUAL.methods),
    "all_methods": " ".join(ALL_METHODS),
    "conditions": " ".join(_USUAL.conditions),
    "all_conditions": " ".join(CONDITIONS),
    "presets": "|".join(DATA_PRESETS),
    "values": "|".join(VALUES_ASKED),
    "size": str(_USUAL.size),
}
"""What `commands.tsv` calls by these names."""


def run(args: argparse.Namespace) -> None:
    preset = DATA_PRESETS[args.preset]
    settings = replace(
        preset,
        methods=tuple(args.methods),
        conditions=tuple(args.conditions),
        values=args.values or preset.values,
        pairs=args.pairs,
        size=args.size,
        validation=preset.validation if args.validation is None else args.validation,
        seed=args.seed,
    )
    excluded = [line.strip() for _, line in lines(args.exclude)] if args.exclude else []
    documents = Corpus.of(args).get_corpus_iter(verbose=False)
    data = make_training_data(documents, args.out, settings, excluded, _expander(args), args.overwrite, not args.quiet)
    print(f"{args.out}: {_counted(data.settings['counts'])}")
    for name, made in data.settings["tally"]["made"].items():
        asked = data.settings["tally"]["asked"][name]
        print(f"  {name}: {made:,} of {asked:,} positives, and as many negatives")


def _expander(args: argparse.Namespace) -> Expander:
    if args.expansions:
        return TableExpander(args.expansions)
    return WordNetExpander() if args.wordnet else HeadNounExpander()


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in ("pairs", "queries", "samples", "triples")) + (
        f"; expansions for {counts['expanded concepts']:,} of {counts['concepts']:,} concepts"
    )
