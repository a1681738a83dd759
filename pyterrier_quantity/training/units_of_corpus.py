"""Units in a corpus: the wordings of each unit, and other units of the same dimension."""

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
"""Probability that a unit's wording is chosen from all wordings in the registry."""
_OFTEN: Final = 3
"""Minimum number of quantities in a unit for its use as a replacement of another unit."""
_COUNTED: Final = "counted thing"


class UnitForms:
    """Wordings of each unit in a corpus: its name, its symbol, and wordings that are frequent in the texts. Other
    wordings in the registry are chosen rarely, because texts rarely use them ("percents", a full-width dollar sign)."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._index = index
        self._of = lru_cache(maxsize=None)(self._forms)

    def some(self, unit: str, chance: random.Random, but: Wording | None = None) -> list[Wording]:
        """Return wordings of a unit to choose from, except `but`: mostly the usual ones, sometimes all."""
        usual, every = ([form for form in forms if form != but] for forms in self._of(unit))
        return usual if usual and chance.random() >= _SELDOM else every

    def _forms(self, unit: str) -> tuple[list[Wording], list[Wording]]:
        """Return the usual wordings of a unit, and all wordings."""
        registry = self._index.registry
        if not is_name(unit, registry):
            return [], []
        usual = unit_wordings(unit, stated_quantities(self._index, unit), registry)
        return usual, list(dict.fromkeys((*usual, *registry_wordings(unit, registry))))


def is_name(unit: str, registry: UnitRegistry) -> bool:
    """Return whether the registry resolves a unit's name to this unit, which fails for some counted nouns."""
    try:
        return registry.resolve(unit) == unit
    except ValueError:
        return False


class UnitNeighbours:
    """Units in a corpus grouped by dimension, for hard negatives; all currencies are in one group."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._registry = index.registry
        self._groups: dict[str, list[str]] = {}
        times = np.bincount(index.columns["unit"], minlength=len(index.unit_names))
        for number in np.argsort(-times, kind="stable"):
            unit = index.unit_names[number]
            if unit != BARE and times[number] >= _OFTEN and is_name(unit, self._registry):
                self._groups.setdefault(self._measure(unit), []).append(unit)

    def of(self, unit: str) -> list[str]:
        """Return the other units in a unit's group, or else with another numerator: "dollar per litre" -> "euro per
        litre"."""
        if unit == BARE:
            return []
        others = [other for other in self._groups.get(self._measure(unit), []) if other != unit]
        upper, per, below = unit.partition(" per ")
        return others if others or not per else [f"{other} per {below}" for other in self.of(upper)]

    def _measure(self, unit: str) -> str:
        """Return a unit's group: its dimension, "currency" for all currencies, one name for all counted nouns."""
        family = self._registry.family(unit)
        return _COUNTED if family in (None, unit) else family.partition(":")[0].partition(" in ")[0]
