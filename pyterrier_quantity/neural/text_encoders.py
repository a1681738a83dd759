"""Encoders of queries and documents as PyTerrier transformers that add columns: what SPLADE's and a hybrid's share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import clean_text

Columns = dict[str, list[Any]]
"""By name, a value for each text."""

_CHUNK: Final = 1024
"""Documents that are encoded at a time."""


class QueryEncoder(Configured):
    """Q -> Q, and R -> R: adds columns made of the query; each distinct query is encoded once.

    Columns in: `query`.
    """

    @abstractmethod
    def _columns(self, texts: list[str]) -> Columns:
        """The columns of cleaned texts; without texts their names alone, and no model is loaded."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["query"], context=self)
        number, texts = pd.factorize(pd.Series([clean_text(query) for query in inp["query"]], dtype=object))
        columns = self._columns(list(texts))
        return _with_columns(inp, {name: [values[n] for n in number] for name, values in columns.items()})


class DocumentEncoder(Configured):
    """D -> D: adds columns made of the text.

    Columns in: the text.
    """

    text_field: str

    @abstractmethod
    def _columns(self, texts: list[str]) -> Columns:
        """The columns of cleaned texts; without texts their names alone, and no model is loaded."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        return _with_columns(inp, self._columns([clean_text(text) for text in inp[self.text_field]]))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream = iter(inp)
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            columns = self._columns([clean_text(record[self.text_field]) for record in chunk])
            for number, record in enumerate(chunk):
                yield {**record, **{name: values[number] for name, values in columns.items()}}


def _with_columns(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    return frame.assign(**{name: pd.Series(v, index=frame.index, dtype=object) for name, v in columns.items()})
