"""What a question about a quantity asks for, and which quantities answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from pyterrier_quantity.english.proper_names import proper_names
from pyterrier_quantity.english.stems import stems
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.plan.answer_kind import FAMILY_STEMS, FAMILY_WORDS, AnswerKind, unit_families
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.score import satisfied
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
    ends = np.array([[quantity.low], [quantity.high]])
    if constraint.unit != BARE:
        if registry.conversion(quantity.unit, constraint.unit) is None:
            return False
        ends = registry.convert(ends, quantity.unit, constraint.unit)
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
        if meant and not any(name.words[-len(one) :] == one or _within(name.words, one) for one in meant):
            kept[name.start : name.end] = " " * (name.end - name.start)
    return "".join(kept)


def _within(part: Name, name: Name) -> bool:
    return any(name[at : at + len(part)] == part for at in range(len(name) - len(part) + 1))
