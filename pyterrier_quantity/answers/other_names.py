"""Names that a question does not mean: "Mount Everest" says nothing of Mount Kilimanjaro, nor "Ibex Gaming 15" of the
Aerolite 15, though they share a word."""

from __future__ import annotations

from collections.abc import Sequence

from pyterrier_quantity.english.proper_names import proper_names

Name = tuple[str, ...]


def names(question: str) -> list[Name]:
    """The names of several words in a question."""
    return [name.words for name in proper_names(question) if len(name.words) > 1]


def without_other_names(sentence: str, asked: Sequence[Name]) -> str:
    """A sentence with blanks in place of names that share a word with one of the question's and are another's.

    A part of the name is the same one ("Kilimanjaro" for "Mount Kilimanjaro"), and so is one with a title before it
    ("Rower Aleks Tomic" for "Aleks Tomic"); what has a word behind it is something else ("Mont Blanc Tunnel").
    """
    kept = list(sentence)
    for name in proper_names(sentence):
        meant = [one for one in asked if set(one) & set(name.words)]
        if meant and not any(name.words[-len(one) :] == one or _within(name.words, one) for one in meant):
            kept[name.start : name.end] = " " * (name.end - name.start)
    return "".join(kept)


def _within(part: Name, name: Name) -> bool:
    return any(name[at : at + len(part)] == part for at in range(len(name) - len(part) + 1))
