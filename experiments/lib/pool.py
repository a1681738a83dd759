"""The documents of a collection that experiments score for every topic, and rankings of them."""

from __future__ import annotations

import argparse
from functools import cached_property
from typing import Any, Final

import numpy.typing as npt
import pandas as pd
import pyterrier as pt

import pyterrier_quantity as ptq
from lib.collection import Collection
from lib.neural_search import NeuralSearch
from pyterrier_quantity.pipelines.aware import TRUST

DEPTH: Final = 1000
"""How many of a ranking's results a quantity-aware ranker reorders."""


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

    def run(self, scores: npt.NDArray[Any]) -> pd.DataFrame:
        """R: every document for every topic.

        Args:
            scores: of the documents, topic by topic.
        """
        pairs = self.collection.queries[["qid"]].merge(self.documents[["docno"]], how="cross")
        return pt.model.add_ranks(pairs.assign(score=scores.ravel()))

    def aware(self, run: pd.DataFrame) -> pd.DataFrame:
        """R: the best of a neural ranker's run, reranked with the quantity index."""
        best = pt.Transformer.from_df(run[run["rank"] < DEPTH], uniform=False)
        return ptq.quantity_aware(best, self.collection.quantities, trust=TRUST)(self.collection.queries)
