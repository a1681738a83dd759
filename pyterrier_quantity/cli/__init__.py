"""The command `pyterrier-quantity`."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module

from pyterrier_quantity._version import __version__
from pyterrier_quantity.cli.arguments import add_commands

EXPECTED = (ValueError, OSError, ImportError, TypeError)
"""Errors of wrong input, files and installations. Their messages state the remedy; a traceback would hide it."""
_OPTIONS = {
    "overwrite=True": "--overwrite",
    "ignore_missing=True": "--ignore-missing",
    "on_error='skip'": "--skip-bad",
    "text_field=...": "--text FIELD",
    "docno=... and text=...": "--docno and --text",
    "build one with .index(documents)": "build one: pyterrier-quantity index CORPUS INDEX",
    "give other names by an expander": "give other names by --expansions FILE or --wordnet",
    "leave concept out of the methods": "leave concept out of --methods",
}
"""Python arguments that the package's messages name, and the options of the command that set them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code: 0, or 2 after wrong input."""
    parser = argparse.ArgumentParser(
        prog="pyterrier-quantity",
        description="Quantity-aware retrieval: values, units and numerical conditions in text and queries.",
        epilog='example: pyterrier-quantity extract "The car makes 503 hp and costs $64,900."',
    )
    parser.add_argument("--version", action="version", version=f"pyterrier-quantity {__version__}")
    argv = sys.argv[1:] if argv is None else argv
    add_commands(parser, [text for text in argv if not text.startswith("-")])
    if not argv:
        parser.print_help()
        return 2
    args, rest = parser.parse_known_args(argv)
    # argparse takes texts after an option for unknown arguments.
    if rest and ("rest" not in args or any(text.startswith("-") for text in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    elif rest:
        getattr(args, args.rest).extend(rest)

    def job() -> None:
        for table in args.own_units or ():
            import_module("pyterrier_quantity.units").default_registry().load_tsv(table)
        args.run(args)

    return run(parser.prog, job)


def run(program: str, job: Callable[[], None]) -> int:
    """Run a job as a command line program: report errors of the input in one line, and end quietly if stdout is
    closed."""
    _open_streams()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warner(program)
            job()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at its exit: give it a stream that can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except EXPECTED as error:
        print(f"{program}: error: {_message(error)}", file=sys.stderr)
        return 2
    return 0


def _open_streams() -> None:
    """Let bytes that are not text be read and written, and point closed streams to the null device, before a file gets
    their descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (it stays open)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _warner(program: str) -> Callable[..., None]:
    """Return a function that shows each warning once, in one line."""
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
