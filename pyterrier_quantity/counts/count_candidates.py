"""The counts that snippets state: every whole number that may be a number of things, with what speaks for it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.counts.level import countable
from pyterrier_quantity.counts.question import Question
from pyterrier_quantity.english.stems import sentences, stems
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.answer_kind import TIMES
from pyterrier_quantity.quantity import BARE, Quantity

NEAR: Final = 4
"""How many words beside a number its type is looked for."""


@dataclass(frozen=True, slots=True)
class Count:
    """A count that a snippet states.

    Args:
        value: the whole number; of a range its geometric mean, rounded.
        type: the counted noun in the singular, "" for a bare number.
        bound: what the text says about it, see `Quantity`.
        start, end: character span in the snippet.
        docno: of the snippet; its rank as text where it has none.
        rank: of the snippet among the question's, from 0.
        snippet, sentence: the texts that it stands in.
        relevance: R(c), in [0, 1]; 1 until it is weighed.
        sentence_relevance: Rel(c_sentence, q), in [0, 1]; likewise.
        asked: whether it may be the answer: what it counts is asked for, or not named.
    """

    value: int
    type: str
    bound: str
    start: int
    end: int
    docno: str
    rank: int
    snippet: str
    sentence: str
    relevance: float = 1.0
    sentence_relevance: float = 1.0
    asked: bool = True

    @property
    def span(self) -> str:
        return self.snippet[self.start : self.end]


def read_counts(
    question: Question, snippets: Sequence[str], docnos: Sequence[str] | None = None, extractor: Extractor | None = None
) -> list[Count]:
    """The counts of a question's snippets, in text order, not weighed yet.

    Measures with units, shares and numbers that the question itself names are no counts, unless the question asks for
    just that unit ("how many days"); see also `level.countable`.

    Args:
        question: see `question.analyse`.
        snippets: best first.
        docnos: of the snippets; their ranks where there are none.
        extractor: the rule extractor by default.
    """
    found = (extractor or RuleExtractor()).extract_batch(list(snippets))
    names = docnos if docnos is not None else [str(rank) for rank in range(len(snippets))]
    counts: list[Count] = []
    for rank, (text, quantities) in enumerate(zip(snippets, found, strict=True)):
        places = sentences(text)
        multiples = _multiples(text) if question.kind.counted_unit == TIMES else ()
        stated = countable(question, text, [*quantities, *multiples])
        for quantity, value in _whole(question, stated):
            begin, end = next(place for place in places if quantity.start < place[1] or place[1] == len(text))
            kind = "" if quantity.unit == BARE else quantity.unit
            place = (quantity.bound, quantity.start, quantity.end, names[rank], rank)
            counts.append(Count(value, kind, *place, text, text[begin:end].strip()))
    return counts


_MULTIPLES: Final = re.compile(r"\b(once|twice|thrice)\b", re.IGNORECASE)


def _multiples(text: str) -> Iterator[Quantity]:
    """ "Once", "twice" and "thrice", which are numbers where a question asks how many times."""
    for multiple in _MULTIPLES.finditer(text):
        value = 1.0 + ("once", "twice", "thrice").index(multiple[0].lower())
        yield Quantity(value, value, TIMES, start=multiple.start(), end=multiple.end())


def _whole(question: Question, quantities: Iterable[Quantity]) -> Iterator[tuple[Quantity, int]]:
    for quantity in quantities:
        value = quantity.low if quantity.low == quantity.high else math.sqrt(max(quantity.low, 0.0) * quantity.high)
        bare = quantity.unit == BARE
        if quantity.low < 0 or not quantity.low.is_integer() or (bare and quantity.low != quantity.high):
            continue
        if not (bare or is_count(quantity.unit) or quantity.unit == question.kind.counted_unit):
            continue
        if value in question.numbers and not question.kind.heads & set(stems(quantity.unit)):
            continue
        yield quantity, round(value)
