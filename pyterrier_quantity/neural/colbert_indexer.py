"""`ColBERTIndexer`: encodes a corpus into a `ColBERTIndex`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural import codec
from pyterrier_quantity.neural.colbert import ColBERT, TokenVectors
from pyterrier_quantity.neural.compress import complete, plain
from pyterrier_quantity.neural.index_kinds import COLBERT, token_probe
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.places import places
from pyterrier_quantity.neural.pooling import check_pool, pooled
from pyterrier_quantity.neural.resuming import chunks, growing
from pyterrier_quantity.neural.stored_terms import StoredTerms

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert_index import ColBERTIndex

_LENGTHS: Final = "lengths"
"""How many tokens each document has, while they grow; offsets at the end."""
_TERMS, _TERM_COUNTS = "terms", "term_counts"
"""The terms of the quantities, while they grow."""


class ColBERTIndexer(pt.Indexer):
    """Encodes documents into a `ColBERTIndex`.

    Args:
        index: where to.
        model: the model, or its name.
        dtype: "int8", with one step size a vector, or "float16"; "4bit" or "2bit" for each number of the difference
            between a vector and the nearest of a few thousand centroids, which approximate candidates need.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.
        pool: how many tokens of a document share a vector, on average; see `pooling.pooled`.
        resume: keep what an interrupted run has encoded, beside the path, and go on from there in the next run.
    """

    def __init__(
        self,
        index: ColBERTIndex,
        model: ColBERT | str,
        dtype: str = "int8",
        overwrite: bool = False,
        text_field: str = "text",
        resume: bool = False,
        pool: float = 1.0,
    ) -> None:
        codec.check(dtype)
        check_pool(pool)
        self._index, self.model = index, model if isinstance(model, ColBERT) else ColBERT(model)
        self.dtype, self.overwrite, self.text_field = dtype, overwrite, text_field
        self.resume, self.pool = resume, pool

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> ColBERTIndex:
        """Build the index aside and move it into place; returns the index.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            TypeError, ValueError: on a document without a string docno or a text, and on a docno that comes twice; and
            where an interrupted run is gone on with, with other settings or documents.
            Whatever the iterator raises. In every case an older index stays as it was, and unless `resume` nothing
            half-written stays.
        """
        settings = {"model": self.model.name, "dtype": self.dtype, "text_field": self.text_field,
                    "pool": self.pool}  # fmt: skip
        with growing(self._index.folder, COLBERT, settings, self.overwrite, self.resume) as grown:
            for _, texts in grown.new(chunks(iter, self.text_field)):
                encoded = self.model.encode([text.strip() for text in texts], "document")
                grown.append(token_columns(self.model, texts, encoded, self.dtype, self.pool))
            write_tokens(grown.folder, grown.docnos, self.model, self.dtype)
        self._index.forget()
        return self._index

    def __repr__(self) -> str:
        return f"ColBERTIndexer({self._index!r}, {self.model!r}, dtype={self.dtype!r})"


def token_columns(
    model: ColBERT, texts: Sequence[str], encoded: Sequence[TokenVectors], dtype: str, pool: float = 1.0
) -> dict[str, npt.NDArray[Any]]:
    """What an index keeps of some texts' token vectors: one row a vector, and how many each text has."""
    begins = places(model.loaded, texts, [len(tokens) for tokens in encoded])
    kept = [pooled(*document, pool) for document in zip(encoded, begins, strict=True)]
    values, steps = codec.encode(np.concatenate([vectors for vectors, _ in kept]), plain(dtype))
    counts = np.array([len(vectors) for vectors, _ in kept], dtype="<i8")
    columns = {"vectors": values, "steps": steps, "places": np.concatenate([b for _, b in kept]), _LENGTHS: counts}
    if model.numeric:
        stored = StoredTerms.of(model.numeric.documents([text.strip() for text in texts]))
        columns |= {_TERMS: stored.terms, _TERM_COUNTS: np.diff(stored.offsets).astype("<i8")}
    return columns


def write_tokens(folder: Path, docnos: Sequence[str], model: ColBERT, dtype: str) -> None:
    """Complete a folder that holds the grown columns to an index."""
    for name in ("vectors", "steps", "places", _LENGTHS, _TERMS, _TERM_COUNTS):
        (folder / f"{name}.bin").touch()  # of an empty corpus none has grown
    columns, terms = build_lookup(docnos), _taken(folder, _TERMS, "<u4")
    stored = StoredTerms(terms, _offsets(_taken(folder, _TERM_COUNTS, "<i8")))
    if model.numeric:
        columns |= stored.columns
    meta = {"documents": len(docnos), "model": model.name, "dimension": model.dimension}
    meta |= {"probe": [round(float(x), 5) for x in token_probe(model)], "quantities": model.form, "terms": FORM}
    complete(folder, _offsets(_taken(folder, _LENGTHS, "<i8")), columns, meta, dtype, model.verbose)


def _taken(folder: Path, name: str, dtype: str) -> npt.NDArray[Any]:
    """A column that has grown, which is none of the index's."""
    values = np.fromfile(folder / f"{name}.bin", dtype=dtype)
    (folder / f"{name}.bin").unlink()
    return values


def _offsets(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
