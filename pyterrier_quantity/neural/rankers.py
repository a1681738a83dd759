"""What rankers that encode queries have in common: pairs of query and document scored, and frames made of results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import rescored, retrieved
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.encodings import Encoded
from pyterrier_quantity.neural.models import clean_text

Ints = npt.NDArray[np.int64]


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
    def _encoded(self, texts: list[str]) -> Encoded:
        """The encodings of queries, which are cleaned."""

    @abstractmethod
    def _score(self, query: Encoded, documents: Any) -> npt.ArrayLike:
        """The scores of documents under an encoded query; of more columns than one, a row a document."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        if not len(inp):
            return rescored(inp, **dict.fromkeys(self.COLUMNS, np.empty(0)))
        document, chosen_documents = self._documents(inp)
        query, queries = pd.factorize(pd.Series([clean_text(q) for q in inp["query"]]))
        query[document < 0] = len(queries)
        score = np.zeros((len(inp), len(self.COLUMNS)))
        encoded = self._encoded(list(queries))
        for number, chosen in enumerate(grouped(query, len(queries))):
            if len(chosen):
                found = self._score(encoded[number], chosen_documents(document[chosen]))
                score[chosen] = np.reshape(found, (len(chosen), len(self.COLUMNS)))
        return rescored(inp, **dict(zip(self.COLUMNS, score.T, strict=True)))


class TextScorer(PairScorer):
    """R -> R by a model over the results' texts; each distinct text is encoded once."""

    model: Any
    text_field: str

    def _encoded(self, texts: list[str], task: str = "query") -> Encoded:
        return self.model.encode(texts, task)

    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Encoded]]:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        number, texts = pd.factorize(pd.Series([clean_text(text) for text in inp[self.text_field]]))
        return number, self._encoded(list(texts), "document").__getitem__


class StoredSearcher(Configured):
    """Knows an index and the model that encodes its queries."""

    index: Any
    model: Any

    @cached_property
    def encoder(self) -> Any:
        """The model, checked against the index once."""
        return self.index.model(self.model)

    def _encoded(self, texts: list[str]) -> Encoded:
        return self.encoder.encode(texts, "query")

    def __getstate__(self) -> dict[str, Any]:
        return self._config()


class StoredScorer(StoredSearcher, PairScorer):
    """R -> R: scores by what is stored of the documents; those that the index does not hold score 0."""

    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Ints]]:
        return self.index.docnos.rows(inp["docno"]), lambda chosen: chosen


class StoredRetriever(StoredSearcher):
    """Q -> R: the documents with the highest scores of all; an empty query finds nothing."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("score",)
    """What `_all` gives; the first one ranks."""
    num_results: int

    @abstractmethod
    def _all(self, queries: Encoded, number: int) -> Iterator[npt.NDArray[Any]]:
        """The scores of all documents under each of a number of queries: (columns, documents)."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        texts = [clean_text(query) for query in inp["query"]]
        asked = list(dict.fromkeys(filter(None, texts)))
        best: dict[str, tuple[Ints, npt.NDArray[Any]]] = {"": (np.empty(0, int), np.empty((len(self.COLUMNS), 0)))}
        for text, scores in zip(asked, self._all(self._encoded(asked), len(asked)) if asked else (), strict=True):
            rows = best_rows(scores[0], self.num_results)
            best[text] = rows, scores[:, rows].astype(np.float64)
        found = [best[text] for text in texts]
        result = retrieved(inp, [(self.index.docnos.docnos(rows), scores[0]) for rows, scores in found])
        told = np.concatenate([best[""][1], *(scores for _, scores in found)], axis=1)
        return result.assign(**dict(zip(self.COLUMNS[1:], told[1:], strict=True)))

    def fuse_rank_cutoff(self, k: int) -> Any:
        return self._with(num_results=k) if k < self.num_results else None


def best_rows(score: npt.NDArray[Any], number: int) -> Ints:
    """The rows of the highest scores, the best first, equal ones in their order."""
    size = min(number, len(score))
    best = np.argpartition(-score, size - 1)[:size] if size else np.empty(0, dtype=np.int64)
    return best[np.lexsort((best, -score[best]))]
