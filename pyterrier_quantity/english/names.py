"""Other names of words and phrases, after WordNet: synonyms, kinds of a thing, and words that define it.

`data/wordnet.tsv.gz` has a row for each word or phrase of two words: the word, its synonyms and words of its family,
its kinds ("metal": "copper", "tin"), and the nouns that define it ("humus": "matter", "soil"), each list parted by
commas. `experiments/wordnet_names.py` makes it.
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
def other_names(phrase: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The synonyms of a word or a phrase in lower case, its kinds, and what defines it; of others nothing."""
    bases = (phrase[: -len(ending)] + base for ending, base in _ENDINGS if phrase.endswith(ending))
    for form in dict.fromkeys((phrase, singular(phrase), *bases)):
        rows, sought = _rows(), f"{form}\t"
        place = bisect_left(rows, sought)
        if place < len(rows) and rows[place].startswith(sought):
            _, *lists = rows[place].split("\t")
            same, kinds, defining = (tuple(filter(None, names.split(","))) for names in lists)
            return same, kinds, defining
    return (), (), ()


def superset(word: str) -> str | None:
    """What a word in lower case is a kind of: "metal" of "copper"; None: not known."""
    above = _above()
    return above.get(word) or above.get(singular(word))


@lru_cache(maxsize=1)
def _above() -> dict[str, str]:
    """The first word that each one is a kind of."""
    found: dict[str, str] = {}
    for row in _rows():
        word, _, kinds, _ = row.split("\t")
        for kind in filter(None, kinds.split(",")):
            found.setdefault(kind, word)
    return found


@lru_cache(maxsize=1)
def _rows() -> list[str]:
    packed = files(__package__).joinpath("data", "wordnet.tsv.gz").read_bytes()
    return [line for line in gzip.decompress(packed).decode().split("\n") if line and not line.startswith("#")]
