"""R -> R by an encoder over the results' texts: what SPLADE's and ColBERT's scorers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import clean_text


class TextScorer(Configured):
    """Encodes each distinct query and text once and scores the pairs; rows keep their order."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("score",)
    """What `_score` gives."""

    text_field: str

    @abstractmethod
    def _encode(self, texts: Sequence[str], task: str) -> list[Any]:
        """The encodings of cleaned texts; task is "query" or "document"."""

    @abstractmethod
    def _score(self, query: Any, documents: Sequence[Any]) -> npt.ArrayLike:
        """The scores of encoded documents under an encoded query; of more columns than one, a row a document."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query", self.text_field], context=self)
        result = inp.drop(columns=["score", "rank"], errors="ignore")
        if not len(inp):
            return result.assign(**dict.fromkeys(self.COLUMNS, np.empty(0)), rank=np.empty(0, dtype=np.int64))
        text, texts = pd.factorize(pd.Series([clean_text(t) for t in inp[self.text_field]]))
        query, queries = pd.factorize(pd.Series([clean_text(q) for q in inp["query"]]))
        documents = self._encode(list(texts), "document")
        score = np.zeros((len(inp), len(self.COLUMNS)))
        rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query))[:-1])
        for encoded, chosen in zip(self._encode(list(queries), "query"), rows, strict=True):
            found = self._score(encoded, [documents[t] for t in text[chosen].tolist()])
            score[chosen] = np.reshape(found, (len(chosen), len(self.COLUMNS)))
        number = pd.factorize(inp["qid"])[0].astype(np.int64)
        return result.assign(**dict(zip(self.COLUMNS, score.T, strict=True)), rank=ranks(number, score[:, 0]))
