"""Correct typing errors: a missing, extra or wrong letter, or two neighbouring letters swapped."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

Value = TypeVar("Value")
SHORTEST: Final = 5
"""The minimum length of a word that is corrected. A shorter word often differs from another by only one letter."""


class Slips(Generic[Value]):
    """A dictionary that finds the value of a word even if the word is mistyped: "hunderd" -> the value of "hundred".

    If two words differ by one error, removing at most one letter from each makes the words equal (as in SymSpell). A
    set of the shortened words rejects nearly all inputs before the spelling dictionary is loaded.

    Args:
        words: a dictionary that maps lower-case words to values. Words that are shorter than `SHORTEST`, or that
            contain characters other than letters, are ignored.
    """

    def __init__(self, words: Mapping[str, Value]) -> None:
        self._words = {word: one for word, one in words.items() if word.isalpha() and len(word) >= SHORTEST}
        self._forms = frozenset(form for word in self._words for form in _shortened(word))

    def meant(self, word: str) -> Value | None:
        """Return the value of the word that a mistyped lower-case word stands for: "hunderd" -> the value of "hundred".
        Return None for a correct English word, for two errors, or for an error in the first letter."""
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
    """Return a word and its variants that lack one letter other than the first: "cat" -> {"cat", "ct", "ca"}."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))}


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    from spellchecker import SpellChecker

    return SpellChecker(language="en")
