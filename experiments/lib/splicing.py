"""Large indexes of token vectors without encoding a large corpus: further documents are spliced of halves of others."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity._index_folder import new_folder
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural import ColBERTIndex
from pyterrier_quantity.neural.colbert_indexer import document_lists

Ints = npt.NDArray[np.int64]

_DOCUMENTS: Final = 1 << 14
"""That are written at a time."""
_META: Final = ("model", "dimension", "probe", "dtype", "quantities")
_CODED: Final = {"codes": "uint16", "residuals": "uint8", "places": "uint16"}


def spliced(source: ColBERTIndex, path: Path, documents: int, seed: int = 0) -> ColBERTIndex:
    """An index of a source's documents and of further ones, each the first half of one and the second half of another.

    Args:
        source: of 2 or 4 bits a number.
        path: where to; an index that is there is taken as it is.
        documents: how many the index is to have.
        seed: of which halves are spliced.
    """
    target = ColBERTIndex(path)
    if target.built():
        return target
    offsets, known = source.offsets, len(source)
    chance = np.random.default_rng(seed)
    first, second = chance.integers(known, size=(2, max(0, documents - known)))
    middle = (offsets[:-1] + offsets[1:]) // 2
    begins = np.stack([offsets[first], middle[second]], axis=1)
    ends = np.stack([middle[first], offsets[second + 1]], axis=1)
    lengths = np.concatenate([np.diff(offsets), (ends - begins).sum(axis=1)])
    with new_folder(target.folder, True, source.KIND) as folder:
        for name in _CODED:
            column = np.asarray(source._arrays[name]).reshape(int(offsets[-1]), -1)
            with open(folder / f"{name}.bin", "wb") as file:
                column.tofile(file)
                for start in range(0, len(begins), _DOCUMENTS):
                    part = slice(start, start + _DOCUMENTS)
                    column[_positions(begins[part].ravel(), ends[part].ravel())].tofile(file)
        codes = np.fromfile(folder / "codes.bin", dtype="<u2")
        whole = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        docnos = [*source.docnos.docnos(np.arange(known)), *(f"spliced{number}" for number in range(len(begins)))]
        fitted = {name: np.asarray(source._arrays[name]) for name in ("centroids", "scale", "cutoffs", "levels")}
        arrays = {"offsets": whole, **build_lookup(docnos), **fitted}
        assert source.quantiser
        arrays |= document_lists(codes, whole, len(source.quantiser.centroids))
        meta = {name: value for name, value in source.meta.items() if name in _META}
        _arrays.write(folder, arrays, meta | {"documents": len(docnos)}, grown=_CODED)
    target.forget()
    return target


def _positions(begins: Ints, ends: Ints) -> Ints:
    """All numbers of these ranges, one after the other."""
    count = ends - begins
    return np.repeat(begins - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
