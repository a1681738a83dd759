"""Load English words and phrases from the tab-separated files of `languages/en/`.

In these files, `#` starts a comment line, and the first comment describes the file. Each row of `lists.tsv` has the
name of a list and its entries. `verbs.py`, `nouns.py` and `adjectives.py` derive inflected forms.
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parents[1] / "languages" / "en"


def rows_of(name: str) -> list[list[str]]:
    """Return the rows of a file in `languages/en/`, each as a list of cells, without comments and empty lines."""
    text = (TABLES / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


def words_of(name: str) -> frozenset[str]:
    """Return the set of all words in a file in `languages/en/` whose rows consist of words separated by spaces."""
    return frozenset(word for row in rows_of(name) for word in row[0].split())


def kinds_of(name: str) -> dict[str, str]:
    """Return a dictionary from word to category ("gas" -> "noun"), from a file whose rows have a category and words."""
    return {word: kind for kind, words in rows_of(name) for word in words.split()}


def meanings(place: str) -> dict[str, str]:
    """Return a dictionary from words to their units in the context `place`: "as an adverb" -> {"daily": "day", ...}."""
    rows = (row for row in rows_of("unit_meanings.tsv") if row[0] == place)
    return {spelling: unit for _, unit, spellings in rows for spelling in spellings.split("|")}


@lru_cache(maxsize=1)
def _lists() -> dict[str, str]:
    return dict(rows_of("lists.tsv"))


def words(text: str, around: str = "") -> tuple[str, ...]:
    """Split a string into words, replace "_" with a space, and add the string `around` at both ends of each word:
    ("up_to or", "|") -> ("|up to|", "|or|")."""
    return tuple(f"{around}{word.replace('_', ' ')}{around}" for word in text.split())


def set_of(text: str) -> frozenset[str]:
    """Return the words of a string as a set: "up_to or" -> {"up to", "or"}."""
    return frozenset(words(text))


def any_of(text: str) -> str:
    """Return a regular expression that matches one of the words of a string: "up_to or" -> "(?:up to|or)"."""
    return f"(?:{'|'.join(words(text))})"


@cache
def wordings(name: str, around: str = "") -> tuple[str, ...]:
    """Return the entries of a list in `lists.tsv`, each enclosed in `around`: "months", " " -> (" january ", ...)."""
    return words(_lists()[name], around)


@cache
def listed(name: str) -> frozenset[str]:
    """Return the entries of the list `name` in `lists.tsv` as a set: "months" -> {"january", "february", ...}."""
    return frozenset(wordings(name))


def one_of(*names: str) -> str:
    """Return a regular expression for the entries of lists in `lists.tsv`: "months" -> "(?:january|february|...)"."""
    return f"(?:{'|'.join(word for name in names for word in wordings(name))})"


_LIST = re.compile(r"\{([a-z][a-z, ]+)\}")


def filled(pattern: str) -> str:
    """Replace list names in a pattern with regular expressions: "in {months}" -> "in (?:january|february|...)"."""
    return _LIST.sub(lambda name: one_of(name[1]), pattern)


NUMBERS: Final = {form: int(n) for n, forms in rows_of("numbers.tsv") if n.isdigit() for form in forms.split("|")}
"""Single words for numbers below 100: "seven" -> 7, "twenty" -> 20."""

SCALES_IN_WORDS: Final = {word: int(power) for power, words, *_ in rows_of("scales.tsv") for word in words.split()}
"""Scale words that follow number words ("two million"), with their powers of ten: "million" -> 6."""

SCALES: Final = SCALES_IN_WORDS | {
    word: int(power) for power, _, *rest in rows_of("scales.tsv") for word in " ".join(rest).split()
}
"""Scale words that follow digits ("5 mln"), with their powers of ten: "mln" -> 6."""

SCALE: Final = f"(?:{'|'.join(SCALES)})"

MONTHS: Final = listed("months")
LABELS: Final = words_of("labels.tsv")
"""Words after which a number is part of a name ("Section 4") and not a quantity."""

STOP_WORDS: Final = words_of("stop_words.tsv")
"""Words that never name what a quantity measures, such as "the", "under" and "than"."""
