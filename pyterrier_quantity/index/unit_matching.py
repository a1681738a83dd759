"""Find the units of an index that match a constraint's unit, and convert values: grams * 0.001 -> kilograms."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np

from pyterrier_quantity.constants import USUAL_KIND, UnitWeights
from pyterrier_quantity.english import listed, set_of
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.english.wordnet import things_meant
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.extraction.steps.ordinals import NUMBERED
from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.index.context_words import is_count, noun_terms
from pyterrier_quantity.index.unit_names import UnitNames, hashes_of, words_of
from pyterrier_quantity.plan.answer_kind import ATTRIBUTE_FAMILIES, unit_families
from pyterrier_quantity.quantity import BARE, OF_AGE
from pyterrier_quantity.score.unit import UnitMatch
from pyterrier_quantity.units import UnitRegistry

_PEOPLE: Final = "person"
PIECES: Final = ("pack", "piece")
"""Units for things that the text does not name: "24 pack"."""
_NUMBER: Final = re.compile(r"((?:\d\S* )?)(.*)")
_MEASURES: Final = listed("words before a price or measure")
_ATTRIBUTES: Final = {
    term_hash(word): (families, len(families) == 1 and (word in _MEASURES or "money" in families))
    for word, families in ATTRIBUTE_FAMILIES.items()
}
"""For the hash of an attribute ("price"): the families of its units, and whether all other families are excluded."""
_SCALES: Final = ("celsius", "fahrenheit")


class _Found:
    """The units found so far that match a constraint, with their weights and conversions."""

    def __init__(self, units: int) -> None:
        self._listed, self._values = np.zeros(units, dtype=bool), np.zeros((4, units))

    def add(self, rows: Any, weight: Any, factor: Any = 1.0, offset: Any = 0.0, owned: float = 0.0) -> None:
        rows = np.asarray(rows, dtype=np.int64)
        self._listed[rows] = True
        for values, given in zip(self._values, (weight, factor, offset, owned or weight), strict=True):
            values[rows] = given

    def weight(self, row: int) -> float:
        return float(self._values[0, row])

    def match(self, others: float) -> UnitMatch:
        rows = np.flatnonzero(self._listed if others else self._values[0] > 0)
        weight, factor, offset, owned = self._values[:, rows]
        return UnitMatch(rows, weight, factor, offset, others, owned)


_NOUNS_COUNT_ANYTHING = set_of("unit piece item")
_NOUNS_COUNT_PERSONS = set_of("""
    adult man woman boy girl child kid teenager adolescent baby infant toddler schoolchild pensioner volunteer subject
    individual human soul life
    """)
_POPULATION = set_of("person people capita inhabitant resident citizen population")


class UnitVocabulary:
    """The units of an index, by row number. In all methods, `terms` are the hashes of query words, and `weights` are
    the weights of units that differ from the unit of the constraint.

    Args:
        names: the canonical unit names in alphabetical order. The column `unit` contains positions in this list.
        registry: the registry that supplies families, parts and conversions of units.
        deleted: the row numbers of units that occur only in deleted documents. They do not match any constraint.
        count: a function that returns the number of quantities in the units of a family, by default infinite.
    """

    def __init__(
        self,
        names: UnitNames | Sequence[str],
        registry: UnitRegistry,
        deleted: Sequence[int] | Ints = (),
        count: Callable[[str], float] = lambda family: math.inf,
    ) -> None:
        self.names = names if isinstance(names, UnitNames) else UnitNames.of(names)
        self._deleted, self._count = deleted, count
        self.registry = registry
        self._matches = lru_cache(maxsize=4096)(self._match)
        self._counted_by = lru_cache(maxsize=4096)(self._find_counted)
        self._meant_by = lru_cache(maxsize=4096)(self._find_related_nouns)
        self._alike = lru_cache(maxsize=4096)(self._find_alike)
        self._extended = lru_cache(maxsize=4096)(self._find_extended)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def bare(self) -> int:
        """The row number of the unit "-", or -1 if every number in the index has a unit."""
        return self.names.find(BARE)

    @cached_property
    def _pieces(self) -> list[int]:
        return [row for row, name in self._families.get("count", {}).items() if name in PIECES]

    @cached_property
    def _packed(self) -> list[int]:
        """The row numbers of units that count things sold in packs, such as "bottle"."""
        return [row for row in map(self.names.find, listed("things sold by number")) if row >= 0]

    @cached_property
    def _known_words(self) -> Ints:
        """For each unit of the index, the number of words in its name that also occur in unit names of the registry."""
        return self.names.held(self._known)

    @cached_property
    def _known(self) -> frozenset[int]:
        return hashes_of(self.registry.name_words())

    @cached_property
    def _families(self) -> dict[str, dict[int, str]]:
        """For each family ("length"), the names of its units that the registry knows, keyed by row number."""
        families: dict[str, dict[int, str]] = {}
        for row in np.setdiff1d(np.flatnonzero(self._known_words == self.names.words), self._deleted).tolist():
            name = self.names[row]
            family = self.registry.family(name)
            if family is not None:
                families.setdefault(family, {})[row] = name
        return families

    @cached_property
    def _by_family(self) -> dict[str, list[int]]:
        """The row numbers of units that the registry knows, keyed by the families of `unit_families` ("money")."""
        found = defaultdict[str, list[int]](list)
        for row, name in (item for named in self._families.values() for item in named.items()):
            for family in unit_families(name):
                found[family].append(row)
        return dict(found)

    def _measuring(self, families: Iterable[str]) -> list[int]:
        """Return the row numbers of the units of several families. A family may be a counted noun ("resident")."""
        known = self._by_family
        return [row for one in families for row in known.get(one) or [self.names.find(one)] if row >= 0]

    @cached_property
    def _kin(self) -> dict[str, list[str]]:
        """The names of all units of the registry, keyed by family."""
        kin = defaultdict[str, list[str]](list)
        for unit in self.registry.units():
            kin[self.registry.family(unit) or ""].append(unit)
        return kin

    def family_rows(self, family: str) -> list[int]:
        """Return the row numbers of the units of a family, or of a unit without a family."""
        own = self.names.find(family)
        return list(self._families.get(family, ())) or [own] * (own >= 0)

    def noun(self, row: int) -> int:
        """Return the hash of the noun that the unit with this row number counts, or 0 if it counts none."""
        return (0, *noun_terms(self.names[row]))[-1]

    def match(self, unit: str, terms: Sequence[int], weights: UnitWeights) -> UnitMatch:
        """Return the units in the index that match a constraint's unit, with weights and conversions."""
        known = _ATTRIBUTES.keys() | self.names.terms if unit == BARE else self.names.terms
        naming = frozenset(terms).intersection(known) if weights.noun or weights.more else frozenset()
        return self._matches(unit, naming, weights)

    def _match(self, unit: str, terms: frozenset[int], weights: UnitWeights) -> UnitMatch:
        found = _Found(len(self.names))
        if unit == BARE:
            self._complete_unitless(found, terms, weights)
        else:
            self._add_partly(found, unit, terms, weights)
            if weights.convertible:
                unusual = USUAL_KIND / (USUAL_KIND + self._count(self.registry.family(unit) or unit))
                share = weights.convertible + (1.0 - weights.convertible) * unusual
                self._add_family(found, unit, share, weights)
        own = self.names.find(unit)
        if own >= 0:
            found.add([own], weights.number if unit == BARE else 1.0)
        return found.match(weights.unasked if unit == BARE else 0.0)

    def _complete_unitless(self, found: _Found, terms: frozenset[int], weights: UnitWeights) -> None:
        """Add to `found` the units that a constraint without a unit may mean: nouns in the query, and the units of
        attributes in the query ("euro" for "price") or, if no attribute excludes them, ratios such as percentages."""
        if not weights.unasked:
            return
        named = [_ATTRIBUTES[code] for code in terms if code in _ATTRIBUTES]
        units = [(rows, alone) for families, alone in named if (rows := self._measuring(families))]
        only = any(alone for _, alone in units)
        for family, names in self._families.items():
            if only or family.startswith("ratio"):
                found.add(list(names), 0.0 if only else weights.ratio)
        for rows, alone in units:
            if alone or not only:
                found.add(rows, 1.0)
        for code in terms:
            found.add(self._counted_by(code), 1.0)
        dates = self.names.find(DATE_UNIT)
        if dates >= 0:
            found.add([dates], 0.0)

    def _add_partly(self, found: _Found, unit: str, terms: frozenset[int], weights: UnitWeights) -> None:
        """Add to `found` the units that match `unit` in part: a constraint in "dollar per barrel" matches "dollar"."""
        if weights.more:
            self._add_denominators(found, unit, terms, weights)
        if unit.startswith("per ") and weights.part:
            self._add_numerators(found, unit, weights)
        if weights.part:
            for other in self._ages(unit):
                self._add_family(found, other, weights.part, weights)
            parts = self.registry.parts(unit)
            for kept in range(1, len(parts)):
                self._add_family(found, " per ".join(parts[:kept]), weights.part, weights, owned=1.0)
            if len(parts) > 1 and is_count(unit):  # "46/min" for "beat per minute"
                self._add_family(found, f"per {unit.partition(' per ')[2]}", weights.part, weights)
            if unit == "degree":  # of an unnamed scale
                found.add([row for row in map(self.names.find, _SCALES) if row >= 0], weights.part)
        self._add_nouns(found, unit, terms, weights)

    def _add_nouns(self, found: _Found, unit: str, terms: frozenset[int], weights: UnitWeights) -> None:
        """Add to `found` other nouns that may count the same things as `unit`, such as "employee" for "staff"."""
        if unit.startswith(NUMBERED):
            self._add_related_nouns(found, unit, weights)
        elif is_count(unit) or unit in PIECES:
            self._add_counted(found, unit, terms, weights)
        elif self.registry.family(unit) == _PEOPLE:
            self._add_related_nouns(found, _PEOPLE, weights)
            if weights.bare and self.bare >= 0:
                found.add([self.bare], weights.bare)

    def _add_counted(self, found: _Found, unit: str, terms: frozenset[int], weights: UnitWeights) -> None:
        """Add to `found` the units that may count the same things as the noun `unit`: similar nouns ("worker" for
        "employee"), noun phrases with a query word, "people", and "-" (no unit)."""
        for code in terms:
            found.add(self._counted_by(code), weights.noun)
        self._add_related_nouns(found, unit, weights)
        if weights.people:
            found.add(list(self._families.get(_PEOPLE, ())), weights.people)
        if weights.bare and self.bare >= 0:
            found.add([self.bare], weights.bare)
        if weights.noun:
            found.add(self._packed if unit in PIECES else self._pieces, weights.noun)

    def _add_numerators(self, found: _Found, unit: str, weights: UnitWeights) -> None:
        """Add to `found` the units that consist of a numerator and `unit`: "visitor per day" for "per day". In a unit
        of measurement, the denominator may also convert to `unit`: "euro per week"."""
        for family, rows in self._families.items():
            share = weights.period if family.startswith("price per ") else weights.more
            for row, name in rows.items():
                above, per, below = name.partition(" per ")
                conversion = self.registry.conversion(f"per {below}", unit) if above and per else None
                if conversion is not None:
                    found.add([row], share, *conversion, owned=1.0)
        names = {row: self.names[row] for row in self.names.with_words(words_of(unit)).tolist()}
        names |= self._alike(unit, weights.meant)
        end = f" {_named_by(unit, {})}"
        found.add([row for row, name in names.items() if name.endswith(end) and is_count(name)], weights.part)

    def _add_related_nouns(self, found: _Found, unit: str, weights: UnitWeights) -> None:
        if weights.meant:
            anything = weights.people if _are_persons(unit) else weights.bare
            for rows, weight in zip(self._meant_by(unit), (anything, weights.noun, weights.meant), strict=True):
                found.add(rows, weight)

    def _find_related_nouns(self, unit: str) -> tuple[Ints, ...]:
        """Return nouns that may count the same things as `unit`, as three arrays of row numbers: nouns for any person
        or thing ("woman" for "shop worker"), broader nouns ("worker"), and similar nouns ("shop staff")."""
        noun, _, below = unit.partition(" per ")
        head, meant = _head(noun), things_meant(_head(noun))
        persons = _are_persons(unit)
        general = _NOUNS_COUNT_PERSONS if persons else _NOUNS_COUNT_ANYTHING
        sought = {word.rpartition("-")[2] for word in (head, *meant, *general)}
        mere, less, same = found = list[int](), list[int](), list[int]()
        for row in self.names.with_any(words_of(" ".join(sought))).tolist():
            name, _, other_below = self.names[row].partition(" per ")
            other = _head(name)
            unlike = (other_below, name.startswith(NUMBERED)) != (below, noun.startswith(NUMBERED))
            anything = (other if persons else name) in general
            if unlike or not (other == head or other in meant or anything) or not is_count(name):
                continue
            if other == head or other in meant:
                (same if other != head or set(noun.split()) <= set(name.split()) else less).append(row)
            else:
                mere.append(row)
        return tuple(np.array(rows, dtype=np.int64) for rows in found)

    def _add_denominators(self, found: _Found, unit: str, terms: frozenset[int], weights: UnitWeights) -> None:
        """Add to `found` units with an additional denominator: "dollar per kilogram" for "dollar". If query terms name
        the denominator, these units have full weight."""
        for row, (below, factor, offset) in self._extended(unit, weights.meant).items():
            further = {term_hash(word) for word in re.findall(r"\w+", below)} - {0}
            weight = weights.period if below in self._kin["time"] else weights.more
            share = (1.0 if further and further <= terms else weight) * (weights.convertible if factor != 1.0 else 1.0)
            found.add([row], share, factor, offset, owned=1.0)

    def _find_extended(self, unit: str, meant: float) -> dict[int, tuple[str, float, float]]:
        """Return the units that consist of a unit that converts to `unit` and additional denominators, with these
        denominators and the conversion: for "gram", "ounce per shoe" has the denominator "shoe"."""
        kin = self._kin.get(self.registry.family(unit) or "", [unit])
        rows = np.intersect1d(self.names.with_any(words_of(" ".join(kin))), self.names.with_words(words_of("per")))
        parts, found = unit.count(" per ") + 1, {}
        for row, name in ({row: self.names[row] for row in rows.tolist()} | self._alike(unit, meant)).items():
            pieces = name.split(" per ")
            above = " per ".join(pieces[:parts])
            own = above == unit or self.registry.family(name) not in self._kin  # not a speed for a length
            conversion = self.registry.conversion(above, unit) if own and len(pieces) > parts else None
            if conversion is not None and is_rate(above) == is_rate(unit):
                found[row] = " per ".join(pieces[parts:]), *conversion
        return found

    def _find_alike(self, unit: str, meant: float) -> dict[int, str]:
        """Return the units that count things like those of `unit`, by row number. Their names have the nouns of `unit`:
        for "calorie per serving", the unit "joule per portion" has the name "joule per serving". If `meant` (the weight
        of such units) is 0, return no unit."""
        nouns = [part for part in self.registry.parts(unit) if meant and " " not in part and _counts(part)]
        own = {other: noun for noun in nouns for other in (*things_meant(noun), noun)}
        own |= {other: noun for noun in _POPULATION.intersection(nouns) for other in _POPULATION}
        rows = self.names.with_any(words_of(" ".join((*own, *re.findall(r" \d+", unit)))))
        return {row: _named_by(self.names[row], own) for row in rows.tolist()}

    def _add_family(self, found: _Found, unit: str, share: float, weights: UnitWeights, owned: float = 0.0) -> None:
        """Add to `found` a unit and all units that convert to it: "kilogram" also adds "gram". `share` is the weight of
        the units, and `owned` is their weight in fields whose unit the user set. If `owned` is 0, `share` is used."""
        own = _named_by(unit, {})
        pairs = (
            (row, self.registry.conversion(name, own))
            for row, name in (self._convertible(unit) | self._alike(unit, weights.meant)).items()
            if found.weight(row) < share and is_rate(name) == is_rate(own)
        )
        kept = [(row, *conversion) for row, conversion in pairs if conversion is not None]
        if kept:
            rows, factor, offset = zip(*kept, strict=True)
            found.add(rows, share, factor, offset, owned)

    def _convertible(self, unit: str) -> dict[int, str]:
        """Return the names of the units that may convert to `unit`, keyed by row number. A word that the registry does
        not know, such as "visitor" in "visitor per day", must occur in both names."""
        unknown = set(words_of(unit)) - self._known
        if not unknown:
            return self._families.get(self.registry.family(unit) or "", {})
        rows = self.names.with_words(sorted(unknown))
        rows = rows[self._known_words[rows] + len(unknown) == self.names.words[rows]]
        return {row: self.names[row] for row in rows.tolist()}

    def _ages(self, unit: str) -> tuple[str, ...]:
        """Return the unit of age for a unit of time ("week" -> "week of age") or vice versa, or () for other units."""
        if unit.endswith(OF_AGE):
            return (unit.removesuffix(OF_AGE),)
        return (unit + OF_AGE,) if self.registry.family(unit + OF_AGE) == "age" else ()

    def _find_counted(self, code: int) -> Ints:
        """Return the row numbers of units that count a noun with the stem hash `code`: "room per floor" for "room"."""
        named = ((row, self.names[row]) for row in self.names.with_term(code).tolist())
        rows = [
            row
            for row, name in named
            if code in map(term_hash, re.findall(r"\w+", name.split(" per ")[0]))
            and is_count(name)
            and not name.startswith(NUMBERED)
        ]
        return np.array(rows, dtype=np.int64)


def _are_persons(unit: str) -> bool:
    head = _head(unit.partition(" per ")[0])
    return head == _PEOPLE or head in things_meant(_PEOPLE)


def _counts(part: str) -> bool:
    return part in _POPULATION or is_count(part)


def _named_by(unit: str, meant: Mapping[str, str]) -> str:
    """Return a unit's name with nouns replaced as in `meant`, and without the population of a rate: "case per 1000
    people" -> "case per 1000"."""
    pieces = f" {unit}".split(" per ")
    for place, piece in enumerate(pieces):
        number, noun = _NUMBER.findall(piece.strip())[0]
        if number and noun in _POPULATION:
            pieces[place] = number.strip()
        elif _head(noun) in meant and _counts(noun):
            pieces[place] = number + meant[_head(noun)]
    return " per ".join(pieces).strip()


def _head(noun: str) -> str:
    return noun.partition(" of ")[0].rpartition(" ")[2]


def is_rate(unit: str) -> bool:
    """Return whether a unit has a number after "per": True for "case per 1000", which is a rate."""
    return unit.rpartition(" per ")[2].isdecimal()
