"""Expressions for the words of a language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SIGNS: Final = r"[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963]"
"""What belongs to a letter, such as the vowel signs of Hindi; `re` does not count them as letters."""
LETTER: Final = rf"(?:[^\W\d_]|{SIGNS})"
BEGINS: Final = rf"\b(?<!{SIGNS})"
"""Where a word of letters or digits may begin."""
TIMES: Final = r"(?<=\dx)(?=\d)"
"""Where the second number of "30x20 cm" begins."""
BESIDE: Final = r"[ \t(-]*"
"""What may stand between the parts of a quantity."""


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


def alone(word: str, longer: Iterable[str], behind: Iterable[str]) -> str:
    """An expression that finds a word where none of some longer forms goes on from its end and nothing of some others
    stands behind it: "十分", but not "十分钟" or "十分左右"."""
    rests = {form[at:] for form in longer for at in range(1, len(form)) if word.endswith(form[:at])}
    return f"{re.escape(word)}(?!{any_of({*rests, *behind})})"
