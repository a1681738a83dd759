"""Index the quantities of a corpus by concept (the thing that a quantity measures) and unit.

Source: Almasian et al., *Numbers Matter!*, section 3.3.1 and appendix B.1.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.concept_units.distribution import LEVELS, Reach, Values
from pyterrier_quantity.english import set_of
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.stems import stem
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.index.stored_index import SharedArtifact
from pyterrier_quantity.quantity import BOUNDS, Quantity
from pyterrier_quantity.storage import array_file
from pyterrier_quantity.storage.index_folder import Kind, new_folder, open_parts
from pyterrier_quantity.units import UnitRegistry, default_registry
from pyterrier_quantity.units.dimensions import rescaled

_WORD: Final = re.compile(r"[^\W_]+")
_STOP_WORDS: Final = set_of("a an and are as at be by for from in is it its of on or s that the this to was were with")
"""A short list of stop words, without prepositions such as "out", which have a meaning in "out of work"."""


_NO_NOUN: Final = set_of("one another other same former latter each both either neither none")


def named(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a concept, or () if the last word stands for another noun, as in "smaller ones"."""
    return () if words and singular(words[-1].lower()) in _NO_NOUN else words


def concept_key(words: Sequence[str]) -> str:
    """Return the key that is common to all spellings of a concept: ("Crude", "oil", "prices") -> "crude oil price"."""
    return " ".join(singular(word.lower()) for word in words)


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without stop words."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS)


def phrase_stems(phrases: Sequence[str]) -> list[frozenset[str]]:
    """Return the stems of each phrase. Raise a ValueError for an empty list, or for a phrase with only stop words."""
    if isinstance(phrases, str) or not phrases:
        raise ValueError(f"concepts must be a list of at least one phrase, got {phrases!r}")
    found = [stems(phrase) for phrase in phrases]
    for phrase, words in zip(phrases, found, strict=True):
        if not words:
            raise ValueError(f"concept {phrase!r} contains no word to search for; name the thing that is measured")
    return found


KIND: Final = Kind(
    "concept_index", "columns", 5, "concept index", "build one: pyterrier-quantity collect index CORPUS FOLDER"
)
_TYPES: Final = "document <u4, concept <u4, unit <u4, low <f8, high <f8, bound u1, start <u4, end <u4"
COLUMNS: Final[dict[str, str]] = dict(column.split() for column in _TYPES.split(", "))
"""A dictionary from each column to its NumPy type. A column has one entry per quantity, in document order."""
NAMES: Final = ("concepts", "units", "docnos", "texts")
"""Names of the lists of strings in the index. Columns such as `concept` contain positions in these lists."""


class ConceptUnitIndex(SharedArtifact):
    """Index of quantities by concept and unit, created by the methods `build` or `load`.

    A concept is the thing that a quantity measures. Spellings such as "Oil prices" and "oil price" are one concept,
    named after the most frequent spelling. If the extractor finds no concept for a quantity, the concept is "". The
    rule extractor finds concepts only in English texts.

    Args:
        columns: arrays with one entry per quantity, in a dictionary with the keys of `COLUMNS`.
        names: lists of strings, keyed by "concepts", "units", and, of documents with quantities, "docnos" and "texts".
        documents: the total number of documents, with and without quantities.
        registry: the registry of the units, or None for the default registry.
    """

    KIND = KIND
    WHAT = "Which concepts occur with which unit in a collection, how often, with which values, and in which texts."
    USE = "artifact.pairs(minimum=5)"
    BUILD = (
        "from pyterrier_quantity.concept_units import ConceptUnitIndex\n"
        "ConceptUnitIndex.build(documents).save('corpus.concepts')"
    )
    path: Any = SharedArtifact.NO_PATH

    def __init__(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        names: Mapping[str, list[str]],
        documents: int,
        registry: UnitRegistry | None = None,
    ) -> None:
        self.columns, self.documents = {name: columns[name] for name in COLUMNS}, documents
        self.concept_names, self.unit_names, self.docnos, self.texts = (names[name] for name in NAMES)
        self.registry = default_registry() if registry is None else registry

    @classmethod
    def build(
        cls,
        documents: Iterable[Mapping[str, Any]],
        extractor: Extractor | None = None,
        threads: int | None = None,
        verbose: bool = False,
    ) -> "ConceptUnitIndex":
        """Build an index of the quantities in documents.

        Args:
            documents: dictionaries with `docno` and `text`, and optionally extracted `quantities` with spans in `text`.
            extractor: extractor of quantities, or None for the rule extractor.
            threads: number of extraction processes. If None, it depends on the number of documents.
            verbose: whether to show a progress bar.

        Raises:
            TypeError, ValueError: if a document lacks a field, or if a docno is repeated or contains a space.
        """
        reader = RuleExtractor() if extractor is None else extractor
        count, rows, texts = 0, list[tuple[Any, ...]](), dict[str, str]()
        for docno, text, quantities in DocumentReader(reader, threads, verbose).read(documents):
            count += 1
            if docno.split() != [docno]:
                raise ValueError(f"document {docno!r}: give it a name without spaces, which separate judgements")
            for q in quantities:
                concept = named(q.concept)
                about = concept_key(concept), q.unit, q.low, q.high, BOUNDS.index(q.bound), q.start, q.end
                rows.append((len(texts), *about, " ".join(concept)))
            if quantities:
                texts[docno] = text or ""
        frame = pd.DataFrame(rows, columns=[*COLUMNS, "spelling"])
        frame["concept"], _ = pd.factorize(frame["concept"])
        frame["unit"], units = pd.factorize(frame["unit"])
        spellings = frame.groupby(["concept", "spelling"]).size().reset_index(name="times")
        usual = spellings.sort_values(["times", "spelling"]).groupby("concept")["spelling"].last()
        lists = (usual.tolist(), list(units), list(texts), list(texts.values()))
        columns = {name: frame[name].to_numpy(dtype) for name, dtype in COLUMNS.items()}
        return cls(columns, dict(zip(NAMES, lists, strict=True)), count, getattr(reader, "registry", None))

    def save(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the index to a folder. If the folder exists, raise a FileExistsError, unless `overwrite` is true and
        the folder contains a concept index."""
        lists = zip(NAMES, (self.concept_names, self.unit_names, self.docnos, self.texts), strict=True)
        names = {name: np.frombuffer(json.dumps(values).encode(), dtype=np.uint8) for name, values in lists}
        columns = {name: np.array(column) for name, column in self.columns.items()}
        with new_folder(Path(path), overwrite, KIND) as part:
            array_file.write(part, columns | names, {"documents": self.documents, "quantities": len(self)})
        self.path = Path(path)

    @classmethod
    def load(cls, path: str | Path, registry: UnitRegistry | None = None) -> "ConceptUnitIndex":  # type: ignore[override]
        """Return the index in a folder that `save` wrote. The columns are memory-mapped. Raise a FileNotFoundError if
        the folder does not exist, or an IndexFormatError if the folder does not contain a valid concept index."""
        _, (part,) = open_parts(Path(path), KIND)
        names = {name: json.loads(np.asarray(part[name]).tobytes()) for name in NAMES}
        found = cls(part, names, part.meta["documents"], registry)
        found.path = Path(path)
        return found

    def verify(self) -> None:
        """If the index is on disk, compare all its files with the stored digests. Raise an IndexFormatError that names
        the first file that has changed."""
        for part in open_parts(self.path, KIND)[1] if isinstance(self.path, Path) else ():
            part.verify()

    def __len__(self) -> int:
        return len(self.columns["low"])

    def __repr__(self) -> str:
        return (
            f"ConceptUnitIndex({len(self):,} quantities, {len(self.concept_names):,} concepts, "
            f"{len(self.unit_names):,} units, {self.documents:,} documents)"
        )

    def pairs(self, concept: str | None = None, unit: str | None = None, minimum: int = 1) -> pd.DataFrame:
        """Return all pairs of a concept and a unit as a frame, the most frequent pair first.

        Args:
            concept: a phrase, to return only concepts that contain all its words, or None for all concepts.
            unit: the unit in any spelling, or None for all units.
            minimum: the minimum number of quantities for a pair.

        Returns:
            A frame with `concept`, `unit`, `quantities` and `documents` (their counts), and `low`, `median`, `high`:
            the minimum, the median and the maximum of the values.
        """
        rows = self.rows(concept, unit)
        stated = pd.DataFrame({name: np.asarray(column[rows]) for name, column in self.columns.items()})
        found = stated.groupby(["concept", "unit"], as_index=False).agg(
            quantities=("low", "size"),
            documents=("document", "nunique"),
            low=("low", "min"),
            median=("low", "median"),
            high=("high", "max"),
        )
        found = found[found["quantities"] >= minimum]
        known = {"concept": self.concept_names, "unit": self.unit_names}
        named = {column: [names[number] for number in found[column]] for column, names in known.items()}
        by, ascending = ["quantities", "concept", "unit"], [False, True, True]
        return found.assign(**named).sort_values(by, ascending=ascending, ignore_index=True)

    def values(self, concept: str | Sequence[str], unit: str, reach: Reach | str = Reach.EXACT) -> Values:
        """Return the values of a concept in a unit. Values in other units are converted.

        Args:
            concept: a phrase, or several synonymous phrases.
            unit: the unit in any spelling; "-" for numbers without a unit.
            reach: where the words of a phrase must occur: "exact", "concept" or "text", see `Reach`.

        Raises:
            ValueError: if the unit is unknown, or a phrase has only stop words.
        """
        phrases, name = [concept] if isinstance(concept, str) else list(concept), self.registry.resolve(unit)
        known = (self.registry.conversion(other, name) for other in self.unit_names)
        factors = {number: pair for number, pair in enumerate(known) if pair is not None}
        rows = np.flatnonzero(np.isin(self.columns["unit"], list(factors)))
        level = self._levels(phrases, rows, LEVELS.index(Reach(reach)))
        rows, level = rows[level < len(LEVELS)], level[level < len(LEVELS)]
        numbers = self.columns["unit"][rows]
        ends = np.stack([np.asarray(self.columns["low"][rows]), np.asarray(self.columns["high"][rows])])
        converted = np.zeros(len(rows), dtype=bool)
        for number in np.unique(numbers).tolist():
            here = numbers == number
            converted[here] = self.unit_names[number] != name
            ends[:, here] = np.sort(rescaled(ends[:, here], *factors[number]), axis=0)
        document = np.asarray(self.columns["document"][rows], dtype=np.int64)
        about = self.columns, self.docnos, self.texts, name
        return Values(*about, rows, document, ends[0], ends[1], converted, level)

    def _levels(self, phrases: Sequence[str], rows: Ints, farthest: int) -> npt.NDArray[np.int8]:
        """Return the match level of each of the `rows`: 0 if a phrase is the quantity's concept, 1 if the concept
        contains a phrase, 2 if the document's text contains a phrase, else 3. Levels above `farthest` become 3."""
        words, level = phrase_stems(phrases), np.full(len(rows), len(LEVELS), dtype=np.int8)
        if farthest >= LEVELS.index(Reach.TEXT):
            documents, place = np.unique(self.columns["document"][rows], return_inverse=True)
            texts = (stems(self.texts[document]) for document in documents.tolist())
            holds = np.array([any(phrase <= text for phrase in words) for text in texts], dtype=bool)
            level[holds[place]] = LEVELS.index(Reach.TEXT)
        concept = self.columns["concept"][rows]
        if farthest >= LEVELS.index(Reach.CONCEPT):
            level[np.isin(concept, self.concepts_with(words))] = LEVELS.index(Reach.CONCEPT)
        same = [self.concept_numbers.get(concept_key(phrase.split()), -1) for phrase in phrases]
        level[np.isin(concept, same)] = LEVELS.index(Reach.EXACT)
        return level

    def quantity(self, row: int) -> Quantity:
        """Return the quantity in a row of the index, with the most frequent spelling of its concept."""
        low, high, start, end = (self.columns[name][row].item() for name in ("low", "high", "start", "end"))
        concept = tuple(self.concept_names[self.columns["concept"][row]].split())
        unit, bound = self.unit_names[self.columns["unit"][row]], BOUNDS[self.columns["bound"][row]]
        return Quantity(low, high, unit, bound, start, end, concept)

    def rows(self, concept: str | None = None, unit: str | None = None) -> Ints:
        """Return the rows of quantities in `unit` (None: any) whose concept contains all words of `concept`."""
        kept = np.ones(len(self), dtype=bool)
        if concept is not None:
            kept &= np.isin(self.columns["concept"], self.concepts_with([stems(concept)]))
        if unit is not None:
            name = self.registry.resolve(unit)
            kept &= np.isin(self.columns["unit"], [n for n, other in enumerate(self.unit_names) if other == name])
        return np.flatnonzero(kept)

    def concepts_with(self, phrases: Sequence[frozenset[str]]) -> Ints:
        """Return the indexes of concepts that contain all stems of at least one phrase."""
        wanted = [phrase for phrase in phrases if phrase]
        found = [n for n, words in enumerate(self._stems) if any(phrase <= words for phrase in wanted)]
        return np.array(found, dtype=np.int64)

    @cached_property
    def concept_numbers(self) -> dict[str, int]:
        """A dictionary from the key of a concept (see `concept_key`) to the concept's index."""
        return {concept_key(name.split(" ")): number for number, name in enumerate(self.concept_names)}

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        return list(map(stems, self.concept_names))
