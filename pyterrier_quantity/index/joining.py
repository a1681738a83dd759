"""Small segments that lie beside each other, read as one.

Every segment costs each query a little. What several small ones hold is therefore merged in memory when an index is
opened, without the documents deleted from them, and searched as if it had been indexed at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity._folder import IndexFormatError
from pyterrier_quantity._ragged import ragged_ranges
from pyterrier_quantity.index.segments import DELETED, Segment, Segments
from pyterrier_quantity.index.spool import Spool
from pyterrier_quantity.index.unit_names import ARRAYS as UNIT_ARRAYS
from pyterrier_quantity.index.value_order import value_order

Ints = npt.NDArray[np.int64]

SMALL: Final = 1 << 20
"""Quantities that are merged in memory: 70 MB and less than a second."""
_CHUNK: Final = 100_000
"""Documents that are copied at a time."""


def joined(parts: Sequence[_arrays.Part]) -> Sequence[_arrays.Part]:
    """The parts of an index, small neighbours as one, see `segments.Segments`."""
    if len(parts) == 1:
        return parts
    opened = Segments(parts)
    number = {name: at for at, name in enumerate(opened.vocabulary.names)}
    found: list[_arrays.Part] = []
    deleted: list[Ints] = []
    start = 0
    for first, end in small_runs([int(segment.part.meta["quantities"]) for segment in opened.segments]):
        gone = opened.deleted_of(first)
        if end - first > 1 or (len(gone) and int(opened.segments[first].part.meta["quantities"]) <= SMALL):
            found.append(_in_memory(opened, first, end, number))
        else:
            found.append(opened.segments[first].part)
            deleted.append(gone + start)
        start += int(found[-1].meta["documents"])
    rows = np.concatenate([np.empty(0, dtype=np.int64), *deleted])
    return found if len(found) == 1 and not len(rows) else [*found, _overview(opened, found, rows, number)]


def small_runs(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first of each run of neighbours that are small together, and the first behind it; large ones are alone."""
    first, total = 0, 0
    for number, size in enumerate(sizes):
        if number > first and total + size > SMALL:
            yield first, number
            first, total = number, 0
        total += size
    yield first, len(sizes)


def _in_memory(opened: Segments, first: int, end: int, number: Mapping[str, int]) -> _arrays.Part:
    """One segment of several, whose units are those of the index."""
    with Spool(None, opened.columns.has_terms) as spool:
        for segment in range(first, end):
            copy_live(opened, segment, spool)
        columns, names = spool.build()
        folder = opened.whole.folder.parent
        columns = replace(columns, unit=_numbers(names, number, folder).astype(np.uint32)[columns.unit])
        arrays = columns.arrays() | stored_lookup(spool, folder) | dict(value_order(columns, len(number)))
    arrays |= {name: opened.whole.columns[name] for name in UNIT_ARRAYS}
    meta = {"documents": columns.documents, "quantities": columns.quantities, "units": len(number)}
    return _arrays.Part(folder, meta, arrays)


def _numbers(names: Iterable[str], number: Mapping[str, int], folder: Path) -> Ints:
    """The number of each unit in the index at `folder`, whose overview must name all that its segments name."""
    try:
        return np.array([number[name] for name in names], dtype=np.int64)
    except KeyError as error:
        raise IndexFormatError(f"{folder} is damaged: its overview does not name the unit {error}; "
                               "build the index again") from error  # fmt: skip


def stored_lookup(spool: Spool, folder: Path) -> dict[str, npt.NDArray[Any]]:
    """The docnos' arrays of documents that the index at `folder` holds already, so that no two can be the same."""
    try:
        return spool.lookup()
    except ValueError as error:
        raise IndexFormatError(f"{folder} is damaged: two of its docnos have the same hash; "
                               "build the index again") from error  # fmt: skip


def _overview(
    opened: Segments, parts: Sequence[_arrays.Part], deleted: Ints, number: Mapping[str, int]
) -> _arrays.Part:
    """The overview of an index, for other segments of the same documents."""
    names = (name for part in parts for name in Segment(part).names)
    renamed = _numbers(names, number, opened.whole.folder.parent)
    arrays = {**opened.whole.columns, DELETED: deleted, "renamed": renamed}
    return _arrays.Part(opened.whole.folder, opened.whole.meta, arrays)


def copy_live(opened: Segments, number: int, spool: Spool) -> None:
    """Add what a segment holds, without its deleted documents."""
    segment, deleted = opened.segments[number], opened.deleted_of(number)
    hashes, size = segment.docnos.hashes(), len(segment)
    for begin, end in pairwise([*range(0, size, _CHUNK), size]):
        rows = np.setdiff1d(np.arange(begin, end), deleted, assume_unique=True)
        _copy(segment, rows, hashes[rows], spool)


def _copy(segment: Segment, rows: Ints, hashes: npt.NDArray[np.uint64], spool: Spool) -> None:
    columns, names = segment.columns, segment.names
    first, count = columns.doc_offsets.extent(rows)
    quantity = ragged_ranges(first, count)
    low, high = columns.ends(quantity)
    spool.add_documents(*segment.docnos.copied(rows), hashes, count)
    plain: dict[str, Any] = {
        name: getattr(columns, name)[quantity] for name in ("bound", "confidence", "start", "length")
    }
    present, unit = np.unique(columns.unit[quantity], return_inverse=True)
    spool.add_quantities(low, high, [names[number] for number in present.tolist()], unit, plain)
    if columns.has_terms:
        first, count = columns.term_offsets.extent(rows)
        spool.add_terms(columns.position[quantity], columns.terms[ragged_ranges(first, count)], count)
