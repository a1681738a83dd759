"""Quantities by concept and unit, as columns: which quantities are of a concept, and which are in a unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity.concept_units import index_files
from pyterrier_quantity.concept_units.concept_words import concept_key, stems
from pyterrier_quantity.quantity import BOUNDS, Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

Ints = npt.NDArray[np.int64]


class ConceptColumns:
    """The quantities of a corpus, their concepts and units, and the texts that state them.

    Args:
        columns: one entry per quantity, see `index_files.COLUMNS`.
        names: what the columns refer to: `concepts`, `units` and `docnos`.
        texts: of the documents with quantities.
        meta: how many `documents` and `quantities` there are.
        registry: of the units; the default one where it is None.
        part: where all that is stored.
    """

    def __init__(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        names: Mapping[str, list[str]],
        texts: index_files.Texts,
        meta: Mapping[str, Any],
        registry: UnitRegistry | None = None,
        part: _arrays.Part | None = None,
    ) -> None:
        self._part = part
        self.columns, self.texts, self.meta = columns, texts, meta
        self.concept_names, self.unit_names, self.docnos = names["concepts"], names["units"], names["docnos"]
        self.registry = default_registry() if registry is None else registry
        self._by_key: dict[str, int] | None = None
        self._by_stem: dict[str, Ints] | None = None
        self._conversions: dict[str, dict[int, tuple[float, float]]] = {}

    def __len__(self) -> int:
        """How many quantities it holds."""
        return len(self.columns["low"])

    def rows(self, concept: str | None = None, unit: str | None = None) -> Ints:
        """The numbers of the quantities of the concepts that hold all words of a phrase, in a unit."""
        kept = np.ones(len(self), dtype=bool)
        if concept is not None:
            kept &= np.isin(self.columns["concept"], self.concepts_with([stems(concept)]))
        if unit is not None:
            kept &= np.isin(self.columns["unit"], self.unit_numbers([self.registry.resolve(unit)]))
        return np.flatnonzero(kept)

    def unit_numbers(self, names: Iterable[str]) -> list[int]:
        """The numbers of the units of these names, those of them that occur."""
        wanted = set(names)
        return [number for number, name in enumerate(self.unit_names) if name in wanted]

    def conversions(self, unit: str) -> dict[int, tuple[float, float]]:
        """Factor and offset from each unit that occurs and converts to a canonical one, by the unit's number."""
        if unit not in self._conversions:
            found = ((n, self.registry.conversion(name, unit)) for n, name in enumerate(self.unit_names))
            self._conversions[unit] = {number: pair for number, pair in found if pair is not None}
        return self._conversions[unit]

    def concept_number(self, concept: str) -> int | None:
        """The number of a concept in any of its spellings; None if it does not occur."""
        if self._by_key is None:
            self._by_key = {concept_key(name.split(" ")): n for n, name in enumerate(self.concept_names)}
        return self._by_key.get(concept_key(concept.split()))

    def concepts_with(self, phrases: Sequence[frozenset[str]]) -> Ints:
        """The numbers of the concepts that hold all the stems of one of the phrases."""
        if self._by_stem is None:
            gathered: dict[str, list[int]] = {}
            for number, name in enumerate(self.concept_names):
                for stem in stems(name):
                    gathered.setdefault(stem, []).append(number)
            self._by_stem = {stem: np.array(numbers) for stem, numbers in gathered.items()}
        found = [np.arange(0)]
        for phrase in filter(None, phrases):
            lists = sorted((self._by_stem.get(stem, found[0]) for stem in phrase), key=len)
            left = lists[0]
            for other in lists[1:]:
                left = np.intersect1d(left, other, assume_unique=True)
            found.append(left)
        return np.unique(np.concatenate(found))

    def docnos_of_single(self) -> set[str]:
        """The documents that state one quantity and no more."""
        return {self.docnos[n] for n in np.flatnonzero(np.bincount(self.columns["document"]) == 1)}

    def quantity(self, row: int) -> Quantity:
        """One of the index's quantities, with its concept's usual spelling."""
        low, high, start, end = (self.columns[name][row] for name in ("low", "high", "start", "end"))
        concept = tuple(self.concept_names[self.columns["concept"][row]].split())
        return Quantity(float(low), float(high), self.unit_names[self.columns["unit"][row]],
                        BOUNDS[self.columns["bound"][row]], int(start), int(end), concept)  # fmt: skip
