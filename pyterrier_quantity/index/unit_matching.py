"""Which of an index's units can meet a constraint's unit, how well, and by which conversion."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.index.context_words import is_count, term_hash
from pyterrier_quantity.index.options import UnitWeights
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitRegistry

_OF_AGE: Final = " of age"

_Found = dict[int, tuple[float, float, float]]
"""By row of the index's units: what the unit counts, and the factor and offset of the conversion."""


@dataclass(frozen=True)
class UnitMatch:
    """The rows of the index's units that can meet a constraint, ascending: how much each counts, and the conversion
    `value * factor + offset` to the constraint's unit."""

    rows: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    factor: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]


class UnitVocabulary:
    """The units that an index's quantities carry, by row.

    Args:
        names: canonical unit names, in the order of the index's `unit` column.
        registry: knows families, parts and conversions.
    """

    def __init__(self, names: Sequence[str], registry: UnitRegistry) -> None:
        self.names = list(names)
        self.registry = registry
        self._matches = lru_cache(maxsize=4096)(self._match)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def _families(self) -> dict[str, list[int]]:
        families: dict[str, list[int]] = defaultdict(list)
        for row, name in enumerate(self.names):
            family = self.registry.family(name)
            if family is not None:
                families[family].append(row)
        return families

    @cached_property
    def _nouns(self) -> dict[int, list[int]]:
        """Counted nouns by the stems of their words."""
        nouns: dict[int, list[int]] = defaultdict(list)
        for row, name in enumerate(self.names):
            if name != BARE and is_count(name):
                for code in {term_hash(word) for word in re.findall(r"\w+", name.split(" per ")[0])}:
                    nouns[code].append(row)
        return nouns

    @cached_property
    def _longer(self) -> dict[str, list[tuple[int, frozenset[int]]]]:
        """Units with further parts, by what they begin with: their rows and the stems of those parts."""
        longer: dict[str, list[tuple[int, frozenset[int]]]] = defaultdict(list)
        for row, name in enumerate(self.names):
            numerator, *others = name.split(" per ")
            for kept in range(len(others)):
                further = " ".join(others[kept:])
                codes = frozenset(term_hash(word) for word in re.findall(r"\w+", further)) - {0}
                longer[" per ".join([numerator, *others[:kept]])].append((row, codes))
        return longer

    @cached_property
    def _naming(self) -> frozenset[int]:
        """Stems of the words by which a query's terms can name a unit or a part of one."""
        parts = (codes for units in self._longer.values() for _, codes in units)
        return frozenset(self._nouns).union(*parts)

    def match(self, unit: str, terms: Sequence[int], weights: UnitWeights) -> UnitMatch:
        """The index's units against a constraint's unit and the query's terms (stem hashes)."""
        naming = frozenset(terms) & self._naming if weights.noun or weights.more else frozenset()
        return self._matches(unit, naming, weights)

    def _match(self, unit: str, terms: frozenset[int], weights: UnitWeights) -> UnitMatch:
        if unit == BARE:
            found = self._unasked(terms, weights)
        else:
            found = self._partly(unit, terms, weights)
            if weights.convertible:
                found |= self._same_family(unit, weights.convertible)
        if unit in self._row:
            found[self._row[unit]] = (1.0, 1.0, 0.0)
        rows = sorted(found)
        weight, factor, offset = np.array([found[row] for row in rows], dtype=np.float64).reshape(-1, 3).T
        return UnitMatch(np.array(rows, dtype=np.int64), weight, factor, offset)

    def _unasked(self, terms: frozenset[int], weights: UnitWeights) -> _Found:
        """Every unit, for a constraint that names none; dates are no ordinary quantities."""
        if not weights.unasked:
            return {}
        named = {row for code in terms for row in self._nouns.get(code, ())}
        ratios = {row for family, rows in self._families.items() if family.startswith("ratio") for row in rows}
        found = {row: (weights.ratio if row in ratios else weights.unasked, 1.0, 0.0) for row in range(len(self.names))}
        found |= dict.fromkeys(named, (1.0, 1.0, 0.0))
        found.pop(self._row.get(DATE_UNIT, -1), None)
        return found

    def _partly(self, unit: str, terms: frozenset[int], weights: UnitWeights) -> _Found:
        """Units with a part more or less, ages, and other nouns that the query counts."""
        found: _Found = {}
        if weights.more:
            for row, further in self._longer.get(unit, ()):
                found[row] = (1.0 if further and further <= terms else weights.more, 1.0, 0.0)
        if weights.part:
            for other in _ages(unit):
                found |= self._same_family(other, weights.part)
            parts = self.registry.parts(unit)
            for kept in range(1, len(parts)):
                found |= self._same_family(" per ".join(parts[:kept]), weights.part)
        if is_count(unit):
            found |= self._counted(terms, weights)
        return found

    def _same_family(self, unit: str, share: float) -> _Found:
        found = {self._row[unit]: (share, 1.0, 0.0)} if unit in self._row else {}
        family = self.registry.family(unit)
        for row in self._families.get(family or "", ()):
            conversion = self.registry.conversion(self.names[row], unit)
            if conversion is not None:
                found[row] = (share, *conversion)
        return found

    def _counted(self, terms: frozenset[int], weights: UnitWeights) -> _Found:
        found = {row: (weights.noun, 1.0, 0.0) for code in terms for row in self._nouns.get(code, ())}
        if weights.bare and BARE in self._row:
            found[self._row[BARE]] = (weights.bare, 1.0, 0.0)
        return found


def _ages(unit: str) -> tuple[str, ...]:
    """The other way to state an age: "at least 50 years" may ask for "50 years of age", and the other way round."""
    if unit.endswith(_OF_AGE):
        return (unit.removesuffix(_OF_AGE),)
    return (unit + _OF_AGE,) if unit in ("year", "month") else ()
