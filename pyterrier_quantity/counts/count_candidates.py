"""Find the counts in texts (snippets): the whole numbers that may answer a question "how many ...". Years, labels such
as "season 5", and numbers in names are left out."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pyterrier_quantity.counts.question import CLAUSE, VERB_FORMS, Question
from pyterrier_quantity.english import NUMBERS
from pyterrier_quantity.english.nouns import is_plural, singular
from pyterrier_quantity.english.stems import sentences, stem, stems
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.answer_kind import TIMES
from pyterrier_quantity.quantity import BARE, Quantity


@dataclass(frozen=True, slots=True)
class Count:
    """A count in a snippet (a retrieved text), such as "35 museums".

    Args:
        value: the number or, for a range, the rounded geometric mean.
        type: the counted noun in the singular, or "" for a number without a noun.
        bound: "=" for an exact count, "~" for an approximate count, or a limit such as ">=", as in `Quantity`.
        start, end: character span of the count in the snippet.
        docno: docno of the snippet, or the snippet's rank as text.
        rank: rank of the snippet for the question, from 0.
        snippet, sentence: the texts that contain the count.
        relevance: relevance to the question, from 0 to 1, computed by `relevance.weigh` (initially 1).
        sentence_relevance: relevance of the sentence to the question, from 0 to 1, computed by `relevance.weigh`.
        asked: whether the count can be the answer: `type` is "" or the noun that the question asks for.
        against: flaws of the count as an answer, a dictionary from flaw to severity; see `relevance.shortcomings`.
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
    against: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)

    @property
    def span(self) -> str:
        return self.snippet[self.start : self.end]


def read_counts(question: Question, snippets: Sequence[str], docnos: Sequence[str] | None = None) -> list[Count]:
    """Return the counts in the snippets of a question, in text order. Every relevance is 1 until `weigh` computes it.

    Measurements and percentages are left out, unless the question asks for their unit ("how many days"). Numbers in the
    question are also left out. If `docnos` is None, a snippet's rank is its docno.
    """
    names = docnos if docnos is not None else [str(rank) for rank in range(len(snippets))]
    counts: list[Count] = []
    for rank, (text, quantities) in enumerate(zip(snippets, RuleExtractor().extract_batch(snippets), strict=True)):
        places = sentences(text)
        words = _MULTIPLE.finditer(text) if question.kind.counted_unit == TIMES else ()
        multiples = [(_MULTIPLES[word[0].lower()], *word.span()) for word in words]
        quantities = [*quantities, *(Quantity(n, n, TIMES, start=start, end=end) for n, start, end in multiples)]
        for quantity, value in _whole(question, countable(question, text, quantities)):
            begin, end = next(place for place in places if quantity.start < place[1] or place[1] == len(text))
            kind = "" if quantity.unit == BARE else quantity.unit
            place = (quantity.bound, quantity.start, quantity.end, names[rank], rank)
            counts.append(Count(value, kind, *place, text, text[begin:end].strip()))
    return counts


PEOPLE: Final = "people"
"""The unit of persons, which is the only counted noun in the registry of units."""
_MULTIPLES: Final = {"once": 1.0, "twice": 2.0, "thrice": 3.0}  # answers to "how many times"
_MULTIPLE: Final = re.compile(rf"\b(?:{'|'.join(_MULTIPLES)})\b", re.IGNORECASE)


def _whole(question: Question, quantities: Iterable[Quantity]) -> Iterator[tuple[Quantity, int]]:
    heads = question.kind.heads
    asked = {question.kind.counted_unit, *([PEOPLE] if stem(PEOPLE) in heads or not heads else [])}
    for quantity in quantities:
        low, high, unit = quantity.low, quantity.high, quantity.unit
        value = low if low == high else math.sqrt(max(low, 0.0) * high)
        counts = low == high if unit == BARE else is_count(unit) or unit in asked
        is_named = value in question.numbers and heads.isdisjoint(stems(unit))
        if counts and not is_named and low >= 0 and low.is_integer():
            yield quantity, round(value)


_NUMBER: Final = re.compile(r"(?:[\d.,]*\d|[^\W\d_]+(?:-[^\W\d_]+)*)(?:\s+(?:hundred|thousand|million|billion))?")
_SHARE: Final = re.compile(r"one\s+of\s+(?:(?:the|these|those|its|their|his|her|our)\s+)?(\S*)", re.IGNORECASE)
_LABEL: Final = re.compile(r"(?<!['’])\b([^\W\d_]+)(?:(?<=\b\w)\.)?\s+#?$")
_NO_NOUNS: Final = VERB_FORMS.union(CLAUSE)
_IN_SIZE: Final = re.compile(r"\d(?:\s?[x×]\s?|[-–:/])$"), re.compile(r"\s?[x×]\s?\d|[-–:/]\d")  # "4 x 100", "6-4"
# Matches the text between two numbers of an enumeration: a counted noun, and a comma or "and".
_AND: Final = re.compile(r"\s+([^\W\d_]+(?:\s[^\W\d_]+)?)(?:,|,?\s(?:and|plus)|\s?[&+])\s+(?:and\s+)?", re.IGNORECASE)


def countable(question: Question, text: str, quantities: Iterable[Quantity]) -> Iterator[Quantity]:
    """Yield the quantities in a text that may count things, in text order.

    "one of the ten campuses" -> 10 campuses. "8 gold and 2 silver medals" -> 8 gold medals, 2 silver medals, 10 medals.
    Ages, years, labels such as "season 5", and numbers in the question's proper names ("Xbox 360") are left out."""
    ordered = sorted(quantities, key=lambda quantity: quantity.start)
    shared = (of for quantity in ordered for of in _of_how_many(text, quantity))
    yield from _with_sums(question, text, [one for one in shared if not _is_name(question, text, one)])


def _of_how_many(text: str, quantity: Quantity) -> Iterator[Quantity]:
    share = _SHARE.match(text, quantity.start)
    if share is None:
        yield quantity
    elif share.end() <= quantity.end:
        number = float(NUMBERS.get(share[1].lower()) or re.sub(r"\D", "", share[1]) or 0)
        if number > 1:
            yield replace(quantity, low=number, high=number, start=share.start(1))


def _is_name(question: Question, text: str, quantity: Quantity) -> bool:
    before = text[max(0, quantity.start - 60) : quantity.start]
    number = text[quantity.start : _number_end(text, quantity)]
    label = _LABEL.search(before)
    word = label[1].lower() if label else ""
    if word and f" {word} {number.lower()} " in f" {question.text.lower()} ":
        return True
    if quantity.unit != BARE:
        return False
    is_year = number.isdigit() and 1000 <= int(number) <= 2100
    is_noun = label and label[1] == word and word not in _NO_NOUNS and not word.endswith(("ed", "ing", "ly"))
    is_one = quantity.high < 1000 and singular(word) == word and (is_noun or stem(word) in question.kind.heads)
    in_size = _IN_SIZE[0].search(before) or _IN_SIZE[1].match(text, quantity.end) or re.fullmatch(r"\d+\.\d+", number)
    return bool(is_year or is_one or in_size or before.endswith("#") or word in {"aged", "born", "turns", "turned"})


def _number_end(text: str, quantity: Quantity) -> int:
    number = _NUMBER.match(text, quantity.start)
    return number.end() if number and quantity.unit != BARE else quantity.end


def _with_sums(question: Question, text: str, quantities: Iterable[Quantity]) -> Iterator[Quantity]:
    """Yield the quantities in a text. For each enumeration of things that the question asks for, also yield its parts
    and their sum: "8 gold and 2 silver medals" -> 8 gold medals, 2 silver medals, 10 medals."""
    parts: list[Quantity] = []
    kinds: list[str] = []
    for quantity in quantities:
        yield quantity
        kind = _AND.fullmatch(text, _number_end(text, parts[-1]), quantity.start) if parts else None
        parts, kinds = ([*parts, quantity], [*kinds, kind[1]]) if kind else ([quantity], [])
        *modifiers, noun = quantity.unit.split()
        of_kinds = kinds and modifiers and stem(noun) in question.kind.heads
        if of_kinds and not any(is_plural(kind.split()[-1]) for kind in kinds):
            for part, of in zip(parts, kinds, strict=False):
                yield replace(part, unit=f"{of} {noun}")
            if not set(question.kind.counted_stems[:-1]) & set(stems(" ".join([*kinds, quantity.unit]))):
                low, high = sum(part.low for part in parts), sum(part.high for part in parts)
                yield replace(quantity, low=low, high=high, unit=noun, start=parts[0].start)
