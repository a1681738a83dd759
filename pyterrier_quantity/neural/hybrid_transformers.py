"""A hybrid model's encoders and scorer as PyTerrier transformers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.hybrid_outputs import NO_TEXTS, OUTPUTS, TERMS
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.text_scorer import TextScorer
from pyterrier_quantity.neural.toks import SparseVector, doc_toks, dot, query_toks, spread
from pyterrier_quantity.pipelines.rankers import DENSE_SCORE

if TYPE_CHECKING:
    from pyterrier_quantity.neural.hybrid import Hybrid

_CHUNK: Final = 1024

Pair = tuple[npt.NDArray[np.float32], SparseVector]
"""A text's vector and its terms."""


def check_alpha(alpha: float | None) -> None:
    """Raise a ValueError unless this is a weight of the dense part."""
    if alpha is not None and not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be between 0 (sparse alone) and 1 (dense alone), got {alpha!r}")


class HybridQueryEncoder(Configured):
    """Q -> Q, and R -> R: adds what the model's `outputs` name, from one pass over each distinct query.

    Args:
        hybrid: the model.
        k: how many of the heaviest terms are kept; None: all.
        scale: weights of terms are multiplied by this, as `SpladeQueryEncoder` does.

    Columns in: `query`.
    Columns out: the same; "dense": `query_vec`, float32; "sparse": `query_toks`, a dictionary of terms and weights;
    "tokens": `query_embs`, (tokens, dimension).
    """

    def __init__(self, hybrid: Hybrid, k: int | None = TERMS, scale: float = 100.0) -> None:
        self.hybrid, self.k, self.scale = hybrid, k, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["query"], context=self)
        number, texts = pd.factorize(pd.Series([clean_text(query) for query in inp["query"]], dtype=object))
        columns = self._encode(list(texts))
        return _with_columns(inp, {name: [values[n] for n in number] for name, values in columns.items()})

    def _encode(self, texts: list[str]) -> dict[str, list[Any]]:
        found = self.hybrid.encode(texts, "query", self.k) if texts else NO_TEXTS
        toks = query_toks(found.sparse, self.hybrid.terms, self.scale) if texts else []
        return _chosen(self.hybrid, {"query_vec": list(found.dense), "query_toks": toks, "query_embs": found.tokens})


class HybridDocEncoder(Configured):
    """D -> D: adds what the model's `outputs` name, from one pass over each text.

    Args:
        hybrid: the model.
        k: how many of the heaviest terms are kept; None: all.
        text_field: the column that holds the text; None, NaN and the empty text have a vector of zeros and no terms.
        scale: weights of terms are multiplied by this and rounded, for PISA's `toks_indexer(scale=1)`; those that round
            to 0 are left out.

    Columns in: the text. Columns out: the same; "dense": `doc_vec`, float32, as `FlexIndex` reads it; "sparse": `toks`,
    a dictionary of terms and whole-number weights; "tokens": `doc_embs`, (tokens, dimension).
    """

    def __init__(self, hybrid: Hybrid, k: int | None = TERMS, text_field: str = "text", scale: float = 100.0) -> None:
        self.hybrid, self.k, self.text_field, self.scale = hybrid, k, text_field, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        return _with_columns(inp, self._encode(inp[self.text_field]))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream = iter(inp)
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            columns = self._encode(record[self.text_field] for record in chunk)
            for number, record in enumerate(chunk):
                yield {**record, **{name: values[number] for name, values in columns.items()}}

    def _encode(self, texts: Iterable[Any]) -> dict[str, list[Any]]:
        cleaned = [clean_text(text) for text in texts]
        found = self.hybrid.encode(cleaned, "document", self.k) if cleaned else NO_TEXTS
        toks = doc_toks(found.sparse, self.hybrid.terms, self.scale) if cleaned else []
        return _chosen(self.hybrid, {"doc_vec": list(found.dense), "toks": toks, "doc_embs": found.tokens})


def _chosen(hybrid: Hybrid, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns of a model's outputs, given those of all outputs in their order."""
    return {name: values for output, (name, values) in zip(OUTPUTS, columns.items(), strict=True)
            if output in hybrid.outputs}  # fmt: skip


def _with_columns(frame: pd.DataFrame, columns: dict[str, list[Any]]) -> pd.DataFrame:
    return frame.assign(**{name: pd.Series(v, index=frame.index, dtype=object) for name, v in columns.items()})


class HybridScorer(TextScorer):
    """R -> R: alpha times the dot product of the vectors, plus 1 - alpha times that of the terms.

    Args:
        hybrid: the model.
        alpha: the weight of the dense part; 1 is dense alone, 0 sparse alone; None: the model's own.
        k: how many of a text's heaviest terms are kept; None: all.
        text_field: the column that holds the text; an empty text scores 0.

    Columns in: `qid`, `docno`, `query`, and the text. Columns out: the same, `score`, `dense_score` (the dot product of
    the vectors), `rank`. Each distinct text is encoded once, in one pass. Rows keep their order.

    Raises:
        ValueError: if alpha is not between 0 and 1.

    Source: hybrid-product-qa, section 4.2.
    """

    COLUMNS = ("score", DENSE_SCORE)

    def __init__(
        self, hybrid: Hybrid, alpha: float | None = None, k: int | None = TERMS, text_field: str = "text"
    ) -> None:
        check_alpha(alpha)
        self.hybrid, self.alpha, self.k, self.text_field = hybrid, alpha, k, text_field

    def _encode(self, texts: Sequence[str], task: str) -> list[Pair]:
        found = self.hybrid.encode(texts, task, self.k, outputs=("dense", "sparse"))
        return list(zip(found.dense, found.sparse, strict=True))

    def _score(self, query: Pair, documents: Sequence[Pair]) -> npt.ArrayLike:
        alpha = self.hybrid.alpha if self.alpha is None else self.alpha
        dense = np.stack([vector for vector, _ in documents]) @ query[0]
        sparse = dot(spread(query[1], len(self.hybrid.terms)), [terms for _, terms in documents])
        return np.stack([alpha * dense + (1 - alpha) * sparse, dense], axis=1)
