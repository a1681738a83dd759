"""Sentences that state the same quantity and name it otherwise: positives of which a model learns concepts (ours).

Two sentences of a corpus that share a rare quantity and some words tell most often of the same matter, in words of
their own. The one gives the query's concept, the other the positive. The negative states a quantity that meets the
query as well, of another matter; so no number tells the two apart. Nothing is rewritten, and no encoder is asked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.concept_words import stems
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.training.query_generation import TrainingQuery, UnitForms, read_back
from pyterrier_quantity.training.sampling import Sample

Ints = npt.NDArray[np.int64]

AGREEING: Final = "agreeing"
"""Among the methods: sentences that agree in a quantity."""
_CONDITIONS: Final = ("=", ">=", "<=")
"""Those that the stated value itself meets."""
_RARE: Final = 6
"""Documents that may state a quantity; what more of them state agrees by chance."""
_LIKE, _SAME, _UNLIKE = 0.2, 0.8, 0.08
"""Shares of common words: above the first sentences tell of the same matter, above the second in the same words, and
below the last of another matter."""
_DIGITS: Final = 0.1
"""Share of digits in a text; one with more is a table, whose numbers agree by chance."""
_TRIES: Final = 12
"""Sentences that are looked at for one of another matter."""


@dataclass(frozen=True)
class Agreement:
    """A `row` of the index, and an `other` document that states its quantity and names its concept otherwise."""

    row: int
    other: int


class Agreements:
    """Finds the sentences of an index that agree.

    Args:
        index: the corpus.
        excluded: numbers of the documents that must not be taken.
    """

    def __init__(self, index: ConceptUnitIndex, excluded: Ints) -> None:
        self.index = index
        columns = {name: np.asarray(index.columns[name]) for name in ("document", "concept", "unit", "low", "high")}
        self._document, self._concept, self._unit = (columns[name] for name in ("document", "concept", "unit"))
        self._value = columns["low"]
        usable = (columns["low"] == columns["high"]) & ~np.isin(self._document, excluded)
        unknown = index.concept_number("")
        usable &= ~np.isin(self._concept, [] if unknown is None else [unknown])
        usable &= ~np.isin(self._unit, index.unit_numbers([BARE]))
        self._rows = np.flatnonzero(usable)
        self._words = lru_cache(maxsize=None)(lambda document: stems(index.texts[document]))

    def all(self) -> list[Agreement]:
        """Every concept with every sentence that names it otherwise, in the order of the index."""
        found: dict[tuple[int, int], Agreement] = {}
        for rows in self._of_one_quantity():
            for row in rows:
                for other in rows:
                    if self._agree(row, other):
                        key = int(self._concept[row]), int(self._document[other])
                        found.setdefault(key, Agreement(row, key[1]))
        return sorted(found.values(), key=lambda one: (one.row, one.other))

    def of_another_matter(self, agreement: Agreement, constraint: Constraint, chance: random.Random) -> int | None:
        """A document that meets the constraint and shares hardly a word with the two that agree; None: none is met."""
        rows = self._rows[self._unit[self._rows] == self._unit[agreement.row]]
        rows = rows[satisfied(constraint, self._value[rows], self._value[rows])]
        words = self._words(int(self._document[agreement.row])) | self._words(agreement.other)
        words -= self._wording(agreement.row)
        for row in chance.sample(rows.tolist(), min(_TRIES, len(rows))):
            document = int(self._document[row])
            if len(words & self._words(document)) < _UNLIKE * len(words):
                return document
        return None

    def _of_one_quantity(self) -> Iterator[list[int]]:
        """The rows of each quantity that a few documents state."""
        order = self._rows[np.lexsort((self._value[self._rows], self._unit[self._rows]))]
        change = (np.diff(self._unit[order]) != 0) | (np.diff(self._value[order]) != 0)
        for rows in np.split(order, np.flatnonzero(change) + 1):
            if 2 <= len(np.unique(self._document[rows])) <= _RARE:
                yield rows.tolist()

    def _agree(self, row: int, other: int) -> bool:
        document, there = int(self._document[row]), int(self._document[other])
        if document == there or self._concept[row] == self._concept[other]:
            return False
        own, words, concept = self._words(document), self._words(there), self._named(int(self._concept[row]))
        alike = _LIKE * len(own | words) < len(own & words) < _SAME * len(own | words)
        return alike and bool(concept - words) and not (self._is_table(document) or self._is_table(there))

    def _wording(self, row: int) -> frozenset[str]:
        """The words of a quantity, which whatever meets the same condition may share."""
        quantity = self.index.quantity(row)
        return stems(self.index.texts[int(self._document[row])][quantity.start : quantity.end])

    def _named(self, concept: int) -> frozenset[str]:
        return stems(self.index.concept_names[concept])

    def _is_table(self, document: int) -> bool:
        text = self.index.texts[document]
        return sum(map(str.isdigit, text)) > _DIGITS * len(text)


def agreeing_samples(
    index: ConceptUnitIndex, forms: UnitForms, excluded: Ints, concepts: int | None = None, seed: int = 0
) -> tuple[list[TrainingQuery], list[Sample]]:
    """Queries and their samples: a positive that names the concept otherwise, and a negative of another matter.

    Args:
        index: the corpus.
        forms: the wordings of its units.
        excluded: numbers of the documents that must not be taken.
        concepts: of so many at most, at random; None: of all.
        seed: of all choices.

    Returns:
        The queries, each of which `parse_query` reads as what it is to ask, named by their concept's number; and their
        samples, positive and negative in turn.
    """
    found = Agreements(index, excluded)
    by_concept: dict[int, list[Agreement]] = {}
    for agreement in found.all():
        by_concept.setdefault(int(index.columns["concept"][agreement.row]), []).append(agreement)
    chosen: Sequence[int] = list(by_concept)
    if concepts is not None and concepts < len(chosen):
        chosen = sorted(random.Random(f"{seed}/{AGREEING}").sample(chosen, concepts))
    queries, samples = [], []
    for concept in chosen:
        for number, agreement in enumerate(by_concept[concept]):
            qid = f"{AGREEING}{concept}-{number}"
            query = _query(qid, index, agreement, forms, chance := random.Random(f"{seed}/{qid}"))
            negative = None if query is None else found.of_another_matter(agreement, query.constraint, chance)
            if query is not None and negative is not None:
                queries.append(query)
                samples += [
                    Sample(qid, index.texts[agreement.other], 1, AGREEING),
                    Sample(qid, index.texts[negative], 0, AGREEING),
                ]
    return queries, samples


def _query(
    qid: str, index: ConceptUnitIndex, agreement: Agreement, forms: UnitForms, chance: random.Random
) -> TrainingQuery | None:
    """The concept with a condition that its value meets; None if no wording is read back."""
    quantity = index.quantity(agreement.row)
    constraint = Constraint(chance.choice(_CONDITIONS), quantity.low, quantity.low, quantity.unit)
    concept = index.concept_names[int(index.columns["concept"][agreement.row])]
    text = read_back(concept, constraint, forms.some(quantity.unit, chance), chance)
    return None if text is None else TrainingQuery(qid, text, concept, constraint)
