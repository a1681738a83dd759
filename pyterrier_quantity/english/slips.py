"""Typing errors: a letter of a word is missing, added or wrong, or two neighbouring letters are swapped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

Value = TypeVar("Value")
SHORTEST: Final = 5
"""Lowest number of letters; shorter words often differ from each other by only one letter."""


class Slips(Generic[Value]):
    """Finder of the word that is meant by a mistyped word.

    A word and a mistyped form of it share a form without one of their letters, as in SymSpell. A set of these forms
    excludes nearly all other words before a dictionary is loaded.

    Args:
        words: a value for each word in lower case. Short words, and strings with other characters than letters, are
            ignored.
    """

    def __init__(self, words: Mapping[str, Value]) -> None:
        self._words = {word: one for word, one in words.items() if word.isalpha() and len(word) >= SHORTEST}
        self._forms = frozenset(form for word in self._words for form in _shortened(word))

    def meant(self, word: str) -> Value | None:
        """Return the value of the word that a mistyped word in lower case stands for, or None. Both have the same
        first letter. The result is None for English words, and if no word is near."""
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
    """Return a word, and the word without each one of its letters after the first."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))}


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    from spellchecker import SpellChecker

    return SpellChecker(language="en")
