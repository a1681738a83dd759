"""The command `pyterrier-quantity`, with subcommands such as `index`, `search`, `answer` and `experiment`."""

import argparse
import inspect
import io
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Final

from pyterrier_quantity._version import __version__
from pyterrier_quantity.cli.arguments import add

EXPECTED: Final = (ValueError, OSError, ImportError, TypeError)
"""Errors that are shown without a traceback: wrong input, missing files, or missing packages."""
COMMANDS: Final = {
    "extract": ("reading.extract", "extract the quantities of a text"),
    "index": ("index.build", "index the quantities of a corpus"),
    "delete": ("index.delete", "delete documents from an index"),
    "merge": ("index.merge", "merge the parts of an index that has grown"),
    "check": ("index.check", "compare an index with its digests"),
    "parse": ("reading.parse", "show the conditions in a query"),
    "search": ("search.search", "search an index"),
    "answer": ("answer.answer", "answer a question by a number"),
    "mcp": ("search.tools", "serve an index to a language model as tools"),
    "serve": ("search.page", "serve a web page that searches an index"),
    "experiment": ("experiment.experiment", "compare BM25 with quantity-aware rankings on a test collection"),
    "collect": ("collect.STEPS", "make a quantity-centric test collection from a corpus"),
    "train-data": ("training.make_data", "make training data for joint models from a corpus"),
    "train": ("training.train_model", "train a joint model: SPLADE, ColBERT, single vectors, or a hybrid"),
}
"""A dictionary from each command to its function or dictionary of subcommands ("module.name"), and its help text."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `pyterrier-quantity` with arguments. Return the exit code: 0, or 2 after an error."""
    parser = argparse.ArgumentParser(
        prog="pyterrier-quantity",
        description="Quantity-aware retrieval: values, units and numerical conditions in text and queries.",
        epilog='example: pyterrier-quantity extract "The car makes 503 hp and costs $64,900."',
    )
    parser.add_argument("--version", action="version", version=f"pyterrier-quantity {__version__}")
    argv = sys.argv[1:] if argv is None else argv
    args = _parsed(parser, COMMANDS, argv)
    if args is None:
        return 2

    def job() -> None:
        for table in args.own_units:
            import_module("pyterrier_quantity.units").default_registry().load_tsv(table)
        args.run(args)

    return run(parser.prog, job)


def _parsed(
    parser: argparse.ArgumentParser, commands: Mapping[str, tuple[str, str]], argv: Sequence[str]
) -> argparse.Namespace | None:
    """Return a command's parsed arguments, or print help and return None. Only the command's module is imported."""
    listed = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, summary) in commands.items():
        listed.add_parser(name, help=summary)
    if not argv:
        parser.print_help()
        return None
    name = parser.parse_args(argv[:1]).command
    module, _, function = commands[name][0].partition(".")
    loaded = import_module(f"{__package__}.{module}")
    called = getattr(loaded, function)
    own = argparse.ArgumentParser(f"{parser.prog} {name}", formatter_class=argparse.RawDescriptionHelpFormatter)
    own.description = inspect.getdoc(called if callable(called) else loaded)
    if not callable(called):
        return _parsed(own, called, argv[1:])
    add(own, *called.arguments, "--own-units")
    own.set_defaults(run=called)
    return own.parse_intermixed_args(argv[1:])


def run(program: str, job: Callable[[], None]) -> int:
    """Call the function `job`, and return the exit code. Print each warning or error as a line that begins with the
    name `program`."""
    _open_streams()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warner(program)
            job()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout at exit, which would fail again on the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except EXPECTED as error:
        print(f"{program}: error: {_message(error)}", file=sys.stderr)
        return 2
    return 0


def _open_streams() -> None:
    """Make stdin and stdout accept invalid bytes, and redirect closed standard streams to the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (it stays open)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _warner(program: str) -> Callable[..., None]:
    """Return a function that prints each distinct warning once, on a line that begins with `program`."""
    shown: set[str] = set()

    def show(message: Warning | str, *place: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            print(f"{program}: warning: {message}", file=sys.stderr)

    return show


def _message(error: BaseException) -> str:
    summary = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        summary = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "; ".join([summary, *getattr(error, "__notes__", ())])
