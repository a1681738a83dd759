"""Words and phrases with what they mean, looked up beside an offset of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from .numerals import LETTER

Meaning = TypeVar("Meaning")
BLANKS: Final = " \t-("
_LATIN: Final = re.compile("[a-z]")
_IS_LETTER: Final = re.compile(LETTER)


@dataclass
class Found(Generic[Meaning]):
    """What a form means, and where it stands, its ending included."""

    meaning: Meaning
    start: int
    end: int


class Forms(Generic[Meaning]):
    """Forms of one class of words.

    Args:
        meanings: what each form means.
        ending: what ends a word; None where blanks do not set words apart.
    """

    def __init__(self, meanings: Mapping[str, Meaning], ending: re.Pattern[str] | None) -> None:
        self.meanings, self._ending = meanings, ending
        self._first, self._last = _sizes(meanings, slice(2)), _sizes(meanings, slice(-2, None))

    def at(self, lower: str, at: int) -> Found[Meaning] | None:
        """The longest form that begins at an offset, or behind blanks there."""
        if not self._first:
            return None
        at = skip(lower, at) if lower[at : at + 1] in BLANKS else at
        for size in self._first.get(lower[at : at + 2]) or self._first.get(lower[at : at + 1], ()):
            form = lower[at : at + size]
            if form in self.meanings and len(form) == size and (end := self._end(lower, form, at + size)) is not None:
                return Found(self.meanings[form], at, end)
        return None

    def before(self, lower: str, at: int) -> Found[Meaning] | None:
        """The longest form that ends at an offset, or before blanks there."""
        if not self._last:
            return None
        while at and lower[at - 1] in BLANKS:
            at -= 1
        for size in self._last.get(lower[max(0, at - 2) : at]) or self._last.get(lower[max(0, at - 1) : at], ()):
            form, start = lower[at - size : at], at - size
            if start >= 0 and form in self.meanings and not (self._ending and start and _within(lower, start)):
                return Found(self.meanings[form], start, at)
        return None

    def _end(self, lower: str, form: str, at: int) -> int | None:
        """Where a form's word ends; None if the form is part of another one."""
        if self._ending is None:
            return None if _LATIN.match(form[-1]) and _LATIN.match(lower, at) else at
        if not _IS_LETTER.match(form[-1]):
            return at
        ending = self._ending.match(lower, at)
        return ending.end() if ending else None


def _sizes(forms: Mapping[str, object], place: slice) -> dict[str, tuple[int, ...]]:
    """How long the forms are, the longest first, by two letters at one end, or by one where a form has no more."""
    sizes: dict[str, set[int]] = {}
    for form in forms:
        sizes.setdefault(form[place], set()).add(len(form))
    for pair, found in sizes.items():
        short = pair[:1] if place.stop else pair[-1:]
        if short != pair and short in sizes:
            found |= sizes[short]
    return {letters: tuple(sorted(found, reverse=True)) for letters, found in sizes.items()}


def _within(lower: str, at: int) -> bool:
    return _IS_LETTER.match(lower, at) is not None and _IS_LETTER.match(lower, at - 1) is not None


def skip(lower: str, at: int) -> int:
    """Where the blanks end that stand at an offset."""
    while at < len(lower) and lower[at] in BLANKS:
        at += 1
    return at
