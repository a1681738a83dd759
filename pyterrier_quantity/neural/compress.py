"""Smaller indexes of token vectors: pooled, and of 2 or 4 bits a number, with lists of each centroid's documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity._progress import shown
from pyterrier_quantity.neural import codec
from pyterrier_quantity.neural.pooling import check_pool, pooled
from pyterrier_quantity.neural.residual import BITS, Quantiser, centroids_for, fit, sample_size
from pyterrier_quantity.neural.stored_terms import COLUMNS

if TYPE_CHECKING:
    from pyterrier_quantity.neural.colbert_index import ColBERTIndex

_KEPT: Final = ("documents", "model", "dimension", "probe", "quantities", "terms")
"""What the metadata say of both indexes."""
_TOKENS: Final = 1 << 16
"""Token vectors that are coded at a time."""
_DOCUMENTS: Final = 1024
"""Documents that are pooled at a time."""


def compress(
    source: ColBERTIndex, target: ColBERTIndex, dtype: str, pool: float, overwrite: bool, verbose: bool = False
) -> ColBERTIndex:
    """Write a smaller index of the documents of another, without encoding them again.

    Args:
        source: an index of int8 or float16.
        target: where to.
        dtype: of the vectors, see `ColBERTIndexer`.
        pool: how many tokens of a document share a vector, on average.
        overwrite: replace an index at this path.
        verbose: show progress.

    Raises:
        FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
        ValueError: on an unknown dtype, a pool below 1, and a source that is compressed already.
    """
    codec.check(dtype)
    check_pool(pool)
    if source.quantiser:
        raise ValueError(f"{source.path} is compressed already; compress the index that it was made of")
    kept = {name: value for name, value in source.meta.items() if name in _KEPT}
    columns = {name: np.asarray(values) for name, values in source._arrays.items()
               if name.startswith("docno_") or name in COLUMNS}  # fmt: skip
    with _arrays.new_folder(target.folder, overwrite, source.KIND) as folder:
        lengths: list[int] = []
        with open(folder / "vectors.bin", "wb") as vectors, open(folder / "steps.bin", "wb") as steps, open(
            folder / "places.bin", "wb") as places:  # fmt: skip
            for part in shown(list(_parts(len(source))), verbose, desc="pooling"):
                documents = [pooled(*_document(source, row), pool) for row in part]
                lengths += [len(tokens) for tokens, _ in documents]
                values, step = codec.encode(np.concatenate([v for v, _ in documents]), plain(dtype))
                values.tofile(vectors)
                step.tofile(steps)
                np.concatenate([begins for _, begins in documents]).tofile(places)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        complete(folder, offsets, columns, kept, dtype, verbose)
    target.forget()
    return target


def plain(dtype: str) -> str:
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
    from pyterrier_quantity.neural.index_kinds import COLBERT

    arrays: dict[str, npt.NDArray[Any]] = {"offsets": offsets, **columns}
    written = {"vectors": plain(dtype), "steps": "float16", "places": "uint16"}
    if dtype in BITS and offsets[-1]:
        quantiser = _code(folder, meta["dimension"], dtype, verbose)
        codes = np.fromfile(folder / "codes.bin", dtype="<u2")
        arrays |= _stored(quantiser) | document_lists(codes, offsets, len(quantiser.centroids))
        written = {"codes": "uint16", "residuals": "uint8", "places": "uint16"}
    _arrays.write(folder, arrays, meta | {"dtype": dtype}, COLBERT, written=written)


def _code(folder: Path, dimension: int, dtype: str, verbose: bool) -> Quantiser:
    """Replace the vectors by centroids' numbers and residuals; returns what they are coded by."""
    steps = np.memmap(folder / "steps.bin", dtype="<f2", mode="r")
    values = np.memmap(folder / "vectors.bin", dtype=np.int8, mode="r", shape=(len(steps), dimension))
    centroids = centroids_for(len(steps))
    random = np.random.default_rng(0)
    chosen = np.sort(random.choice(len(steps), min(len(steps), sample_size(centroids)), replace=False))
    quantiser = fit(_unit(codec.decode(values[chosen], steps[chosen])), BITS[dtype], centroids)
    with open(folder / "codes.bin", "wb") as codes, open(folder / "residuals.bin", "wb") as residuals:
        for start in shown(range(0, len(steps), _TOKENS), verbose, desc="coding"):
            part = slice(start, start + _TOKENS)
            code, packed = quantiser.encode(_unit(codec.decode(values[part], steps[part])))
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


def _parts(documents: int) -> Iterator[range]:
    return (range(start, min(start + _DOCUMENTS, documents)) for start in range(0, documents, _DOCUMENTS))


def _document(index: ColBERTIndex, row: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint16]]:
    """A document's token vectors and places."""
    where = np.arange(index.offsets[row], index.offsets[row + 1])
    return index.tokens(where), index.places(where)
