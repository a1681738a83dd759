"""The words of concepts: one key for the spellings of a concept, and stems to find it by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyterrier_quantity.english import listed
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.stems import stem

_WORD: Final = re.compile(r"[^\W_]+")
_STOP_WORDS: Final = listed("stop words of concepts")
"""Few: in "out of work" and "under construction" the other little words say what is meant."""


_NO_NOUN: Final = listed("words in the place of a noun")


def named(words: Sequence[str]) -> Sequence[str]:
    """A concept's words, or none where the last one stands for a noun that nobody knows: "this one", "smaller ones"."""
    return () if words and singular(words[-1].lower()) in _NO_NOUN else words


def concept_key(words: Sequence[str]) -> str:
    """What the spellings of a concept share: ("Crude", "oil", "prices") -> "crude oil price"."""
    return " ".join(singular(word.lower()) for word in words)


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words, stop words left out."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS)


def phrase_stems(phrases: Sequence[str]) -> list[frozenset[str]]:
    """The stems of each phrase to look for.

    Raises:
        ValueError: if there is no phrase, or one of them has no word to look for.
    """
    if isinstance(phrases, str) or not phrases:
        raise ValueError(f"concepts must be a list of one phrase or more, got {phrases!r}")
    found = [stems(phrase) for phrase in phrases]
    for phrase, words in zip(phrases, found, strict=True):
        if not words:
            raise ValueError(f"concept {phrase!r} has no word to look for; name what the quantity is about")
    return found
