"""Tokens of a text: forms of a language's tables, with their meanings. A form is a surface form of a word or phrase."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_NUMBER: Final = re.compile(r"(x|/|\+)?(-?\d+(?:\.\d+)?)(\?{0,2})")
DIGITS: Final = "digits"


def any_of(forms: Iterable[str]) -> str:
    """Return a regular expression that matches the longest of the given forms. Common prefixes are shared."""
    behind: dict[str, list[str]] = defaultdict(list)
    for form in forms:
        behind[form[:1]].append(form[1:])
    optional = "?" * (behind.pop("", None) is not None)
    ways = "|".join([re.escape(first) + any_of(rest) for first, rest in behind.items()])
    return f"(?:{ways}){optional}" if ways else "" if optional else "(?!)"


class NumberWord(NamedTuple):
    """The meaning of a number word.

    kind: "" for a number, "x" for a factor, "/" for a divisor, "+" for an amount added to the next number, or "digits".
    doubtful: 1 for a word that may be an article, 2 for an ordinal ("fifth") or a syllable of other words, else 0.
    """

    kind: str
    value: str
    doubtful: int = 0

    @classmethod
    def of(cls, meaning: str) -> NumberWord | None:
        """Return the meaning in a cell of `numbers.tsv`, such as "25", "x1000" or "1?"; None for anything else."""
        shape = _NUMBER.fullmatch(meaning)
        if shape is None or (shape[1] == "/" and not float(shape[2])):
            return None
        return cls(shape[1] or "", shape[2], len(shape[3]))


class Unit(NamedTuple):
    """The meaning of a unit: its name and a factor. If `small`, the factor applies to numbers below ten ("八折")."""

    name: str
    factor: str
    small: bool


@dataclass(slots=True)
class Word:
    """All meanings of a form.

    number, unit: its meaning as a number and as a unit.
    signs: the units that it begins before a number. The key is the form that must follow the number, "" for none.
    bounds: the bounds that it states, by position (one of `tables._SIDES`, or "after WORD").
    gaps: for phrases that it begins, with any one word inside ("plus * que"): the bounds by the last part ("que").
    name: its meaning in `words.tsv`.
    roles: the settings that list it, and its part in a range or phrase: "opens", "between", "closes", "frames".
    """

    number: NumberWord | None = None
    unit: Unit | None = None
    signs: dict[str, Unit] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)
    name: str = ""
    roles: set[str] = field(default_factory=set)


class Token(NamedTuple):
    """A form in a text: start, end, end including an inflectional ending (`close`), and meanings."""

    start: int
    end: int
    close: int
    form: str
    word: Word
