"""What models make of texts, and the encoders that add it to frames of queries and documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import distinct_texts


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


class TextEncoder(Configured):
    """Adds what a model makes of texts, Q -> Q of queries, D -> D of documents; each distinct text is encoded once.

    Args:
        model: a `Splade` or a `Hybrid`.
        task: "query" or "document".
        field: the column that holds the text; None, NaN and the empty text have no terms, and a vector of zeros.
        k: how many of the heaviest terms are kept; None: all.
        scale: weights of terms are multiplied by this, as pyterrier-splade does; those of documents are then rounded,
            and left out where 0.

    Columns in: the text. Columns out: the same and, of queries, `query_toks`, a dictionary of terms and weights; of
    documents `toks`, with whole-number weights, for PISA's `toks_indexer(scale=1)` or Terrier's pre-tokenised indexing.
    Of a hybrid what its `outputs` name: "dense": `query_vec` or `doc_vec`, float32, as `FlexIndex` reads it; "sparse":
    `query_toks` or `toks`; "tokens": `query_embs` or `doc_embs`, (tokens, dimension).
    """

    batch_size = 1024
    """Documents that an indexing pipeline gives it at a time."""

    def __init__(self, model: Any, task: str, field: str, k: int | None = None, scale: float = 100.0) -> None:
        self.model, self.task, self.field, self.k, self.scale = model, task, field, k, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.field], context=self)
        number, texts = distinct_texts(inp[self.field])
        found = self._columns(texts)
        made = {name: [values[n] for n in number] for name, values in found.items()}
        return inp.assign(**{name: pd.Series(v, index=inp.index, dtype=object) for name, v in made.items()})

    def _columns(self, texts: list[str]) -> dict[str, list[Any]]:
        """What the model makes of texts, by column; without texts no model is loaded."""
        begin, toks = ("query", "query_toks") if self.task == "query" else ("doc", "toks")
        names = {"dense": f"{begin}_vec", "sparse": toks, "tokens": f"{begin}_embs"}
        found = self.model.encode(texts, self.task, self.k) if texts else Encoded()
        if found.sparse is not None:
            found = replace(found, sparse=[self._toks(row) for row in found.sparse])
        return {
            name: list(getattr(found, part) if texts else ())
            for part, name in names.items()
            if part in self.model.outputs
        }

    def _toks(self, row: Any) -> dict[str, float]:
        scaled = row.data * self.scale
        weights = scaled if self.task == "query" else np.rint(scaled).astype(np.int64)
        terms = self.model.terms
        return {terms[n]: w for n, w in zip(row.indices.tolist(), weights.tolist(), strict=True) if w}
