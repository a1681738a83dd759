"""What a question about a quantity asks for: a mass, a price, a year, whatever meets a condition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from pyterrier_quantity.answers.other_names import Name, names
from pyterrier_quantity.counts.question import Question, analyse
from pyterrier_quantity.english.stems import WORD, stem, stems
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.units import default_registry

_ASKS: Final = re.compile(r"\b(how|what|when|which|whats|what's)\b", re.IGNORECASE)
_WHEN: Final = re.compile(r"\b(when|(what|which|in\s+what|in\s+which)\s+year)\b", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"\b(?:what|which)\s+(?:is|are|was|were)\s+the\b|\bhow\s+(?!to\b|do\b|does\b|did\b|can\b)", re.IGNORECASE
)
"""Asks for a quantity whose kind its words do not tell: "what was the hemoglobin of ...", "how much ..."."""
_PER: Final = re.compile(r"\bper\s+\w+", re.IGNORECASE)
"""The "share" of "earnings per share" names no kind of quantity."""
_OF: Final = re.compile(
    r"\b(?:what|which)(?:\s+(?:is|are|was|were)|'s)\s+(?:the\s+)?(.+?)\s+(?:of|in|for|at)\b", re.IGNORECASE
)
"""The attribute of "what is the net profit of ..."."""
_IN_UNIT: Final = re.compile(r"\bin\s+([a-z$€£°%][\w°$€£%/ ]*?)\s*\??$", re.IGNORECASE)

_WORDS: Final = {
    "mass": "heavy weigh weighs weighed weight mass",
    "length": "tall high height long length deep depth wide width far distance elevation altitude range",
    "speed": "fast speed velocity quickly",
    "time": "long duration last lasts lasted take takes took",
    "age": "old age aged",
    "temperature": "hot cold warm temperature",
    "money": "cost costs price priced expensive cheap pay paid pays worth earn earns earned spend spent salary revenue "
    "profit sales budget fee sold sell sells fetch",
    "power": "powerful power output",
    "area": "large big area size",
    "volume": "volume capacity",
    "information": "storage memory capacity",
    "ratio": "percent percentage share proportion rate",
    "rate": "rate",
    "energy": "energy",
    "pressure": "pressure",
}
_FAMILIES: Final = {
    word: frozenset(family for family, words in _WORDS.items() if word in words.split())
    for words in _WORDS.values()
    for word in words.split()
}
"""Which families of units answer a question with this word."""

YEAR: Final = "year"


@dataclass(frozen=True)
class Asked:
    """What a question asks for.

    Args:
        question: its components, see `counts.question`.
        families: families of the units that may answer it; empty: any unit.
        constraints: conditions that the answer meets ("more than 500 hp").
        year: whether it asks for a year.
        unit: the unit that the answer is wanted in; "" for the one that most documents use.
        is_quantity: whether it asks for a quantity at all.
    """

    question: Question
    families: frozenset[str] = frozenset()
    constraints: tuple[Constraint, ...] = ()
    year: bool = False
    unit: str = ""
    is_quantity: bool = True

    @cached_property
    def attribute(self) -> tuple[str, ...]:
        """The stems of the attribute that it names: of "what is the net profit of ..." those of "net profit"."""
        named = None if self.question.is_count else _OF.search(self.question.text)
        return tuple(dict.fromkeys(stems(named[1]))) if named else ()

    @cached_property
    def kind_words(self) -> frozenset[str]:
        """Words that name the kind of quantity, whichever the question uses: "high" for "how tall is ..."."""
        return frozenset(word for family in self.families for word in _WORDS[family].split())

    @cached_property
    def names(self) -> list[Name]:
        """Its names of several words, see `other_names`."""
        return names(self.question.text)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The stems of what the question is about; not of what names the kind of quantity ("heavy", "500 hp")."""
        about, _ = parse_query(self.question.text)
        rest = analyse(about)
        units = frozenset().union(*(_stems(constraint.unit) for constraint in self.constraints))
        kinds = {stem(word) for word in _FAMILIES} | units | self.question.heads
        about_it = (term for term in (*rest.constraints, *rest.type_stems[:-1]) if term not in kinds)
        return tuple(dict.fromkeys((*self.attribute, *about_it)))

    def admits(self, quantity: Quantity) -> bool:
        """Whether a quantity is of the kind that is asked for."""
        if self.year:
            return quantity.unit == YEAR
        if self.constraints:
            return any(_meets(quantity, constraint) for constraint in self.constraints)
        if quantity.unit == BARE:
            return False
        if self.question.is_count:
            return quantity.unit == self.question.unit or bool(self.question.heads & _stems(quantity.unit))
        return not self.families or bool(_families(quantity.unit) & self.families)


def asked_for(text: str) -> Asked:
    """Read what a question asks for.

    A question that asks for no quantity ("who wrote Emma") has `is_quantity` False.
    """
    question = analyse(text)
    _, constraints = parse_query(text)
    if not (question.is_count or constraints or _ASKS.search(text)):
        return Asked(question, is_quantity=False)
    wanted = _IN_UNIT.search(text)
    unit = _unit(wanted[1]) if wanted else ""
    if wanted and unit:
        question = analyse(text[: wanted.start()])
    words = [word.lower() for word in WORD.findall(_PER.sub("", text))]
    families = next((_FAMILIES[word] for word in words if word in _FAMILIES), frozenset())
    if unit and not families:
        families = frozenset(_families(unit))
    year = bool(_WHEN.search(text))
    is_quantity = bool(question.is_count or constraints or families or year or _ATTRIBUTE.search(text))
    return Asked(question, families, tuple(constraints), year, unit, is_quantity)


def _unit(text: str) -> str:
    """The unit of measurement that a text names; "" for any other noun."""
    try:
        unit = default_registry().resolve(text)
    except ValueError:
        return ""
    return "" if is_count(unit) else unit


def _stems(unit: str) -> set[str]:
    return {stem(word) for word in WORD.findall(unit)}


def _families(unit: str) -> set[str]:
    """The families of a unit by this module's names; money goes by any currency, and by prices per something."""
    family = default_registry().family(unit) or unit
    names = {family}
    if " per " in unit:
        names.add("rate")
    if family.startswith(("currency", "price")):
        names.add("money")
    if unit == "pound":
        names |= {"mass", "money"}
    return names


def _meets(quantity: Quantity, constraint: Constraint) -> bool:
    registry = default_registry()
    ends = np.array([[quantity.low], [quantity.high]])
    if constraint.unit != BARE:
        if registry.conversion(quantity.unit, constraint.unit) is None:
            return False
        ends = registry.convert(ends, quantity.unit, constraint.unit)
    return bool(satisfied(constraint, ends[0], ends[1])[0])
