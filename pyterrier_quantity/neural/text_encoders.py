"""Encoders of queries and documents as PyTerrier transformers that add columns: what SPLADE's and a hybrid's share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, Protocol

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import clean_text

Columns = dict[str, list[Any]]
"""By name, a value for each text."""

_CHUNK: Final = 1024
"""Documents that are encoded at a time."""


class TextEncoding(Protocol):
    """A model whose encodings are columns."""

    def columns(self, texts: list[str], task: str, k: int | None, scale: float) -> Columns:
        """The columns of cleaned texts; without texts their names alone, and no model is loaded.

        Args:
            texts: cleaned strings.
            task: "query" or "document".
            k: how many of the heaviest terms are kept; None: all.
            scale: weights of terms are multiplied by this; those of documents are then rounded.
        """
        ...


class QueryEncoder(Configured):
    """Q -> Q, and R -> R: adds what a model makes of the query; each distinct query is encoded once.

    Args:
        model: a `Splade` or a `Hybrid`.
        k: how many of the heaviest terms are kept; None: all.
        scale: weights of terms are multiplied by this, as pyterrier-splade does.

    Columns in: `query`. Columns out: the same and `query_toks`, a dictionary of terms and weights, empty of an empty
    query; of a hybrid what its `outputs` name: "dense": `query_vec`, float32; "sparse": `query_toks`; "tokens":
    `query_embs`, (tokens, dimension).
    """

    def __init__(self, model: TextEncoding, k: int | None = None, scale: float = 100.0) -> None:
        self.model, self.k, self.scale = model, k, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["query"], context=self)
        number, texts = pd.factorize(pd.Series([clean_text(query) for query in inp["query"]], dtype=object))
        columns = self.model.columns(list(texts), "query", self.k, self.scale)
        return _with_columns(inp, {name: [values[n] for n in number] for name, values in columns.items()})


class DocumentEncoder(Configured):
    """D -> D: adds what a model makes of the text.

    Args:
        model: a `Splade` or a `Hybrid`.
        text_field: the column that holds the text; None, NaN and the empty text have no terms, and a vector of zeros.
        k: how many of the heaviest terms are kept; None: all.
        scale: weights of terms are multiplied by this and rounded; those that round to 0 are left out.

    Columns in: the text. Columns out: the same and `toks`, a dictionary of terms and whole-number weights, for PISA's
    `toks_indexer(scale=1)` or Terrier's pre-tokenised indexing; of a hybrid what its `outputs` name: "dense":
    `doc_vec`, float32, as `FlexIndex` reads it; "sparse": `toks`; "tokens": `doc_embs`, (tokens, dimension).
    """

    def __init__(
        self, model: TextEncoding, text_field: str = "text", k: int | None = None, scale: float = 100.0
    ) -> None:
        self.model, self.text_field, self.k, self.scale = model, text_field, k, scale

    def _columns(self, texts: Iterable[Any]) -> Columns:
        return self.model.columns(list(map(clean_text, texts)), "document", self.k, self.scale)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        return _with_columns(inp, self._columns(inp[self.text_field]))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream = iter(inp)
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            columns = self._columns(record[self.text_field] for record in chunk)
            for number, record in enumerate(chunk):
                yield {**record, **{name: values[number] for name, values in columns.items()}}


def _with_columns(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    return frame.assign(**{name: pd.Series(v, index=frame.index, dtype=object) for name, v in columns.items()})
