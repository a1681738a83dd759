"""Writing a `ColBERTIndex`: by encoding a corpus, or by making another index's token vectors smaller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from pyterrier_quantity import _arrays
from pyterrier_quantity._index_folder import new_folder
from pyterrier_quantity._progress import shown
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.neural.colbert import ColBERT, TokenVectors
from pyterrier_quantity.neural.index_kinds import COLBERT, PROBE, probe_of
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.places import Places, places
from pyterrier_quantity.neural.pooling import check_pool, pooled
from pyterrier_quantity.neural.resuming import chunks, growing
from pyterrier_quantity.neural.stored_terms import StoredTerms
from pyterrier_quantity.neural.token_coding import (
    BITS,
    Quantiser,
    centroids_for,
    check_dtype,
    decode,
    encode,
    fit,
    sample_size,
)

SHARED_META: Final = ("documents", "model", "dimension", "probe", "quantities", "terms")
"""What the metadata of an index and of a smaller one made of it have in common."""
_TOKENS: Final = 1 << 16
"""Token vectors that are coded at a time."""
_DOCUMENTS: Final = 1024
"""Documents that are pooled at a time."""
_LENGTHS: Final = "lengths"
"""How many tokens each document has, while they grow; offsets at the end."""
_TERMS, _TERM_COUNTS = "terms", "term_counts"
"""The terms of the quantities, while they grow."""


class ColBERTIndexer(pt.Indexer):
    """Encodes documents into a `ColBERTIndex`.

    Args:
        index: where to.
        model: the model, or its name.
        dtype: how numbers are stored: "float16"; "int8", with one step size per vector; "4bit" or "2bit", as
            differences from the nearest of a few thousand centroids. `candidates` of the retriever need one of the last
            two.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.
        pool: how many tokens of a document share a vector, on average; see `pooling.pooled`.
        resume: keep what an interrupted run has encoded, beside the path, and go on from there in the next run.
    """

    def __init__(
        self,
        index: StoredIndex,
        model: ColBERT | str,
        dtype: str = "int8",
        overwrite: bool = False,
        text_field: str = "text",
        resume: bool = False,
        pool: float = 1.0,
    ) -> None:
        check_dtype(dtype)
        check_pool(pool)
        self._index, self.model = index, model if isinstance(model, ColBERT) else ColBERT(model)
        self.dtype, self.overwrite, self.text_field = dtype, overwrite, text_field
        self.resume, self.pool = resume, pool

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> StoredIndex:
        """Build the index aside and move it into place; returns the index.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            TypeError, ValueError: on a document without a string docno or a text, and on a docno that comes twice; and
                if an interrupted run is continued with other settings or documents.
            Whatever the iterator raises. An older index then stays as it was. Without `resume` nothing half-written
            stays.
        """
        settings = {"model": self.model.name, "dtype": self.dtype, "text_field": self.text_field, "pool": self.pool}
        with growing(self._index.folder, COLBERT, settings, self.overwrite, self.resume) as grown:
            for _, texts in grown.new(chunks(iter, self.text_field)):
                encoded = self.model.encode([text.strip() for text in texts], "document")
                grown.append(token_columns(self.model, texts, encoded, self.dtype, self.pool))
            write_tokens(grown.folder, grown.docnos, self.model, self.dtype)
        self._index.forget()
        return self._index

    def __repr__(self) -> str:
        return f"ColBERTIndexer({self._index!r}, {self.model!r}, dtype={self.dtype!r})"


def token_probe(model: ColBERT) -> npt.NDArray[np.float32]:
    """The mean token vector of a fixed sentence."""
    return np.asarray(model.encode([PROBE])[0].mean(axis=0), dtype=np.float32)


def token_columns(
    model: ColBERT, texts: Sequence[str], encoded: Sequence[TokenVectors], dtype: str, pool: float = 1.0
) -> dict[str, npt.NDArray[Any]]:
    """What an index keeps of some texts' token vectors: one row a vector, and how many each text has."""
    begins = places(model.loaded, texts, [len(tokens) for tokens in encoded])
    columns = _pooled_columns(zip(encoded, begins, strict=True), dtype, pool)
    if model.numeric:
        stored = StoredTerms.of(model.numeric.documents([text.strip() for text in texts]))
        columns |= {_TERMS: stored.terms, _TERM_COUNTS: np.diff(stored.offsets).astype("<i8")}
    return columns


def _pooled_columns(
    documents: Iterable[tuple[TokenVectors, Places]], dtype: str, pool: float
) -> dict[str, npt.NDArray[Any]]:
    kept = [pooled(vectors, begins, pool) for vectors, begins in documents]
    values, steps = encode(np.concatenate([vectors for vectors, _ in kept]), _plain(dtype))
    counts = np.array([len(vectors) for vectors, _ in kept], dtype="<i8")
    return {"vectors": values, "steps": steps, "places": np.concatenate([b for _, b in kept]), _LENGTHS: counts}


def write_tokens(folder: Path, docnos: Sequence[str], model: ColBERT, dtype: str) -> None:
    """Complete a folder that holds the grown columns to an index."""
    for name in ("vectors", "steps", "places", _LENGTHS, _TERMS, _TERM_COUNTS):
        (folder / f"{name}.bin").touch()  # of an empty corpus none has grown
    columns, terms = build_lookup(docnos), _taken(folder, _TERMS, "<u4")
    stored = StoredTerms(terms, _offsets(_taken(folder, _TERM_COUNTS, "<i8")))
    if model.numeric:
        columns |= stored.columns
    meta = {"documents": len(docnos), "model": model.name, "dimension": model.dimension}
    meta |= {"probe": probe_of(token_probe(model)), "quantities": model.form, "terms": FORM}
    complete(folder, _offsets(_taken(folder, _LENGTHS, "<i8")), columns, meta, dtype, model.verbose)


def _taken(folder: Path, name: str, dtype: str) -> npt.NDArray[Any]:
    """A column that has grown, which is none of the index's."""
    values = np.fromfile(folder / f"{name}.bin", dtype=dtype)
    (folder / f"{name}.bin").unlink()
    return values


def _offsets(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def write_smaller(
    target: StoredIndex,
    documents: Iterator[tuple[TokenVectors, Places]],
    columns: Mapping[str, npt.NDArray[Any]],
    meta: Mapping[str, Any],
    dtype: str,
    pool: float,
    overwrite: bool,
) -> None:
    """Write a smaller index of documents, of their token vectors and places.

    Args:
        target: where to.
        documents: in the order of their rows.
        columns, meta: what both indexes have in common.
        dtype, pool, overwrite: see `ColBERTIndex.compressed`, which also says what is raised.
    """
    check_dtype(dtype)
    check_pool(pool)
    with new_folder(target.folder, overwrite, COLBERT) as folder:
        for name in ("vectors", "steps", "places", _LENGTHS):
            (folder / f"{name}.bin").touch()
        while part := list(islice(documents, _DOCUMENTS)):
            for name, column in _pooled_columns(part, dtype, pool).items():
                with open(folder / f"{name}.bin", "ab") as out:
                    column.tofile(out)
        complete(folder, _offsets(_taken(folder, _LENGTHS, "<i8")), dict(columns), dict(meta), dtype)
    target.forget()


def _plain(dtype: str) -> str:
    """How vectors are stored until all are there: those of a few bits as int8."""
    return "int8" if dtype in BITS else dtype


def complete(
    folder: Path,
    offsets: npt.NDArray[np.int64],
    columns: dict[str, npt.NDArray[Any]],
    meta: dict[str, Any],
    dtype: str,
    verbose: bool = False,
) -> None:
    """Make an index of a folder with the columns `vectors`, `steps` and `places`, coding the vectors if need be."""
    arrays: dict[str, npt.NDArray[Any]] = {"offsets": offsets, **columns}
    written = {"vectors": _plain(dtype), "steps": "float16", "places": "uint16"}
    if dtype in BITS and offsets[-1]:
        quantiser = _code(folder, meta["dimension"], dtype, verbose)
        codes = np.fromfile(folder / "codes.bin", dtype="<u2")
        arrays |= _stored(quantiser) | document_lists(codes, offsets, len(quantiser.centroids))
        written = {"codes": "uint16", "residuals": "uint8", "places": "uint16"}
    _arrays.write(folder, arrays, meta | {"dtype": dtype}, grown=written)


def _code(folder: Path, dimension: int, dtype: str, verbose: bool) -> Quantiser:
    """Replace the vectors by centroids' numbers and residuals; returns what they are coded by."""
    steps = np.memmap(folder / "steps.bin", dtype="<f2", mode="r")
    values = np.memmap(folder / "vectors.bin", dtype=np.int8, mode="r", shape=(len(steps), dimension))
    centroids = centroids_for(len(steps))
    random = np.random.default_rng(0)
    chosen = np.sort(random.choice(len(steps), min(len(steps), sample_size(centroids)), replace=False))
    quantiser = fit(_unit(decode(values[chosen], steps[chosen])), BITS[dtype], centroids)
    with open(folder / "codes.bin", "wb") as codes, open(folder / "residuals.bin", "wb") as residuals:
        for start in shown(range(0, len(steps), _TOKENS), verbose, desc="coding"):
            part = slice(start, start + _TOKENS)
            code, packed = quantiser.encode(_unit(decode(values[part], steps[part])))
            code.astype("<u2").tofile(codes)
            packed.tofile(residuals)
    del values, steps
    for name in ("vectors", "steps"):
        (folder / f"{name}.bin").unlink()
    return quantiser


def _stored(quantiser: Quantiser) -> dict[str, npt.NDArray[Any]]:
    return {
        "centroids": quantiser.centroids.astype("<f2").ravel(),
        "scale": quantiser.scale,
        "cutoffs": quantiser.cutoffs,
        "levels": quantiser.levels,
    }


def document_lists(
    codes: npt.NDArray[np.uint16], offsets: npt.NDArray[np.int64], centroids: int
) -> dict[str, npt.NDArray[Any]]:
    """The rows of the documents that have a token of each centroid."""
    documents = len(offsets) - 1
    row = np.repeat(np.arange(documents), np.diff(offsets))
    pairs = np.unique(codes.astype(np.int64) * documents + row)
    begins = np.searchsorted(pairs, np.arange(centroids + 1) * documents)
    return {"list_rows": (pairs % documents).astype("<u4"), "list_offsets": begins.astype("<i8")}


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
