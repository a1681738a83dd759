"""Commands and options, as `commands.tsv` declares them; the head of that file explains its syntax."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Final

_TOLD: Final = ("listed", "about", "example", "calls")


def add_commands(parser: argparse.ArgumentParser, called: Sequence[str], of: str = "") -> None:
    """Add the commands to a parser: the help lists all, and the one that is called gets its arguments.

    Args:
        called: the words of the command line that are not options.
        of: the command whose steps are added; "" for the commands themselves.
    """
    commands = parser.add_subparsers(metavar="STEP" if of else "COMMAND", required=True)
    for own in steps(of):
        name = f"{of} {own}".strip()
        added = commands.add_parser(own, help=told(name, "about" if of else "listed"))
        if called[:1] == [own]:
            declare(added, name)
            if steps(name):
                add_commands(added, called[1:], name)


def steps(of: str = "") -> list[str]:
    """Names of all commands, or of the steps of one."""
    return [
        own
        for before, _, own in (name.rpartition(" ") for name in sections())
        if before == of and (of or told(own, "listed"))
    ]


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments that a section declares to a parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter if told(name, "example") else argparse.HelpFormatter
    parser.description = told(name, "about")
    examples = told(name, "example").splitlines()
    if examples:
        parser.epilog = "\n  ".join([f"example{'s' * (len(examples) > 1)}:", *examples])
    values: Mapping[str, str] = {}
    if calls := told(name, "calls"):
        module, _, function = calls.partition(".")
        loaded = import_module(f"{__package__}.{module}")
        values = getattr(loaded, "VALUES", {})
        parser.set_defaults(run=getattr(loaded, function))
    group: Any = None
    for usage, meaning in (*sections()[name], *(sections()["@every"] if calls else ())):
        alone = usage.removeprefix("| ")
        group = None if alone == usage else group or parser.add_mutually_exclusive_group()
        if usage not in _TOLD:
            _add(group or parser, *(Template(text).safe_substitute(values) for text in (alone, meaning)))
            if alone.isupper() and "..." in alone:
                parser.set_defaults(rest=alone.strip("[ .]").lower())


def _add(parser: Any, usage: str, meaning: str) -> None:
    given: dict[str, Any] = {}
    if usage.endswith("..."):
        given["nargs"] = "+"
    elif usage.endswith("...]"):
        given["nargs"], usage = "*", usage.strip("[]")
    usage = usage.removesuffix(" ...")
    if usage.endswith(" again"):
        given["action"], usage = "append", usage.removesuffix(" again")
    if usage.endswith("!"):
        given["required"], usage = True, usage.removesuffix("!")
    names, _, value = usage.partition(" ") if usage.startswith("--") else (usage.lower(), "", usage)
    names, _, called = names.partition(":")
    if called:
        given["dest"] = called
    if not value:
        given["action"] = "store_true"
    else:
        name, has_default, default = (value, "", "") if value.startswith("[") else value.partition("=")
        given |= {"choices": name.split("|")} if "|" in name else {"metavar": name, "type": _TYPES.get(name, str)}
        if has_default:
            given["default"], meaning = default.split() if "nargs" in given else default, f"{meaning} ({default})"
    parser.add_argument(*names.split(","), help=meaning, **given)


def default_of(args: argparse.Namespace) -> str:
    """Return the option's unit or field, which applies to a bound without one; "" without the option."""
    return getattr(args, "default", None) or ""


def rates_of(args: argparse.Namespace) -> dict[str, float] | None:
    """Return the rates of "euro=1.1,£=1.27" as a dictionary; None without the option."""
    given = getattr(args, "rates", None)
    try:
        pairs = [one.split("=") for one in given.split(",")] if given else []
        return {name.strip(): float(rate) for name, rate in pairs} or None
    except ValueError:
        message = "give CURRENCY=DOLLARS, with commas between, such as euro=1.1,£=1.27"
        raise ValueError(f"--rates {given!r}: {message}") from None


def _whole(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on")
    return int(text)


_TYPES: Final[dict[str, Callable[[str], Any]]] = {
    "N": _whole,
    "DATE": date.fromisoformat,
    **dict.fromkeys(("DIR", "FILE", "INDEX", "OUT", "DATA", "MODEL", "SHEET", "SOURCE", "TOPICS", "PATH"), Path),
}
"""Converters of values by the name in the usage: a whole number, a day, or a path; all others are texts."""


def told(name: str, usage: str) -> str:
    """Return the text of a section under one of its words, in lines."""
    return "\n".join(meaning for word, meaning in sections()[name] if word == usage)


@cache
def sections() -> dict[str, list[tuple[str, str]]]:
    """Return the table's lines (usage, meaning) by command, with the lines of shared options in their places."""
    found: dict[str, list[tuple[str, str]]] = {}
    rows: list[tuple[str, str]] = []
    for line in (files(__package__) / "commands.tsv").read_text(encoding="utf-8").splitlines():
        usage, _, meaning = line.partition("\t")
        if not usage or usage.startswith("#"):
            continue
        if usage.endswith("]") and usage.startswith("[") and not meaning:
            rows = found.setdefault(usage[1:-1], [])
        elif "@" in usage:
            mark, _, shared = usage.partition("@")
            rows += [(mark + each, what) for each, what in found[f"@{shared}"]]
        else:
            rows.append((usage, meaning))
    return found
