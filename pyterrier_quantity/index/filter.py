from dataclasses import replace

import numpy as np
import pandas as pd

from pyterrier_quantity.frames.frame import ranks
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.scorer import IndexScorer
from pyterrier_quantity.score import make_scoring


class IndexFilter(Configured):
    """Transformer, R -> R, that keeps only the documents that meet all constraints of the query.

    Args:
        index: the quantity index.
        keep_unknown: whether to keep documents without a quantity in a unit that matches the constraint.
        convert: whether to accept units that can be converted to the constraint's unit, and any unit if the constraint
            has none. False gives BM25_filter of Almasian et al. 2024. Similar units are never accepted.

    A bound in a document is accepted if it may meet the constraint: "up to 600" for "> 500" (see `score.bound`). If
    `convert` is False, "up to 600" is treated as the value 600.

    Columns in: those of `ResultScorer`. Columns out: the remaining rows with new ranks and unchanged scores. Queries
    without a constraint keep all rows.
    """

    def __init__(self, index: GrowingIndex, keep_unknown: bool = False, convert: bool = True) -> None:
        self.index, self.keep_unknown, self.convert = index, keep_unknown, convert
        units = "convert" if convert else "strict"
        scoring = make_scoring("binary", units=units, fit=False)
        self._scorer = IndexScorer(index, replace(scoring, bounds=convert))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        scores = self._scorer.assess(inp)
        kept = scores.meeting(self.keep_unknown)
        left = inp[kept].reset_index(drop=True)
        if "score" not in left.columns:
            return left
        return left.assign(rank=ranks(scores.rows.query[kept], left["score"].to_numpy(dtype=np.float64)))
