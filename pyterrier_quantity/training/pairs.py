"""Pairs of a concept and a unit, and training queries made from them.

A query has a value for a pair and a condition. It is phrased at random and kept only if it is read back as meant.

Source: Almasian et al., Numbers Matter!, sections 3.3.1 and 3.3.2, appendices B.1 to B.5.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.concept_words import stems
from pyterrier_quantity.concept_units.templates import read_back
from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.quantity import BOUNDS, Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.training.units_of_corpus import UnitForms

Item = TypeVar("Item")
_LEAST: Final = 3
"""Lowest number of distinct values of a pair; the paper does not state one."""


@dataclass(frozen=True)
class Pair:
    """A concept in a unit. `rows` of the index state its `values`, in these `documents`, with an entry per quantity.

    `number` is its place among the pairs of the corpus; the names of its queries begin with it.
    """

    number: int
    concept: str
    unit: str
    rows: Ints
    values: npt.NDArray[np.float64]
    documents: Ints

    @cached_property
    def distinct(self) -> list[float]:
        """The distinct values, in descending order."""
        return sorted(set(self.values.tolist()), reverse=True)

    @cached_property
    def inner(self) -> list[float]:
        """The values except the lowest and the highest, the nearest to the mean of all values first (B.3)."""
        return sorted(self.distinct[1:-1], key=lambda value: abs(value - self.values.mean()))

    @cached_property
    def frequent(self) -> list[float]:
        """The values, the most frequent first; among equally frequent values the smaller first."""
        found, times = np.unique(self.values, return_counts=True)
        return [float(v) for v in found[np.argsort(-times, kind="stable")]]

    def sides(self, constraint: Constraint) -> tuple[Ints, Ints]:
        """Return the rows whose values meet a constraint, and the rows whose values violate it. Rows of a document
        that states both are in neither result. For "<" and ">", rows with the bound's own value are not either,
        because training does not distinguish open from closed bounds."""
        met = satisfied(constraint, self.values, self.values)
        both = np.intersect1d(self.documents[met], self.documents[~met])
        clear = ~np.isin(self.documents, both)
        if constraint.op in ("<", ">"):
            clear &= self.values != constraint.low
        return self.rows[met & clear], self.rows[~met & clear]


def training_pairs(index: ConceptUnitIndex, excluded: Iterable[str] = ()) -> list[Pair]:
    """Return the pairs with enough distinct values, in the order of the index.

    Only single values without a bound count. They do not count if their text also states a range or a bound of the
    pair, or if their concept is unknown.

    Args:
        index: the corpus's concepts and units.
        excluded: phrases of concepts to hold out, see `held_out`.

    Raises:
        ValueError: if no pair is left.
    """
    stated = pd.DataFrame({name: np.asarray(column) for name, column in index.columns.items()})
    stated["single"] = (stated["low"] == stated["high"]) & (stated["bound"] == BOUNDS.index("="))
    # A text that also states a range or a bound of the pair may meet a condition that its single value violates.
    usable = stated.groupby(["concept", "unit", "document"])["single"].transform("all")
    usable &= ~stated["document"].isin(held_out(index, excluded))
    usable &= stated["concept"] != index.concept_numbers.get("", -1)
    stated = stated[usable]
    by_pair = stated.groupby(["concept", "unit"])
    stated = stated.assign(number=by_pair.ngroup(), values=by_pair["low"].transform("nunique"))
    pairs = [
        Pair(
            number,
            index.concept_names[rows["concept"].iloc[0]],
            index.unit_names[rows["unit"].iloc[0]],
            *(column.to_numpy() for column in (rows.index, rows["low"], rows["document"].astype(np.int64))),
        )
        for number, rows in stated[stated["values"] >= _LEAST].groupby("number")
    ]
    if not pairs:
        raise ValueError(
            f"no concept of the corpus has {_LEAST} different values in a unit; give a larger corpus, or hold out "
            "fewer concepts"
        )
    return pairs


def at_most(items: list[Item], most: int | None, seed: int | str) -> list[Item]:
    """Return at most `most` of the items, chosen at random, in their order; None: all."""
    if most is None or most >= len(items):
        return items
    return [items[n] for n in sorted(random.Random(seed).sample(range(len(items)), most))]


def held_out(index: ConceptUnitIndex, excluded: Iterable[str]) -> Ints:
    """Return the numbers of the documents that training must not see, because they have a quantity of an excluded
    concept.

    A phrase excludes a concept that contains all of the phrase's words, in any form: "oil price" excludes "crude oil
    prices".

    Raises:
        ValueError: if a phrase has no word to look for.
    """
    phrases = {phrase: stems(phrase) for phrase in excluded}
    for phrase, words in phrases.items():
        if not words:
            raise ValueError(f"excluded concept {phrase!r} has no word to look for; name a concept, or drop the line")
    concepts = index.concepts_with(list(phrases.values()))
    return np.unique(np.asarray(index.columns["document"])[np.isin(index.columns["concept"], concepts)])


CONDITIONS: Final = ("=", ">", "<")
"""The conditions of queries."""

VALUES: Final = ("typical", "random", "both")


@dataclass(frozen=True)
class TrainingQuery:
    """A generated query.

    Args:
        qid: the pair's number and the query's own name.
        text: the text that the model reads.
        concept: the pair's concept, in the spelling of the corpus; the text names it unless `expanded`.
        constraint: the condition.
        expanded: whether the text names a synonym or a superset of the concept instead.
    """

    qid: str
    text: str
    concept: str
    constraint: Constraint
    expanded: bool = False


def pair_queries(
    pair: Pair, forms: UnitForms, values: str = "typical", expansion: str | None = None, seed: int = 0
) -> list[TrainingQuery]:
    """Return a pair's queries: for each condition one typical and one random value, and the same for its expansion.

    Args:
        values: "typical", "random" or "both".
        expansion: the synonym or superset in further queries; None: no further queries.
        seed: seed of all random choices, together with the pair's number.

    Returns:
        The queries that `parse_query` reads as meant; a query is missing if none of its wordings is read as meant.
    """
    found = []
    for expanded, name in ((False, pair.concept), (True, expansion)):
        if name is None:
            continue
        for condition in CONDITIONS:
            # Each condition has a generator of its own, so that its choices do not change those of the others.
            chance = random.Random(f"{seed}/{pair.number}/{condition}/{expanded}")
            for kind, value in _asked(pair, condition, values, expanded, chance):
                constraint = Constraint(condition, value, value, pair.unit)
                text = read_back(name, constraint, forms.some(pair.unit, chance), chance)
                if text is not None:
                    qid = f"{pair.number}-{condition}-{kind}{'-e' if expanded else ''}"
                    found.append(TrainingQuery(qid, text, pair.concept, constraint, expanded))
    return found


def _asked(pair: Pair, condition: str, values: str, expanded: bool, chance: random.Random) -> list[tuple[str, float]]:
    """Return a condition's values by kind: "t" for the typical value, "r" for another value at random. The typical
    value is the most frequent one for "=", and the one nearest to the mean for bounds. An expanded concept takes the
    next value."""
    ordered = pair.frequent if condition == "=" else pair.inner
    typical = ordered[min(int(expanded), len(ordered) - 1)]
    asked = [] if values == "random" else [("t", typical)]
    others = [value for value in ordered if value != typical]
    if values != "typical" and others:
        asked.append(("r", chance.choice(others)))
    return asked
