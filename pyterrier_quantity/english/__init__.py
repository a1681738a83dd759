"""Loaders of the English words and phrases in `languages/en/`, a folder of tab-separated files.

This is the lowest layer: it does not import other parts of the package. In the files, `#` starts a comment line, and
the first comment describes the file. Words of one kind share a row. `lists.tsv` contains the short lists by name;
`verbs.py`, `nouns.py` and `adjectives.py` derive inflected forms.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parents[1] / "languages" / "en"


def rows_of(name: str) -> list[list[str]]:
    """Return the rows of a data file, split at tabs, without comments and empty lines."""
    text = (TABLES / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


def words_of(name: str) -> frozenset[str]:
    """Return the words of a data file that is a plain list of words, without columns."""
    return frozenset(word for row in rows_of(name) for word in row[0].split())


def kinds_of(name: str) -> dict[str, str]:
    """Return a dictionary from each word of a data file to its kind, which is the first column of its row."""
    return {word: kind for kind, words in rows_of(name) for word in words.split()}


def meanings(place: str) -> dict[str, str]:
    """Return the special meanings of words in a context: "as an adverb" -> {"daily": "day", "weekly": "week", ...}."""
    rows = (row for row in rows_of("unit_meanings.tsv") if row[0] == place)
    return {spelling: unit for _, unit, spellings in rows for spelling in spellings.split("|")}


@lru_cache(maxsize=1)
def _lists() -> dict[str, str]:
    return dict(rows_of("lists.tsv"))


def words(text: str, around: str = "") -> tuple[str, ...]:
    """Split a string into words and put `around` on both sides; "_" becomes a blank: "up_to or" -> ("up to", "or")."""
    return tuple(f"{around}{word.replace('_', ' ')}{around}" for word in text.split())


def set_of(text: str) -> frozenset[str]:
    """Return the words of a string as a set; "_" becomes a blank."""
    return frozenset(words(text))


def any_of(text: str) -> str:
    """Return a regular expression that matches one of the words of a string; "_" becomes a blank."""
    return f"(?:{'|'.join(words(text))})"


@cache
def wordings(name: str, around: str = "") -> tuple[str, ...]:
    """Return the entries of a list in `lists.tsv`, with `around` on both sides of each."""
    return words(_lists()[name], around)


@cache
def listed(name: str) -> frozenset[str]:
    """Return the entries of a list in `lists.tsv` as a set."""
    return frozenset(wordings(name))


def one_of(*names: str) -> str:
    """Return a regular expression that matches an entry of the named lists in `lists.tsv`, tried in their order."""
    return f"(?:{'|'.join(word for name in names for word in wordings(name))})"


_LIST = re.compile(r"\{([a-z][a-z, ]+)\}")


def filled(pattern: str) -> str:
    """Replace the names of lists in a pattern, such as "{months}", by regular expressions for their entries."""
    return _LIST.sub(lambda name: one_of(name[1]), pattern)


NUMBERS: Final = {form: int(n) for n, forms in rows_of("numbers.tsv") if n.isdigit() for form in forms.split("|")}
"""Words for single numbers: "seven" -> 7, "twenty" -> 20."""

SCALES_IN_WORDS: Final = {word: int(power) for power, words, *_ in rows_of("scales.tsv") for word in words.split()}
"""Scale words after number words ("two million"), and their powers of ten."""

SCALES: Final = SCALES_IN_WORDS | {
    word: int(power) for power, _, *rest in rows_of("scales.tsv") for word in " ".join(rest).split()
}
"""Scale words after digits ("5 mln"), and their powers of ten."""

SCALE: Final = f"(?:{'|'.join(SCALES)})"
"""A regular expression for a scale word."""

MONTHS: Final = listed("months")
LABELS: Final = words_of("labels.tsv")
"""Words after which a number is a name and not a quantity."""

STOP_WORDS: Final = words_of("stop_words.tsv")
"""Words that are never the concept of a quantity, including words that state conditions."""
