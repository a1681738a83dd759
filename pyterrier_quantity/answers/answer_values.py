"""What a question about a quantity asks for; the values that documents state of it, each with what speaks for it."""

from __future__ import annotations

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
from pyterrier_quantity.index.context_words import terms_around
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
    """What a question asks for.

    Args:
        kind: of the answer.
        constraints: conditions that the answer meets ("more than 500 hp").
    """

    kind: AnswerKind
    constraints: tuple[Constraint, ...] = ()

    @cached_property
    def kind_words(self) -> frozenset[str]:
        """Words that name the kind of quantity, whichever the question uses: "high" for "how tall is ..."."""
        return frozenset(word for family in self.kind.families for word in FAMILY_WORDS[family].split())

    @cached_property
    def names(self) -> list[Name]:
        """Its names of several words."""
        return [name.words for name in proper_names(self.kind.question) if len(name.words) > 1]

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The stems of what the question is about; not of what names the kind of quantity ("heavy", "500 hp")."""
        rest = plan_query(plan_query(self.kind.question).terms()).answer
        units = frozenset(word for constraint in self.constraints for word in stems(constraint.unit))
        kinds = FAMILY_STEMS | units | self.kind.heads
        about = (term for term in (*rest.about, *rest.counted_stems[:-1]) if term not in kinds)
        return tuple(dict.fromkeys((*self.kind.attribute, *about)))

    def admits(self, quantity: Quantity) -> bool:
        """Whether a quantity is of the kind that is asked for."""
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
    """Read what a question asks for; "who wrote Emma" asks for no quantity."""
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
    """A sentence with blanks in place of names that share a word with one of the question's and are another's: "Mount
    Everest" says nothing of Mount Kilimanjaro, nor "Ibex Gaming 15" of the Aerolite 15.

    A part of the name is the same one ("Kilimanjaro" for "Mount Kilimanjaro"), and so is one with a title before it
    ("Rower Aleks Tomic" for "Aleks Tomic"); what has a word behind it is something else ("Mont Blanc Tunnel").
    """
    kept = list(sentence)
    for name in proper_names(sentence):
        meant = [one for one in asked if set(one) & set(name.words)]
        part = f" {' '.join(name.words)} "
        if meant and not any(name.words[-len(one) :] == one or part in f" {' '.join(one)} " for one in meant):
            kept[name.start : name.end] = " " * (name.end - name.start)
    return "".join(kept)


_YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:1\d{3}|20\d{2})(?![\d,%]|\.\d)")

RANK: Final = 0.5
"""A value's relevance falls with its document's rank as (1 + rank) to this power."""
UNCOVERED: Final = 2.0
"""What lacking all of the question's words costs a sentence; the words near the quantity cost as much again."""
SAME: Final = 0.02
"""Values within this relative distance are the same, stated more or less precisely."""
_KIND: Final = 0.75
"""How much words of the kind that is asked for ("costs" for "how much") count beside the question's own."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a document states.

    Args:
        quantity: as it is stated.
        value: its value, of a range the middle; `in_unit` converts it.
        docno, rank: of the document.
        sentence: that it stands in.
        span: its text; the quantity's `start` and `end` are its place in the document.
        relevance: how much it says about the question, in (0, 1].
    """

    quantity: Quantity
    value: float
    docno: str
    rank: int
    sentence: str
    span: str
    relevance: float


def read_values(
    asked: Asked,
    documents: Sequence[Mapping[str, Any]],
    extractor: Extractor | None = None,
) -> list[Value]:
    """Of each document the value that says most about the question.

    Args:
        asked: see `asked_for`.
        documents: best first: `docno`, `text`, and `quantities` where they are ready.
        extractor: the rule extractor by default.
    """
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
    """How well each quantity of a sentence goes with the question's words, as a share of the best one's: with
    the attribute that it names, where the sentence has it, else with all of its words."""
    placed = [replace(q, start=max(q.start - begin, 0), end=max(q.end - begin, 0)) for q in stated]
    terms, positions = terms_around(sentence, placed)
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, code in enumerate(terms):
        places[code].append(place)
    attribute = [term for term in asked.kind.attribute if term_hash(term) in places]
    words = sum(
        (idf[term] * _beside(places.get(term_hash(term), ()), positions) for term in attribute or asked.terms),
        start=np.zeros(len(stated)),
    )
    kind = [place for word in asked.kind_words for place in places.get(term_hash(word), ())]
    claim = _share(words) + (0.0 if attribute else _KIND * _share(_beside(kind, positions)))
    return _share(claim) if claim.any() or asked.terms else np.ones(len(stated))


def _share(claims: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Each claim as a share of the strongest."""
    strongest = claims.max(initial=0.0)
    return claims / strongest if strongest else claims


def _beside(places: Sequence[int], positions: Sequence[int]) -> npt.NDArray[np.float64]:
    """Of each quantity, how near the next of these words is, in [0, 1]; 0 where there is none."""
    if not places:
        return np.zeros(len(positions))
    return nearness(np.array(positions), np.array(sorted(places)), WordWeights())


def common_unit(values: Sequence[Value]) -> str:
    """The unit in which most of the relevance is stated; "" without values."""
    weight: defaultdict[str, float] = defaultdict(float)
    for value in values:
        weight[value.quantity.unit] += value.relevance
    return max(weight, key=lambda name: weight[name], default="")


def in_unit(values: Sequence[Value], unit: str) -> list[Value]:
    """The values that convert to a unit, converted; the others are left out."""
    registry = default_registry()
    return [
        replace(value, value=float(registry.convert(value.value, value.quantity.unit, unit)))
        for value in values
        if value.quantity.unit == unit or registry.conversion(value.quantity.unit, unit) is not None
    ]


def is_same(one: float, other: float) -> bool:
    """Whether two values are the same, stated more or less precisely."""
    return abs(one - other) <= SAME * max(abs(one), abs(other))
