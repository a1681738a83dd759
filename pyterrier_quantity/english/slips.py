"""Words typed with a slip: one letter is missing, doubled, wrong, or has changed places with its neighbour."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

Value = TypeVar("Value")
SHORTEST: Final = 5
"""Letters: shorter words are one slip away from each other by chance."""


class Slips(Generic[Value]):
    """Finds which word is meant by one with a slip.

    A word and its slip have a form in common that lacks at most one letter, as in SymSpell; so a look into the set of
    these forms tells of nearly all words that they are no slip, before any dictionary is loaded.

    Args:
        words: what may be meant, in small letters, and what it stands for; those that are short, or no words, are
            left out.
    """

    def __init__(self, words: Mapping[str, Value]) -> None:
        self._words = {word: one for word, one in words.items() if word.isalpha() and len(word) >= SHORTEST}
        self._forms = frozenset(form for word in self._words for form in _shortened(word))

    def meant(self, word: str) -> Value | None:
        """What the word stands for that another one in small letters is a slip of, with the same first letter; None if
        that is an English word itself, or a slip of none of them."""
        if len(word) < SHORTEST or not word.isalpha() or word in self._words:
            return None
        if self._forms.isdisjoint(_shortened(word)):
            return None
        if _dictionary().known([word, f"{word}s", word.removesuffix("s")]):
            return None
        near = _dictionary().edit_distance_1(word) & self._words.keys()
        nearest = min((other for other in near if other[0] == word[0]), default="")
        return self._words.get(nearest)


def _shortened(word: str) -> set[str]:
    """A word, and what is left of it without one of its letters after the first."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))}


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    from spellchecker import SpellChecker

    return SpellChecker(language="en")
