"""Split a query into words, sentences and clauses, and find them by position. The module `signs` uses this module.

The positions are computed once, because a query may be a long text with thousands of numbers. Consecutive words
are represented by a `range` of word indexes. Single positions are character offsets.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from typing import Final

from pyterrier_quantity.english import any_of, listed, one_of

_WORD: Final = re.compile(r"[^\W\d_]+(?![^\W_]|-[^\W_])")
_SENTENCE_END: Final = re.compile(r"[.!?;](?=\s+([A-Z]))|\n")
_CLAUSE_END: Final = re.compile(rf"[,;:!?–—] |{_SENTENCE_END.pattern}")
_ABOUT: Final = rf"\b{one_of('words before a topic')} (?=[^\W\d])"
_NOUNS_TEXTS_TALKS = any_of("""
    article articles blog booklet book books brochure brochures chapter chapters class column conversation
    course courses debate discussion documentary episode essay essays exam exhibition film films flyer flyers
    guide handbook homework interview lecture lectures leaflet leaflets lesson lessons letter letters magazine
    magazines manual movie newsletter newspaper note notes pamphlet page pages paper papers podcast podcasts
    poem post posts presentation programme quiz question questions report reports review section seminar sermon
    series show slides song speech story stories study studies talk talks test thesis thread tweet video videos
    workshop
    """)
_TEXT_ABOUT: Final = rf"\b{_NOUNS_TEXTS_TALKS} {one_of('words before a topic of a text')} (?=[^\W\d])"
_LEADING: Final = listed("words before a topic") | listed("words before a topic of a text")

TOPIC: Final = re.compile(f"{_ABOUT}|{_TEXT_ABOUT}", re.IGNORECASE)
"""Words before a topic: "about" in "about tin", "book on" in "a book on tin". "About 50" does not match."""
TEXT_ABOUT: Final = re.compile(_TEXT_ABOUT, re.IGNORECASE)
TOPIC_OF_NUMBER: Final = re.compile(rf"[^,;|]{{0,80}}?(?:{_ABOUT}|(?<=[\w)]): (?=\W?[^\W\d]))", re.IGNORECASE)
"""The text between a number and a topic: " minutes: " in "20 minutes: tin", " minutes about " in "... about tin"."""


class Places:
    """Character spans of one kind, such as a text's full stops, that can be looked up by offset.

    Args:
        found: ascending triples (start, end, needed). `needed` is the end of the text that must be read to recognise
            the span. A full stop ends a sentence if a capital follows: in "Hi. Yes", the triple is (2, 3, 5).
    """

    def __init__(self, found: Iterable[tuple[int, int, int]]) -> None:
        every = list(found)
        self.spans = [(start, end) for start, end, _ in every]
        self.starts = [start for start, _ in self.spans]
        self._known = list(accumulate((read for _, _, read in reversed(every)), min))[::-1]

    def first_from(self, at: int) -> tuple[int, int] | None:
        """Return the first span that starts at or after the offset `at`, or None."""
        place = bisect_left(self.starts, at)
        return self.spans[place] if place < len(self.spans) else None

    def last_before(self, at: int) -> tuple[int, int] | None:
        """Return the last span that is recognisable from the text before offset `at`, or None."""
        place = bisect_right(self._known, at)
        return self.spans[place - 1] if place else None


class QueryWords:
    """The words, sentences and clauses of a query, and the words that introduce a topic ("about" in "about tin")."""

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
        """The spans of words that introduce a topic: "about" in "about tin", "book on" in "a book on tin"."""
        return self._leading(TOPIC)

    @cached_property
    def texts_about(self) -> Places:
        """The spans of phrases such as "book on" in "a book on tin": a kind of text and a preposition."""
        return self._leading(TEXT_ABOUT)

    def _leading(self, pattern: re.Pattern[str]) -> Places:
        found = pattern.finditer(self.text) if not _LEADING.isdisjoint(self.words) else ()
        return Places((one.start(), one.end(), one.end() + 1) for one in found)

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end of the sentence that contains a span."""
        before, after = self._sentence_ends.last_before(start), self._sentence_ends.first_from(end)
        return before[1] if before else 0, after[0] if after else len(self.text)

    @property
    def later_sentences(self) -> list[tuple[int, int, int]]:
        """All sentences except the first, as triples (offset of the full stop before the sentence, start, end)."""
        ends = self._sentence_ends
        stops = [*ends.starts[1:], len(self.text)][: len(ends.spans)]
        return [(start, end, stop) for (start, end), stop in zip(ends.spans, stops, strict=True)]

    def between(self, start: int, end: int) -> range:
        """Return the indexes of the words that begin between the character offsets `start` and `end`."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

    def first(self, among: range, number: int = 1) -> list[str]:
        """Return the first `number` words in the range `among` of word indexes."""
        return [self.words[place] for place in among[:number]]

    def last(self, among: range) -> list[str]:
        """Return a list with the last word of a range of word indexes, or an empty list for an empty range."""
        return [self.words[place] for place in among[-1:]]

    def next_of(self, kind: frozenset[str], among: range) -> int | None:
        """Return the index of the first word in the range `among` that is in the set `kind`, or None."""
        if kind not in self._places:
            self._places[kind] = [place for place, word in enumerate(self.words) if word in kind]
        return first_of(self._places[kind], among)

    def has(self, kind: frozenset[str], among: range) -> bool:
        """Return whether any word in the range `among` is in the set `kind`."""
        return self.next_of(kind, among) is not None


def first_of(places: list[int], among: range) -> int | None:
    """Return the first number in the sorted list `places` that is in the range `among`, or None."""
    at = bisect_left(places, among.start)
    return places[at] if at < len(places) and places[at] < among.stop else None


def _ends(pattern: re.Pattern[str], text: str) -> Iterable[tuple[int, int, int]]:
    """Yield a triple (start, end, needed), as in `Places`, for each boundary that `pattern` matches."""
    for found in pattern.finditer(text):
        yield found.start(), found.end(), found.end(1) if found[1] else found.end()
