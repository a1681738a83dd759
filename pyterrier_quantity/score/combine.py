"""Aggregate scores, first over a document's quantities, then over a query's constraints."""

import numpy as np

from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.score.documents import Pairs
from pyterrier_quantity.score.query import Queries


def over_quantities(pair: Ints, score: Floats, stated: Ints, aggregate: str) -> Floats:
    """Return one score for each pair of result row and constraint: the best or the mean score of the row's quantities.

    Args:
        pair, score: for each quantity in a matching unit, the index of the pair that it belongs to, and its score.
        stated: for each pair, the total number of quantities in the result row's document.
        aggregate: "best", "mean" or "mean-unit", as in `Scoring`.
    """
    found = np.zeros(len(stated))
    if aggregate == "best":
        np.maximum.at(found, pair, score)
        return found
    total = np.bincount(pair, weights=score, minlength=len(stated))
    counted = stated if aggregate == "mean" else np.bincount(pair, minlength=len(stated))
    return np.divide(total, counted, out=found, where=counted > 0)


def over_constraints(score: Floats, pairs: Pairs, queries: Queries, rows: int) -> Floats:
    """Return one score for each result row: the average of the mean and the minimum of the scores of its constraints.

    Two constraints with scores 1 and 0.5 give (0.75 + 0.5) / 2. The effect of a constraint is a weight from 0 to 1. It
    is low if the number in the query is probably not meant as a condition. Before the minimum is taken, scores of
    constraints with a low effect are moved towards the mean. The result is multiplied by the largest effect in the row.

    Args:
        score: the score of each pair (result row, constraint) in `pairs`.
        rows: the number of result rows.
    """
    score = over_alternatives(score, pairs, queries)
    effect = queries.effects[pairs.constraint]
    weight = np.array([c.weight for c in queries.constraints], dtype=np.float64)[pairs.constraint] * effect
    if (queries.count < 2).all():
        found = np.zeros(rows)
        found[pairs.row] = np.where(weight > 0, effect * score, 0.0)
        return found
    strongest = np.zeros(rows)
    np.maximum.at(strongest, pairs.row, np.where(weight > 0, effect, 0.0))
    total = np.bincount(pairs.row, weights=weight, minlength=rows)
    mean = np.bincount(pairs.row, weights=weight * score, minlength=rows).astype(np.float64)
    np.divide(mean, total, out=mean, where=total > 0)
    counted = np.flatnonzero(weight > 0)
    row = pairs.row[counted]
    share = effect[counted] / strongest[row]
    worst = np.where(total > 0, np.inf, 0.0)
    np.minimum.at(worst, row, share * score[counted] + (1.0 - share) * mean[row])
    return strongest * (mean + worst) / 2


def over_alternatives(score: Floats, pairs: Pairs, queries: Queries) -> Floats:
    """Return the scores of pairs (row, constraint), with alternatives ("5 kg or 10 lb") raised to their best score."""
    number = np.array([c.alternative for c in queries.constraints], dtype=np.int64)[pairs.constraint]
    joined = np.flatnonzero(number)
    if not len(joined):
        return score
    _, group = np.unique(np.stack([pairs.row[joined], number[joined]]), axis=1, return_inverse=True)
    best = np.zeros(group.max() + 1)
    np.maximum.at(best, group.ravel(), score[joined])
    raised = score.copy()
    raised[joined] = best[group.ravel()]
    return raised
