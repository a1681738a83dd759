"""Sentences with one quantity rewritten: its number, its unit, or both; each is read back.

Source: Almasian et al., Numbers Matter!, section 3.3.3 and appendices B.6 to B.8. That a rewritten sentence is kept
only if the extractor reads it as intended is ours.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.wording import (
    Wording,
    around_number,
    worded_quantity,
    written_number,
)
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.training.query_generation import UnitForms, is_name
from pyterrier_quantity.units import UnitRegistry


@dataclass(frozen=True)
class Mention:
    """A quantity of the index in its sentence, which parts into `wording` and `number`."""

    text: str
    start: int
    end: int
    value: float
    unit: str
    wording: Wording
    number: str


class Rewriter:
    """Rewrites the quantities of an index's sentences.

    Args:
        index: has the sentences.
        forms: the wordings of its units.
    """

    def __init__(self, index: ConceptUnitIndex, forms: UnitForms) -> None:
        self.index, self._forms = index, forms
        self._reader = RuleExtractor(concepts=False, registry=index.registry)
        self._others = UnitNeighbours(index)

    def read(self, text: str) -> list[Quantity]:
        """A sentence's quantities, as the samples are checked."""
        return self._reader.extract(text)

    def mention(self, row: int) -> Mention | None:
        """A quantity of the index; None if its number is not one in digits, with the unit around it."""
        quantity = self.index.quantity(row)
        text = self.index.texts[int(self.index.columns["document"][row])]
        parts = around_number(text[quantity.start : quantity.end])
        if parts is None:
            return None
        return Mention(text, quantity.start, quantity.end, quantity.low, quantity.unit, *parts)

    def with_unit(self, mention: Mention, chance: random.Random, other: bool) -> str | None:
        """The sentence with another wording of the same unit, or with an `other` unit that measures the same."""
        unit = mention.unit
        if other:
            neighbours = self._others.of(unit)
            if not neighbours:
                return None
            unit = chance.choice(neighbours)
        wordings = self._forms.some(unit, chance, but=mention.wording)
        return self._written(mention, mention.number, wordings, mention.value, unit, chance)

    def with_value(self, mention: Mention, value: float, chance: random.Random) -> str | None:
        """The sentence with another value of the same unit."""
        return self._written(mention, written_number(value, chance), [mention.wording], value, mention.unit, chance)

    def _written(
        self, mention: Mention, number: str, wordings: Sequence[Wording], value: float, unit: str, chance: random.Random
    ) -> str | None:
        if not wordings:
            return None
        stated = worded_quantity(number, chance.choice(wordings))
        text = mention.text[: mention.start] + stated + mention.text[mention.end :]
        for quantity in self.read(text):
            if (quantity.start, quantity.low, quantity.high, quantity.unit) == (mention.start, value, value, unit):
                return text
        return None


class UnitNeighbours:
    """The units of a corpus that measure the same as another one: for hard negatives, so currencies count as alike."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._registry = index.registry
        self._groups: dict[str, list[str]] = {}
        times = np.bincount(index.columns["unit"], minlength=len(index.unit_names))
        for number in np.argsort(-times, kind="stable"):
            unit = index.unit_names[number]
            if unit != BARE and times[number] >= _OFTEN and is_name(unit, self._registry):
                self._groups.setdefault(what_it_measures(unit, self._registry), []).append(unit)
        self.of = lru_cache(maxsize=None)(self._of)

    def _of(self, unit: str) -> tuple[str, ...]:
        """The other units of the group; of a compound without a group, its numerator's over the same denominator."""
        if unit == BARE:
            return ()
        group = self._groups.get(what_it_measures(unit, self._registry), [])
        others = tuple(other for other in group if other != unit)
        upper, per, below = unit.partition(" per ")
        if others or not per:
            return others
        return tuple(f"{other} per {below}" for other in self._of(upper))


_COUNTED = "counted thing"
_OFTEN = 3
"""Quantities that a corpus must state in a unit for it to replace another one."""


def what_it_measures(unit: str, registry: UnitRegistry) -> str:
    """The name of what units of a kind measure: "currency" for all currencies, one name for all counted nouns."""
    family = registry.family(unit)
    if family is None or family == unit:
        return _COUNTED
    return family.partition(":")[0].partition(" in ")[0]


def meets(constraint: Constraint, quantities: Sequence[Quantity]) -> bool:
    """Whether one of the quantities, in the constraint's unit, meets it."""
    own = [q for q in quantities if q.unit == constraint.unit]
    low, high = (np.array([getattr(q, end) for q in own]) for end in ("low", "high"))
    return bool(satisfied(constraint, low, high).any())
