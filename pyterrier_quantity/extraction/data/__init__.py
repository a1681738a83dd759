"""The extractor's word lists, one tab-separated file each; `#` starts a comment line."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


def rows_of(name: str) -> list[list[str]]:
    """The file's rows, split at tabs, without comments and empty lines."""
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


def words_of(name: str) -> frozenset[str]:
    """The file's first column."""
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
