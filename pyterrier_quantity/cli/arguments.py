"""Describe the arguments of commands, and add them to the parsers of `argparse`."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

FLAG: Final[dict[str, Any]] = {"action": "store_true"}
PATH: Final[dict[str, Any]] = {"type": Path}
Argument = str | tuple[tuple[str, ...], dict[str, Any]] | list[Any]
"""An argument of a command: a name in `_SHARED`, a result of `option`, or a list of mutually exclusive arguments."""
LANGUAGE: Final = "language: de, fr, ..., auto, or a folder of tables"
_CORPUS: Final = (
    'JSON lines, {"docno": ..., "text": ...} each, CSV or TSV with a header; may be .gz; the name of a dataset '
    "(quantity:demo, irds:...); or - for stdin"
)


def whole(text: str) -> int:
    """Convert a text to a non-negative integer: "12" -> 12. Raise an `argparse` error for any other text."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _rates(text: str) -> dict[str, float]:
    try:
        return {name.strip(): float(rate) for name, rate in (one.split("=") for one in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: give CURRENCY=DOLLARS, as in euro=1.1,£=1.27") from None


_SHARED: Final[dict[str, dict[str, Any]]] = {
    "index": PATH | {"help": "an index's folder"},
    "query": {"nargs": "*", "help": "one or several queries, each in quotes; none: queries from stdin, one per line"},
    "corpus": {"help": _CORPUS},
    "--corpus": {"help": f"the corpus of the index, to show texts: {_CORPUS}"},
    "--html": FLAG | {"help": "the texts are HTML and are converted to plain text"},
    "--docno": {"default": "docno", "metavar": "FIELD", "help": "the field with the docno (%(default)s)"},
    "--text": {
        "default": ["text"], "nargs": "+", "metavar": "FIELD",
        "help": "the fields with the text (text); several texts are joined by line breaks",
    },
    "--form": {"choices": ("jsonl", "csv", "tsv"), "help": "format of stdin (jsonl), or of a file without a suffix"},
    "--default": {"default": "", "help": "attribute or unit (price, euro) of numbers without both, as in 'under 40'"},
    "--rates": {"type": _rates, "help": "exchange rates in dollars, to convert currencies: euro=1.1,£=1.27"},
    "--overwrite": FLAG | {"help": "replace existing output"},
    "--quiet": FLAG | {"help": "print only results, and no progress bars"},
    "--json": FLAG | {"help": "print JSON lines"},
    "--seed": {"default": 0, "type": whole, "help": "the seed of random choices (%(default)s)"},
    "--csv": PATH | {"metavar": "FILE", "help": "write the whole table, p-values included, to a file as well"},
    "sheet": PATH | {"help": "the sheet that the step candidates wrote"},
    "--marks": PATH | {
        "action": "append",
        "help": "a file or folder of marks, or a filled-in sheet; may be repeated (default: SHEET's name with .marks)",
    },
    "--own-units": PATH | {
        "action": "append", "default": [], "metavar": "FILE",
        "help": "a table of additional units, in the format of the guide to units",
    },
}  # fmt: skip
FIELDS: Final = ("--docno", "--text", "--form")
TEXTS: Final = ("--corpus", "--html", *FIELDS)
ASKED: Final = ("--default", "--rates")


def option(*names: str, **settings: Any) -> Argument:
    """Return a command argument. The names and settings are those of `argparse.ArgumentParser.add_argument`."""
    return names, settings


def takes(*arguments: Argument) -> Callable[[Any], Any]:
    """Return a decorator that stores a command's arguments in the attribute `arguments` of its function."""

    def mark(command: Any) -> Any:
        command.arguments = arguments
        return command

    return mark


def add(parser: Any, *arguments: Argument) -> None:
    """Add arguments to a parser of `argparse`, or to a group of options."""
    for one in arguments:
        if isinstance(one, list):
            add(parser.add_mutually_exclusive_group(), *one)
        else:
            names, settings = ((one,), _SHARED[one]) if isinstance(one, str) else one
            parser.add_argument(*names, **settings)
