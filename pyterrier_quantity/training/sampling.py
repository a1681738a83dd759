"""Select sentences that answer a training query, and similar sentences that do not answer the query.

The value or unit of a sentence may be replaced, if the extractor then finds the new quantity.

Source: Almasian et al., *Numbers Matter!*, section 3.3.3 and appendices B.6 to B.9.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.wording import around_number, numeral, with_unit
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.quantity import Constraint, Quantity
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.training.pairs import Pair, TrainingQuery, UnitForms, UnitNeighbours

METHODS: Final = ("original", "unit", "value")
"""Ways to make samples from sentences: "original" (unchanged), "unit" (another unit), "value" (another value)."""


@dataclass(frozen=True)
class Sample:
    """A sentence for a training query. The label is 1 if the sentence answers the query, and 0 otherwise."""

    qid: str
    text: str
    label: int
    method: str


class Sampler:
    """Sampler that selects and rewrites sentences as positive and negative samples for training queries.

    For each query and method ("original", "unit" or "value"), at most `size` positive and `size` negative samples are
    made. `index` contains sentences with concepts and quantities, and `forms` contains wordings of units.
    """

    def __init__(self, index: ConceptUnitIndex, forms: UnitForms, methods: Sequence[str], size: int, seed: int) -> None:
        self._index, self._forms, self._methods, self._size, self._seed = index, forms, methods, size, seed
        self._reader = RuleExtractor(concepts=False, registry=index.registry)
        self._neighbours = UnitNeighbours(index)
        # For each method and operator: numbers of samples "asked" for and "made". For each method: sentences left out.
        self.tally: dict[str, Counter[str]] = {name: Counter() for name in ("asked", "made", "unread")}

    def samples(self, query: TrainingQuery, pair: Pair) -> list[Sample]:
        """Return equal numbers of positive and negative samples for a query about the concept and unit of a `Pair`."""
        found = []
        for method in self._methods:
            chance = random.Random(f"{self._seed}/{query.qid}/{method}")
            positives, negatives = self._texts(method, query.constraint, pair, chance)
            made = min(len(positives), len(negatives))
            for counted, number in (("asked", self._size), ("made", made)):
                self.tally[counted][f"{method} {query.constraint.op}"] += number
            for label, texts in ((1, positives), (0, negatives)):
                found += [Sample(query.qid, text, label, method) for text in texts[:made]]
        return found

    def _texts(self, method: str, asked: Constraint, pair: Pair, chance: random.Random) -> tuple[list[str], list[str]]:
        """Return sentences that meet a condition, and sentences that do not, made by the given method."""
        met, missed = (self._of_documents(rows, chance) for rows in pair.sides(asked))
        size = min(self._size, len(met), len(missed))  # the size of the smaller side, as in the paper
        if method == "original":
            return [self._text(row) for row in met[:size]], [self._text(row) for row in missed[:size]]
        if method == "unit":
            right = self._rewritten(method, met[: self._size], chance)
            wrong = self._rewritten(method, met[: self._size], chance, neighbour=True)
        else:
            known = np.array([value for value in pair.distinct if asked.op not in ("<", ">") or value != asked.low])
            answers = satisfied(asked, known, known)  # the value of a strict bound itself is left out
            meeting, violating = known[answers].tolist(), known[~answers].tolist()
            right = self._rewritten(method, missed[:size], chance, meeting)
            wrong = self._rewritten(method, met[:size], chance, violating)
        return right, [text for text in wrong if not meets(asked, self._reader.extract(text))]

    def _rewritten(
        self,
        method: str,
        rows: Sequence[int],
        chance: random.Random,
        values: Sequence[float] | None = None,
        neighbour: bool = False,
    ) -> list[str]:
        """Return the sentences in the given rows of the index, each with a changed quantity. If `values` are given, one
        of them replaces the number. Otherwise another wording of the unit, or another unit if `neighbour` is true,
        replaces the unit. Sentences in which the extractor does not find the new quantity are left out."""
        texts = [text for row in rows if (text := self._changed(row, chance, values, neighbour)) is not None]
        self.tally["unread"][method] += len(rows) - len(texts)
        return texts

    def _changed(self, row: int, chance: random.Random, values: Sequence[float] | None, neighbour: bool) -> str | None:
        quantity, text = self._index.quantity(row), self._text(row)
        units = self._neighbours.of(quantity.unit) if neighbour else [quantity.unit]
        parts = around_number(text[quantity.start : quantity.end])
        if not parts or not units or (values is not None and not values):
            return None
        unit, value, (wording, number) = chance.choice(units) if neighbour else units[0], quantity.low, parts
        if values is not None:
            value, wordings = chance.choice(values), [wording]
            number = numeral(value, chance)
        elif not (wordings := self._forms.some(unit, chance, but=wording)):
            return None
        stated = with_unit(number, chance.choice(wordings))
        written = text[: quantity.start] + stated + text[quantity.end :]
        found = ((q.start, q.low, q.high, q.unit) for q in self._reader.extract(written))
        return written if (quantity.start, value, value, unit) in found else None

    def _text(self, row: int) -> str:
        return self._index.texts[self._index.columns["document"][row]]

    def _of_documents(self, rows: npt.NDArray[np.int64], chance: random.Random) -> list[int]:
        shuffled = rows.tolist()
        chance.shuffle(shuffled)
        return list({int(self._index.columns["document"][row]): row for row in reversed(shuffled)}.values())


def meets(constraint: Constraint, quantities: Sequence[Quantity]) -> bool:
    """Return whether at least one quantity meets a constraint. Quantities in other units are ignored."""
    own = [q for q in quantities if q.unit == constraint.unit]
    low, high = (np.array([getattr(q, end) for q in own]) for end in ("low", "high"))
    return bool(satisfied(constraint, low, high).any())
