"""Pieces of text that the package's regular expressions match: their literals, and members of their classes."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]  # the only parser of patterns has no public name
from re import _parser as parser  # type: ignore[attr-defined]  # likewise
from types import ModuleType
from typing import Any, Final

from pyterrier_quantity import english, extraction, plan, units

_CATEGORIES: Final = {codes.CATEGORY_DIGIT: "5", codes.CATEGORY_WORD: "a", codes.CATEGORY_SPACE: " "}
_FOREIGN: Final = (".worker", ".cqe", ".quantulum3")


@cache
def pattern_pieces() -> list[str]:
    """Return every literal of all patterns, and a member of every character class and of every range in a class."""
    found = {"555", "\n", "million"}
    for pattern in patterns():
        found.update(_pieces(parser.parse(pattern.pattern, pattern.flags)))
    return sorted(found)


def patterns() -> list[re.Pattern[str]]:
    """Return the regular expressions in the modules that read texts."""
    found: dict[str, re.Pattern[str]] = {}
    for module in _modules():
        found.update((value.pattern, value) for value in vars(module).values() if isinstance(value, re.Pattern))
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for package in (extraction, units, english, plan):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith(_FOREIGN):
                yield importlib.import_module(module.name)


def _pieces(tree: Any) -> Iterator[str]:
    """Yield the pieces of a parsed pattern: runs of literals, members of classes, and the pieces of nested patterns."""
    run = ""
    for code, value in tree:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        yield from filter(None, [run])
        run = ""
        if code is codes.IN:
            yield from _members(value)
        else:
            for nested in _nested(value):
                yield from _pieces(nested)
    yield from filter(None, [run])


def _members(items: Any) -> Iterator[str]:
    if items[0][0] is codes.NEGATE:
        return
    for code, value in items:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.RANGE:
            yield chr(value[0])
        elif code is codes.CATEGORY and value in _CATEGORIES:
            yield _CATEGORIES[value]


def _nested(value: Any) -> Iterator[Any]:
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _nested(item)
