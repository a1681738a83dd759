"""Words of concepts: one key for the spellings of a concept, and stems to find it by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyterrier_quantity.english import set_of
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.stems import stem

_WORD: Final = re.compile(r"[^\W_]+")
_STOP_WORDS: Final = set_of("a an and are as at be by for from in is it its of on or s that the this to was were with")
"""Only a few stop words, because in "out of work" and "under construction" the small words carry meaning."""


_NO_NOUN: Final = set_of("one another other same former latter each both either neither none")


def named(words: Sequence[str]) -> Sequence[str]:
    """Return a concept's words, or () if the last word stands for an unknown noun: "this one", "smaller ones"."""
    return () if words and singular(words[-1].lower()) in _NO_NOUN else words


def concept_key(words: Sequence[str]) -> str:
    """Return the key of a concept's spellings: ("Crude", "oil", "prices") -> "crude oil price"."""
    return " ".join(singular(word.lower()) for word in words)


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without stop words."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS)


def phrase_stems(phrases: Sequence[str]) -> list[frozenset[str]]:
    """Return the stems of each phrase.

    Raises:
        ValueError: if the list is empty, or a phrase has only stop words.
    """
    if isinstance(phrases, str) or not phrases:
        raise ValueError(f"concepts must be a list of one phrase or more, got {phrases!r}")
    found = [stems(phrase) for phrase in phrases]
    for phrase, words in zip(phrases, found, strict=True):
        if not words:
            raise ValueError(f"concept {phrase!r} has no word to look for; name what the quantity is about")
    return found
