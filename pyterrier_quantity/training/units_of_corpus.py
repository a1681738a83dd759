"""The units of a corpus: in which ways each is written, and which others measure the same."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Final

import numpy as np

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.templates import stated_quantities
from pyterrier_quantity.concept_units.wording import Wording, registry_wordings, unit_wordings
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitRegistry

_SELDOM: Final = 0.15
"""How often a unit's form is taken from all that the registry knows."""
_OFTEN: Final = 3
"""Quantities that a corpus must state in a unit for it to replace another one."""
_COUNTED: Final = "counted thing"


class UnitForms:
    """The ways to write each unit of a corpus: its name, its sign and the wordings that its texts often use; seldom any
    other form of the registry, for many of these are read and hardly ever written ("percents", a wide dollar sign)."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._index = index
        self._of = lru_cache(maxsize=None)(self._forms)

    def some(self, unit: str, chance: random.Random, but: Wording | None = None) -> list[Wording]:
        """Wordings to choose from, without one of them: the usual ones, or now and then all."""
        usual, every = ([form for form in forms if form != but] for forms in self._of(unit))
        return usual if usual and chance.random() >= _SELDOM else every

    def _forms(self, unit: str) -> tuple[list[Wording], list[Wording]]:
        """The usual wordings, and all."""
        registry = self._index.registry
        if not is_name(unit, registry):
            return [], []
        usual = unit_wordings(unit, stated_quantities(self._index, unit), registry)
        return usual, list(dict.fromkeys((*usual, *registry_wordings(unit, registry))))


def is_name(unit: str, registry: UnitRegistry) -> bool:
    """Whether a unit, given by its name, is found again; some nouns that texts count are not."""
    try:
        return registry.resolve(unit) == unit
    except ValueError:
        return False


class UnitNeighbours:
    """The units of a corpus that measure the same as another one: for hard negatives, so currencies count as alike."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._registry = index.registry
        self._groups: dict[str, list[str]] = {}
        times = np.bincount(index.columns["unit"], minlength=len(index.unit_names))
        for number in np.argsort(-times, kind="stable"):
            unit = index.unit_names[number]
            if unit != BARE and times[number] >= _OFTEN and is_name(unit, self._registry):
                self._groups.setdefault(self._measure(unit), []).append(unit)

    def of(self, unit: str) -> list[str]:
        """The other units of the group; of a compound without a group, its numerator's over the same denominator."""
        if unit == BARE:
            return []
        others = [other for other in self._groups.get(self._measure(unit), []) if other != unit]
        upper, per, below = unit.partition(" per ")
        return others if others or not per else [f"{other} per {below}" for other in self.of(upper)]

    def _measure(self, unit: str) -> str:
        """The name of what units of a kind measure: "currency" for all currencies, one name for all counted nouns."""
        family = self._registry.family(unit)
        return _COUNTED if family in (None, unit) else family.partition(":")[0].partition(" in ")[0]
