"""English as this package knows it: words and wordings in `languages/en/`, one tab-separated file for each kind.

The ground floor: nothing else of the package is imported here. `#` starts a comment line; the first comment of a file
says what it holds. Words of one kind share a row. `lists.tsv` holds the short lists by name; `verbs.py`, `nouns.py` and
`adjectives.py` derive the forms of words.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parents[1] / "languages" / "en"


def rows_of(name: str) -> list[list[str]]:
    """The rows of a data file, split at tabs, without comments and empty lines."""
    text = (TABLES / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


def words_of(name: str) -> frozenset[str]:
    """All words of a data file without columns."""
    return frozenset(word for row in rows_of(name) for word in row[0].split())


def kinds_of(name: str) -> dict[str, str]:
    """The words of a data file whose rows say in the first column of which kind their words are."""
    return {word: kind for kind, words in rows_of(name) for word in words.split()}


def meanings(place: str) -> dict[str, str]:
    """What spellings mean at a place of a text ("in a formula"), where that is not the unit that they are alone."""
    rows = (row for row in rows_of("unit_meanings.tsv") if row[0] == place)
    return {spelling: unit for _, unit, spellings in rows for spelling in spellings.split("|")}


@lru_cache(maxsize=1)
def _lists() -> dict[str, str]:
    return dict(rows_of("lists.tsv"))


@cache
def wordings(name: str, around: str = "") -> tuple[str, ...]:
    """The wordings of one of the lists in `lists.tsv`, in order, each with what stands around it; "_" is a blank."""
    return tuple(f"{around}{word.replace('_', ' ')}{around}" for word in _lists()[name].split())


@cache
def listed(name: str) -> frozenset[str]:
    """The words of one of the lists in `lists.tsv`, as a set."""
    return frozenset(wordings(name))


def one_of(*names: str) -> str:
    """An expression that finds a word of some lists in `lists.tsv`, the first that fits; "_" there is a blank."""
    return f"(?:{'|'.join(word for name in names for word in wordings(name))})"


_LIST = re.compile(r"\{([a-z][a-z, ]+)\}")


def filled(pattern: str) -> str:
    """A pattern of a table with the words of the lists that are named in it: "{months}"."""
    return _LIST.sub(lambda name: one_of(name[1]), pattern)


@lru_cache(maxsize=1)
def _expressions() -> dict[str, str]:
    return dict(rows_of("expressions.tsv"))


def expression(name: str, **known: str) -> re.Pattern[str]:
    """The expression of `expressions.tsv` with that name.

    Args:
        known: what stands in it for "{NAME}".
    """
    pattern = filled(_expressions()[name])
    for part, given in known.items():
        pattern = pattern.replace(f"{{{part}}}", given)
    return re.compile(pattern)


SCALES_IN_WORDS: Final = {word: int(power) for power, words, *_ in rows_of("scales.tsv") for word in words.split()}
"""Scale words that stand among number words ("two million"), and their power of ten."""

SCALES: Final = SCALES_IN_WORDS | {
    word: int(power) for power, _, *rest in rows_of("scales.tsv") for word in " ".join(rest).split()
}
"""Scale words after digits ("5 mln")."""

SCALE: Final = f"(?:{'|'.join(SCALES)})"
"""An expression that finds one of them."""

MONTHS: Final = listed("months")
LABELS: Final = words_of("labels.tsv")
"""Words that make a name of the number after them."""

STOP_WORDS: Final = words_of("stop_words.tsv")
"""Words that never say what a quantity is about; the words of conditions among them."""
