"""Find concept-unit pairs in a corpus, and make training queries about these pairs.

A query states a concept, a condition, a value and a unit in a random wording: "crude oil above 60 dollars". A query is
kept if the parser finds the intended condition.

Source: Almasian et al., *Numbers Matter!*, sections 3.3.1 and 3.3.2, appendices B.1 to B.5.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.concept_unit_index import phrase_stems
from pyterrier_quantity.concept_units.templates import read_back, stated_quantities
from pyterrier_quantity.concept_units.wording import Wording, registry_wordings, unit_wordings
from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.quantity import BARE, BOUNDS, Constraint
from pyterrier_quantity.score import satisfied
from pyterrier_quantity.units import UnitRegistry

_SELDOM: Final = 0.15  # probability that a unit's wording is chosen from all wordings in the registry
_OFTEN: Final = 3  # minimum number of quantities in a unit in the corpus; rarer units do not replace other units
_COUNTED: Final = "counted thing"


class UnitForms:
    """Wordings of units for training queries and texts: "percent" -> "percent", "%". Usual wordings are a unit's name,
    its symbol, and frequent wordings in the corpus. Other wordings in the registry ("percents") are used rarely."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._index = index
        self._of = lru_cache(maxsize=None)(self._forms)

    def some(self, unit: str, chance: random.Random, but: Wording | None = None) -> list[Wording]:
        """Return a unit's usual wordings or, with a probability of 15 %, all its wordings. `but` is left out."""
        usual, every = ([form for form in forms if form != but] for forms in self._of(unit))
        return usual if usual and chance.random() >= _SELDOM else every

    def _forms(self, unit: str) -> tuple[list[Wording], list[Wording]]:
        registry = self._index.registry
        if not is_name(unit, registry):
            return [], []
        usual = unit_wordings(unit, stated_quantities(self._index, unit), registry)
        return usual, list(dict.fromkeys((*usual, *registry_wordings(unit, registry))))


def is_name(unit: str, registry: UnitRegistry) -> bool:
    """Return whether a text is the name of a unit in the registry: True for "metre", False for its symbol "m"."""
    try:
        return registry.resolve(unit) == unit
    except ValueError:
        return False


class UnitNeighbours:
    """Units of a corpus, grouped by dimension, to replace a unit in negative samples: "5 metre" -> "5 inch"."""

    def __init__(self, index: ConceptUnitIndex) -> None:
        self._registry = index.registry
        self._groups: dict[str, list[str]] = {}
        times = np.bincount(index.columns["unit"], minlength=len(index.unit_names))
        for number in np.argsort(-times, kind="stable"):
            unit = index.unit_names[number]
            if unit != BARE and times[number] >= _OFTEN and is_name(unit, self._registry):
                self._groups.setdefault(self._measure(unit), []).append(unit)

    def of(self, unit: str) -> list[str]:
        """Return the other units in the group of a unit, such as "inch" for "metre". If there is no other unit, return
        units with a different numerator, such as "euro per litre" for "dollar per litre"."""
        if unit == BARE:
            return []
        others = [other for other in self._groups.get(self._measure(unit), []) if other != unit]
        upper, per, below = unit.partition(" per ")
        return others if others or not per else [f"{other} per {below}" for other in self.of(upper)]

    def _measure(self, unit: str) -> str:
        """Return the dimension of a unit: "metre" -> "length", "euro" -> "currency", "goal" -> "counted thing"."""
        family = self._registry.family(unit)
        return _COUNTED if family in (None, unit) else family.partition(":")[0].partition(" in ")[0]


Item = TypeVar("Item")
_LEAST: Final = 3  # minimum number of distinct values of a concept-unit pair


@dataclass(frozen=True)
class Pair:
    """A concept and a unit, with all quantities of the concept in this unit. `rows`, `values` and `documents` have one
    entry per quantity: its row in the `ConceptUnitIndex`, its value, and the index of its document."""

    number: int
    concept: str
    unit: str
    rows: Ints
    values: npt.NDArray[np.float64]
    documents: Ints

    @cached_property
    def distinct(self) -> list[float]:
        """The distinct values of the quantities, in descending order."""
        return sorted(set(self.values.tolist()), reverse=True)

    def sides(self, constraint: Constraint) -> tuple[Ints, Ints]:
        """Return the index rows of quantities that meet a constraint, and of quantities that violate it, as two arrays.
        Documents with both kinds are left out. For "<" and ">", values equal to the bound are left out."""
        met = satisfied(constraint, self.values, self.values)
        both = np.intersect1d(self.documents[met], self.documents[~met])
        clear = ~np.isin(self.documents, both)
        if constraint.op in ("<", ">"):
            clear &= self.values != constraint.low
        return self.rows[met & clear], self.rows[~met & clear]


def find_pairs(index: ConceptUnitIndex, excluded: Iterable[str] = ()) -> list[Pair]:
    """Return the concept-unit pairs with at least three distinct values, in the order of the index. Only exact single
    values are used. If a document states a range or bound for a pair, the pair uses no value of this document.
    Documents with a quantity of an excluded concept are not used. If no pair is left, raise a ValueError."""
    stated = pd.DataFrame({name: np.asarray(column) for name, column in index.columns.items()})
    stated["single"] = (stated["low"] == stated["high"]) & (stated["bound"] == BOUNDS.index("="))
    # A text that also states a range or a bound may meet a condition that the text's single value violates.
    usable = stated.groupby(["concept", "unit", "document"])["single"].transform("all")
    usable &= ~stated["document"].isin(held_out(index, excluded))
    usable &= stated["concept"] != index.concept_numbers.get("", -1)
    stated = stated[usable]
    by_pair = stated.groupby(["concept", "unit"])
    stated = stated.assign(number=by_pair.ngroup(), values=by_pair["low"].transform("nunique"))
    pairs = []
    for number, rows in stated[stated["values"] >= _LEAST].groupby("number"):
        names = index.concept_names[rows["concept"].iloc[0]], index.unit_names[rows["unit"].iloc[0]]
        columns = (column.to_numpy() for column in (rows.index, rows["low"], rows["document"].astype(np.int64)))
        pairs.append(Pair(number, *names, *columns))
    if not pairs:
        fault = f"no concept of the corpus has {_LEAST} different values in a unit"
        raise ValueError(f"{fault}; give a larger corpus, or hold out fewer concepts")
    return pairs


def at_most(items: list[Item], most: int | None, seed: int | str) -> list[Item]:
    """Return a random sample of at most `most` items (None: all items), in their original order."""
    if most is None or most >= len(items):
        return items
    return [items[n] for n in sorted(random.Random(seed).sample(range(len(items)), most))]


def held_out(index: ConceptUnitIndex, excluded: Iterable[str]) -> Ints:
    """Return the positions in the index of all documents that have a quantity of an excluded concept. Each phrase in
    `excluded` excludes the concepts that contain all words of the phrase, in any form: "oil price" excludes "crude oil
    prices". A phrase without words raises a ValueError."""
    phrases = list(excluded)
    concepts = index.concepts_with(phrase_stems(phrases) if phrases else [])
    return np.unique(np.asarray(index.columns["document"])[np.isin(index.columns["concept"], concepts)])


CONDITIONS: Final = ("=", ">", "<")
VALUES: Final = ("typical", "random", "both")


@dataclass(frozen=True)
class TrainingQuery:
    """A generated query.

    Args:
        qid: the number of the concept-unit pair, the operator, and "t" (typical value) or "r" (random value): "12-<-t".
        text: the query as the model sees it.
        concept: the concept of the pair, spelt as in the corpus.
        constraint: the condition stated by the query.
        expanded: whether the text contains a synonym or hypernym instead of the concept.
    """

    qid: str
    text: str
    concept: str
    constraint: Constraint
    expanded: bool = False


def pair_queries(
    pair: Pair, forms: UnitForms, values: str = "typical", expansion: str | None = None, seed: int = 0
) -> list[TrainingQuery]:
    """Return training queries about the concept and unit of a pair, one or two for each of the operators "=", ">", "<".
    `values` selects the values: "typical", "random" or "both". If there is an `expansion` (a synonym or hypernym of the
    concept), each query is also returned with the expansion instead of the concept."""
    found = []
    for expanded, name in ((False, pair.concept), (True, expansion)):
        if name is None:
            continue
        for condition in CONDITIONS:
            # A random generator per condition makes the choices independent of each other.
            chance = random.Random(f"{seed}/{pair.number}/{condition}/{expanded}")
            for kind, value in _asked(pair, condition, values, expanded, chance):
                constraint = Constraint(condition, value, value, pair.unit)
                text = read_back(name, constraint, forms.some(pair.unit, chance), chance)
                if text is not None:
                    qid = f"{pair.number}-{condition}-{kind}{'-e' if expanded else ''}"
                    found.append(TrainingQuery(qid, text, pair.concept, constraint, expanded))
    return found


def _asked(pair: Pair, condition: str, values: str, expanded: bool, chance: random.Random) -> list[tuple[str, float]]:
    """Return the values to ask for with the operator `condition`, as pairs: ("t", 60.0) for a typical value, ("r",
    72.0) for a random value. `values` is "typical", "random" or "both". A typical value is the most frequent one for
    "=", the one closest to the mean for ">" and "<". If `expanded` is true, the second most typical value is used."""
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
