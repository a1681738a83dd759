"""Select the documents of a collection that experiments score for every topic, and rank them."""

import argparse
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

import pyterrier_quantity as ptq
from lib.collection import Collection
from lib.neural_search import NeuralSearch
from pyterrier_quantity.constants import TRUST
from pyterrier_quantity.neural.numeric_terms import NumericTerms, met
from pyterrier_quantity.pipelines.ranker_kind import DENSE_SCORE

DEPTH: Final = 1000
"""Number of a ranking's results that a quantity-aware ranker reorders."""


class Pool:
    """The documents of a collection that every model scores.

    Args:
        collection: the collection.
        args: the options of `model_arguments`.
    """

    def __init__(self, collection: Collection, args: argparse.Namespace) -> None:
        self.collection, self.args = collection, args

    @cached_property
    def documents(self) -> pd.DataFrame:
        return pd.DataFrame(NeuralSearch(self.collection, self.args).documents())[["docno", "text"]]

    def run(self, scores: npt.NDArray[Any], dense: npt.NDArray[Any] | None = None) -> pd.DataFrame:
        """Return results (R) with every document for every topic.

        Args:
            scores: the scores of the documents, topic by topic.
            dense: the scores by a hybrid's dense vectors only.
        """
        pairs = self.collection.queries[["qid"]].merge(self.documents[["docno"]], how="cross")
        told = {} if dense is None else {DENSE_SCORE: dense.ravel()}
        return pt.model.add_ranks(pairs.assign(score=scores.ravel(), **told))

    def met(self, kind: str) -> npt.NDArray[np.float32]:
        """Return, topic by topic, 1 for each document that meets the condition according to quantities as terms. The
        value is less than 1 if the condition is met only after conversion.

        Args:
            kind: "colbert" to count any value that meets the condition, or "splade" for a sum of terms.
        """
        numeric, queries = NumericTerms(gate=1.0), self.collection.queries["query"].tolist()
        if kind == "splade":
            return (numeric.query_vectors(queries) @ self._stated.T).toarray().ravel()
        return np.concatenate([met(self._stated, asked) for asked in numeric.queries(queries)])

    @cached_property
    def _stated(self) -> Any:
        return NumericTerms(gate=1.0).documents(self.documents["text"].tolist())

    def aware(self, run: pd.DataFrame) -> pd.DataFrame:
        """Return the best results (R) of a neural ranker's run, reranked with the quantity index."""
        best = pt.Transformer.from_df(run[run["rank"] < DEPTH], uniform=False)
        reranked = ptq.quantity_aware(best, self.collection.quantities, trust=TRUST, candidates="retriever")
        return reranked(self.collection.queries)
