"""Other names of what queries say: a dictionary knows many, and the documents that state the asked unit choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import documents_by_term, ragged_ranges
from pyterrier_quantity.constants import NAMES, NameWeights
from pyterrier_quantity.score.documents import Documents
from pyterrier_quantity.score.query import IndexQuery, Name

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_HELD: WeakKeyDictionary[Any, dict[str, tuple[int, Ints]]] = WeakKeyDictionary()
"""By documents and unit, what `_held` found."""


def borne_out(queries: Sequence[IndexQuery], documents: Documents, weights: NameWeights = NAMES) -> list[IndexQuery]:
    """The queries with those other names that the documents bear out.

    "Metal" in "red metal above 68 cents a pound" may be copper, tin or gold: the sentences that state cents a pound
    speak of copper more often than others do. A name counts by that ratio, by how many such sentences hold it, and the
    less, the better the query's own words are borne out in the same way. What was chosen once stays.
    """
    return [replace(one, names=(), others=_chosen(one, documents, weights)) if one.names else one for one in queries]


def _chosen(query: IndexQuery, documents: Documents, weights: NameWeights) -> list[Name]:
    best = np.zeros(len(query.names))
    for unit in {constraint.unit for constraint in query.constraints}:
        stating, held = _held(documents, unit)
        if stating:
            best = np.maximum(best, _worth(query, documents, (stating, held), weights))
    by_said: dict[tuple[int, ...], list[Name]] = {}
    likely = np.flatnonzero(best > weights.least)
    for place in likely[np.argsort(-best[likely], kind="stable")].tolist():
        name = query.names[place]
        counted = name.weight * float(best[place])
        kept = by_said.setdefault(name.said, [])
        if counted > weights.least and len(kept) < weights.most:
            kept.append(name._replace(weight=counted))
    return [name for names in by_said.values() for name in names]


def _worth(query: IndexQuery, documents: Documents, held: tuple[int, Ints], weights: NameWeights) -> Floats:
    """How far each name is borne out by the documents that state a unit, 0 to 1."""
    names = query.names
    said, own = _evidence([name.said for name in names], documents, held)
    other, lift = _evidence([name.other for name in names], documents, held)
    known = said / (said + weights.enough) * np.minimum(own, 1.0)
    ratio = np.clip(np.log(np.maximum(lift, 1.0)) / np.log(weights.ratio), 0.0, 1.0)
    ratio[lift < weights.above] = 0.0
    everywhere = documents.columns.term_documents
    # A counted noun names what is asked: "eat" in "eat: fewer than 60 seats" needs no other name.
    named = (attribute for attribute, counted in zip(query.attributes, query.labels, strict=True) if not counted)
    nowhere = {code for attribute in named if not everywhere[list(attribute)].any() for code in attribute}
    unknown = np.array([nowhere.issuperset(name.said) for name in names])
    ratio = np.where(unknown & (lift >= 1.0), np.maximum(ratio, weights.unknown), ratio)
    few = np.where(other >= weights.few, other / (other + weights.few), 0.0)
    found: Floats = ratio * few * (1.0 - known) * other / np.maximum(other + said, 1.0)
    return found


def _evidence(
    phrases: Sequence[tuple[int, ...]], documents: Documents, held: tuple[int, Ints]
) -> tuple[Floats, Floats]:
    """How many of the documents that state a unit hold each phrase, and how many times as often as other documents do;
    of several terms the one that tells least."""
    columns, (stating, in_unit) = documents.columns, held
    codes = np.fromiter(chain.from_iterable(phrases), dtype=np.int64)
    begins = np.cumsum([0, *map(len, phrases[:-1])])
    count = in_unit[codes].astype(np.float64)
    expected = np.maximum(columns.term_documents[codes], 1) * (stating / max(columns.documents, 1))
    return np.minimum.reduceat(count, begins), np.minimum.reduceat(count / expected, begins)


def _held(documents: Documents, unit: str) -> tuple[int, Ints]:
    """How many documents that state a unit were looked at, and how many of them hold each of the term codes."""
    known = _HELD.setdefault(documents, {})
    if unit not in known:
        columns, number = documents.columns, documents.vocabulary.names.find(unit)
        rows = documents.stating(number) if number >= 0 else np.empty(0, dtype=np.int64)
        start, length = columns.term_offsets.extent(rows)
        terms = columns.terms[ragged_ranges(start, length)]
        known[unit] = len(rows), documents_by_term(np.repeat(np.arange(len(rows)), length), terms)
    return known[unit]
