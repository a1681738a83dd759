"""Normalise the spelling of a query: "under40€" -> "under 40€", "price < 2000" -> "price < 2,000".

The rules are in `languages/en/query_wordings.tsv`.
"""

import re
import warnings
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Final

from pyterrier_quantity.english import filled, one_of, rows_of, words
from pyterrier_quantity.english.periods import DATE, YEAR
from pyterrier_quantity.english.slips import Slips

_KNOWN: Final = {
    "NUMBER": r"(?:[$€£¥] ?)?\.?\d[\d.,]*",
    "STRICT": rf"(?:\b{one_of('bounds that exclude the value')}|[<>](?!=))",
    "DAY": rf"(?!{YEAR}(?!-)){DATE}",
    "BOUND": rf"(?:\b{one_of('bounds that exclude the value', 'bounds that include the value')}|[<>]=?|[≤≥])",
}
_BOUNDED: Final = re.compile(  # bound with a number: "under 300", ">=5", "before 10:30"
    rf"(?:{_KNOWN['BOUND']} ?|\b(?:after|before|since|until|till) (?=\d\d?[:.]\d\d))(?:[$€£] ?)?\d(?:\S*\w)?",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"\\g<(\w+)>|([^\\]+)")
_GROUPED: Final = "digits"  # name prefix of regular-expression groups in which 2000 becomes 2,000
_BEFORE_NUMBER: Final = re.compile(
    rf"\b[a-z]{{4,9}}(?= (?:{one_of('words after a comparative')} )?[$€£]?\d)", re.IGNORECASE
)
_BOUNDS: Final = Slips(
    {
        word: word
        for word in words("""
    under below above between about around least most more less over within maximum minimum exactly cheaper
    """)
    }
)


class Respelled:
    """A text with normalised spelling, and the place in the original text that each character comes from.

    Args:
        text: the normalised text.
        places: the span in the original text for each character of `text`. If None, the texts are the same.
    """

    def __init__(self, text: str, places: list[tuple[int, int]] | None = None) -> None:
        self.text = text
        if places is not None:
            self._places = places

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        return [(at, at + 1) for at in range(len(self.text))]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original text for the characters from `start` to `end` of the normalised text."""
        if end <= start:
            return 0, 0
        places = self._places[start:end]
        kept = [place for place in places if place[1] == place[0] + 1]  # unsorted after "2020-12" -> "12/2020"
        return min(first for first, _ in (places[0], *kept)), max(last for _, last in (places[-1], *kept))

    def replaced(self, pattern: re.Pattern[str], by: str) -> "Respelled":
        """Return a copy with all matches of a pattern replaced by `by`, where "\\g<name>" stands for a group."""
        text, places, at = "", list[tuple[int, int]](), 0
        for found in pattern.finditer(self.text):
            text += self.text[at : found.start()]
            places += self._places[at : found.start()]
            for piece, place in self._pieces(found, by):
                text += piece
                places += [place] * len(piece)
            at = found.end()
        return Respelled(text + self.text[at:], places + self._places[at:]) if at else self

    def _pieces(self, found: re.Match[str], by: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield the pieces of the replacement `by`, each with the span of the original text that it replaces."""
        for part in _PART.finditer(by):
            if part[2]:
                yield part[2], self.span(*found.span())
                continue
            start, end = found.span(part[1])
            for at in range(start, end):
                grouped = part[1].startswith(_GROUPED) and at > start and (end - at) % 3 == 0
                yield "," * grouped + self.text[at], self._places[at]


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str, list[str]], ...]:
    rules = []
    for pattern, by, signs in rows_of("query_wordings.tsv"):
        pattern = filled(pattern)
        for name, known in _KNOWN.items():
            pattern = pattern.replace(f"{{{name}}}", known)
        rules.append((re.compile(pattern, re.IGNORECASE), by, signs.split("|")))
    return tuple(rules)


def respelled(text: str) -> Respelled:
    """Return a query with normalised spelling: "under40€" -> "under 40€". Warn about a corrected bound ("undr")."""
    found = Respelled(text)
    if not any(map(str.isdecimal, text)):
        return found
    for word in list(_BEFORE_NUMBER.finditer(text)):
        if meant := _BOUNDS.meant(word[0].lower()):
            warnings.warn(f"{word[0]!r} is read as {meant!r}", stacklevel=5)
            found = found.replaced(re.compile(rf"\b{word[0]}\b"), meant)
    for pattern, by, signs in _rules():
        if any(map(found.text.lower().__contains__, signs)):
            found = found.replaced(pattern, by)
    return found


def bounded_numbers(text: str) -> list[tuple[int, int]]:
    """Return the spans of all bounds with a number ("under 300"). "Max" and "min" do not count: "iphone max 12"."""
    found = _BOUNDED.finditer(text) if any(map(str.isdecimal, text)) else ()
    return [one.span() for one in found if one[0][:3].lower() not in ("max", "min")]
