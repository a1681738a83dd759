"""How well the words around a quantity fit a query: what its value is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._frames import run_lengths, run_starts
from pyterrier_quantity.constants import WordWeights
from pyterrier_quantity.index.needs import QueryNeed
from pyterrier_quantity.index.ragged import ragged_ranges
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.word_nearness import nearness
from pyterrier_quantity.quantity import BARE

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

@dataclass
class Evidence:
    """One entry per quantity in a matching unit, ordered by pair; a pair is a result row under a constraint."""

    pair: Ints
    quantity: Ints
    unit: Floats
    low: Floats
    high: Floats
    phi: Floats
    met: npt.NDArray[np.bool_]
    fit: Floats
    score: Floats


def concept_fit(
    columns: SegmentedColumns,
    document: Ints,
    query: Ints,
    needs: Sequence[QueryNeed],
    evidence: Evidence,
    met: npt.NDArray[np.bool_],
    fit: WordWeights,
    constraint: Ints,
) -> Floats:
    """The fit of each piece of evidence, in [0, 1]; 1 where the query has no terms.

    Args:
        document, query: of each pair.
        needs: what each query asks; its terms are used.
        evidence: its pairs, quantities and units are used.
        met: the evidence whose value counts; pairs without any are left out.
        constraint: of each pair, the running number over the queries.
    """
    result = np.ones(len(evidence.pair))
    promising = np.zeros(len(document), dtype=bool)
    promising[evidence.pair[met]] = True
    words = [need.words for need in needs]
    promising &= np.array([len(terms) > 0 for terms in words], dtype=bool)[query]
    pairs = np.flatnonzero(promising)
    if not len(pairs):
        return result
    chosen = np.flatnonzero(promising[evidence.pair])
    pair = evidence.pair[chosen]
    owner = constraint[pair]
    weights = term_weights(columns.documents, columns.term_documents, needs)
    asking = np.repeat(np.arange(len(needs)), [len(need.constraints) for need in needs])
    named = weights[asking] * _attribute_weights(needs, weights.shape[1])
    total = named.sum(axis=1)
    hits = _hits(columns, document[pairs], query[pairs], words)
    # Most documents hold none of the words: what they state is near to nothing.
    about = np.full(len(chosen), _about(0.0, fit))
    near = np.where(total > 0, 0.0, 1.0)[owner]
    local = (np.cumsum(promising) - 1)[pair]
    holds = np.zeros(len(pairs), dtype=bool)
    holds[hits[0]] = True
    held = np.flatnonzero(holds[local])
    position = columns.position[evidence.quantity[chosen[held]]].astype(np.int64)
    near_terms = _of_terms(local[held], position, *hits, len(pairs), fit.reach, fit.behind, weights.shape[1])
    weights, named = weights.T[:, query[pair[held]]], named.T[:, owner[held]]
    near[held], coverage = _near(near_terms, weights, named, total[owner[held]])
    about[held] = _about(coverage, fit)
    bare = np.array([c.unit == BARE for need in needs for c in need.constraints], dtype=bool)
    alone = bare & (total > 0)  # the words alone say which number is meant, its unit speaks less
    rivalry = np.where(alone, fit.bare_rivalry, fit.rivalry)
    unit = evidence.unit[chosen]
    share = _share_of_strongest(near * np.where(alone[owner], np.sqrt(unit), unit), local, len(pairs))
    raised = np.flatnonzero((rivalry != 1.0)[owner])
    share[raised] **= rivalry[owner[raised]]
    result[chosen] = about * share
    return result


def _about(coverage: Floats | float, fit: WordWeights) -> Floats:
    """How much a document counts that holds this share of its query's terms."""
    return fit.floor + (1.0 - fit.floor) * np.minimum(coverage, 1.0) ** fit.sharpness


def _near(nearness: Floats, weights: Floats, named: Floats, total: Floats) -> tuple[Floats, Floats]:
    """How near each piece of evidence is to the terms, and the weight of those that its document holds.

    Args:
        nearness: of each term to each piece of evidence: [term, evidence].
        weights, named: of the terms, and of those that name what the constraint asks of, in the same form.
        total: the sum of the latter.
    """
    coverage = (weights * (nearness > 0)).sum(axis=0)
    near = np.divide((weights * nearness).sum(axis=0), coverage, out=np.ones(len(coverage)), where=coverage > 0)
    beside = np.divide((named * nearness).sum(axis=0), total, out=near.copy(), where=total > 0)
    # A name of several words is near when its farthest word is: "Faculty" may belong to another name.
    farthest = np.where(named > 0, nearness, np.inf).min(axis=0, initial=np.inf)
    near = np.where(total > 0, (beside + farthest) / 2, near)
    return near, coverage


def _attribute_weights(needs: Sequence[QueryNeed], terms: int) -> Floats:
    """How much each term of a query names what each of its constraints asks of: [constraint, term]."""
    weights = np.zeros((sum(len(need.constraints) for need in needs), terms))
    row = 0
    for need in needs:
        place = {code: at for at, code in enumerate(need.words)}
        for number, attribute in enumerate(need.attributes):
            for code, weight in attribute.items():
                weights[row + number, place[code]] = weight
        row += len(need.constraints)
    return weights


def _share_of_strongest(claim: Floats, local: Ints, pairs: int) -> Floats:
    """Each claim as a share of the strongest one of its pair; 1 where nothing claims the words."""
    strongest = np.zeros(pairs)
    np.maximum.at(strongest, local, claim)
    return np.divide(claim, strongest[local], out=np.ones(len(claim)), where=strongest[local] > 0)


def hold_every_term(
    columns: SegmentedColumns, document: Ints, query: Ints, needs: Sequence[QueryNeed]
) -> npt.NDArray[np.bool_]:
    """Whether each result row's document holds every term of its query; documents without quantities hold none.

    Raises:
        ValueError: if the index was built without concepts.
    """
    if not columns.has_terms:
        raise ValueError('terms="all" needs the words of the documents: build the index with concepts=True')
    held = np.array([not need.terms for need in needs], dtype=bool)[query] & (document >= 0)
    rows = np.flatnonzero(~held & (document >= 0))
    if not len(rows):
        return held
    words = [dict.fromkeys(need.terms, 1.0) for need in needs]
    pair, term, _ = _hits(columns, document[rows], query[rows], words)
    most = max(map(len, words))
    distinct = np.bincount(np.unique(pair * most + term) // most, minlength=len(rows))
    held[rows] = distinct == np.array([len(terms) for terms in words])[query[rows]]
    return held


def term_weights(documents: int, term_documents: npt.NDArray[np.integer[Any]], needs: Sequence[QueryNeed]) -> Floats:
    """Inverse document frequencies times the terms' weights: [query, term]; a query's own terms sum up to 1.

    A term that no document holds cannot tell documents apart and weighs nothing: the rarest by its frequency, it would
    else make all the others hardly count.

    Args:
        documents: how many there are.
        term_documents: of each of the 65,536 term codes, how many of them hold it.
        needs: the queries; the terms of each stand in the order of `QueryNeed.words`.
    """
    weights = np.zeros((len(needs), max(len(need.words) for need in needs)))
    for row, need in enumerate(needs):
        if need.terms:
            codes = list(need.words)
            held = term_documents[codes]
            idf = np.where(held > 0, np.log1p(documents / (1.0 + held)), 0.0)
            own = idf[: len(need.terms)].sum() or 1.0
            weights[row, : len(codes)] = np.array(list(need.words.values())) * idf / own
    return weights


def _hits(
    columns: SegmentedColumns, document: Ints, query: Ints, words: Sequence[Mapping[int, float]]
) -> tuple[Ints, Ints, Ints]:
    """Where the queries' terms stand: pair, number of the term in its query, position in the document."""
    codes = np.array([code for row in words for code in row], dtype=np.int64)
    owner = np.repeat(np.arange(len(words)), [len(row) for row in words])
    number = ragged_ranges(np.zeros(len(words), dtype=np.int64), np.array([len(row) for row in words]))
    key = owner << 16 | codes
    order = np.argsort(key)
    key, number = key[order], number[order]
    anywhere = np.zeros(1 << 16, dtype=bool)
    anywhere[codes] = True

    # Rows of the same document stand together: its words are read once.
    first = run_starts(document)
    start, length = columns.term_offsets.extent(document[first])
    ends = np.cumsum(length)
    likely, word = _likely(columns, start, length, ends, anywhere)
    holder = np.searchsorted(ends, likely, side="right")
    asked = run_lengths(first, len(document))[holder]
    pair, likely = ragged_ranges(first[holder], asked), np.repeat(likely, asked)
    position = likely - np.repeat((ends - length)[holder], asked)

    sought = query[pair] << 16 | word.repeat(asked)
    place = np.minimum(np.searchsorted(key, sought), len(key) - 1)
    true = key[place] == sought
    return pair[true], number[place[true]], position[true]


_AT_ONCE: Final = 20_000
"""Words that are read at a time, more or less: they stay in the processor's cache."""


def _likely(
    columns: SegmentedColumns, start: Ints, length: Ints, ends: Ints, wanted: npt.NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """Of the words of some documents, one behind the other, those that are wanted: their places, and their codes.

    Args:
        start, length: where each document's words begin in the columns, and how many they are.
        ends: where they end, one document's behind the other's.
        wanted: of each code.
    """
    places, words = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for begin, end in pairwise([*run_starts(ends // _AT_ONCE).tolist(), len(ends)]):
        word = columns.terms[ragged_ranges(start[begin:end], length[begin:end])]
        likely = np.flatnonzero(wanted[word])
        words.append(word[likely].astype(np.int64))
        places.append(likely + (ends[begin] - length[begin]))
    return np.concatenate(places), np.concatenate(words)


def _of_terms(
    local: Ints,
    position: Ints,
    hit_pair: Ints,
    hit_term: Ints,
    hit_position: Ints,
    pairs: int,
    reach: float,
    behind: float,
    terms: int,
) -> Floats:
    """The nearness of every term to every piece of evidence: [term, evidence], in [0, 1]; 0 where its document does not
    hold the term.

    Of a term's places in a document only the next before and the next after a quantity can be the nearest: they are
    found by bisection, since documents with many quantities have many places, too.
    """
    span = 2 + int(max(position.max(initial=0), hit_position.max(initial=0)))
    offset, by_term = local * span, np.argsort(hit_term, kind="stable")
    places = (hit_pair * span + hit_position)[by_term]
    found = np.zeros((terms, len(local)))
    for term, (begin, end) in enumerate(pairwise(np.searchsorted(hit_term[by_term], np.arange(terms + 1)).tolist())):
        if begin < end:
            there = np.zeros(pairs, dtype=bool)
            there[places[begin:end] // span] = True
            at = np.flatnonzero(there[local])
            found[term, at] = nearness(position[at], np.sort(places[begin:end]), reach, behind, offset[at], span)
    return found
