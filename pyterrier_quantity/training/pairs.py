"""Pairs of a concept and a unit, the wordings of each unit in a corpus, and training queries made from them.

A query combines a pair with a condition and a value, in a random wording. It is kept if the parser finds that
condition.

Source: Almasian et al., Numbers Matter!, sections 3.3.1 and 3.3.2, appendices B.1 to B.5.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.concept_unit_index import stems
from pyterrier_quantity.concept_units.templates import read_back, stated_quantities
from pyterrier_quantity.concept_units.wording import Wording, registry_wordings, unit_wordings
from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.quantity import BARE, BOUNDS, Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.units import UnitRegistry

_SELDOM: Final = 0.15
"""Probability that a unit's wording is chosen from all wordings in the registry."""
_OFTEN: Final = 3
"""Minimum number of quantities in a unit for its use as a replacement of another unit."""
_COUNTED: Final = "counted thing"


class UnitForms:
    """Wordings of each unit in a corpus: its name, its symbol, and wordings that are frequent in the texts. Other
    wordings in the registry are chosen rarely, because texts rarely use them ("percents", a full-width dollar sign)."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._index = index
        self._of = lru_cache(maxsize=None)(self._forms)

    def some(self, unit: str, chance: random.Random, but: Wording | None = None) -> list[Wording]:
        """Return wordings of a unit, except `but`, to choose from: mostly the usual wordings, at random all."""
        usual, every = ([form for form in forms if form != but] for forms in self._of(unit))
        return usual if usual and chance.random() >= _SELDOM else every

    def _forms(self, unit: str) -> tuple[list[Wording], list[Wording]]:
        """Return the usual wordings of a unit, and all wordings."""
        registry = self._index.registry
        if not is_name(unit, registry):
            return [], []
        usual = unit_wordings(unit, stated_quantities(self._index, unit), registry)
        return usual, list(dict.fromkeys((*usual, *registry_wordings(unit, registry))))


def is_name(unit: str, registry: UnitRegistry) -> bool:
    """Return whether the registry resolves a unit's name to this unit, which fails for some counted nouns."""
    try:
        return registry.resolve(unit) == unit
    except ValueError:
        return False


class UnitNeighbours:
    """Units in a corpus grouped by dimension, for hard negatives; all currencies are in one group."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._registry = index.registry
        self._groups: dict[str, list[str]] = {}
        times = np.bincount(index.columns["unit"], minlength=len(index.unit_names))
        for number in np.argsort(-times, kind="stable"):
            unit = index.unit_names[number]
            if unit != BARE and times[number] >= _OFTEN and is_name(unit, self._registry):
                self._groups.setdefault(self._measure(unit), []).append(unit)

    def of(self, unit: str) -> list[str]:
        """Return the other units in a unit's group. For a unit alone in its group, return units with another numerator,
        such as "euro per litre" for "dollar per litre"."""
        if unit == BARE:
            return []
        others = [other for other in self._groups.get(self._measure(unit), []) if other != unit]
        upper, per, below = unit.partition(" per ")
        return others if others or not per else [f"{other} per {below}" for other in self.of(upper)]

    def _measure(self, unit: str) -> str:
        """Return a unit's group: its dimension, "currency" for all currencies, one name for all counted nouns."""
        family = self._registry.family(unit)
        return _COUNTED if family in (None, unit) else family.partition(":")[0].partition(" in ")[0]


Item = TypeVar("Item")
_LEAST: Final = 3
"""Minimum number of distinct values of a pair; the paper does not state one."""


@dataclass(frozen=True)
class Pair:
    """A concept with its quantities in one unit. `rows` (of the index), `values` and `documents` have one entry per
    quantity. `number` identifies the pair in the corpus, and is the first part of its queries' qids."""

    number: int
    concept: str
    unit: str
    rows: Ints
    values: npt.NDArray[np.float64]
    documents: Ints

    @cached_property
    def distinct(self) -> list[float]:
        """The distinct values in descending order."""
        return sorted(set(self.values.tolist()), reverse=True)

    def sides(self, constraint: Constraint) -> tuple[Ints, Ints]:
        """Return the rows whose values meet a constraint, and the rows whose values violate it. Rows of documents with
        values of both kinds are left out. For "<" and ">", values equal to the bound are left out too, because training
        does not distinguish open from closed bounds."""
        met = satisfied(constraint, self.values, self.values)
        both = np.intersect1d(self.documents[met], self.documents[~met])
        clear = ~np.isin(self.documents, both)
        if constraint.op in ("<", ">"):
            clear &= self.values != constraint.low
        return self.rows[met & clear], self.rows[~met & clear]


def training_pairs(index: ConceptUnitIndex, excluded: Iterable[str] = ()) -> list[Pair]:
    """Return the pairs with enough distinct values, in index order. Without such pairs, a ValueError is raised.

    Only exact single values are used. If a text has a range or bound for a pair, none of its values for the pair is
    used. Quantities without a concept, or in documents that `held_out` excludes, are not used either.
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
    """Return a random sample of at most `most` items in their original order. If `most` is None, return all items."""
    if most is None or most >= len(items):
        return items
    return [items[n] for n in sorted(random.Random(seed).sample(range(len(items)), most))]


def held_out(index: ConceptUnitIndex, excluded: Iterable[str]) -> Ints:
    """Return the numbers of the documents to hold out, which have a quantity of an excluded concept.

    A phrase excludes every concept that contains all its words, in any form: "oil price" excludes "crude oil prices".
    For a phrase without a word, a ValueError is raised.
    """
    phrases = {phrase: stems(phrase) for phrase in excluded}
    for phrase, words in phrases.items():
        if not words:
            raise ValueError(f"excluded concept {phrase!r} has no word to look for; name a concept, or drop the line")
    concepts = index.concepts_with(list(phrases.values()))
    return np.unique(np.asarray(index.columns["document"])[np.isin(index.columns["concept"], concepts)])


CONDITIONS: Final = ("=", ">", "<")
VALUES: Final = ("typical", "random", "both")


@dataclass(frozen=True)
class TrainingQuery:
    """A generated query.

    Args:
        qid: the pair's number, the condition and the kind of value: "12->-t".
        text: the query as the model sees it.
        concept: the pair's concept, spelt as in the corpus; the text contains it unless `expanded`.
        constraint: the condition.
        expanded: whether the text contains a synonym or hypernym of the concept instead.
    """

    qid: str
    text: str
    concept: str
    constraint: Constraint
    expanded: bool = False


def pair_queries(
    pair: Pair, forms: UnitForms, values: str = "typical", expansion: str | None = None, seed: int = 0
) -> list[TrainingQuery]:
    """Return a pair's queries in which `parse_query` finds the intended condition.

    For each condition, there is a query with a typical value, one with a random value, or both (`values`). An
    `expansion` (a synonym or hypernym of the concept) adds as many queries. The seed and the pair's number determine
    all random choices.
    """
    found = []
    for expanded, name in ((False, pair.concept), (True, expansion)):
        if name is None:
            continue
        for condition in CONDITIONS:
            # A random generator per condition keeps the choices independent of each other.
            chance = random.Random(f"{seed}/{pair.number}/{condition}/{expanded}")
            for kind, value in _asked(pair, condition, values, expanded, chance):
                constraint = Constraint(condition, value, value, pair.unit)
                text = read_back(name, constraint, forms.some(pair.unit, chance), chance)
                if text is not None:
                    qid = f"{pair.number}-{condition}-{kind}{'-e' if expanded else ''}"
                    found.append(TrainingQuery(qid, text, pair.concept, constraint, expanded))
    return found


def _asked(pair: Pair, condition: str, values: str, expanded: bool, chance: random.Random) -> list[tuple[str, float]]:
    """Return the values for a condition, each with its kind: "t" (typical) or "r" (random). Typical values are frequent
    ones for "=". For bounds, they are near the mean, and neither minimum nor maximum (B.3). An expanded concept gets
    the second most typical value."""
    if condition == "=":
        found, times = np.unique(pair.values, return_counts=True)
        ordered = found[np.argsort(-times, kind="stable")].tolist()
    else:
        ordered = sorted(pair.distinct[1:-1], key=lambda value: abs(value - pair.values.mean()))
    typical = ordered[min(int(expanded), len(ordered) - 1)]
    asked = [] if values == "random" else [("t", typical)]
    others = [value for value in ordered if value != typical]
    if values != "typical" and others:
        asked.append(("r", chance.choice(others)))
    return asked
