"""What a question about a quantity asks for, and which quantities answer it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from pyterrier_quantity.answers.other_names import Name, names
from pyterrier_quantity.english.stems import stems
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.plan.answer_kind import FAMILY_STEMS, FAMILY_WORDS, AnswerKind, unit_families
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.units import default_registry

YEAR: Final = "year"


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
        """Its names of several words, see `other_names`."""
        return names(self.kind.question)

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
