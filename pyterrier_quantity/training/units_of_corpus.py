"""Units of a corpus: the wordings of each unit, and the other units that measure the same."""

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
"""Share of cases in which a unit's form is chosen from all forms in the registry."""
_OFTEN: Final = 3
"""Number of quantities in a unit that a corpus must have before the unit replaces another one."""
_COUNTED: Final = "counted thing"


class UnitForms:
    """Wordings of each unit of a corpus: its name, its sign and the wordings that are frequent in the texts.

    Other forms of the registry are chosen rarely, because texts rarely use them ("percents", a wide dollar sign).
    """

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._index = index
        self._of = lru_cache(maxsize=None)(self._forms)

    def some(self, unit: str, chance: random.Random, but: Wording | None = None) -> list[Wording]:
        """Return wordings to choose from, except `but`: mostly the usual ones, sometimes all."""
        usual, every = ([form for form in forms if form != but] for forms in self._of(unit))
        return usual if usual and chance.random() >= _SELDOM else every

    def _forms(self, unit: str) -> tuple[list[Wording], list[Wording]]:
        """Return the usual wordings, and all wordings."""
        registry = self._index.registry
        if not is_name(unit, registry):
            return [], []
        usual = unit_wordings(unit, stated_quantities(self._index, unit), registry)
        return usual, list(dict.fromkeys((*usual, *registry_wordings(unit, registry))))


def is_name(unit: str, registry: UnitRegistry) -> bool:
    """Return whether the registry finds a unit by its name; it does not for some nouns that texts count."""
    try:
        return registry.resolve(unit) == unit
    except ValueError:
        return False


class UnitNeighbours:
    """Units of a corpus by what they measure, for hard negatives; all currencies measure the same."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._registry = index.registry
        self._groups: dict[str, list[str]] = {}
        times = np.bincount(index.columns["unit"], minlength=len(index.unit_names))
        for number in np.argsort(-times, kind="stable"):
            unit = index.unit_names[number]
            if unit != BARE and times[number] >= _OFTEN and is_name(unit, self._registry):
                self._groups.setdefault(self._measure(unit), []).append(unit)

    def of(self, unit: str) -> list[str]:
        """Return the other units of the same group. A compound unit without a group gets other numerators.

        Example: "euro per litre" for "dollar per litre".
        """
        if unit == BARE:
            return []
        others = [other for other in self._groups.get(self._measure(unit), []) if other != unit]
        upper, per, below = unit.partition(" per ")
        return others if others or not per else [f"{other} per {below}" for other in self.of(upper)]

    def _measure(self, unit: str) -> str:
        """Return the name of what a unit measures: "currency" for all currencies, one name for all counted nouns."""
        family = self._registry.family(unit)
        return _COUNTED if family in (None, unit) else family.partition(":")[0].partition(" in ")[0]
