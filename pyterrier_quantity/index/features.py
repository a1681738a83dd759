"""Quantity evidence as features for learning to rank."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from pyterrier_quantity.flat_arrays import Floats
from pyterrier_quantity.frames.frame import objects
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.index.scorer import ResultScorer
from pyterrier_quantity.score.evidence import Scores

FEATURES: Final = (
    "quantity_score",  # the scorer's score
    "met",  # whether the best quantity meets the constraint
    "unit_match",  # weight of its unit
    "phi",  # proximity of its value
    "fit",  # fit of the words around it to the query
    "confidence",  # confidence of its reading
    "distance",  # |log of the ratio of its value to the asked one|, at most 10
    "matching",  # log(1 + quantities in a unit that could meet the constraint)
    "meeting",  # log(1 + quantities that meet it)
    "quantities",  # log(1 + all quantities of the document)
)
"""The features, in order. Over several constraints each is their mean; without a constraint it is 0."""


class QuantityFeatures(Configured):
    """R -> R: adds `features`, an array of `FEATURES` per row, for `**` and `pt.ltr.apply_learned_model`.

    Args:
        scorer: `qindex.scorer(...)` or `QuantityScorer(...)`.

    Columns in: as the scorer. Columns out: the same and `features`; scores and ranks stay.

    For example `bm25 >> (pt.Transformer.identity() ** qindex.features()) >> pt.ltr.apply_learned_model(model)`.
    """

    def __init__(self, scorer: ResultScorer) -> None:
        self.scorer = scorer

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(features=objects(list(feature_matrix(self.scorer.assess(inp)))))


def feature_matrix(scores: Scores) -> Floats:
    """Return the features of each result row as an array [row, feature]."""
    evidence, rows = scores.evidence, len(scores.rows)
    best = scores.best_evidence()
    constraints = [c for query in scores.queries for c in query.constraints]
    asked = np.array([(c.low + c.high) / 2 for c in constraints])[scores.pairs.constraint[evidence.pair]]
    stated = (evidence.low + evidence.high) / 2
    of_best = (
        evidence.score,
        evidence.met,
        evidence.unit,
        evidence.phi,
        evidence.fit,
        evidence.confidence,
        np.minimum(np.abs(np.log1p(np.abs(stated)) - np.log1p(np.abs(asked))), 10.0),
    )
    pairs = len(scores.pair)
    columns = [np.append(values, 0.0)[best] for values in of_best]
    columns.append(np.log1p(np.bincount(evidence.pair, minlength=pairs)))
    columns.append(np.log1p(np.bincount(evidence.pair, weights=evidence.met, minlength=pairs)))
    columns.append(np.log1p(scores.pairs.count))
    count = np.maximum(np.bincount(scores.pairs.row, minlength=rows), 1)
    return np.stack([np.bincount(scores.pairs.row, weights=c, minlength=rows) / count for c in columns], axis=1)
