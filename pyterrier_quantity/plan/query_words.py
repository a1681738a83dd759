"""A query's words, sentences and clauses, found once, so that each of its numbers only looks them up.

A query may be a long text with thousands of numbers: whatever is asked about one of them must not read the text again.
Words are named by their places among the words (`range`), all else by character offsets.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from typing import Final

from pyterrier_quantity.english import listed, one_of

_WORD: Final = re.compile(r"[^\W\d_]+(?![^\W_]|-[^\W_])")
_SENTENCE_END: Final = re.compile(r"[.!?;](?=\s+([A-Z]))|\n")
_CLAUSE_END: Final = re.compile(rf"[,;:!?–—] |{_SENTENCE_END.pattern}")
_ABOUT: Final = rf"\b{one_of('words before a topic')} (?=[^\W\d])"
_TEXT_ABOUT: Final = rf"\b{one_of('nouns of texts and talks')} {one_of('words before a topic of a text')} (?=[^\W\d])"
_LEADING: Final = listed("words before a topic") | listed("words before a topic of a text")

TOPIC: Final = re.compile(f"{_ABOUT}|{_TEXT_ABOUT}", re.IGNORECASE)
"""What leads to a topic: "about tin", "a book on tin"; "about 50" is a number."""
TEXT_ABOUT: Final = re.compile(_TEXT_ABOUT, re.IGNORECASE)
TOPIC_OF_NUMBER: Final = re.compile(rf"[^,;|]{{0,80}}?(?:{_ABOUT}|(?<=[\w)]): (?=\W?[^\W\d]))", re.IGNORECASE)
"""What leads from a number to the topic of a text; a colon does if no mark stands before it, as before a label's."""


class Places:
    """Places of a kind in a text, in order, each with how far one must have read to know it for what it is."""

    def __init__(self, found: Iterable[tuple[int, int, int]]) -> None:
        """From starts, ends, and the ends of what must be read."""
        every = list(found)
        self.spans = [(start, end) for start, end, _ in every]
        self.starts = [start for start, _ in self.spans]
        self._known = list(accumulate((read for _, _, read in reversed(every)), min))[::-1]

    def first_from(self, at: int) -> tuple[int, int] | None:
        """The first that starts at `at` or behind it."""
        place = bisect_left(self.starts, at)
        return self.spans[place] if place < len(self.spans) else None

    def last_before(self, at: int) -> tuple[int, int] | None:
        """The last that who has read up to `at` knows."""
        place = bisect_right(self._known, at)
        return self.spans[place - 1] if place else None


class QueryWords:
    """A query and what is found in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_WORD.finditer(text))
        self.words = [word[0].lower() for word in found]
        self._starts = [word.start() for word in found]
        self._places: dict[frozenset[str], list[int]] = {}

    @cached_property
    def number_of_different(self) -> int:
        return len(set(self.words))

    @cached_property
    def _sentence_ends(self) -> Places:
        return Places(_ends(_SENTENCE_END, self.text))

    @cached_property
    def clause_ends(self) -> Places:
        return Places(_ends(_CLAUSE_END, self.text))

    @cached_property
    def topics(self) -> Places:
        """What leads to a topic."""
        return self._leading(TOPIC)

    @cached_property
    def texts_about(self) -> Places:
        """What names a text and leads to its topic: "book on"."""
        return self._leading(TEXT_ABOUT)

    def _leading(self, pattern: re.Pattern[str]) -> Places:
        """What leads to a topic by a pattern; a letter behind it must have been read. Few texts have such a word."""
        found = pattern.finditer(self.text) if not _LEADING.isdisjoint(self.words) else ()
        return Places((one.start(), one.end(), one.end() + 1) for one in found)

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Where the sentence begins and ends in which these characters stand."""
        before, behind = self._sentence_ends.last_before(start), self._sentence_ends.first_from(end)
        return before[1] if before else 0, behind[0] if behind else len(self.text)

    @property
    def later_sentences(self) -> list[tuple[int, int, int]]:
        """Of each sentence behind the first: where the one before it stops, where it begins, and where it stops."""
        ends = self._sentence_ends
        stops = [*ends.starts[1:], len(self.text)][: len(ends.spans)]
        return [(start, end, stop) for (start, end), stop in zip(ends.spans, stops, strict=True)]

    def between(self, start: int, end: int) -> range:
        """The words that begin between two characters."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

    def first(self, among: range, number: int = 1) -> list[str]:
        """The first of some words."""
        return [self.words[place] for place in among[:number]]

    def last(self, among: range) -> list[str]:
        """The last of some words; none of none."""
        return [self.words[place] for place in among[-1:]]

    def next_of(self, kind: frozenset[str], among: range) -> int | None:
        """The place of the first of some words that is of a kind."""
        return first_of(self._of(kind), among)

    def has(self, kind: frozenset[str], among: range) -> bool:
        """Whether one of some words is of a kind."""
        return self.next_of(kind, among) is not None

    def _of(self, kind: frozenset[str]) -> list[int]:
        if kind not in self._places:
            self._places[kind] = [place for place, word in enumerate(self.words) if word in kind]
        return self._places[kind]


def first_of(places: list[int], among: range) -> int | None:
    """The first of sorted places that is among some."""
    at = bisect_left(places, among.start)
    return places[at] if at < len(places) and places[at] < among.stop else None


def _ends(pattern: re.Pattern[str], text: str) -> Iterable[tuple[int, int, int]]:
    """Where sentences or clauses end: the capital that the next begins with must have been read."""
    for found in pattern.finditer(text):
        yield found.start(), found.end(), found.end(1) if found[1] else found.end()
