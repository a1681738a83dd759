"""The concept/unit index: which concepts occur with which unit how often, with which values, in which texts.

Source: Almasian et al., Numbers Matter!, section 3.3.1 and appendix B.1. Its keys are pairs of a concept and a unit;
under a pair are the values, which make a distribution, and the texts that state them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.collecting import storage
from pyterrier_quantity.collecting.values import Reach, Values, find_values
from pyterrier_quantity.collecting.words import concept_key, stems
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.quantity import BOUNDS, Constraint, Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

Ints = npt.NDArray[np.int64]

_CHARACTERS: Final = 4_000_000
"""Texts are read off in portions of this size: enough for several processes, little to hold."""

_CODES: Final = {"document": "i", "concept": "i", "unit": "i", "low": "d", "high": "d", "bound": "B", "start": "i",
                 "end": "i"}  # fmt: skip


class ConceptUnitIndex:
    """Quantities by concept and unit. Made by `build` or `load`.

    A concept is what an extractor says a quantity is about. Its spellings ("Oil prices", "oil price") count as one,
    which is called by the most frequent of them; quantities about nothing known have the concept "".
    """

    def __init__(
        self, columns: Mapping[str, npt.NDArray[Any]], names: Mapping[str, list[str]], texts: storage.Texts,
        meta: Mapping[str, Any], registry: UnitRegistry | None = None,
    ) -> None:  # fmt: skip
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
        builder = _Builder()
        for portion in _portions(_watched(documents, verbose)):
            unread = [d["text"] for d in portion if d.get("quantities") is None]
            found = iter(reader.extract_batch(unread, threads=threads))
            for document in portion:
                ready = document.get("quantities")
                builder.add(document["docno"], document.get("text", ""), next(found) if ready is None else ready)
        return builder.finished(getattr(reader, "registry", None))

    def save(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the index to a folder, of plain files.

        Raises:
            FileExistsError: if the folder is taken; with `overwrite`, unless a concept index is in it.
        """
        names = {"concepts": self.concept_names, "units": self.unit_names, "docnos": self.docnos}
        storage.save(Path(path), self.columns, names, self.texts, self.meta, overwrite)

    @classmethod
    def load(cls, path: str | Path, registry: UnitRegistry | None = None) -> ConceptUnitIndex:
        """Open a folder that `save` wrote.

        Raises:
            FileNotFoundError: if there is no concept index.
            ValueError: if it is broken or of another format.
        """
        return cls(*storage.load(Path(path)), registry)

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

    def quantity(self, row: int) -> Quantity:
        """One of the index's quantities, with its concept's usual spelling."""
        low, high, start, end = (self.columns[name][row] for name in ("low", "high", "start", "end"))
        concept = tuple(self.concept_names[self.columns["concept"][row]].split())
        return Quantity(float(low), float(high), self.unit_names[self.columns["unit"][row]],
                        BOUNDS[self.columns["bound"][row]], int(start), int(end), concept)  # fmt: skip


class _Builder:
    """Collects quantities in flat arrays; of the texts, only those with a quantity are kept."""

    def __init__(self) -> None:
        self._columns: dict[str, array[Any]] = {name: array(code) for name, code in _CODES.items()}
        self._concepts: dict[str, int] = {}
        self._units: dict[str, int] = {}
        self._spellings: Counter[tuple[int, str]] = Counter()
        self._docnos: dict[str, None] = {}
        self._texts = storage.Texts()
        self._documents = 0

    def add(self, docno: str, text: str, quantities: Sequence[Quantity]) -> None:
        self._documents += 1
        if not quantities:
            return
        if docno in self._docnos:
            raise ValueError(f"document {self._documents}: docno {docno!r} was there before; make it unique")
        document = len(self._docnos)
        self._docnos[docno] = None
        self._texts.append(text)
        for q in quantities:
            concept = self._concepts.setdefault(concept_key(q.concept), len(self._concepts))
            self._spellings[concept, " ".join(q.concept)] += 1
            unit = self._units.setdefault(q.unit, len(self._units))
            row = (document, concept, unit, q.low, q.high, BOUNDS.index(q.bound), q.start, q.end)
            for column, value in zip(self._columns.values(), row, strict=True):
                column.append(value)

    def finished(self, registry: UnitRegistry | None) -> ConceptUnitIndex:
        columns = {name: np.array(column, dtype=storage.COLUMNS[name]) for name, column in self._columns.items()}
        usual = [""] * len(self._concepts)
        # The least frequent first, so that the most frequent one stays.
        for (concept, spelling), _ in sorted(self._spellings.items(), key=lambda item: (item[1], item[0][1])):
            usual[concept] = spelling
        names = {"concepts": usual, "units": list(self._units), "docnos": list(self._docnos)}
        meta = {"documents": self._documents, "quantities": len(columns["low"])}
        return ConceptUnitIndex(columns, names, self._texts, meta, registry)


def _watched(documents: Iterable[Mapping[str, Any]], verbose: bool) -> Iterator[Mapping[str, Any]]:
    if not verbose:
        return iter(documents)
    from tqdm.auto import tqdm

    return iter(tqdm(documents, desc="concepts and units", unit="doc"))


def _portions(documents: Iterator[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    portion: list[Mapping[str, Any]] = []
    size = 0
    numbers = count(1)
    for document in documents:
        size += len(_checked(document, next(numbers)))
        portion.append(document)
        if size >= _CHARACTERS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _checked(document: Mapping[str, Any], number: int) -> str:
    """The text of a document that has what it needs."""
    docno = document.get("docno")
    if not isinstance(docno, str) or docno.split() != [docno]:
        raise ValueError(f"document {number}: 'docno' is {docno!r}; give each a name without spaces")
    text = document.get("text", "" if document.get("quantities") is not None else None)
    if not isinstance(text, str):
        raise ValueError(f"document {number}, docno {docno!r}: 'text' is {text!r}; give its text as a string")
    return text
