"""Samples of a query: sentences that answer it, and sentences that nearly do.

Source: Almasian et al., Numbers Matter!, section 3.3.3 and appendices B.6 to B.9.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.training.pairs import Pair
from pyterrier_quantity.training.query_generation import TrainingQuery
from pyterrier_quantity.training.rewriting import Mention, Rewriter, meets

Ints = npt.NDArray[np.int64]

METHODS: Final = ("original", "unit", "value")
"""How samples are made of sentences."""


@dataclass(frozen=True)
class Sample:
    """A sentence that answers its query (`label` 1) or does not (0)."""

    qid: str
    text: str
    label: int
    method: str


class Sampler:
    """Makes the samples of queries.

    Args:
        index: has the sentences.
        rewriter: writes the permuted ones.
        methods: some of `METHODS`, in their order in the files.
        size: positives, and negatives, a method and query (2 in the paper).
        seed: with the query's name, of all choices.
    """

    def __init__(
        self,
        index: ConceptUnitIndex,
        rewriter: Rewriter,
        methods: Sequence[str] = ("original", "unit"),
        size: int = 2,
        seed: int = 0,
    ) -> None:
        self.index, self.rewriter, self.methods, self.size, self.seed = index, rewriter, methods, size, seed
        # By method and condition; unread by method: rewritten sentences that are read otherwise than meant.
        self.tally: dict[str, Counter[str]] = {name: Counter() for name in ("asked", "made", "unread")}

    def samples(self, query: TrainingQuery, pair: Pair) -> list[Sample]:
        """The samples of a query; as many positives as negatives for each method, the positives first."""
        found = []
        for method in self.methods:
            chance = random.Random(f"{self.seed}/{query.qid}/{method}")
            positives, negatives = self._texts(method, query.constraint, pair, chance)
            made = min(len(positives), len(negatives))
            name = f"{method} {query.constraint.op}"
            self.tally["asked"][name] += self.size
            self.tally["made"][name] += made
            for label, texts in ((1, positives), (0, negatives)):
                found += [Sample(query.qid, text, label, method) for text in texts[:made]]
        return found

    def _texts(self, method: str, asked: Constraint, pair: Pair, chance: random.Random) -> tuple[list[str], list[str]]:
        """Sentences that answer a query, and sentences that do not."""
        met, missed = (_of_documents(self.index, rows, chance) for rows in pair.sides(asked))
        if method == "unit":
            same, other = (
                self._rewritten(method, met[: self.size], partial(self.rewriter.with_unit, chance=chance, other=other))
                for other in (False, True)
            )
            return same, self._violating(asked, other)
        size = min(self.size, len(met), len(missed))  # what the smaller side has, as in the paper
        if method == "original":
            place = self.index.columns["document"]
            right, wrong = ([self.index.texts[int(place[row])] for row in rows[:size]] for rows in (met, missed))
            return right, wrong
        right, wrong = (
            self._rewritten(method, rows[:size], partial(self._with_value, pair_values(pair, asked, meeting), chance))
            for rows, meeting in ((missed, True), (met, False))
        )
        return right, self._violating(asked, wrong)

    def _rewritten(self, method: str, rows: Sequence[int], write: Callable[[Mention], str | None]) -> list[str]:
        mentions = [mention for mention in map(self.rewriter.mention, rows) if mention is not None]
        texts = [text for text in map(write, mentions) if text is not None]
        self.tally["unread"][method] += len(rows) - len(texts)
        return texts

    def _violating(self, constraint: Constraint, texts: Sequence[str]) -> list[str]:
        """The sentences none of whose quantities meets the query."""
        return [text for text in texts if not meets(constraint, self.rewriter.read(text))]

    def _with_value(self, values: Sequence[float], chance: random.Random, mention: Mention) -> str | None:
        return self.rewriter.with_value(mention, chance.choice(values), chance) if values else None


def pair_values(pair: Pair, constraint: Constraint, meeting: bool) -> list[float]:
    """The pair's values on one side of a constraint; a strict bound's own value is on neither."""
    values = np.array(pair.distinct)
    met = satisfied(constraint, values, values)
    if constraint.op in ("<", ">"):
        met, values = met[values != constraint.low], values[values != constraint.low]
    return [float(v) for v in values[met == meeting]]


def _of_documents(index: ConceptUnitIndex, rows: Ints, chance: random.Random) -> list[int]:
    """One row a document, in random order."""
    shuffled = [int(row) for row in rows]
    chance.shuffle(shuffled)
    return list({int(index.columns["document"][row]): row for row in reversed(shuffled)}.values())
