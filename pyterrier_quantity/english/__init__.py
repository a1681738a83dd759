"""English as this package knows it: words and wordings in `data/`, one tab-separated file for each kind.

The ground floor: nothing else of the package is imported here. `#` starts a comment line; the first comment of a file
says what it holds. `lists.tsv` holds the short lists, one a line, by name.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final


def rows_of(name: str) -> list[list[str]]:
    """The rows of a data file, split at tabs, without comments and empty lines."""
    text = files(__name__).joinpath("data", name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


def words_of(name: str) -> frozenset[str]:
    """The first column of a data file."""
    return frozenset(row[0].strip() for row in rows_of(name))


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    return {name: words.split() for name, words in rows_of("lists.tsv")}


def in_order(name: str) -> list[str]:
    """The words of one of the lists in `lists.tsv`."""
    return _lists()[name]


def listed(name: str) -> frozenset[str]:
    """The words of one of the lists in `lists.tsv`, as a set."""
    return frozenset(_lists()[name])


def numbered(name: str) -> dict[str, int]:
    """The words of a data file with the number in its second column."""
    return {row[0]: int(row[1]) for row in rows_of(name)}


SCALES: Final = numbered("scales.tsv")
"""Scale words and their power of ten, behind digits ("5 mln"); in words only those of three letters or more."""

MONTHS: Final = listed("months")
LABELS: Final = words_of("labels.tsv")
"""Words that make a name of the number after them."""

STOP_WORDS: Final = frozenset(" ".join(row[0] for row in rows_of("stop_words.tsv")).split())
"""Words that never say what a quantity is about; the words of conditions among them."""
