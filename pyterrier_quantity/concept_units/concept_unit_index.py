"""The concept/unit index: which concepts occur with which unit how often, with which values, in which texts.

Source: Almasian et al., Numbers Matter!, section 3.3.1 and appendix B.1. Its keys are pairs of a concept and a unit;
under a pair are the values, which make a distribution, and the texts that state them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyterrier_quantity._shared_artifact import Card, SharedArtifact
from pyterrier_quantity.concept_units import index_files
from pyterrier_quantity.concept_units.building import read_off
from pyterrier_quantity.concept_units.concept_columns import ConceptColumns
from pyterrier_quantity.concept_units.distribution import Reach, Values, find_values
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import UnitRegistry


class ConceptUnitIndex(ConceptColumns, SharedArtifact):
    """Quantities by concept and unit. Made by `build` or `load`.

    A concept is what an extractor says a quantity is about. Its spellings ("Oil prices", "oil price") count as one,
    which is called by the most frequent of them; quantities about nothing known have the concept "". Concepts are read
    in English alone; in other languages an extractor of your own must give them.
    """

    ARTIFACT_TYPE = index_files.KIND.type
    ARTIFACT_FORMAT = index_files.KIND.format
    ARTIFACT_PACKAGE_HINT = index_files.KIND.package
    CARD = Card(
        "Which concepts occur with which unit in a collection, how often, with which values, and in which texts.",
        "artifact.pairs(minimum=5)",
        "from pyterrier_quantity.concept_units import ConceptUnitIndex\n"
        "ConceptUnitIndex.build(documents).save('corpus.concepts')",
    )
    path: Any = SharedArtifact.NO_PATH

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
            TypeError, ValueError: naming the document that lacks a field, repeats a docno or has one with a blank.
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
        self.path = Path(path)

    @classmethod
    def load(cls, path: str | Path, registry: UnitRegistry | None = None) -> ConceptUnitIndex:  # type: ignore[override]
        """Open a folder that `save` wrote.

        Raises:
            FileNotFoundError: if there is no such folder.
            IndexFormatError: if it holds no concept index, a damaged one, or one of another format.
        """
        part, names, texts = index_files.load(Path(path))
        meta = {name: part.meta[name] for name in ("documents", "quantities")}
        found = cls(part.columns, names, texts, meta, registry, part)
        found.path = Path(path)
        return found

    def verify(self) -> None:
        """Read the whole index, if it is a stored one, and compare it with its digests.

        Raises:
            IndexFormatError: naming the first file that is not what was written.
        """
        if self._part is not None:
            self._part.verify()

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
        rows = self.rows(concept, None)
        frame = pd.DataFrame({"unit": self.columns["unit"][rows], "document": self.columns["document"][rows]})
        counted = frame.groupby("unit", sort=False)["document"].agg(quantities="size", documents="nunique")
        counted.index = pd.Index([self.unit_names[number] for number in counted.index], dtype=object)
        counted = counted.rename_axis("unit").reset_index()
        return counted.sort_values(["quantities", "unit"], ascending=[False, True], ignore_index=True)

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
