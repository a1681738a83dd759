"""Encodings of texts by models, and transformers that add them to frames of queries or documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.neural.models import distinct_texts


@dataclass(frozen=True)
class Encoded:
    """Encodings of texts; a kind of encoding that the model does not compute is None. Index it by the numbers of texts.

    Args:
        dense: float32 (texts, dimension); zeros for an empty text.
        sparse: a SciPy CSR matrix (texts, terms).
        tokens: object array with the token vectors (tokens, dimension) of each text.
        values: numeric terms, for late interaction. For documents, a CSR matrix (texts, slots). For queries, an object
            array with one matrix (constraints, slots) per query.
    """

    dense: Any = None
    sparse: Any = None
    tokens: Any = None
    values: Any = None

    def __getitem__(self, texts: Any) -> Encoded:
        parts = (self.dense, self.sparse, self.tokens, self.values)
        return Encoded(*(None if part is None else part[texts] for part in parts))


class TextEncoder(Configured):
    """Transformer that adds encodings of texts: Q -> Q for queries, D -> D for documents.

    Args:
        model: a `Splade` or a `Hybrid`.
        task: "query" or "document".
        field: the column with the text. None, NaN and the empty text have no terms and a vector of zeros. Each distinct
            text is encoded once.
        k: number of terms with the highest weights to keep per text; None: all.
        scale: factor for the weights of terms, as in pyterrier-splade. Documents' weights are then rounded, and zeros
            are dropped.

    Columns in: the text. Columns out: the same, and one column for each of the model's `outputs`:

    - "sparse": `query_toks`, a dictionary from terms to weights; or `toks`, the same with integer weights, for PISA's
      `toks_indexer(scale=1)` or Terrier's pre-tokenised indexing;
    - "dense": `query_vec` or `doc_vec`, float32, as `FlexIndex` reads it;
    - "tokens": `query_embs` or `doc_embs`, (tokens, dimension).
    """

    batch_size = 1024
    """Number of documents that an indexing pipeline passes at a time."""

    def __init__(self, model: Any, task: str, field: str, k: int | None = None, scale: float = 100.0) -> None:
        self.model, self.task, self.field, self.k, self.scale = model, task, field, k, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.field], context=self)
        number, texts = distinct_texts(inp[self.field])
        found = self._columns(texts)
        made = {name: [values[n] for n in number] for name, values in found.items()}
        return inp.assign(**{name: pd.Series(v, index=inp.index, dtype=object) for name, v in made.items()})

    def _columns(self, texts: list[str]) -> dict[str, list[Any]]:
        """Return the new columns by name, each with one entry per text. Without texts, the model is not loaded."""
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
