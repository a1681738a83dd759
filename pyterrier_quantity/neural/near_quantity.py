"""Late interaction near the quantities: the query is compared with the words around a quantity, by their vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Ints, run_lengths
from pyterrier_quantity.frames.frame import rescored
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.maxsim import ragged
from pyterrier_quantity.neural.models import distinct_texts
from pyterrier_quantity.neural.places import NOWHERE
from pyterrier_quantity.neural.rankers import NeuralSearcher


class NearQuantity(NeuralSearcher):
    """Scorer, R -> R: MaxSim of the query around the document's best quantity that meets the condition.

    A long sentence has several topics. So a token counts less, the farther it is from the quantity: half as much at the
    distance `reach`. The score is that of the document's best quantity, times the unit's match; 0 if no quantity meets
    the condition. Scores of several constraints are averaged.

    Args:
        index: the token vectors.
        quantities: the quantities of the same documents.
        model: the encoder of queries; None: the model that built the index, by its name.
        reach: distance in characters at which a token counts half.

    Columns in: `qid`, `docno`, `query`, and `constraints` or `condition`, `value`, `unit`. Rows keep their order.
    """

    def __init__(
        self, index: ColBERTIndex, quantities: QuantityIndex, model: ColBERT | str | None = None, reach: float = 100.0
    ) -> None:
        if not reach > 0:
            raise ValueError(f"reach must be positive, got {reach!r}")
        self.index, self.quantities, self.model, self.reach = index, quantities, model, reach

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        return rescored(inp, score=self._scores(inp) if len(inp) else np.empty(0))

    def _scores(self, inp: pd.DataFrame) -> npt.NDArray[np.float64]:
        found = self.quantities.scorer(fit=False).assess(inp)
        evidence, row = found.evidence, found.pairs.row
        document = self.index.docnos.rows(inp["docno"])[row[evidence.pair]]
        text, texts = distinct_texts(inp["query"])
        usable = np.flatnonzero(evidence.met & (document >= 0))
        usable = usable[np.diff(self.index.offsets)[document[usable]] > 0]
        place = found.documents.columns.start[evidence.quantity[usable]].astype(np.int64)
        similar = np.zeros(len(usable))
        query = text[row[evidence.pair[usable]]]
        encoded = self.encoder.encode(texts, "query").tokens
        for number, chosen in pd.Series(usable).groupby(query).indices.items():
            if len(encoded[number]):
                similar[chosen] = self._near(encoded[number], document[usable[chosen]], place[chosen])
        pair = np.zeros(len(row))
        np.maximum.at(pair, evidence.pair[usable], evidence.unit[usable] * similar)
        count = np.bincount(row, minlength=len(inp))
        return np.bincount(row, weights=pair, minlength=len(inp)) / np.maximum(count, 1)

    def _near(self, query: npt.NDArray[np.float32], document: Ints, place: Ints) -> Any:
        """Return the MaxSim of the query and each document, with tokens weighed by nearness to a place in its text."""
        rows, owner = np.unique(document, return_inverse=True)
        where, begins = ragged(rows, self.index.offsets)
        similar = np.maximum(self.index.tokens(where) @ query.T, 0)
        stands = self.index.places(where)
        token, starts = ragged(owner, np.append(begins, len(where)))
        distance = np.abs(stands[token].astype(np.float32) - place.repeat(run_lengths(starts, len(token))))
        nearness = np.where(stands[token] == NOWHERE, 0, self.reach / (self.reach + distance)).astype(np.float32)
        return np.maximum.reduceat(similar[token] * nearness[:, None], starts, axis=0).sum(axis=1)
