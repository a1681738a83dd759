"""Where each document's entries begin in a flat column, in a few bytes a document."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_BLOCK_BITS: Final = 5


class Offsets:
    """Ascending offsets: one full number per block of 32, and per document its distance from its block's.

    Args:
        base: the first offset of each block.
        step: what each offset is above its block's; one more than there are documents.
    """

    def __init__(self, base: npt.NDArray[Any], step: npt.NDArray[Any]) -> None:
        self.base, self.step = base, step

    @classmethod
    def of(cls, offsets: npt.NDArray[Any]) -> Offsets:
        """From the plain offsets: 0, and behind each document the number of entries so far."""
        base = offsets[:: 1 << _BLOCK_BITS].astype(np.uint64)
        steps = offsets - np.repeat(base, 1 << _BLOCK_BITS)[: len(offsets)]
        return cls(base, steps.astype(np.uint32))

    @classmethod
    def of_lengths(cls, lengths: npt.NDArray[np.integer[Any]]) -> Offsets:
        """From the number of entries of each document."""
        offsets = np.zeros(len(lengths) + 1, dtype=np.uint64)
        np.cumsum(lengths, out=offsets[1:])
        return cls.of(offsets)

    def __len__(self) -> int:
        """The number of documents."""
        return max(len(self.step) - 1, 0)

    def extent(self, documents: npt.NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
        """Where these documents' entries begin, and how many they are."""
        first = self._at(documents)
        return first, self._at(documents + 1) - first

    def _at(self, places: npt.NDArray[np.integer[Any]]) -> Ints:
        return self.base[places >> _BLOCK_BITS].astype(np.int64) + self.step[places].astype(np.int64)

    def owners(self) -> npt.NDArray[np.uint32]:
        """The document that each entry belongs to, of all entries."""
        documents = np.arange(len(self), dtype=np.uint32)
        return np.repeat(documents, self.extent(documents)[1])
