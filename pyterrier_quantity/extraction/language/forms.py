"""Words and phrases with what they mean, looked up beside an offset of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, TypeVar

Meaning = TypeVar("Meaning")
SIGNS: Final = r"[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963]"
"""What belongs to a letter, such as the vowel signs of Hindi; `re` does not count them as letters."""
LETTER: Final = rf"(?:[^\W\d_]|{SIGNS})"
_BLANKS: Final = r"[ \t(-]*"
_LONGEST_WORD: Final = 14
_ANY: Final = r"\*"
_WORD: Final = f"{LETTER}{{1,{_LONGEST_WORD}}}"
_INNER: Final = re.compile(r"(?<= )\S+(?= )")


@dataclass
class Found(Generic[Meaning]):
    """What a form means, and where it stands, its ending included."""

    meaning: Meaning
    start: int
    end: int


class Forms(Generic[Meaning]):
    """Forms of one class of words.

    Args:
        meanings: what each form means; within one "*" stands for any word.
        ending: what ends a word, as an expression; None where blanks do not set words apart.
        skipped: words that may stand between the offset and the form.
    """

    def __init__(self, meanings: Mapping[str, Meaning], ending: str | None, skipped: Sequence[str] = ()) -> None:
        self.meanings, self._skipped, self._apart = meanings, skipped, ending is not None
        self._ends = "(?:(?<![a-z])|(?![a-z]))" if ending is None else f"(?:(?<!{LETTER})|{ending})"
        self._reach = max(map(len, meanings), default=0) + _LONGEST_WORD

    def _beside_blanks(self, forms: Iterable[str], skipped: Sequence[str], apart: str) -> re.Pattern[str]:
        named_first = any_of(sorted(forms, key=lambda form: "*" in form)).replace(_ANY, _WORD)
        between = f"(?:{any_of(skipped)}{apart}{_BLANKS})?" if skipped else ""
        return re.compile(f"{_BLANKS}{between}({named_first}){apart}")

    @cached_property
    def _forwards(self) -> re.Pattern[str]:
        return self._beside_blanks(self.meanings, self._skipped, self._ends)

    @cached_property
    def _backwards(self) -> re.Pattern[str]:
        begins = f"(?:(?<!{LETTER})|(?!{LETTER}))" if self._apart else ""
        skipped, forms = ([form[::-1] for form in words] for words in (self._skipped, self.meanings))
        return self._beside_blanks(forms, skipped, begins)

    def at(self, lower: str, at: int) -> Found[Meaning] | None:
        """The longest form that begins at an offset, or behind blanks there."""
        found = self._forwards.match(lower, at) if self.meanings else None
        return None if found is None else Found(self._meaning(found[1]), found.start(1), found.end())

    def before(self, lower: str, at: int) -> Found[Meaning] | None:
        """The longest form that ends at an offset, or before blanks there."""
        if not self.meanings:
            return None
        found = self._backwards.match(lower[max(0, at - self._reach) : at][::-1])
        return found and Found(self._meaning(found[1][::-1]), at - found.end(), at - found.start(1))

    def _meaning(self, form: str) -> Meaning:
        if form in self.meanings:
            return self.meanings[form]
        gapped = (form[: word.start()] + "*" + form[word.end() :] for word in _INNER.finditer(form))
        return next(self.meanings[form] for form in gapped if form in self.meanings)


def any_of(forms: Iterable[str]) -> str:
    """An expression that finds the longest of some forms, letter by letter, so that few are tried where none begins."""
    by_letter: dict[str, list[str]] = {}
    for form in forms:
        by_letter.setdefault(form[:1], []).append(form[1:])
    ends = by_letter.pop("", None) is not None
    branches = [
        re.escape(letter) + (any_of(rests) if len(rests) > 1 else re.escape(rests[0]))
        for letter, rests in by_letter.items()
    ]
    if not branches:
        return "" if ends else "(?!)"
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"
