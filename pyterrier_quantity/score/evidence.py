"""Compute quantity scores, Eq. 3 of Almasian et al. 2024, for a whole batch of queries at once.

A *pair* is a result row and a constraint of its query. Its *evidence* consists of the document's quantities in a unit
that matches the constraint. All steps use flat arrays of pairs, evidence and words, without a loop over documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from pyterrier_quantity.constants import WordWeights
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.flat_arrays import Bools, Floats, Ints, Whole, ragged_ranges, run_starts
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.score.bound import by_interval, change_weights, closed
from pyterrier_quantity.score.combine import over_alternatives, over_constraints, over_quantities
from pyterrier_quantity.score.documents import Documents, Pairs, Rows, pairs_of
from pyterrier_quantity.score.fit import about, concept_fit, held_share, hold_every_term
from pyterrier_quantity.score.names import supported_names
from pyterrier_quantity.score.options import Scoring
from pyterrier_quantity.score.phi import Phi, get_phi, satisfied
from pyterrier_quantity.score.query import IndexQuery, Queries
from pyterrier_quantity.score.settling import settle
from pyterrier_quantity.score.unit import Stated, in_matching_units
from pyterrier_quantity.score.unnamed_units import weigh_likely_units


@dataclass(frozen=True)
class Evidence(Stated):
    """The quantities in matching units for all pairs of a result row and a constraint, and the score of each quantity.

    Args:
        unit, phi, bound, confidence, fit: the factors of each score, in [0, 1]; an unused factor is 1. They rate the
            unit, the proximity of the value, the bound (low for "up to 600"), the extraction, and the nearby words.
        met: whether each quantity meets its constraint.
        worded: the score that results from the value, the unit and the words around the quantity.
        score: the final score: `worded`, or a minimum (see `Rows.least` and `Scoring.least`) if the minimum is higher.
    """

    met: Bools
    phi: Floats
    bound: Floats
    confidence: Floats
    fit: Floats
    worded: Floats
    score: Floats


@dataclass(frozen=True)
class Scores:
    """The scores of a batch of queries, with the quantities used to compute them.

    Args:
        documents: the scored documents, with the quantities that `evidence` refers to by index.
        rows: the result rows that were scored.
        row: the quantity score of each result row, in [0, 1], or 0 if the query has no constraint.
        pairs: the pairs of a result row and a constraint of its query.
        pair: the score of each pair.
        evidence: the quantities used to compute the scores of the pairs.
        queries: the queries. If `rows` has ranks, conditions whose certainty is below 1 can have weights below 1.
    """

    documents: Documents
    rows: Rows
    row: Floats
    pairs: Pairs
    pair: Floats
    evidence: Evidence
    queries: Sequence[IndexQuery]

    def best_evidence(self) -> Ints:
        """Return, for each pair of result row and constraint, the index in `evidence` of the best quantity, or -1."""
        evidence = self.evidence
        order = np.lexsort((evidence.met, evidence.score, evidence.pair))
        best = np.full(len(self.pair), -1, dtype=np.int64)
        best[evidence.pair[order]] = order
        return best

    def meeting(self, keep_unknown: bool = False) -> Bools:
        """Return whether each result row's document meets all constraints. For "5 kg or 10 lb", one of the two is
        enough. If `keep_unknown` is true, a document without a quantity in a matching unit also meets a constraint."""
        evidence = self.evidence
        met, known = np.zeros((2, len(self.pair)), dtype=bool)
        known[evidence.pair] = True
        met[evidence.pair[evidence.met]] = True
        passes = met | ~known if keep_unknown else met
        passes = over_alternatives(passes.astype(np.float64), self.pairs, Queries(self.queries)) > 0
        found: Bools = np.bincount(self.pairs.row, weights=~passes, minlength=len(self.rows)) == 0
        return found


def score_documents(documents: Documents, rows: Rows, asked: Sequence[IndexQuery], scoring: Scoring) -> Scores:
    """Return the scores of the result rows for the queries (`asked`), computed from the documents' quantities."""
    if scoring.fit is not None and documents.columns.has_terms:
        asked = supported_names(asked, documents)
    queries = Queries(asked)
    pairs = pairs_of(documents.columns, rows, queries)
    evidence = _evidence(documents, pairs, queries, scoring, rows.least)
    pair = over_quantities(evidence.pair, evidence.score, _ordinary(documents, pairs, scoring), scoring.aggregate)
    if scoring.fit is not None:
        pair = _score_negated(pair, pairs, evidence, queries, scoring.fit)
    if rows.rank is not None and scoring.fit is not None and documents.columns.has_terms:
        queries = settle(queries, rows, pairs, evidence)
    row = over_constraints(pair, pairs, queries, len(rows))
    if scoring.terms == "all":
        row *= hold_every_term(documents.columns, rows, queries)
    return Scores(documents, rows, row, pairs, pair, evidence, queries.queries)


_UNSTATED: Final = 0.5  # score of a document without a duration if the query excludes a duration ("not 24 months")


def _score_negated(score: Floats, pairs: Pairs, evidence: Evidence, queries: Queries, weights: WordWeights) -> Floats:
    """Return `score` (one for each pair), changed for negated constraints. For "not 24 months", the score is 0 if the
    quantity that best fits the query's words is 24 months, and at most 0.5 if the document states no duration."""
    negated = np.array([c.op == "!=" for c in queries.constraints], dtype=bool)[pairs.constraint]
    if not negated.any():
        return score
    best = np.zeros((2, len(score)))  # the best fit of met and of excluded quantities
    np.maximum.at(best, (1 - evidence.met.astype(np.int64), evidence.pair), evidence.unit * evidence.fit)
    excluded, unstated = best[1] >= best[0], (best == 0).all(axis=0) & (pairs.document >= 0)
    left = np.where(excluded, 0.0, score)
    left[unstated] = _UNSTATED
    for number, query in enumerate(queries.queries if pairs.columns.has_terms else ()):
        worded = np.flatnonzero(unstated & negated & (queries.owner[pairs.constraint] == number) & (pairs.count > 0))
        left[worded] *= np.sqrt(about(held_share(pairs.columns, pairs.document[worded], query), weights))
    return np.where(negated, left, score)


def _evidence(documents: Documents, pairs: Pairs, queries: Queries, scoring: Scoring, least: Floats | None) -> Evidence:
    """Return, for each pair of a result row and a constraint, the quantities whose unit matches the constraint, with
    the factors of their scores. For `least`, see `Rows.least`."""
    columns, with_words = documents.columns, scoring.fit is not None and documents.columns.has_terms
    stated = in_matching_units(documents, pairs, queries, scoring.units, labelled=with_words)
    if with_words and scoring.units.unasked:
        weigh_likely_units(stated, pairs.constraint[stated.pair], queries)
    stated_as = columns.bound[stated.quantity] if scoring.bounds else None
    met, phi, bound = _nearness(stated, pairs.constraint[stated.pair], queries, get_phi(scoring.phi), stated_as)
    value = stated.unit * bound * (scoring.met * met + (1.0 - scoring.met) * phi)
    confidence = fit = np.ones(len(value))
    if scoring.confidence:
        confidence = columns.confidence[stated.quantity] / 255.0
        value *= confidence
    score = worded = value
    if scoring.fit is not None and columns.has_terms:
        fit = concept_fit(pairs, stated, value, queries, scoring.fit)
        score = worded = np.sqrt(value * fit)
        if least is not None:
            score = np.maximum(worded, value * least[pairs.row][stated.pair])
        if scoring.least:
            in_unit = np.array([c.unit != BARE for c in queries.constraints], dtype=bool)[pairs.constraint]
            score = np.maximum(score, scoring.least * value * in_unit[stated.pair])
    return Evidence(
        **vars(stated), met=met, phi=phi, bound=bound, confidence=confidence, fit=fit, worded=worded, score=score
    )


def _nearness(
    stated: Stated, constraint: Ints, queries: Queries, phi: Phi, bound: Whole | None
) -> tuple[Bools, Floats, Floats]:
    """Return three arrays: whether each quantity meets its constraint, the proximity of its value (computed by `phi`),
    and a weight, below 1 for bounds such as "up to 600". For each quantity in `stated`, `constraint` is the index of
    its constraint, and `bound` that of its bound in `BOUNDS`. If `bound` is None, "up to 600" is treated as 600."""
    met, near, share = np.zeros(len(constraint), dtype=bool), np.zeros(len(constraint)), np.ones(len(constraint))
    ends = np.cumsum(np.bincount(constraint, minlength=len(queries.constraints))).tolist()
    dated = {
        owner for owner, one in zip(queries.owner.tolist(), queries.constraints, strict=True) if one.unit == DATE_UNIT
    }
    for asked, owner, begin, end in zip(queries.constraints, queries.owner.tolist(), [0, *ends], ends, strict=False):
        if begin == end:
            continue
        part = slice(begin, end)
        low, high = stated.low[part], stated.high[part]
        met[part] = satisfied(asked, low, high)
        near[part] = phi(asked, low, high)
        if bound is not None:
            alone, share[part] = by_interval(asked, bound[part], met[part], low, high)
            share[part] *= change_weights(asked.attribute, owner in dated)[bound[part]]
            if alone.any():
                met[part] |= alone
                near[begin + np.flatnonzero(alone)] = phi(closed(asked), low[alone], high[alone])
    return met, np.fmin(np.fmax(near, 0.0), 1.0), share  # NaN is 0


def _ordinary(documents: Documents, pairs: Pairs, scoring: Scoring) -> Ints:
    """Return the number of quantities in each pair's document, without dates if `scoring` averages over all."""
    if scoring.aggregate != "mean" or (date := documents.vocabulary.names.find(DATE_UNIT)) < 0:
        return pairs.count
    dates = documents.columns.unit[ragged_ranges(pairs.first, pairs.count)] == date
    owner = np.repeat(np.arange(len(pairs.count)), pairs.count)
    return pairs.count - np.bincount(owner[dates], minlength=len(pairs.count))


_AT_ONCE: Final = 15_000  # approximate number of rows scored at a time, so that intermediate arrays fit the CPU cache


def score_rows(
    documents: Documents, rows: Rows, asked: Sequence[IndexQuery], scoring: Scoring
) -> tuple[Floats, list[IndexQuery]]:
    """Return the score of each result row, and the queries with a weight for each condition whose certainty is below 1.
    To save memory, only a few queries are scored at a time."""
    if len(rows) <= _AT_ONCE:
        found = score_documents(documents, rows, asked, scoring)
        return found.row, list(found.queries)
    score = np.zeros(len(rows))
    queries: list[IndexQuery] = []
    by_query = np.argsort(rows.query, kind="stable")
    ends = np.cumsum(np.bincount(rows.query, minlength=len(asked)))
    for begin, end in pairwise([*run_starts(ends // _AT_ONCE).tolist(), len(asked)]):
        chosen = by_query[ends[begin - 1] if begin else 0 : ends[end - 1]]
        found = score_documents(documents, rows.chosen(chosen, begin), asked[begin:end], scoring)
        score[chosen] = found.row
        queries += found.queries
    return score, queries
