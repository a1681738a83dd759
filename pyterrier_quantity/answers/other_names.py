"""Names that a question does not mean: "Mount Everest" says nothing of Mount Kilimanjaro, nor "Ibex Gaming 15" of the
Aerolite 15, though they share a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pyterrier_quantity.english import STOP_WORDS

_PART: Final = r"(?:[^\W\d_a-z][^\W_]*(?:['’-][^\W_]+)*|\d+[a-z]?(?![\d.,%]))"
_NAME: Final = re.compile(rf"(?<!\w){_PART}(?: {_PART})*(?!\w)")
"""Capitalised words and numbers of models in a row."""

Name = tuple[str, ...]


def names(question: str) -> list[Name]:
    """The names of several words in a question."""
    return [name for _, name in _names(question) if len(name) > 1]


def without_other_names(sentence: str, asked: Sequence[Name]) -> str:
    """A sentence with blanks in place of names that share a word with one of the question's and are another's.

    A part of the name is the same one ("Kilimanjaro" for "Mount Kilimanjaro"), and so is one with a title before it
    ("Rower Aleks Tomic" for "Aleks Tomic"); what has a word behind it is something else ("Mont Blanc Tunnel").
    """
    kept = list(sentence)
    for place, name in _names(sentence):
        meant = [one for one in asked if set(one) & set(name)]
        if meant and not any(name[-len(one) :] == one or _within(name, one) for one in meant):
            kept[place.start() : place.end()] = " " * (place.end() - place.start())
    return "".join(kept)


def _within(part: Name, name: Name) -> bool:
    return any(name[at : at + len(part)] == part for at in range(len(name) - len(part) + 1))


def _names(text: str) -> Iterator[tuple[re.Match[str], Name]]:
    for place in _NAME.finditer(text):
        words = place[0].lower().split()
        while words and words[0] in STOP_WORDS:
            words.pop(0)
        if not all(word.isdigit() for word in words):
            yield place, tuple(words)
