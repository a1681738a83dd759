"""What rankers that encode queries have in common: pairs of query and document scored, and frames made of results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import rescored
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import clean_text

Ints = npt.NDArray[np.int64]
Found = tuple[Ints, npt.NDArray[np.float64]]
"""Documents' rows and their scores, the best first."""

NOTHING_FOUND: Final[Found] = (np.empty(0, dtype=np.int64), np.empty(0))


def grouped(number: Ints, groups: int) -> list[Ints]:
    """The places of each group's members, in their order.

    Args:
        number: each one's group; what is numbered `groups` is in none.
        groups: how many there are.
    """
    ends = np.cumsum(np.bincount(number, minlength=groups))
    return np.split(np.argsort(number, kind="stable"), ends[:groups])[:groups]


class PairScorer(Configured):
    """R -> R: encodes each distinct query once and scores its documents; rows keep their order."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("score",)
    """What `_score` gives."""

    @abstractmethod
    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Any]]:
        """A number for each row's document, -1 where it has none; and what `_score` takes, given some numbers."""

    @abstractmethod
    def _encoded(self, texts: list[str]) -> list[Any]:
        """The encodings of queries, which are cleaned."""

    @abstractmethod
    def _score(self, query: Any, documents: Any) -> npt.ArrayLike:
        """The scores of documents under an encoded query; of more columns than one, a row a document."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        if not len(inp):
            return rescored(inp, **dict.fromkeys(self.COLUMNS, np.empty(0)))
        document, chosen_documents = self._documents(inp)
        query, queries = pd.factorize(pd.Series([clean_text(q) for q in inp["query"]]))
        query[document < 0] = len(queries)
        score = np.zeros((len(inp), len(self.COLUMNS)))
        for encoded, chosen in zip(self._encoded(list(queries)), grouped(query, len(queries)), strict=True):
            if len(chosen):
                found = self._score(encoded, chosen_documents(document[chosen]))
                score[chosen] = np.reshape(found, (len(chosen), len(self.COLUMNS)))
        return rescored(inp, **dict(zip(self.COLUMNS, score.T, strict=True)))


class TextScorer(PairScorer):
    """R -> R by an encoder over the results' texts; each distinct text is encoded once."""

    text_field: str

    @abstractmethod
    def _encode(self, texts: Sequence[str], task: str) -> list[Any]:
        """The encodings of cleaned texts; task is "query" or "document"."""

    def _encoded(self, texts: list[str]) -> list[Any]:
        return self._encode(texts, "query")

    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Any]]:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        number, texts = pd.factorize(pd.Series([clean_text(text) for text in inp[self.text_field]]))
        encoded = self._encode(list(texts), "document")
        return number, lambda chosen: [encoded[n] for n in chosen.tolist()]


class StoredSearcher(Configured):
    """Knows an index and the model that encodes its queries."""

    index: Any
    model: Any

    @cached_property
    def encoder(self) -> Any:
        """The model, checked against the index once."""
        return self.index.model(self.model)

    def __getstate__(self) -> dict[str, Any]:
        return self._config()


class StoredScorer(StoredSearcher, PairScorer):
    """R -> R: scores by what is stored of the documents; those that the index does not hold score 0."""

    def __init__(self, index: Any, model: Any = None) -> None:
        self.index, self.model = index, model

    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Any]]:
        return self.index.docnos.rows(inp["docno"]), lambda chosen: chosen


def best_found(score: npt.NDArray[np.floating[Any]], number: int) -> Found:
    """The rows of the highest scores, equal ones in their order, and these."""
    size = min(number, len(score))
    best = np.argpartition(-score, size - 1)[:size] if size else np.empty(0, dtype=np.int64)
    best = best[np.lexsort((best, -score[best]))]
    return best, score[best].astype(np.float64)
