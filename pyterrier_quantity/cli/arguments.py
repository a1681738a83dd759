"""Commands and options, as the parts of the command line declare them."""

from __future__ import annotations

import argparse
from typing import Final

FORMS: Final = {"jsonl": ("jsonl", "json", "ndjson"), "csv": ("csv",), "tsv": ("tsv", "tab")}
"""The forms of a corpus's files, by their suffix before ".gz"."""
CORPUS: Final = (
    'JSON lines, {"docno": ..., "text": ...} each, CSV or TSV with a header; may be .gz; the name of a '
    "dataset (quantity:demo, irds:...); or - for stdin"
)
"""What a corpus may be."""


def describe(parser: argparse.ArgumentParser, description: str, example: str) -> None:
    """Gives a command its description and example, which keep their lines."""
    parser.description, parser.epilog = description, example


def number(parser: argparse.ArgumentParser, name: str, default: int, help: str) -> None:
    """Adds an option that takes a whole number; its help ends with what it is without the option."""
    parser.add_argument(name, metavar="N", type=int, default=default, help=f"{help} (%(default)s)")


def add_language(parser: argparse.ArgumentParser, of: str) -> None:
    """Adds the option that says in which language something is."""
    told = f"of {of}: de, fr, ..., auto, or a folder of tables (%(default)s)"
    parser.add_argument("--language", default="en", metavar="CODE", help=told)


def add_fields(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say which fields of the corpus are read."""
    parser.add_argument("--docno", metavar="FIELD", default="docno", help="the field with the docno (%(default)s)")
    told = "the field with the text; of several the texts are joined by line breaks (text)"
    parser.add_argument("--text", metavar="FIELD", nargs="+", default=["text"], help=told)
    parser.add_argument("--form", choices=FORMS, help="of a file whose name does not tell, and of stdin (jsonl)")
