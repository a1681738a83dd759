"""`pyterrier-quantity train-data`: from a corpus to training data for joint models."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

from pyterrier_quantity.cli.arguments import CORPUS, FIELDS, OVERWRITE, QUIET, SEED, declare, describe
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
from pyterrier_quantity.training.query_generation import CONDITIONS, VALUES


def add_train_data(parser: argparse.ArgumentParser) -> None:
    usual = DataSettings()
    describe(
        parser,
        "Makes queries over a corpus's concepts and units, with sentences that answer them and sentences "
        "that nearly do: queries.tsv, samples.jsonl, triples.tsv and settings.json in a folder. Goes on where an "
        "interrupted run stopped.",
        "example: pyterrier-quantity train-data news.jsonl.gz news.training --pairs 2000 --exclude unseen.txt",
    )
    options = {
        "CORPUS": CORPUS,
        "OUT": "the folder to write",
        "--pairs N": "pairs of a concept and a unit, at random (all)",
        "--exclude FILE": "concepts to hold out, one a line",
        f"--methods METHOD={' '.join(usual.methods)} ...": f"some of {' '.join(ALL_METHODS)}",
        f"--conditions OP={' '.join(usual.conditions)} ...": f"some of {' '.join(CONDITIONS)}; quote them",
        f"--preset {'|'.join(DATA_PRESETS)}=small": "paper: values both, 1000 queries of validation",
        f"--values {'|'.join(VALUES)}": "values that queries ask (the preset's: typical)",
        f"--size N={usual.size}": "positives, and negatives, a query and method",
        "--validation N": "queries that are kept for validation (the preset's: 100)",
    }
    declare(parser, options, FIELDS, SEED, OVERWRITE, QUIET)
    names = {
        "--expansions TABLE": "other names of concepts: TSV, columns concept, expansion",
        "--wordnet": "other names of concepts from WordNet",
    }
    declare(parser.add_mutually_exclusive_group(), names)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
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
