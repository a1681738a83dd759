"""Other names of what queries say: a dictionary knows many, and the documents that state the asked unit choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pyterrier_quantity.constants import NAMES
from pyterrier_quantity.flat_arrays import Floats, Ints, documents_by_term, ragged_ranges
from pyterrier_quantity.score.documents import Documents
from pyterrier_quantity.score.fit import term_weights
from pyterrier_quantity.score.own_words import in_own_words
from pyterrier_quantity.score.query import IndexQuery, Name


class _Stating(NamedTuple):
    """The documents that state something in a unit.

    Args:
        holding: how many of them hold each of the term codes.
        lift: how many times as often they do as other documents.
        likely: the codes that enough of them hold, and no fewer than others do, to name what they state.
    """

    holding: Ints
    lift: Floats
    likely: frozenset[int]

    def evidence(self, codes: tuple[int, ...]) -> tuple[float, float]:
        """How many of them hold all of some terms, and how many times as often as other documents do; of several terms
        the one that tells least."""
        return min(map(self.holding.item, codes)), min(map(self.lift.item, codes))


_KNOWN: WeakKeyDictionary[Any, dict[str, _Stating]] = WeakKeyDictionary()
"""By documents and unit, what `_stating` found."""


def borne_out(queries: Sequence[IndexQuery], documents: Documents) -> list[IndexQuery]:
    """The queries with those other names that the documents bear out.

    "Metal" in "red metal above 68 cents a pound" may be copper, tin or gold: the sentences that state cents a pound
    speak of copper more often than others do. A name counts by that ratio, by how many such sentences hold it, and the
    less, the better the query's own words are borne out in the same way. What was chosen once stays, and all words have
    weights then.
    """
    return [one if one.weights is not None else _weighed(one, documents) for one in queries]


def _weighed(query: IndexQuery, documents: Documents) -> IndexQuery:
    chosen = _chosen(query, documents) if query.names else []
    if query.attribute:
        chosen += [stated.name for stated in documents.stated_names.of(query.terms, query.attribute)]
    asked = in_own_words(replace(query, names=chosen, weights={}), documents)
    return replace(asked, weights=term_weights(asked, documents.columns))


def _chosen(query: IndexQuery, documents: Documents) -> list[Name]:
    best: dict[Name, float] = {}
    for unit in {constraint.unit for constraint in query.constraints}:
        stating = _stating(documents, unit)
        likely = [name for name in query.names if stating.likely.issuperset(name.other)]
        nowhere = _nowhere(query, documents) if likely else frozenset()
        for name in likely:
            unknown = nowhere.issuperset(name.said)
            if unknown or not name.defines:
                best[name] = max(best.get(name, 0.0), _worth(name, stating, unknown))
    place = {name: place for place, name in enumerate(query.names)}
    by_said: dict[tuple[int, ...], list[Name]] = {}
    for name in sorted(best, key=lambda name: (-best[name], place[name])):
        kept = by_said.setdefault(name.said, [])
        if name.weight * best[name] > NAMES.least and len(kept) < NAMES.most:
            kept.append(name._replace(weight=name.weight * best[name]))
    return [name for names in by_said.values() for name in names]


def _nowhere(query: IndexQuery, documents: Documents) -> frozenset[int]:
    """The terms of attributes that no document has. A counted noun names what is asked: "eat" in "eat: fewer than 60
    seats" needs no other name."""
    everywhere = documents.columns.term_documents
    named = (condition.attribute for condition in query.conditions if not condition.labels)
    return frozenset(code for attribute in named for code in attribute if not everywhere[code])


def _worth(name: Name, stating: _Stating, unknown: bool) -> float:
    """How far a name is borne out by the documents that state a unit, 0 to 1, and where none says it as the query."""
    said, own = stating.evidence(name.said)
    other, lift = stating.evidence(name.other)
    ratio = min(math.log(lift) / math.log(NAMES.ratio), 1.0) if lift >= NAMES.above else 0.0
    if unknown:
        ratio = max(ratio, NAMES.unknown)
    known = said / (said + NAMES.enough) * min(own, 1.0)
    return ratio * other / (other + NAMES.few) * (1.0 - known) * other / max(other + said, 1)


def _stating(documents: Documents, unit: str) -> _Stating:
    """The documents that state something in a unit; of many a share."""
    known = _KNOWN.setdefault(documents, {})
    if unit not in known:
        columns, number = documents.columns, documents.vocabulary.names.find(unit)
        rows = documents.stating(number) if number >= 0 else np.empty(0, dtype=np.int64)
        start, length = columns.term_offsets.extent(rows)
        terms = columns.terms[ragged_ranges(start, length)]
        holding = documents_by_term(np.repeat(np.arange(len(rows)), length), terms)
        lift = holding / (np.maximum(columns.term_documents, 1) * (max(len(rows), 1) / max(columns.documents, 1)))
        likely = np.flatnonzero((holding >= NAMES.few) & (lift >= 1.0))
        known[unit] = _Stating(holding, lift, frozenset(likely.tolist()))
    return known[unit]
