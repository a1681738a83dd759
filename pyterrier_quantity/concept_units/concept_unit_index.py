"""The concept/unit index: which concepts occur with which unit how often, with which values, in which texts.

Source: Almasian et al., Numbers Matter!, section 3.3.1 and appendix B.1. Its keys are pairs of a concept and a unit;
under a pair are the values, which make a distribution, and the texts that state them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity import _arrays
from pyterrier_quantity.concept_units import index_files
from pyterrier_quantity.concept_units.building import read_off
from pyterrier_quantity.concept_units.concept_words import concept_key, stems
from pyterrier_quantity.concept_units.distribution import Reach, Values, find_values
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.quantity import BOUNDS, Constraint, Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

Ints = npt.NDArray[np.int64]


class ConceptUnitIndex:
    """Quantities by concept and unit. Made by `build` or `load`.

    A concept is what an extractor says a quantity is about. Its spellings ("Oil prices", "oil price") count as one,
    which is called by the most frequent of them; quantities about nothing known have the concept "".
    """

    def __init__(
        self, columns: Mapping[str, npt.NDArray[Any]], names: Mapping[str, list[str]], texts: index_files.Texts,
        meta: Mapping[str, Any], registry: UnitRegistry | None = None, part: _arrays.Part | None = None,
    ) -> None:  # fmt: skip
        self._part = part
        self.columns, self.texts, self.meta = columns, texts, meta
        self.concept_names, self.unit_names, self.docnos = names["concepts"], names["units"], names["docnos"]
        self.registry = default_registry() if registry is None else registry
        self._by_key: dict[str, int] | None = None
        self._by_stem: dict[str, Ints] | None = None
        self._conversions: dict[str, dict[int, tuple[float, float]]] = {}

    @classmethod
    def build(
        cls, documents: Iterable[Mapping[str, Any]], extractor: Extractor | None = None, threads: int | None = None,
        verbose: bool = False,
    ) -> ConceptUnitIndex:  # fmt: skip
        """Read the quantities and their concepts off documents.

        Args:
            documents: dicts with `docno` and `text`; or with ready `quantities`, whose spans are those of `text`.
            extractor: reads the quantities; the rule extractor by default.
            threads: processes that extract; default: as many as pay.
            verbose: show a progress bar.

        Raises:
            ValueError: naming the document that lacks a field or repeats a docno.
        """
        reader = RuleExtractor() if extractor is None else extractor
        columns, names, texts, meta = read_off(documents, reader, threads, verbose)
        return cls(columns, names, texts, meta, getattr(reader, "registry", None))

    def save(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the index to a folder, of plain files.

        Raises:
            FileExistsError: if the folder is taken; with `overwrite`, unless a concept index is in it.
        """
        names = {"concepts": self.concept_names, "units": self.unit_names, "docnos": self.docnos}
        index_files.save(Path(path), self.columns, names, self.texts, self.meta, overwrite)

    @classmethod
    def load(cls, path: str | Path, registry: UnitRegistry | None = None) -> ConceptUnitIndex:
        """Open a folder that `save` wrote.

        Raises:
            FileNotFoundError: if there is no such folder.
            IndexFormatError: if it holds no concept index, a damaged one, or one of another format.
        """
        part, names, texts = index_files.load(Path(path))
        meta = {name: part.meta[name] for name in ("documents", "quantities")}
        return cls(part.columns, names, texts, meta, registry, part)

    def verify(self) -> None:
        """Read the whole index, if it is a stored one, and compare it with its digests.

        Raises:
            IndexFormatError: naming the first file that is not what was written.
        """
        if self._part is not None:
            self._part.verify()

    def __len__(self) -> int:
        """How many quantities it holds."""
        return len(self.columns["low"])

    def __repr__(self) -> str:
        return (f"ConceptUnitIndex({len(self):,} quantities, {len(self.concept_names):,} concepts, "
                f"{len(self.unit_names):,} units, {self.meta['documents']:,} documents)")  # fmt: skip

    def pairs(self, concept: str | None = None, unit: str | None = None, minimum: int = 1) -> pd.DataFrame:
        """The pairs of concept and unit, the most frequent first.

        Args:
            concept: only of the concepts that hold all words of this phrase.
            unit: only in this unit, in any spelling.
            minimum: quantities that a pair must have.

        Returns:
            `concept`, `unit`, `quantities`, `documents`, and `low`, `median`, `high`: the smallest value, the median
            (of the values' lower ends), the largest value.
        """
        rows = self.rows(concept, unit)
        chosen = {name: self.columns[name][rows] for name in ("concept", "unit", "document", "low", "high")}
        # Grouped by one number, which is faster than by two columns.
        group = chosen.pop("concept").astype(np.int64) * (len(self.unit_names) + 1) + chosen.pop("unit")
        grouped = pd.DataFrame(chosen).groupby(group, sort=False)
        found = grouped.agg(
            quantities=("low", "size"), documents=("document", "nunique"), low=("low", "min"),
            median=("low", "median"), high=("high", "max"),
        )  # fmt: skip
        found = found[found["quantities"] >= minimum]
        number = found.index.to_numpy(dtype=np.int64)
        found.insert(0, "concept", [self.concept_names[n] for n in number // (len(self.unit_names) + 1)])
        found.insert(1, "unit", [self.unit_names[n] for n in number % (len(self.unit_names) + 1)])
        return found.sort_values(["quantities", "concept", "unit"], ascending=[False, True, True], ignore_index=True)

    def units(self, concept: str | None = None) -> pd.DataFrame:
        """The units in which a concept occurs, or all: `unit`, `quantities`, `documents`, the most frequent first.

        Args:
            concept: a phrase; the concepts that hold all its words count.
        """
        return self._counted("unit", self.unit_names, self.rows(concept, None))

    def concepts(self, unit: str | None = None, containing: str | None = None) -> pd.DataFrame:
        """The concepts that occur in a unit, or all: `concept`, `quantities`, `documents`, the most frequent first.

        Args:
            unit: in any spelling.
            containing: words that the concept must hold.
        """
        return self._counted("concept", self.concept_names, self.rows(containing, unit))

    def _counted(self, column: str, names: Sequence[str], rows: Ints) -> pd.DataFrame:
        frame = pd.DataFrame({column: self.columns[column][rows], "document": self.columns["document"][rows]})
        counted = frame.groupby(column, sort=False)["document"].agg(quantities="size", documents="nunique")
        counted.index = pd.Index([names[number] for number in counted.index], dtype=object)
        counted = counted.rename_axis(column).reset_index()
        return counted.sort_values(["quantities", column], ascending=[False, True], ignore_index=True)

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

    def values(
        self, concept: str | Sequence[str], unit: str, reach: Reach | str = Reach.EXACT, convert: bool = True
    ) -> Values:
        """The values that a concept and its synonyms take in a unit.

        Args:
            concept: a phrase, or several that mean the same.
            unit: in any spelling; "-" for numbers without a unit.
            reach: how far from the quantity the phrase's words may stand.
            convert: include values in other units, converted.

        Raises:
            ValueError: if the unit is none, or a phrase has no word to look for.
        """
        phrases = [concept] if isinstance(concept, str) else list(concept)
        return find_values(self, phrases, self.registry.resolve(unit), Reach(reach), convert)

    def candidates(
        self, concept: str | Sequence[str], constraint: Constraint, reach: Reach | str = Reach.TEXT,
        convert: bool = True,
    ) -> pd.DataFrame:  # fmt: skip
        """The documents that state a value of a concept, or of its synonyms, that meets a constraint.

        Args:
            concept: a phrase, or several that mean the same.
            constraint: what the values must meet, in its unit.
            reach: how far from the quantity the phrase's words may stand.
            convert: include values in other units, converted.

        Returns:
            A row per document: `docno`; `text`; `reach`, the nearest at which the words were found; `convertible`:
            nothing but values in other units meets the constraint; `spans`, see `Values.spans`.
        """
        return self.values(concept, constraint.unit, reach, convert).meeting(constraint)

    def docnos_of_single(self) -> set[str]:
        """The documents that state one quantity and no more."""
        return {self.docnos[n] for n in np.flatnonzero(np.bincount(self.columns["document"]) == 1)}

    def quantity(self, row: int) -> Quantity:
        """One of the index's quantities, with its concept's usual spelling."""
        low, high, start, end = (self.columns[name][row] for name in ("low", "high", "start", "end"))
        concept = tuple(self.concept_names[self.columns["concept"][row]].split())
        return Quantity(float(low), float(high), self.unit_names[self.columns["unit"][row]],
                        BOUNDS[self.columns["bound"][row]], int(start), int(end), concept)  # fmt: skip
