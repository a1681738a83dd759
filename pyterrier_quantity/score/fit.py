"""Compute the fit of a quantity: how well the words around the quantity match the query's terms.

A *match* is a quantity whose unit matches a constraint, such as 12 kg for "below 15 kg". The fit of a match is lower if
another match in the document is nearer to the query's terms. A *pair* is a result row and a constraint of its query.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from pyterrier_quantity.constants import NAMES, WordWeights
from pyterrier_quantity.english.stems import MODIFIER, STRONG, WEAK
from pyterrier_quantity.flat_arrays import Bools, Floats, Ints, distinct, ragged_ranges, run_starts, starts_of
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.score.attribute_names import are_named
from pyterrier_quantity.score.documents import Columns, Pairs, Rows
from pyterrier_quantity.score.query import IndexQuery, Queries
from pyterrier_quantity.score.unit import Stated


class _Hits(NamedTuple):
    """Occurrences of query words in documents, as parallel arrays. A document is a sequence of codes. A code is the
    hash of a word, or a mark. A mark states that the next word only modifies another word, like "dog" in "dog food".

    Args:
        holding: the ascending indexes of the searched documents that contain a query word.
        owner, term: the index of the document in `holding`, and the index of the word among the words of the query.
        position: the position of the word in the document, not counting marks.
        marked: 0, or `WEAK` or `STRONG` for a word after a mark (see `Modifiers`).
        start: for each document in `holding`, the position of its first code in the joined codes of these documents.
        before: for each of the joined codes, the number of earlier codes that are not marks.
    """

    holding: Ints
    owner: Ints
    term: Ints
    position: Ints
    marked: Ints
    start: Ints
    before: Ints

    def positions(self, owner: Ints, position: Ints) -> Ints:
        """Convert positions of codes to positions that do not count marks. For each position, `owner` is the index of
        its document in `holding`."""
        begin = self.start[owner]
        return self.before[begin + position] - self.before[begin]


def concept_fit(pairs: Pairs, stated: Stated, value: Floats, queries: Queries, weights: WordWeights) -> Floats:
    """Return how well the words around each quantity match the query's terms, from 0 to 1 (1 if a query has no terms).

    Args:
        pairs: the pairs of a result row and a constraint of its query.
        stated: the quantities of the pairs' documents. A word that is nearer to another quantity counts less.
        value: the score of each quantity, computed from its value and unit. Pairs without a positive score are skipped.
        weights: the weights of the words around a quantity.
    """
    words = [query.weights or {} for query in queries.queries]
    query = queries.owner[pairs.constraint]
    promising = np.zeros(len(pairs.row), dtype=bool)
    promising[stated.pair[value > 0]] = True
    promising &= np.array([len(own) > 0 for own in words], dtype=bool)[query]
    places = np.flatnonzero(promising)
    if not len(places):
        return np.ones(len(value))
    pair, constraint = stated.pair, pairs.constraint[stated.pair]
    rarity, named, naming = _weights(queries, words)
    total = named.sum(axis=1)
    hits = _hits(pairs.columns, pairs.document[places], query[places], words)
    holding = places[hits.holding]
    # Most documents contain none of the words, so their quantities have no nearness.
    whole = np.full(len(pair), about(0.0, weights))
    near = np.where(total > 0, 0.0, 1.0)[constraint]
    number = np.full(len(promising), -1)
    number[holding] = np.arange(len(holding))
    owner = number[pair]
    held = np.flatnonzero(owner >= 0)
    # The next quantity of the document, in any unit, takes words from this one.
    quantity, owner = stated.quantity[held], owner[held]
    last = quantity + 1 == (pairs.first + pairs.count)[pair[held]]
    place = [pairs.columns.position[which].astype(np.int64) for which in (quantity, quantity + ~last)]
    position, following = (hits.positions(owner, each) for each in place)
    gap = np.where(naming.T[:, constraint[held]] & ~last, following - position, _FAR)
    nearness_ = _nearness_of_terms(owner, position, hits, gap, weights)
    heads = _modifier_weights(hits, queries, query[holding], words, weights)[:, owner]
    nearness_ *= heads
    _place_counted_nouns(queries, constraint[held], (stated.unit * stated.stating)[held], words, nearness_)
    there = np.where(nearness_ > 0, heads, 0.0)
    _apply_synonyms(queries.queries, query[pair[held]], there, nearness_)
    of_query, of_attribute = rarity.T[:, constraint[held]], named.T[:, constraint[held]]
    nearness_, there = nearness_[: len(of_query)], there[: len(of_query)]
    near[held], coverage = _near(nearness_, there, of_query, of_attribute, total[constraint[held]])
    whole[held] = about(coverage, weights)
    alone = total > 0  # without a unit, only words show which number is meant
    alone &= np.array([c.unit == BARE for c in queries.constraints], dtype=bool)
    by_words = np.flatnonzero(alone[constraint])
    claim = near * stated.unit
    claim[by_words] = near[by_words] * np.sqrt(stated.unit[by_words])
    strongest = np.zeros(len(promising))
    np.maximum.at(strongest, pair, claim)
    share = np.divide(claim, strongest[pair], out=np.ones(len(claim)), where=strongest[pair] > 0)
    only_nearest = alone[constraint]
    less = np.flatnonzero((share < 1.0) & ~only_nearest)
    only_nearest[less] = are_named(pairs, pair[less], stated.quantity[less])
    share **= np.where(only_nearest, weights.named_rivalry, weights.rivalry)
    return np.where(promising[pair], whole * share, 1.0)


def _modifier_weights(
    hits: _Hits, queries: Queries, query: Ints, words: Sequence[Mapping[int, float]], weights: WordWeights
) -> Floats:
    """Return a factor for each query word (row) and each document in `hits` (column): `weights.modifier` or
    `weights.accessory` if the document has the word only as a modifier ("tent" in "tent pegs"), otherwise 1. For each
    document, `query` is the index of its query. `words` has the word hashes of each query."""
    most = max(map(len, words))
    also = np.zeros((len(words), most), dtype=bool)
    for number, one in enumerate(queries.queries):
        also[number, [at for at, code in enumerate(words[number]) if code in one.modifiers]] = True
    marks = np.where(also[query[hits.owner], hits.term], 0, hits.marked)
    least = np.full(most * len(query), len(factors := (1.0, weights.modifier, weights.accessory)))
    np.minimum.at(least, hits.term * len(query) + hits.owner, marks)
    return np.array([*factors, 1.0])[least].reshape(most, len(query))


def _place_counted_nouns(
    queries: Queries, constraint: Ints, unit: Floats, words: Sequence[Mapping[int, float]], nearness: Floats
) -> None:
    """Treat a noun that a query counts ("staff") as near quantities in a matching unit ("30 employees"). Raise its
    entries in `nearness`, of shape (query words, quantities), to the weight of the quantity's unit. For each quantity,
    `unit` is this weight, and `constraint` is the index of its constraint. `words` has each query's words."""
    for number, condition in enumerate(queries.conditions):
        own = list(words[queries.owner[number]])
        claims = np.flatnonzero((constraint == number) & (unit > 0)) if condition.counted else ()
        for code in condition.counted if len(claims) else ():
            if code in own:
                at = own.index(code)
                nearness[at, claims] = np.maximum(nearness[at, claims], unit[claims])


def held_share(columns: Columns, document: Ints, query: IndexQuery, modifier: float = 1.0) -> Floats:
    """Return, for each document, the total weight (0 to 1) of the query's words that occur in the document, literally
    or as a synonym. Words that only modify other words ("tent" in "tent pegs") count less, by the factor `modifier`."""
    weights = term_weights(query, columns) if columns.has_terms else {}
    if not (len(document) and any(weights.values())):
        return np.ones(len(document))
    start, count = columns.term_offsets.extent(np.maximum(document, 0))
    word, owner = columns.terms[ragged_ranges(start, count)], np.arange(len(document)).repeat(count)
    plain = np.append(0, word)[:-1] != MODIFIER
    held, whole, found = dict[int, Bools](), dict[int, Bools](), np.zeros(len(document))
    for code in {*weights, *(code for name in query.names for code in name.other)}:
        there = word == code
        held[code] = np.bincount(owner[there], minlength=len(document)) > 0
        whole[code] = np.bincount(owner[there & plain], minlength=len(document)) > 0
    for code, weight in weights.items():
        synonyms = [np.all([held[other] for other in name.other], axis=0) for name in query.names if code in name.said]
        said = np.any(synonyms, axis=0)
        factor = np.where(whole[code] | said | (code in query.modifiers), 1.0, modifier)
        found += weight * factor * (held[code] | said)
    return found


def about(coverage: Floats | float, weights: WordWeights) -> Floats:
    """Return a factor for the fit of a quantity, from `weights.floor` to 1. `coverage` is the share (0 to 1) of the
    query's terms that are in the document; a larger share gives a larger factor."""
    return weights.floor + (1.0 - weights.floor) * np.minimum(coverage, 1.0) ** weights.sharpness


def _apply_synonyms(queries: Sequence[IndexQuery], query: Ints, there: Floats, nearness: Floats) -> None:
    """Use synonyms for query terms that are missing, or that are farther from a quantity than the synonym is. Change
    `there` and `nearness` in place.

    Args:
        query: for each match, the index of its query, ascending. A match is a quantity with a matching unit.
        there: whether the document of each match contains each term, an array of shape (terms, matches).
        nearness: the nearness of each term to each match, an array of shape (terms, matches).
    """
    for number, one in enumerate(queries):
        if not one.others:
            continue
        place = {code: at for at, code in enumerate(one.weights or ())}
        claims = slice(*query.searchsorted([number, number + 1]).tolist())
        for said, other, weight, _ in one.others:
            near = weight * nearness[[place[code] for code in other], claims].min(axis=0)
            for code in said:
                at = place[code], claims
                there[at] = np.maximum(there[at], weight * (near > 0))
                nearness[at] = np.maximum(nearness[at], near)


def _near(
    nearness: Floats, there: Floats, of_query: Floats, of_attribute: Floats, total: Floats
) -> tuple[Floats, Floats]:
    """Return how near each match is to the query's terms, and the total weight of the query terms in the document of
    each match. A match is a quantity in a matching unit.

    Args:
        nearness: how near each term is to each match, of shape (terms, matches).
        there: whether the match's document contains each term: 1 or 0, or less than 1 for synonyms and modifiers.
        of_query: the weight of each query term, repeated for each match, of shape (terms, matches).
        of_attribute: the same weights, but 0 for terms that are not in the attribute of the match's constraint.
        total: for each match, the sum of the weights in `of_attribute`.
    """
    coverage = (of_query * there).sum(axis=0)
    near = np.divide((of_query * nearness).sum(axis=0), coverage, out=np.ones(len(coverage)), where=coverage > 0)
    next_to = np.divide((of_attribute * nearness).sum(axis=0), total, out=near.copy(), where=total > 0)
    # An attribute of several words is only as near as its farthest word: "Faculty" may belong to another attribute.
    farthest = np.where(of_attribute > 0, nearness, np.inf).min(axis=0, initial=np.inf)
    near = np.where(total > 0, (next_to + farthest) / 2, near)
    return near, coverage


def _weights(queries: Queries, words: Sequence[Mapping[int, float]]) -> tuple[Floats, Floats, Bools]:
    """Return three arrays of shape (constraints, words). The first has the weight of each query word (0 for a synonym).
    The second has this weight for words of the constraint's attribute, and 0 for others. The third states whether a
    word is among the first `NAMES.words` words of the attribute. `words` maps word hashes to weights for each query."""
    most = max(len(query.terms) + len(query.related) for query in queries.queries)
    rarity, named = np.zeros((2, len(queries.conditions), most))
    nearest = np.zeros((len(queries.conditions), max(map(len, words))), dtype=bool)
    for number, (owner, condition) in enumerate(zip(queries.owner.tolist(), queries.conditions, strict=True)):
        own = list(words[owner].values())[:most]
        rarity[number, : len(own)] = own
        place = {code: at for at, code in enumerate(words[owner])} if condition.attribute else {}
        attribute = [place[code] for code in condition.attribute]
        named[number, attribute] = rarity[number, attribute]
        nearest[number, attribute[: NAMES.words]] = True
    return rarity, named, nearest


def hold_every_term(columns: Columns, rows: Rows, queries: Queries) -> Bools:
    """Return whether the document of each result row has quantities and contains every term of the row's query. Raise a
    ValueError if the index does not store the words around quantities."""
    if not columns.has_terms:
        raise ValueError('phi="released" needs the words of the documents: build the index with concepts=True')
    held = np.array([not query.terms for query in queries.queries], dtype=bool)[rows.query] & (rows.document >= 0)
    left = np.flatnonzero(~held & (rows.document >= 0))
    if not len(left):
        return held
    left = left[np.argsort(rows.query[left], kind="stable")]
    words = [dict.fromkeys(query.terms, 1.0) for query in queries.queries]
    hits = _hits(columns, rows.document[left], rows.query[left], words)
    most = max(map(len, words))
    many = np.bincount(hits.holding[np.unique(hits.owner * most + hits.term) // most], minlength=len(left))
    held[left] = many == np.array([len(terms) for terms in words])[rows.query[left]]
    return held


def term_weights(query: IndexQuery, columns: Columns) -> dict[int, float]:
    """Return the weight of each search term and each word of a synonym, keyed by hash. It is the weight in the query
    times the inverse document frequency. The weights of search terms sum to 1. Unknown words have weight 0."""
    words = query.words
    holding = dict(zip(words, columns.term_documents[list(words)].tolist(), strict=True)) if words else {}
    held = dict(holding)
    for name in query.others if words else ():  # "Navelbine" weighs no more than "vinorelbine"
        known = math.ceil(name.weight * min(map(holding.__getitem__, name.other)))
        held.update((code, max(held[code], known)) for code in name.said)
    idf = {code: math.log1p(columns.documents / (1.0 + count)) if count else 0.0 for code, count in held.items()}
    own = sum(idf[code] for code in dict.fromkeys(query.terms)) or 1.0
    return {code: weight * idf[code] / own for code, weight in words.items()}


_AT_ONCE: Final = 100_000  # approximate number of words read at a time, so that they fit the CPU cache


def _hits(columns: Columns, document: Ints, query: Ints, words: Sequence[Mapping[int, float]]) -> _Hits:
    """Return where query words occur in documents.

    Args:
        document: the row numbers of documents.
        query: for each document, the index of its query. Ascending indexes are fastest.
        words: for each query, a dictionary whose keys are the hashes of its words.
    """
    start, length = columns.term_offsets.extent(document)
    starts = starts_of(length)
    cuts = pairwise([*run_starts(starts[1:] // _AT_ONCE).tolist(), len(length)])
    word = np.concatenate([columns.terms[ragged_ranges(start[begin:end], length[begin:end])] for begin, end in cuts])
    kind = np.min_scalar_type(max(map(len, words)))
    said = np.empty(len(word), dtype=kind)  # the index of each word in its query, from 1; 0 for other words
    number = np.zeros(1 << 16, dtype=kind)
    for begin, end in pairwise([*run_starts(query).tolist(), len(query)]):
        codes, part = list(words[query[begin]]), slice(starts[begin], starts[end])
        number[codes] = range(1, len(codes) + 1)
        said[part] = number.take(word[part])
        number[codes] = 0
    holding = distinct(np.searchsorted(starts, np.flatnonzero(said != 0), side="right") - 1)
    within = ragged_ranges(starts[holding], length[holding])
    word, said, starts = word[within], said[within], starts_of(length[holding])
    place = np.flatnonzero(said != 0)
    owner = np.searchsorted(starts, place, side="right") - 1
    is_mark = np.append(word == MODIFIER, (False, False))
    following = place + 1 + is_mark[place + 1] * (1 + is_mark[place + 2])
    alone = (np.append(said, (0, 0, 0))[following] == 0) | (following >= starts[owner + 1])
    marked = is_mark[place - 1] * np.where(is_mark[place - 2], STRONG, WEAK * alone)
    before = starts_of(word != MODIFIER)
    position = before[place] - before[starts[owner]]
    return _Hits(holding, owner, said[place].astype(np.int64) - 1, position, marked, starts, before)


def _nearness_of_terms(owner: Ints, position: Ints, hits: _Hits, gap: Ints, weights: WordWeights) -> Floats:
    """Return how near each query term is to each quantity, as an array of shape (terms, quantities): from 0 if the
    document lacks the term to 1 (nearest). For each quantity, `owner` is the index of its document in `hits.holding`,
    `position` counts the words before it, and `gap` counts the words between it and the next quantity."""
    documents = len(hits.holding)
    span = 2 + int(max(position.max(initial=0), hits.position.max(initial=0)))
    places = np.sort((hits.term * documents + hits.owner) * span + hits.position)
    held, found = np.zeros((len(gap), documents), dtype=bool), np.zeros((len(gap), len(owner)))
    held[hits.term, hits.owner] = True
    there = held[:, owner]
    term, claim = there.nonzero()
    begin = (term * documents + owner[claim]) * span
    found[there] = nearness(begin + position[claim], places, weights, begin, span, gap[there])
    return found


_FAR: Final = 1 << 62  # distance larger than any document, for a side of a quantity on which the term does not occur


def nearness(
    own: Ints,
    places: Ints,
    weights: WordWeights,
    first: Ints | int = 0,
    span: Ints | int = _FAR,
    gap: Ints | int = _FAR,
) -> Floats:
    """Return how near each quantity is to the nearest of several terms: 1 if adjacent, 0.5 at `half_distance` words.

    A quantity at position p is directly before the document's term number p, counted from 0.

    Args:
        own: the position of each quantity.
        places: the positions of the terms, ascending, at least one in each document.
        weights: the `half_distance`, and the factor `behind` on the distance of terms after a quantity.
        first: with several documents, the first position of the document that contains each quantity.
        span: with several documents, the number of terms in the document that contains each quantity.
        gap: the number of terms up to the next quantity. A term that is nearer to that quantity, and within
            `half_distance` words of it, does not count: "diameter" for 22 in "bore 22 mm, diameter 44 mm".
    """
    bounded = np.concatenate([[-_FAR], places, [_FAR]])
    after = np.searchsorted(places, own)
    position, right, left = own - first, bounded[after + 1] - own, own - 1 - bounded[after]
    right[right + position >= span] = _FAR
    left[left >= position] = _FAR
    taken = gap - 1 - right
    right[(taken >= 0) & (taken < np.minimum(weights.behind * right, weights.half_distance + 1))] = _FAR
    distance = np.minimum(weights.behind * right, left)
    found: Floats = np.where(distance < _FAR, weights.half_distance / (weights.half_distance + distance), 0.0)
    return found
