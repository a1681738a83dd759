"""Rankers of a question's facts without training: BM25 and sentence vectors among the candidates themselves."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.tables.encoding import SentenceVectors
from pyterrier_quantity.tables.fact_features import bm25
from pyterrier_quantity.tables.questions import content


class _CandidateRanker(Configured):
    """R -> R: scores the texts of each query's candidates."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["query", "text"], context=self)
        query = pd.factorize(inp["qid"])[0].astype(np.int64)
        score = np.zeros(len(inp))
        for number in range(query.max() + 1 if len(inp) else 0):
            rows = np.flatnonzero(query == number)
            score[rows] = self._scores(str(inp["query"].iloc[rows[0]]), inp["text"].iloc[rows].tolist())
        return inp.drop(columns=["rank"], errors="ignore").assign(score=score, rank=ranks(query, score))

    @abstractmethod
    def _scores(self, query: str, texts: list[str]) -> npt.NDArray[np.floating]: ...


class CandidateBM25(_CandidateRanker):
    """R -> R: BM25 of the texts, with the statistics of the query's own candidates; no index, no Java.

    Columns in: `qid`, `query`, `docno`, `text`. Columns out: the same, with `score` and `rank`. Rows keep their order.
    """

    def _scores(self, query: str, texts: list[str]) -> npt.NDArray[np.floating]:
        return bm25(content(query), [content(text) for text in texts])


class CandidateDense(_CandidateRanker):
    """R -> R: the cosine of the query's and the texts' sentence vectors.

    Args:
        encoder: sentence vectors.

    Columns in and out: as `CandidateBM25`.
    """

    def __init__(self, encoder: SentenceVectors) -> None:
        self.encoder = encoder

    def _scores(self, query: str, texts: list[str]) -> npt.NDArray[np.floating]:
        return self.encoder.encode(texts) @ self.encoder.encode([query])[0]
