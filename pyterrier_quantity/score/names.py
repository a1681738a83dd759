"""Select and weight synonyms of query words, using the documents that contain the query's unit."""

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


class _TermStatistics(NamedTuple):
    """Statistics of the terms in documents that contain a quantity in a given unit. Terms are hashes of word stems.

    Args:
        holding: for each term, the number of these documents that contain the term.
        lift: for each term, its frequency in these documents, divided by its frequency in all documents.
        likely: frequent terms with a lift of at least 1, which may name the measured attribute.
    """

    holding: Ints
    lift: Floats
    likely: frozenset[int]

    def evidence(self, codes: tuple[int, ...]) -> tuple[float, float]:
        """Given the hashes of a synonym's terms, return their lowest `holding` and their lowest `lift`."""
        return min(map(self.holding.item, codes)), min(map(self.lift.item, codes))


_KNOWN: WeakKeyDictionary[Any, dict[str, _TermStatistics]] = WeakKeyDictionary()  # cached `_term_statistics`


def supported_names(queries: Sequence[IndexQuery], documents: Documents) -> list[IndexQuery]:
    """Return the queries with a weight for every word, and with only the synonyms that fit the indexed documents.

    In "red metal above 68 cents a pound", "metal" may mean copper, tin or gold. Sentences with "cents a pound" mention
    copper more often than other sentences do, so "copper" is kept. The weight of a synonym is higher if such sentences
    mention it often, and lower if many contain "metal". Queries that already have weights are not changed.
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
        stating = _term_statistics(documents, unit)
        # A small collection gives too few statistics. There, synonyms are trusted, but more specific nouns are not.
        small = documents.columns.documents < NAMES.documents
        trusted = {one for one in query.names if small and one.weight == 1.0 and stating.evidence(one.other)[0] > 0}
        likely = [name for name in query.names if stating.likely.issuperset(name.other) or name in trusted]
        nowhere = _missing_terms(query, documents) if likely else frozenset()
        for name in likely:
            unknown = nowhere.issuperset(name.said)
            if unknown or not name.defines:
                least = NAMES.unknown if name in trusted else 0.0
                best[name] = max(best.get(name, 0.0), _support(name, stating, unknown), least)
    place = {name: place for place, name in enumerate(query.names)}
    by_said: dict[tuple[int, ...], list[Name]] = {}
    for name in sorted(best, key=lambda name: (-best[name], place[name])):
        kept = by_said.setdefault(name.said, [])
        if name.weight * best[name] > NAMES.least and len(kept) < NAMES.most:
            kept.append(name._replace(weight=name.weight * best[name]))
    return [name for names in by_said.values() for name in names]


def _missing_terms(query: IndexQuery, documents: Documents) -> frozenset[int]:
    """Return the hashes of the attribute words of a query that occur in no document. Conditions on a counted noun, such
    as "60 seats", are skipped, because the noun is their unit."""
    everywhere = documents.columns.term_documents
    named = (condition.attribute for condition in query.conditions if not condition.labels)
    return frozenset(code for attribute in named for code in attribute if not everywhere[code])


def _support(name: Name, stating: _TermStatistics, unknown: bool) -> float:
    """Return the weight of a synonym, from 0 to 1. `stating` contains statistics of the documents with the query's
    unit. `unknown` is true if no document contains the query's words. In this case, the weight is positive even if the
    synonym is not more frequent in documents with the unit than in all documents."""
    said, own = stating.evidence(name.said)
    other, lift = stating.evidence(name.other)
    ratio = min(math.log(lift) / math.log(NAMES.ratio), 1.0) if lift >= NAMES.above else 0.0
    if unknown:
        ratio = max(ratio, NAMES.unknown)
    known = said / (said + NAMES.enough) * min(own, 1.0)
    return ratio * other / (other + NAMES.few) * (1.0 - known) * other / max(other + said, 1)


def _term_statistics(documents: Documents, unit: str) -> _TermStatistics:
    """Return the term statistics of documents with a quantity in a unit. If there are many, a sample is used."""
    known = _KNOWN.setdefault(documents, {})
    if unit not in known:
        columns, number = documents.columns, documents.vocabulary.names.find(unit)
        rows = documents.stating(number) if number >= 0 else np.empty(0, dtype=np.int64)
        start, length = columns.term_offsets.extent(rows)
        terms = columns.terms[ragged_ranges(start, length)]
        holding = documents_by_term(np.repeat(np.arange(len(rows)), length), terms)
        lift = holding / (np.maximum(columns.term_documents, 1) * (max(len(rows), 1) / max(columns.documents, 1)))
        likely = np.flatnonzero((holding >= NAMES.few) & (lift >= 1.0))
        known[unit] = _TermStatistics(holding, lift, frozenset(likely.tolist()))
    return known[unit]
