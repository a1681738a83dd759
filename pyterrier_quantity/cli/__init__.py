"""The command `pyterrier-quantity`."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from pyterrier_quantity._version import __version__

EXPECTED = (ValueError, OSError, ImportError, TypeError)
"""What wrong input, files and installations raise; their messages say what to do, a traceback would hide that."""
COMMANDS: Final = {
    "extract": ("extract", "the quantities that a text states"),
    "index": ("index", "index the quantities of a corpus"),
    "delete": ("maintain", "delete documents from an index"),
    "merge": ("maintain", "make an index that has grown one of a piece again"),
    "check": ("maintain", "compare an index with its digests"),
    "parse": ("parse", "how a query is read"),
    "search": ("search", "search an index"),
    "answer": ("answer", "answer a question by a number"),
    "mcp": ("mcp", "serve an index to a language model as tools"),
    "serve": ("serve", "a page to search an index on"),
    "experiment": ("experiment", "compare BM25 with quantity-aware rankings on a test collection"),
    "collect": ("collect", "make a quantity-centric test collection from a corpus"),
    "train-data": ("train_data", "make training data for joint models from a corpus"),
    "train": ("train", "train a joint model: SPLADE, ColBERT, single vectors, or a hybrid of terms and vectors"),
}
"""Each command's module, which loads when the command is called, and what the list of commands says of it; the module's
function `add_...` declares the arguments."""
_OPTIONS = {
    "overwrite=True": "--overwrite",
    "ignore_missing=True": "--ignore-missing",
    "on_error='skip'": "--skip-bad",
    "text_field=...": "--text FIELD",
    "build one with .index(documents)": "build one: pyterrier-quantity index CORPUS INDEX",
    "give other names by an expander": "give other names by --expansions FILE or --wordnet",
    "leave concept out of the methods": "leave concept out of --methods",
}
"""What the package's messages call Python's arguments, and the command its own."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, or 2 after wrong input."""
    parser = argparse.ArgumentParser(
        prog="pyterrier-quantity",
        description="Quantity-aware retrieval: values, units and numerical conditions in text and queries.",
        epilog='example: pyterrier-quantity extract "The car makes 503 hp and costs $64,900."',
    )
    parser.add_argument("--version", action="version", version=f"pyterrier-quantity {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    argv = sys.argv[1:] if argv is None else argv
    called = next((text for text in argv if not text.startswith("-")), "")
    for name, (module, told) in COMMANDS.items():
        added = commands.add_parser(name, help=told, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == called:
            getattr(import_module(f"{__name__}.{module}"), f"add_{name.replace('-', '_')}")(added)
    args, rest = parser.parse_known_args(argv)
    # argparse takes texts that stand behind an option for unknown arguments.
    if rest and ("rest" not in args or any(text.startswith("-") for text in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    elif rest:
        getattr(args, args.rest).extend(rest)
    return run(parser.prog, lambda: args.run(args))


def run(program: str, job: Callable[[], None]) -> int:
    """Run a job as a command line program does: errors of the input in one line, quiet when its reader has left."""
    _open_streams()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warner(program)
            job()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at its exit: give it something that takes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except EXPECTED as error:
        if os.environ.get("PTQ_DEBUG"):
            raise
        print(f"{program}: error: {_message(error)}", file=sys.stderr)
        return 2
    return 0


def _open_streams() -> None:
    """Bytes that are no text can be read and written; a closed stream leads nowhere, before a file takes its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (it stays open)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _warner(program: str) -> Callable[..., None]:
    """Shows each warning once, in one line."""
    shown: set[str] = set()

    def show(message: Warning | str, *place: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            print(f"{program}: warning: {_in_options(str(message))}", file=sys.stderr)

    return show


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return _in_options(str(error) or type(error).__name__)


def _in_options(message: str) -> str:
    for argument, option in _OPTIONS.items():
        message = message.replace(argument, option)
    return message
