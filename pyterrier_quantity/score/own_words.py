"""Guess synonyms for an attribute of the query that no document contains, from words in the documents.

A query may ask for "more than 50 chairs" or "an acidity below 6.5" while the documents only mention seats and a pH.
Because only a few words occur next to numbers in a given unit, even distant synonyms can be considered. A word is
likely if it occurs more often next to numbers close to the query's value than next to other numbers. A word is
discarded if most of the numbers next to it meet the query's bound, or if none does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pyterrier_quantity.constants import OWN_WORDS, STATING, UNITS
from pyterrier_quantity.english.stems import MODIFIER, term_hash
from pyterrier_quantity.english.wordnet import near_names
from pyterrier_quantity.flat_arrays import Floats, Ints, ragged_ranges
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.score.documents import Documents
from pyterrier_quantity.score.phi import satisfied
from pyterrier_quantity.score.query import IndexQuery, Name, QueryCondition
from pyterrier_quantity.units.dimensions import rescaled

_CODES: Final = 1 << 16


class _Labelled(NamedTuple):
    """The numbers in one unit, in ascending order, with the words next to them. Words are 16-bit hashes of stems.

    Args:
        value: the value of each number.
        words: the hashes of the two words before each number, of shape (numbers, 2). A missing word is 0.
        bearing: for each hash from 0 to 65,535, how often a word with this hash is next to a number.
    """

    value: Floats
    words: Ints
    bearing: Ints


class _Likely(NamedTuple):
    """Statistics of a word. `share`: the fraction of the numbers close to the query's value that are next to the word.
    `lift`: this fraction divided by the fraction of all numbers that are next to the word."""

    lift: float
    share: float


_KNOWN: WeakKeyDictionary[Any, dict[str, _Labelled]] = WeakKeyDictionary()  # results of `_labelled`, cached


def in_own_words(query: IndexQuery, documents: Documents) -> IndexQuery:
    """Add guessed synonyms to a query for attribute words that no document contains: "pH" for "acidity below 6.5". If
    no document contains a counted noun ("50 chairs"), the condition applies to numbers without a unit."""
    held = documents.columns.term_documents
    conditions = [
        one if not one.counted or held[one.counted[-1]] else _as_number(one, query.terms) for one in query.conditions
    ]
    names = [name for condition in conditions for name in _names(query, condition, documents)]
    return replace(query, conditions=conditions, names=[*query.names, *names]) if names else query


def _as_number(condition: QueryCondition, terms: Sequence[int]) -> QueryCondition:
    """Convert a condition on a counted noun to a condition without a unit: "50 chairs" -> 50 with the attribute
    "chair". `terms` are the hashes of the query's terms."""
    noun = condition.constraint.unit.split(" per ")[0].split()
    return QueryCondition(
        replace(condition.constraint, unit=BARE, attribute=tuple(reversed(noun))),
        [code for code in reversed(condition.counted) if code in terms],
        condition.counted,
        support=condition.support,
    )


def _names(query: IndexQuery, condition: QueryCondition, documents: Documents) -> Iterator[Name]:
    """Yield synonyms for attribute words that no document contains: "acidity" -> "pH". Synonyms are guessed from the
    words next to numbers close to the query's value. Attribute words that already have synonyms are skipped."""
    attribute, constraint = condition.attribute, condition.constraint
    if not attribute or condition.labels or documents.columns.term_documents[list(attribute)].any():
        return
    likely = _likely(constraint, _labelled(documents, constraint.unit), query.terms)
    words = {term_hash(word): word.lower() for word in constraint.attribute}
    named = {code for name in query.names for code in name.said}
    near = {code: _nearness(words[code]) for code in attribute if code in words and code not in named}
    related = any(code in nearness for nearness in near.values() for code in likely)
    for said, nearness in near.items():
        worth = {
            other: found.lift * (OWN_WORDS.unrelated + (1.0 - OWN_WORDS.unrelated) * nearness.get(other, 0.0))
            for other, found in likely.items()
            # A word unrelated in the dictionary must occur next to many of the numbers.
            if other in nearness or (found.lift >= 1.0 and (related or found.share >= OWN_WORDS.share))
        }
        if related and nearness.keys().isdisjoint(worth):
            continue
        best = sorted(worth, key=lambda other: (-worth[other], other))[: OWN_WORDS.most]
        for other in best:
            weight = OWN_WORDS.weight * worth[other] / worth[best[0]]
            if weight >= OWN_WORDS.least:
                yield Name((said,), (other,), weight)


def _nearness(word: str) -> dict[int, float]:
    found: dict[int, float] = {}
    for name, nearness in near_names(word).items():
        for code in map(term_hash, name.split()):
            found[code] = max(found.get(code, 0.0), nearness)
    return found


def _likely(constraint: Constraint, labelled: _Labelled, terms: Sequence[int]) -> Mapping[int, _Likely]:
    """Return statistics of the words next to numbers close to the constraint's value, keyed by the hash of the word.
    Words in `terms` are skipped. `labelled` contains all numbers in the constraint's unit."""
    value, count = labelled.value, len(labelled.value)
    if count < OWN_WORDS.enough:
        return {}
    reach = max(OWN_WORDS.numbers, int(OWN_WORDS.reach * count))
    near = np.zeros(count, dtype=bool)
    for end in {constraint.low, constraint.high}:
        place = int(np.searchsorted(value, end))
        near[max(place - reach, 0) : place + reach] = True
    met = satisfied(constraint, value, value)
    bearing = np.bincount(labelled.words[near].ravel(), minlength=_CODES)
    meeting = np.bincount(labelled.words[met].ravel(), minlength=_CODES)
    size, found = int(near.sum()), {}
    for code in np.flatnonzero(bearing).tolist():
        total = int(labelled.bearing[code])
        bounded = constraint.op not in ("<", "<=", ">", ">=") or 0 < meeting[code] <= OWN_WORDS.meeting * total
        if code and code not in terms and total >= OWN_WORDS.few and bounded:
            lift = bearing[code] / (total + OWN_WORDS.few) * count / size
            found[code] = _Likely(float(lift), float(bearing[code] / size))
    return found


def _labelled(documents: Documents, unit: str) -> _Labelled:
    """Return the numbers in a unit or in a convertible unit, with the words next to each number. The words include
    counted nouns: "bedrooms" in "4 bedrooms". In large collections, a sample of the documents is used."""
    known = _KNOWN.setdefault(documents, {})
    if unit in known:
        return known[unit]
    columns, vocabulary = documents.columns, documents.vocabulary
    match = None if unit == BARE else vocabulary.match(unit, (), UNITS["soft"])
    if match is None:
        stating = documents.sample()
    else:
        rows = match.rows[match.weight >= STATING]
        found = [documents.stating(row) for row in rows.tolist()]
        stating = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))
    first, count = columns.doc_offsets.extent(stating)
    quantity, owner = ragged_ranges(first, count), stating.repeat(count)
    own = columns.unit[quantity]
    kept = (own == vocabulary.bare) | (_nouns(documents, quantity) > 0) if match is None else np.isin(own, rows)
    quantity, owner, own = quantity[kept], owner[kept], own[kept]
    words, noun = _beside(columns, owner, quantity), _nouns(documents, quantity)
    words[noun > 0, 0], words[noun > 0, 1] = noun[noun > 0], 0
    value = columns.ends(quantity)[0]
    if match is not None:
        place = np.searchsorted(match.rows, own)
        value = rescaled(value, match.factor[place], match.offset[place])
    order = np.argsort(value, kind="stable")
    known[unit] = _Labelled(value[order], words[order], np.bincount(words.ravel(), minlength=_CODES))
    return known[unit]


def _nouns(documents: Documents, quantity: Ints) -> Ints:
    there, place, count = np.unique(documents.columns.unit[quantity], return_inverse=True, return_counts=True)
    noun = np.zeros(len(there), dtype=np.int64)
    for at in np.flatnonzero(count >= OWN_WORDS.few).tolist():
        noun[at] = documents.vocabulary.noun(int(there[at]))
    return noun[place]


def _beside(columns: Any, document: Ints, quantity: Ints) -> Ints:
    """Return an array of shape (quantities, 2): the hashes of the two words before each quantity (0 for no word)."""
    start, _ = columns.term_offsets.extent(document)
    position = columns.position[quantity].astype(np.int64)
    words = np.zeros((len(quantity), 2), dtype=np.int64)
    for step in (1, 2):
        there = np.flatnonzero(position >= step)
        words[there, step - 1] = columns.terms[(start + position - step)[there]]
    words[words[:, 0] == 0, 1] = 0
    words[words == MODIFIER] = 0
    return words
