"""`pyterrier-quantity train-data`: from a corpus to training data for joint models."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pyterrier_quantity.cli.arguments import CORPUS, add_fields, describe, number
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
    parser.add_argument("corpus", metavar="CORPUS", help=CORPUS)
    parser.add_argument("out", metavar="OUT", type=Path, help="the folder to write")
    add_fields(parser)
    parser.add_argument("--pairs", metavar="N", type=int, help="pairs of a concept and a unit, at random (all)")
    parser.add_argument("--exclude", metavar="FILE", type=Path, help="concepts to hold out, one a line")
    parser.add_argument(
        "--methods",
        metavar="METHOD",
        nargs="+",
        default=usual.methods,
        help=f"some of {' '.join(ALL_METHODS)} ({' '.join(usual.methods)})",
    )
    parser.add_argument(
        "--conditions",
        metavar="OP",
        nargs="+",
        default=usual.conditions,
        help=f"some of {' '.join(CONDITIONS)}; quote them ({' '.join(usual.conditions)})",
    )
    parser.add_argument(
        "--preset",
        choices=tuple(DATA_PRESETS),
        default="small",
        help="paper: values both, 1000 queries of validation (%(default)s)",
    )
    parser.add_argument("--values", choices=VALUES, help="values that queries ask (the preset's: typical)")
    number(parser, "--size", usual.size, "positives, and negatives, a query and method")
    parser.add_argument(
        "--validation", metavar="N", type=int, help="queries that are kept for validation (the preset's: 100)"
    )
    number(
        parser, "--random-negatives", usual.random_negatives, "further triples an original positive, with any sentence"
    )
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--expansions", metavar="FILE", help="other names of concepts: TSV, columns concept, expansion")
    names.add_argument("--wordnet", action="store_true", help="other names of concepts from WordNet")
    number(parser, "--seed", usual.seed, "of all choices")
    parser.add_argument("--overwrite", action="store_true", help="replace data that other settings made")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
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
        random_negatives=args.random_negatives,
        seed=args.seed,
    )
    excluded = [line.strip() for _, line in lines(args.exclude)] if args.exclude else []
    documents = Corpus(args.corpus, args.docno, args.text, args.form).get_corpus_iter(verbose=False)
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
