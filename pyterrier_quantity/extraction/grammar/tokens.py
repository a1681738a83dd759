"""Classes for tokens: the words and phrases in a text whose meanings are listed in a language's `numbers.tsv` etc."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_NUMBER: Final = re.compile(r"(x|/|\+)?(-?\d+(?:\.\d+)?)(\?{0,2})")
DIGITS: Final = "digits"


def any_of(forms: Iterable[str]) -> str:
    """Return a regular expression that matches one of the given forms, the longest one if several match."""
    tails: dict[str, list[str]] = defaultdict(list)
    for form in forms:
        tails[form[:1]].append(form[1:])
    optional = "?" * (tails.pop("", None) is not None)
    ways = "|".join([re.escape(first) + any_of(rest) for first, rest in tails.items()])
    return f"(?:{ways}){optional}" if ways else "" if optional else "(?!)"


class NumberWord(NamedTuple):
    """The meaning of a number word: "thousand" has the kind "x" and the value "1000".

    kind: "" for a number, "x" for a factor ("thousand"), "/" for a divisor ("third"), "+" for an addend, or "digits".
    value: the value in digits.
    doubtful: 1 if the word may be an article ("un"), 2 if it may be an ordinal or part of another word, otherwise 0.
    """

    kind: str
    value: str
    doubtful: int = 0

    @classmethod
    def of(cls, meaning: str) -> "NumberWord | None":
        """Parse a cell of `numbers.tsv`, such as "25", "x1000" or "1?" (perhaps 1). Return None for other cells."""
        shape = _NUMBER.fullmatch(meaning)
        if shape is None or (shape[1] == "/" and not float(shape[2])):
            return None
        return cls(shape[1] or "", shape[2], len(shape[3]))


class Unit(NamedTuple):
    """A unit in a language's table: its English name, and the factor by which the number before it is multiplied. If
    `small` is true, the factor applies only to numbers below ten: "折" is 10 percent in "八折" (80 percent)."""

    name: str
    factor: str
    small: bool


@dataclass(slots=True)
class Word:
    """The meanings of a form (word or phrase) in the tables of a language: "second" is an ordinal and a unit.

    number, unit: the meaning of the form as a number, and as a unit after a number.
    signs: the units that the form means before a number, keyed by a word needed after it, or "": {"": dollar} for "$".
    bounds: the bounds that the form states, by position: {"before": ">"}; "after WORD" if WORD must precede the number.
    gaps: the bounds of phrases that begin with the form and have a gap, keyed by the part after the gap. For "plus *
        que" (more * than), they are {"que": ">"}.
    name: the English translation of the form, from `words.tsv`.
    roles: the uses of the form. A role is the setting that lists the form ("linking"), the English word that the form
        translates ("minus"), or its place in a range ("opens", "between", "closes"). The role "frames" means that the
        form states a bound only together with another form after the number.
    """

    number: NumberWord | None = None
    unit: Unit | None = None
    signs: dict[str, Unit] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)
    name: str = ""
    roles: set[str] = field(default_factory=set)


class Token(NamedTuple):
    """A word or phrase, spelt `form`, in a text. `close` is its end offset, including inflectional endings."""

    start: int
    end: int
    close: int
    form: str
    word: Word
