"""Other names of words and phrases, after WordNet: synonyms, and kinds of a thing.

`data/wordnet.tsv.gz` has a row for each word or phrase of two words: the word, its synonyms and words of its family,
and its kinds ("metal": "copper", "tin"), each list parted by commas. `experiments/wordnet_names.py` makes it.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left
from functools import lru_cache
from importlib.resources import files
from typing import Final

from pyterrier_quantity.english.nouns import singular

_ENDINGS: Final = (("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("d", ""))
"""Endings of verbs, and what the base has in their place."""


@lru_cache(maxsize=10_000)
def other_names(phrase: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The synonyms of a word or a phrase in lower case, and its kinds; nothing of what is not known."""
    bases = (phrase[: -len(ending)] + base for ending, base in _ENDINGS if phrase.endswith(ending))
    for form in dict.fromkeys((phrase, singular(phrase), *bases)):
        rows, sought = _rows(), f"{form}\t"
        place = bisect_left(rows, sought)
        if place < len(rows) and rows[place].startswith(sought):
            _, same, kinds = rows[place].split("\t")
            return tuple(filter(None, same.split(","))), tuple(filter(None, kinds.split(",")))
    return (), ()


def superset(word: str) -> str | None:
    """What a word in lower case is a kind of: "metal" of "copper"; None: not known."""
    above = _above()
    return above.get(word) or above.get(singular(word))


@lru_cache(maxsize=1)
def _above() -> dict[str, str]:
    """The first word that each one is a kind of."""
    found: dict[str, str] = {}
    for row in _rows():
        word, _, kinds = row.split("\t")
        for kind in filter(None, kinds.split(",")):
            found.setdefault(kind, word)
    return found


@lru_cache(maxsize=1)
def _rows() -> list[str]:
    packed = files(__package__).joinpath("data", "wordnet.tsv.gz").read_bytes()
    return [line for line in gzip.decompress(packed).decode().split("\n") if line and not line.startswith("#")]
