"""From documents and constraints to quantity scores: Eq. 3, for a whole batch of queries at once.

A *pair* is one result row under one of its query's constraints; the *evidence* is every quantity of a pair's document
in a unit that can meet the constraint. All steps run over flat arrays of pairs, evidence and words; no loop visits a
single document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._frames import ranks, run_starts
from pyterrier_quantity.constants import FIRST, NEAR, STATING
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.index.belief import as_given, beliefs
from pyterrier_quantity.index.concept_fit import Evidence, concept_fit, hold_every_term
from pyterrier_quantity.index.labelled import labelled, labels
from pyterrier_quantity.index.needs import QueryNeed
from pyterrier_quantity.index.ragged import ragged_ranges
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.unit_matching import UnitMatch, UnitVocabulary
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import Scoring, get_phi, satisfied
from pyterrier_quantity.units.dimensions import rescaled

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass
class Scores:
    """The scores of a batch, and what they were made of.

    Args:
        row: quantity score of each result row, in [0, 1]; 0 where the query has no constraint.
        pair_row, pair_constraint: the result row and the constraint (running number over the queries) of each pair; the
            pairs stand in the order of their documents in the index.
        pair: the score of each pair.
        quantities: how many quantities each pair's document states.
        evidence: what the pairs' scores were made of.
        belief: how far each constraint counts, see `index.belief`.
    """

    row: Floats
    pair_row: Ints
    pair_constraint: Ints
    pair: Floats
    quantities: Ints
    evidence: Evidence
    belief: Floats


def score_documents(
    columns: SegmentedColumns,
    vocabulary: UnitVocabulary,
    documents: Ints,
    query: Ints,
    needs: Sequence[QueryNeed],
    scoring: Scoring,
    vouched: Floats | None = None,
    ranked: Floats | None = None,
) -> Scores:
    """Quantity scores of result rows.

    Args:
        documents: the document (row of `columns`) of each result row; negative: not in the index, scores 0.
        query: the position in `needs` of each result row's query.
        vouched: of each result row, the share of their values that its quantities count at least, whatever words stand
            around them; None: none. Nothing without `fit`.
        ranked: of each result row, the ranker's score, the highest of its first results; None: they stand in its order.
    """
    constraints = [c for need in needs for c in need.constraints]
    owner = np.repeat(np.arange(len(needs)), [len(need.constraints) for need in needs])
    ascending = np.argsort(documents)  # what is read in the order in which it lies is read fastest
    pair_row, pair_constraint = _pairs(query[ascending], owner, len(needs))
    pair_row = ascending[pair_row]
    document = documents[pair_row]
    first, count = _quantities(columns, document)

    evidence = _matching_units(columns, vocabulary, first, count, pair_constraint, constraints, needs, scoring)
    stating = evidence.pair[evidence.unit > STATING]
    _raise_labelled(evidence, columns, vocabulary, document, pair_constraint, needs, scoring)
    _apply_phi(evidence, pair_constraint, constraints, scoring)
    least = None if vouched is None else vouched[pair_row]
    worded = _weigh(evidence, columns, document, owner[pair_constraint], needs, scoring, pair_constraint, least)
    pair = _aggregate(evidence, _ordinary(columns, vocabulary, first, count, scoring), scoring)
    asked = _best_alternatives(pair, pair_row, pair_constraint, constraints)
    belief = as_given(needs)
    if scoring.fit is not None and columns.has_terms and any(need.in_doubt for need in needs):
        rank = ranks(query, np.zeros(len(query)) if ranked is None else ranked)
        if vouched is not None:
            worded = np.where(rank[pair_row[evidence.pair]] < NEAR, worded, 0.0)
        best = np.zeros(len(constraints))
        np.maximum.at(best, pair_constraint[evidence.pair], worded)
        stated = _stated(stating, pair_row, pair_constraint, query, owner, rank < FIRST)
        belief = beliefs(needs, best, stated, trusted=vouched is not None)
    weight = np.array([c.weight for c in constraints])[pair_constraint]
    row = _over_constraints(asked, pair_row, weight, belief[pair_constraint], len(documents))
    if scoring.terms == "all":
        row *= hold_every_term(columns, documents, query, needs)
    return Scores(row, pair_row, pair_constraint, pair, count, evidence, belief)


_AT_ONCE: Final = 10_000
"""Rows that are scored at a time, more or less: what is computed of them stays in the processor's cache, which takes a
third off a batch's time."""


def score_rows(
    columns: SegmentedColumns,
    vocabulary: UnitVocabulary,
    documents: Ints,
    query: Ints,
    needs: Sequence[QueryNeed],
    scoring: Scoring,
    vouched: Floats | None = None,
    ranked: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The `row` and the `belief` of `score_documents`, computed for a few queries at a time."""
    if len(documents) <= _AT_ONCE:
        found = score_documents(columns, vocabulary, documents, query, needs, scoring, vouched, ranked)
        return found.row, found.belief
    row, belief = np.zeros(len(documents)), [np.zeros(0)]
    by_query = np.argsort(query, kind="stable")
    ends = np.cumsum(np.bincount(query, minlength=len(needs)))
    first = run_starts(ends // _AT_ONCE).tolist()
    for begin, end in pairwise([*first, len(needs)]):
        chosen = by_query[ends[begin - 1] if begin else 0 : ends[end - 1]]
        least, order = (None if given is None else given[chosen] for given in (vouched, ranked))
        own, asked = query[chosen] - begin, needs[begin:end]
        found = score_documents(columns, vocabulary, documents[chosen], own, asked, scoring, least, order)
        row[chosen] = found.row
        belief.append(found.belief)
    return row, np.concatenate(belief)


def _stated(
    stating: Ints, pair_row: Ints, pair_constraint: Ints, query: Ints, owner: Ints, first: npt.NDArray[np.bool_]
) -> Floats:
    """Of each constraint, the share of its query's first results that state something in its unit.

    Args:
        stating: the pairs with such a quantity, any number of times.
        owner: the query of each constraint.
        first: which rows these results are.
    """
    states = np.zeros(len(pair_row), dtype=bool)
    states[stating] = True
    chosen = np.flatnonzero(states & first[pair_row])
    rows = np.bincount(query[first], minlength=int(owner.max(initial=-1)) + 1)[owner]
    return np.bincount(pair_constraint[chosen], minlength=len(owner)) / np.maximum(rows, 1)


def _ordinary(
    columns: SegmentedColumns, vocabulary: UnitVocabulary, first: Ints, count: Ints, scoring: Scoring
) -> Ints:
    """How many quantities each pair's document states, dates left out: what Eq. 3 divides by."""
    if scoring.aggregate != "mean" or (date := vocabulary.names.find(DATE_UNIT)) < 0:
        return count
    dates = columns.unit[ragged_ranges(first, count)] == date
    return count - np.bincount(np.repeat(np.arange(len(count)), count)[dates], minlength=len(count))


def _best_alternatives(
    pair: Floats, pair_row: Ints, pair_constraint: Ints, constraints: Sequence[Constraint]
) -> Floats:
    """The pairs' scores, those of alternatives of one row raised to the best of them."""
    number = np.array([c.alternative for c in constraints], dtype=np.int64)[pair_constraint]
    joined = np.flatnonzero(number)
    if not len(joined):
        return pair
    _, group = np.unique(np.stack([pair_row[joined], number[joined]]), axis=1, return_inverse=True)
    best = np.zeros(group.max() + 1)
    np.maximum.at(best, group.ravel(), pair[joined])
    raised = pair.copy()
    raised[joined] = best[group.ravel()]
    return raised


def _over_constraints(pair: Floats, pair_row: Ints, weight: Floats, belief: Floats, rows: int) -> Floats:
    """One score per row: halfway between the constraints' weighted mean and the worst, so that all count; what is
    hardly believed makes no row much worse, and a row counts as far as the best believed of its constraints."""
    weight = weight * belief
    strongest = np.zeros(rows)
    np.maximum.at(strongest, pair_row, np.where(weight > 0, belief, 0.0))
    total = np.bincount(pair_row, weights=weight, minlength=rows)
    mean = np.bincount(pair_row, weights=weight * pair, minlength=rows).astype(np.float64)
    np.divide(mean, total, out=mean, where=total > 0)
    counted = np.flatnonzero(weight > 0)
    row = pair_row[counted]
    share = belief[counted] / strongest[row]
    worst = np.where(total > 0, np.inf, 0.0)
    np.minimum.at(worst, row, share * pair[counted] + (1.0 - share) * mean[row])
    return strongest * (mean + worst) / 2


def _pairs(query: Ints, owner: Ints, queries: int) -> tuple[Ints, Ints]:
    rows, count = np.arange(len(query)), np.bincount(owner, minlength=queries)
    if (count == 1).all():
        return rows, query
    first = np.cumsum(count) - count
    return rows.repeat(count[query]), ragged_ranges(first[query], count[query])


def _quantities(columns: SegmentedColumns, document: Ints) -> tuple[Ints, Ints]:
    """Where each document's quantities begin, and how many they are; none of unknown documents."""
    known = document >= 0
    if known.all():
        return columns.doc_offsets.extent(document)
    first, count = np.zeros((2, len(document)), dtype=np.int64)
    first[known], count[known] = columns.doc_offsets.extent(document[known])
    return first, count


def _matching_units(
    columns: SegmentedColumns,
    vocabulary: UnitVocabulary,
    first: Ints,
    count: Ints,
    pair_constraint: Ints,
    constraints: Sequence[Constraint],
    needs: Sequence[QueryNeed],
    scoring: Scoring,
) -> Evidence:
    """The quantities of each pair whose unit can meet the pair's constraint, converted to the constraint's unit."""
    quantity = ragged_ranges(first, count)
    pair = np.repeat(np.arange(len(count)), count)
    unit = columns.unit[quantity]
    naming = (terms for need in needs for terms in need.naming)
    matches = [vocabulary.match(c.unit, terms, scoring.units) for c, terms in zip(constraints, naming, strict=True)]
    place, present = _present(unit, len(vocabulary))
    slot = _slots(matches, place, present, pair_constraint[pair], place[unit])
    kept = np.flatnonzero(slot)
    pair, quantity, slot = pair[kept], quantity[kept], slot[kept]
    weight, factor, offset = np.concatenate([np.zeros((3, 1)), *(m.conversions for m in matches)], axis=1)
    low, high = columns.ends(quantity)
    converted = np.flatnonzero(((factor != 1.0) | (offset != 0.0))[slot])
    for end in (low, high):
        end += 0.0  # -0 is 0, as where it is converted
        end[converted] = rescaled(end[converted], factor[slot[converted]], offset[slot[converted]])
    unknown = np.zeros(len(pair))
    return Evidence(pair, quantity, weight[slot], low, high, unknown, unknown.astype(bool), np.ones(len(pair)), unknown)


def _raise_labelled(
    evidence: Evidence,
    columns: SegmentedColumns,
    vocabulary: UnitVocabulary,
    document: Ints,
    pair_constraint: Ints,
    needs: Sequence[QueryNeed],
    scoring: Scoring,
) -> None:
    """Bare numbers right behind the name of what is counted count more than other bare ones."""
    if scoring.fit is None or not (columns.has_terms and scoring.units.bare) or vocabulary.bare < 0:
        return
    asked = labels(needs)
    if not any(asked):
        return
    counts = np.array([len(one) > 0 for one in asked], dtype=bool)[pair_constraint[evidence.pair]]
    chosen = np.flatnonzero(counts)
    chosen = chosen[columns.unit[evidence.quantity[chosen]] == vocabulary.bare]
    pair = evidence.pair[chosen]
    beside = labelled(columns, document[pair], evidence.quantity[chosen], pair_constraint[pair], asked)
    evidence.unit[chosen[beside]] = scoring.units.labelled


def _present(unit: npt.NDArray[np.integer[Any]], units: int) -> tuple[npt.NDArray[np.int32], int]:
    """The place of each of the index's units among those that are there, -1 for the others; and how many are there."""
    there = np.zeros(units, dtype=bool)
    there[unit] = True
    place = np.full(units, -1, dtype=np.int32)
    found = np.flatnonzero(there)
    place[found] = np.arange(len(found))
    return place, len(found)


_TABLE: Final = 1 << 24
"""Entries of a table of constraints and units that are made at a time."""


def _slots(
    matches: Sequence[UnitMatch],
    place: npt.NDArray[np.int32],
    present: int,
    constraint: Ints,
    unit: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]:
    """1 + where in the matches' conversions, one behind the other, each quantity's unit stands; 0: it cannot meet its
    constraint.

    Args:
        matches: of the constraints.
        place, present: see `_present`.
        constraint, unit: of each quantity, the unit by its place among those that are there.
    """
    width = max(present, 1)
    at_once = max(1, _TABLE // width)
    starts = np.cumsum([1, *(1 + len(match.rows) for match in matches)]).tolist()
    found = np.zeros(len(unit), dtype=np.int32)
    for begin in range(0, len(matches), at_once):
        table = np.zeros((min(at_once, len(matches) - begin), width), dtype=np.int32)
        for row, slots in enumerate(table, start=begin):
            _fill(slots, matches[row], starts[row], place)
        chosen: Any = slice(None)
        if len(matches) > at_once:
            chosen = np.flatnonzero((begin <= constraint) & (constraint < begin + at_once))
        found[chosen] = table.ravel()[(constraint[chosen] - begin) * width + unit[chosen]]
    return found


def _fill(slots: npt.NDArray[np.int32], match: UnitMatch, start: int, place: npt.NDArray[np.int32]) -> None:
    """One constraint's slots: the first for units that the match does not list, then one for each that it lists."""
    slots[:] = start if match.others else 0
    there = place[match.rows]
    known = np.flatnonzero(there >= 0)
    slots[there[known]] = np.where(match.weight[known] > 0, start + 1 + known, 0)


def _apply_phi(evidence: Evidence, pair_constraint: Ints, constraints: Sequence[Constraint], scoring: Scoring) -> None:
    phi = get_phi(scoring.phi)
    evidence.phi, evidence.met = np.zeros(len(evidence.pair)), np.zeros(len(evidence.pair), dtype=bool)
    constraint = pair_constraint[evidence.pair]
    order = np.argsort(constraint.astype(np.min_scalar_type(len(constraints))), kind="stable")  # small numbers: a count
    count = np.bincount(constraint, minlength=len(constraints))
    for number, end in enumerate(np.cumsum(count).tolist()):
        if count[number]:
            part = order[end - count[number] : end]
            asked, low, high = constraints[number], evidence.low[part], evidence.high[part]
            evidence.met[part] = satisfied(asked, low, high)
            evidence.phi[part] = np.fmin(np.fmax(phi(asked, low, high), 0.0), 1.0)  # NaN is 0


def _weigh(
    evidence: Evidence,
    columns: SegmentedColumns,
    document: Ints,
    query: Ints,
    needs: Sequence[QueryNeed],
    scoring: Scoring,
    constraint: Ints,
    least: Floats | None,
) -> Floats:
    """Each quantity's score: its value's, weighed by its unit, by how sure its reading is, and by its words, or by
    what it counts at least in its pair.

    Returns:
        The scores without the latter.
    """
    score = evidence.unit * (scoring.met * evidence.met + (1.0 - scoring.met) * evidence.phi)
    if scoring.confidence:
        score *= columns.confidence[evidence.quantity] / 255.0
    if scoring.fit is not None and columns.has_terms:
        evidence.fit = concept_fit(columns, document, query, needs, evidence, score > 0, scoring.fit, constraint)
        by_words = np.sqrt(score * evidence.fit)
        evidence.score = by_words if least is None else np.maximum(by_words, score * least[evidence.pair])
        return by_words
    evidence.score = score
    return score


def _aggregate(evidence: Evidence, count: Ints, scoring: Scoring) -> Floats:
    best = np.zeros(len(count))
    if scoring.aggregate == "best":
        np.maximum.at(best, evidence.pair, evidence.score)
        return best
    total = np.bincount(evidence.pair, weights=evidence.score, minlength=len(count))
    counted = count if scoring.aggregate == "mean" else np.bincount(evidence.pair, minlength=len(count))
    return np.divide(total, counted, out=best, where=counted > 0)


def best_evidence(scores: Scores) -> npt.NDArray[np.int64]:
    """The position, in the evidence, of each pair's best quantity; -1 where there is none."""
    evidence = scores.evidence
    order = np.lexsort((evidence.met, evidence.score, evidence.pair))
    best = np.full(len(scores.pair), -1, dtype=np.int64)
    best[evidence.pair[order]] = order
    return best
