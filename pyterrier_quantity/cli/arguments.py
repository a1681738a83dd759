"""Commands and options, as the parts of the command line declare them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

FORMS: Final = {"jsonl": ("jsonl", "json", "ndjson"), "csv": ("csv",), "tsv": ("tsv", "tab")}
"""The forms of a corpus's files, by their suffix before ".gz"."""
CORPUS: Final = (
    'JSON lines, {"docno": ..., "text": ...} each, CSV or TSV with a header; may be .gz; the name of a '
    "dataset (quantity:demo, irds:...); or - for stdin"
)
"""What a corpus may be."""
INDEX: Final = {"INDEX": "an index's folder"}
QUERY: Final = {"[QUERY ...]": "a query; quote it"}
OVERWRITE: Final = {"--overwrite": "replace what is there"}
QUIET: Final = {"--quiet": "print results alone, and no progress bars"}
JSON: Final = {"--json": "JSON lines"}
SEED: Final = {"--seed N=0": "of random choices"}
CSV: Final = {"--csv FILE": "write the whole table to a file as well"}
FIELDS: Final = {
    "--docno FIELD=docno": "the field with the docno",
    "--text FIELD=text ...": "the field with the text; of several the texts are joined by line breaks",
    f"--form {'|'.join(FORMS)}": "of a file whose name does not tell, and of stdin (jsonl)",
}
TEXTS: Final = {"--corpus CORPUS": f"the indexed corpus, for its texts: {CORPUS}", **FIELDS}
LANGUAGE: Final = "--language CODE=en"
LANGUAGES: Final = "de, fr, ..., auto, or a folder of tables"
"""What several commands take: how it is used, and what it means; see `declare`."""
_TYPES: Final[dict[str, Callable[[str], Any]]] = {
    "N": int,
    **dict.fromkeys(("FILE", "DIR", "INDEX", "OUT", "DATA", "MODEL", "SHEET", "SOURCE", "TOPICS"), Path),
}
"""What the values of a name are: a whole number, or a path; others are texts."""


def describe(parser: argparse.ArgumentParser, description: str, example: str) -> None:
    """Gives a command its description and example, which keep their lines."""
    parser.description, parser.epilog = description, example


def declare(parser: Any, *tables: Mapping[str, str]) -> None:
    """Adds arguments and options to a parser, or to a group of one.

    Args:
        tables: what each is for, by how it is used: "INDEX", "QUERY ..." (one or more), "[QUERY ...]" (any number),
            "--quiet" (a flag), "--csv FILE", "--form csv|tsv" (one of these), "--top N=10" (with what it is without the
            option, which help adds).
    """
    for usage, told in chain.from_iterable(table.items() for table in tables):
        plain = usage.strip("[]").removesuffix(" ...")
        name, _, value = plain.partition(" ") if plain.startswith("--") else (plain.lower(), "", plain)
        metavar, has_default, default = value.partition("=")
        given: dict[str, Any] = {"help": told}
        if not value:
            given["action"] = "store_true"
        elif "|" in metavar:
            given["choices"] = metavar.split("|")
        else:
            given |= {"metavar": metavar, "type": _TYPES.get(metavar, str)}
        if "..." in usage:
            given["nargs"] = "*" if usage.startswith("[") else "+"
        if has_default:
            given |= {"default": default.split() if "..." in usage else default, "help": f"{told} ({default})"}
        parser.add_argument(name, **given)


def step(steps: Any, name: str, run: Callable[[argparse.Namespace], None], told: str) -> Any:
    """A step of a command, and what the list of steps and its own help say of it."""
    parser = steps.add_parser(name, help=told, description=told)
    parser.set_defaults(run=run)
    return parser
