"""What models make of texts, and the encoders that add it to frames of queries and documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import clean_text

_CHUNK: Final = 1024
"""Documents that are encoded at a time."""


@dataclass(frozen=True)
class Encoded:
    """What a model makes of some texts; a part that it does not make is None. Indexed by number or numbers of texts.

    Args:
        dense: (texts, dimension), float32; zeros of an empty text.
        sparse: a SciPy CSR matrix (texts, terms).
        tokens: of each text its token vectors (tokens, dimension), in an array of objects.
        values: quantities as terms beside the token vectors: of documents a CSR matrix (texts, slots), of queries one
            (constraints, slots) each, in an array of objects.
    """

    dense: Any = None
    sparse: Any = None
    tokens: Any = None
    values: Any = None

    def __getitem__(self, texts: Any) -> Encoded:
        parts = (self.dense, self.sparse, self.tokens, self.values)
        return Encoded(*(None if part is None else part[texts] for part in parts))


def objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Values of any kind in an array of one dimension."""
    found = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        found[place] = value
    return found


def columns(model: Any, texts: list[str], task: str, k: int | None, scale: float) -> dict[str, list[Any]]:
    """What a model makes of texts as columns, by name; without texts no model is loaded.

    Args:
        model: a `Splade` or a `Hybrid`.
        texts: cleaned strings.
        task: "query" or "document".
        k: how many of the heaviest terms are kept; None: all.
        scale: weights of terms are multiplied by this; those of documents are then rounded, and left out where 0.
    """
    begin, toks = ("query", "query_toks") if task == "query" else ("doc", "toks")
    names = {"dense": f"{begin}_vec", "sparse": toks, "tokens": f"{begin}_embs"}
    found = model.encode(texts, task, k) if texts else Encoded()
    if found.sparse is not None:
        found = replace(found, sparse=[_toks(row, model.terms, task, scale) for row in found.sparse])
    return {name: list(getattr(found, part) if texts else ()) for part, name in names.items() if part in model.outputs}


def _toks(row: Any, terms: Sequence[str], task: str, scale: float) -> dict[str, float]:
    weights = row.data * scale if task == "query" else np.rint(row.data * scale).astype(np.int64)
    return {terms[n]: w for n, w in zip(row.indices.tolist(), weights.tolist(), strict=True) if w}


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

    def __init__(self, model: Any, k: int | None = None, scale: float = 100.0) -> None:
        self.model, self.k, self.scale = model, k, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["query"], context=self)
        number, texts = pd.factorize(pd.Series([clean_text(query) for query in inp["query"]], dtype=object))
        found = columns(self.model, list(texts), "query", self.k, self.scale)
        return _with_columns(inp, {name: [values[n] for n in number] for name, values in found.items()})


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

    def __init__(self, model: Any, text_field: str = "text", k: int | None = None, scale: float = 100.0) -> None:
        self.model, self.text_field, self.k, self.scale = model, text_field, k, scale

    def _columns(self, texts: Iterable[Any]) -> dict[str, list[Any]]:
        return columns(self.model, list(map(clean_text, texts)), "document", self.k, self.scale)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        return _with_columns(inp, self._columns(inp[self.text_field]))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream = iter(inp)
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            found = self._columns(record[self.text_field] for record in chunk)
            for number, record in enumerate(chunk):
                yield {**record, **{name: values[number] for name, values in found.items()}}


def _with_columns(frame: pd.DataFrame, columns: dict[str, list[Any]]) -> pd.DataFrame:
    return frame.assign(**{name: pd.Series(v, index=frame.index, dtype=object) for name, v in columns.items()})
