"""Related names of words and phrases from WordNet: synonyms, kinds (hyponyms), and the nouns that define a word.

`languages/en/wordnet.tsv.gz` has a row for each word or phrase of two words: the word, its synonyms and words of its
family, its kinds ("metal": "copper", "tin"), and the nouns that define it ("humus": "matter", "soil"). Each list is
separated by commas. `languages/en/kinds.tsv.gz` has a row for each noun that texts count: its synonyms, and its kinds.
`experiments/wordnet_names.py` makes both; `counted.tsv` adds names of counted things that WordNet lacks.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left
from collections import defaultdict
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import TABLES, rows_of
from pyterrier_quantity.english.nouns import singular

_ENDINGS: Final = (("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("d", ""))
"""Endings of verb forms, with the ending of the base that replaces each."""


@lru_cache(maxsize=10_000)
def other_names(phrase: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the synonyms, kinds and defining nouns of a lower-case word or phrase; all empty if it is unknown."""
    bases = (phrase[: -len(ending)] + base for ending, base in _ENDINGS if phrase.endswith(ending))
    for form in dict.fromkeys((phrase, singular(phrase), *bases)):
        rows, sought = _rows(), f"{form}\t"
        place = bisect_left(rows, sought)
        if place < len(rows) and rows[place].startswith(sought):
            _, *lists = rows[place].split("\t")
            same, kinds, defining = (tuple(filter(None, names.split(","))) for names in lists)
            return same, kinds, defining
    return (), (), ()


_NEARNESS: Final = (1.0, 0.8, 0.8)
"""The nearness of synonyms, kinds and defining nouns of a word."""
_REVERSED: Final = 0.7
"""The nearness of words that have this word as a synonym, kind or defining noun."""
_FARTHER: Final = (0.5, 0.4, 0.3)
"""The nearness of the synonyms, kinds and defining nouns of a related word."""


@lru_cache(maxsize=1_000)
def near_names(word: str) -> dict[str, float]:
    """Return words related to a lower-case word, directly or through a third word, with their nearness in (0, 1]."""
    found: dict[str, float] = {}
    near = other_names(word)
    listed = [(names, nearness) for names, nearness in zip(near, _NEARNESS, strict=True)]
    listed += [(tuple(_listing().get(form, ())), _REVERSED) for form in (word, singular(word))]
    for name in (name for names in near for name in names):
        listed += zip(other_names(name), _FARTHER, strict=True)
    for names, nearness in listed:
        for name in names:
            found[name] = max(found.get(name, 0.0), nearness)
    return found


@lru_cache(maxsize=1)
def _listing() -> dict[str, list[str]]:
    """Return a dictionary from each name to the words whose rows contain it."""
    found = defaultdict[str, list[str]](list)
    for row in _rows():
        word, *lists = row.split("\t")
        for name in filter(None, ",".join(lists).split(",")):
            found[name].append(word)
    return found


def superset(word: str) -> str | None:
    """Return the hypernym of a lower-case word: "sofa" -> "seat". None for an unknown word."""
    above = _above()
    return above.get(word) or above.get(singular(word))


@lru_cache(maxsize=1)
def _above() -> dict[str, str]:
    """Return a dictionary from each kind to the first word of which it is a kind."""
    rows = (row.split("\t") for row in reversed(_rows()))
    return {kind: word for word, _, kinds, _ in rows for kind in filter(None, kinds.split(","))}


@lru_cache(maxsize=1_000)
def things_meant(noun: str) -> frozenset[str]:
    """Return the synonyms of a singular noun and all its kinds: "bird" -> "fowl", "sparrow", ..."""
    same, kinds = _counted()
    own = [noun, *same.get(noun, ())]
    found = dict.fromkeys((*own, *kinds.get(noun, ("", ""))[0].split(",")))
    for each in own:
        below = [kind for kind in kinds.get(each, ("", ""))[1].split(",") if kind not in found]
        found.update(dict.fromkeys(below))
        own += below
    return frozenset(found) - {noun, ""}


def is_abstract(word: str) -> bool:
    """Return whether a word is in WordNet, but not as a countable noun: "reputation" -> True, "kettle" -> False."""
    return any(other_names(word)) and not is_thing(word)


def is_thing(word: str) -> bool:
    """Return whether a word is a countable noun."""
    return singular(word) in _things()


@lru_cache(maxsize=1)
def _things() -> frozenset[str]:
    return frozenset(",".join(_rows("kinds.tsv.gz")).replace("\t", ",").split(","))


@lru_cache(maxsize=1)
def _counted() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return two dictionaries by noun: the synonyms in `counted.tsv`, and the synonyms and kinds in `kinds.tsv.gz`."""
    same = defaultdict[str, list[str]](list)
    for words in (row[0].split() for row in rows_of("counted.tsv")):
        for word in words:
            same[word] += words
    return same, {word: names for word, *names in (row.split("\t") for row in _rows("kinds.tsv.gz"))}


@lru_cache(maxsize=2)
def _rows(table: str = "wordnet.tsv.gz") -> list[str]:
    packed = (TABLES / table).read_bytes()
    return [line for line in gzip.decompress(packed).decode().split("\n") if line and not line.startswith("#")]
