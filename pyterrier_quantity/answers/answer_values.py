"""Analyse questions about quantities, and find relevant values in documents."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.constants import WordWeights
from pyterrier_quantity.counts.relevance import coverage, term_weights
from pyterrier_quantity.english.proper_names import proper_names
from pyterrier_quantity.english.stems import sentences, stems, term_hash
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.index.context_words import terms_around, without_marks
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.plan.answer_kind import FAMILY_STEMS, FAMILY_WORDS, AnswerKind, unit_families
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.score.fit import nearness
from pyterrier_quantity.units import default_registry

YEAR: Final = "year"
Name = tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """The quantity that a question asks for: its kind ("mass"), and conditions on it ("more than 500 hp")."""

    kind: AnswerKind
    constraints: tuple[Constraint, ...] = ()

    @cached_property
    def names(self) -> list[Name]:
        """The proper names in the question that have at least two words, in lower case: [("mont", "blanc")]."""
        return [name.words for name in proper_names(self.kind.question) if len(name.words) > 1]

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The stems to search for near a value: content words, except units ("hp") and words such as "heavy"."""
        rest = plan_query(plan_query(self.kind.question).terms()).answer
        units = frozenset(word for constraint in self.constraints for word in stems(constraint.unit))
        kinds = FAMILY_STEMS | units | self.kind.heads
        about = (term for term in (*rest.about, *rest.counted_stems[:-1]) if term not in kinds)
        return tuple(dict.fromkeys((*self.kind.attribute, *about)))

    def admits(self, quantity: Quantity) -> bool:
        """Return whether a quantity is of the kind that the question asks for: "how heavy" admits 5 kg, but not 5 m."""
        if self.kind.is_year:
            return quantity.unit == YEAR
        if self.constraints:
            return any(_meets(quantity, constraint) for constraint in self.constraints)
        if quantity.unit == BARE:
            return False
        if self.kind.is_count:
            return quantity.unit == self.kind.counted_unit or not self.kind.heads.isdisjoint(stems(quantity.unit))
        return not self.kind.families or bool(unit_families(quantity.unit) & self.kind.families)


def asked_for(text: str) -> Asked:
    """Return the quantity that a question asks for: "how heavy is a bus" -> a mass. If the question does not ask for a
    quantity ("who wrote Emma"), the attribute `kind.is_quantity` of the result is False."""
    plan = plan_query(text)
    return Asked(plan.answer, tuple(plan.constraints))


def _meets(quantity: Quantity, constraint: Constraint) -> bool:
    registry = default_registry()
    if constraint.unit != BARE and registry.conversion(quantity.unit, constraint.unit) is None:
        return False
    ends = np.array([[quantity.low], [quantity.high]])
    ends = ends if constraint.unit == BARE else registry.convert(ends, quantity.unit, constraint.unit)
    return bool(satisfied(constraint, ends[0], ends[1])[0])


def without_other_names(sentence: str, asked: Sequence[Name]) -> str:
    """Return a sentence in which spaces replace the names of other things. If the question contains the name "Mont
    Blanc" (in `asked`), other things are those whose names share a word with it: "Mont Ventoux", "Mont Blanc Tunnel".
    Parts of the question's name ("Blanc") and names after a title ("Rower Aleks Tomic") are kept."""
    kept = list(sentence)
    for name in proper_names(sentence):
        meant = [one for one in asked if set(one) & set(name.words)]
        part = f" {' '.join(name.words)} "
        if meant and not any(name.words[-len(one) :] == one or part in f" {' '.join(one)} " for one in meant):
            kept[name.start : name.end] = " " * (name.end - name.start)
    return "".join(kept)


_YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:1\d{3}|20\d{2})(?![\d%]|[.,]\d)")
RANK: Final = 0.5
"""Exponent of the penalty for rank: the relevance of a value is divided by (1 + rank of its document) ** RANK."""
UNCOVERED: Final = 2.0
"""Strength of the penalty for question words that are missing in the sentence, or far from the quantity."""
SAME: Final = 0.02
"""Maximum relative difference of two values that count as equal, such as 1,950 and 1,980."""
_KIND: Final = 0.75  # weight of words for the kind of quantity ("costs" for "how much"); other words have weight 1


@dataclass(frozen=True, slots=True)
class Value:
    """A value found in a document.

    Args:
        quantity: the quantity in the document.
        value: the number in the quantity's unit, or in the unit given to `in_unit`. For a range, its midpoint.
        docno, rank: the docno and rank of the document.
        sentence: the sentence that contains the quantity.
        span: the text of the quantity.
        relevance: relevance to the question, above 0 and at most 1.
    """

    quantity: Quantity
    value: float
    docno: str
    rank: int
    sentence: str
    span: str
    relevance: float


def read_values(
    asked: Asked, documents: Sequence[Mapping[str, Any]], extractor: Extractor | None = None
) -> list[Value]:
    """Return the most relevant value of each document for the question `asked`. Documents without a quantity of the
    requested kind are left out. `documents` are dictionaries with `docno`, `text` and optionally `quantities`, best
    first. The extractor is used for documents without `quantities`."""
    idf, reader = term_weights(asked.terms, [document["text"] for document in documents]), extractor or RuleExtractor()
    read = (list(_document_values(asked, rank, one, idf, reader)) for rank, one in enumerate(documents))
    return [max(values, key=lambda value: value.relevance) for values in read if values]


def _document_values(
    asked: Asked, rank: int, document: Mapping[str, Any], idf: Mapping[str, float], extractor: Extractor
) -> Iterator[Value]:
    text, quantities = document["text"], document.get("quantities")
    if asked.kind.is_year:
        years = ((float(year[0]), *year.span()) for year in _YEAR.finditer(text))
        quantities = [Quantity(year, year, YEAR, start=start, end=end) for year, start, end in years]
    elif quantities is None:
        quantities = extractor.extract(text)
    for begin, end in sentences(text):
        stated = [q for q in quantities if begin <= q.start < end or (q.start >= end == len(text))]
        if not any(map(asked.admits, stated)):
            continue
        sentence = without_other_names(text[begin:end], asked.names)
        words = " ".join([sentence, *(word for q in stated if not q.end for word in q.concept)])
        covered = coverage(idf, stems(words))
        for quantity, claim in zip(stated, _claims(asked, sentence, begin, stated, idf), strict=True):
            if asked.admits(quantity):
                missing = (1.0 - covered) + (1.0 - claim)
                relevance = (1 + rank) ** -RANK * math.exp(-UNCOVERED * missing) * quantity.confidence
                middle = (quantity.low + quantity.high) / 2
                span = text[quantity.start : quantity.end]
                yield Value(quantity, middle, document["docno"], rank, text[begin:end].strip(), span, relevance)


def _claims(
    asked: Asked, sentence: str, begin: int, stated: Sequence[Quantity], idf: Mapping[str, float]
) -> npt.NDArray[np.float64]:
    """Return how near each quantity in a sentence is to the words of the question `asked`: an array of values from 0 to
    1 (nearest). If words name the requested attribute ("range" in "the range of the car"), only they matter. `stated`
    contains the quantities, `begin` is the sentence's offset, and `idf` contains weights of the question's stems."""
    placed = [replace(q, start=max(q.start - begin, 0), end=max(q.end - begin, 0)) for q in stated]
    terms, positions = terms_around(sentence, placed)
    codes, own = without_marks(np.array(terms, dtype=np.int64), np.array(positions, dtype=np.int64))
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, code in enumerate(codes.tolist()):
        places[code].append(place)
    attribute = [term for term in asked.kind.attribute if term_hash(term) in places]
    words = sum(
        (idf[term] * _nearness(places.get(term_hash(term), ()), own) for term in attribute or asked.terms),
        start=np.zeros(len(stated)),
    )
    # For "how tall is ...", "high" is also a word for the kind of quantity.
    kinds = {word for family in asked.kind.families for word in FAMILY_WORDS[family].split()}
    kind = [place for word in kinds for place in places.get(term_hash(word), ())]
    claim = _share(words) + (0.0 if attribute else _KIND * _share(_nearness(kind, own)))
    return _share(claim) if claim.any() or asked.terms else np.ones(len(stated))


def _share(claims: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    strongest = claims.max(initial=0.0)
    return claims / strongest if strongest else claims


def _nearness(places: Sequence[int], positions: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    if not places:
        return np.zeros(len(positions))
    return nearness(positions, np.array(sorted(places)), WordWeights())


def common_unit(values: Sequence[Value]) -> str:
    """Return the unit whose values have the highest total relevance, or "" for an empty list."""
    weight: defaultdict[str, float] = defaultdict(float)
    for value in values:
        weight[value.quantity.unit] += value.relevance
    return max(weight, key=lambda name: weight[name], default="")


def in_unit(values: Sequence[Value], unit: str) -> list[Value]:
    """Return the values converted to a unit. Values that cannot be converted are left out."""
    registry = default_registry()
    return [
        replace(value, value=float(registry.convert(value.value, value.quantity.unit, unit)))
        for value in values
        if value.quantity.unit == unit or registry.conversion(value.quantity.unit, unit) is not None
    ]


def is_same(one: float, other: float) -> bool:
    """Return whether two values differ by at most 2 %, and thus count as equal: True for 1,950 and 1,980."""
    return abs(one - other) <= SAME * max(abs(one), abs(other))
