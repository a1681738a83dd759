"""Which docnos have come already, in 16 to 32 bytes each, however long they are."""

from __future__ import annotations

from typing import Final

import numpy as np
import xxhash

_LEAST: Final = 1 << 12


class Seen:
    """A set of strings by their 64-bit hashes: half-empty places in one array, found by the hash's last bits."""

    def __init__(self) -> None:
        self._places = np.zeros(_LEAST, dtype=np.uint64)
        self._open()

    def _open(self) -> None:
        self._table, self._mask = memoryview(self._places.data), len(self._places) - 1
        self._room = len(self._places) // 2 - int(np.count_nonzero(self._places))

    def add(self, text: str) -> bool:
        """Add a string; False if it was there."""
        code = xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) or 1
        place = code & self._mask
        while held := self._table[place]:
            if held == code:
                return False
            place = (place + 1) & self._mask
        self._table[place] = code
        self._room -= 1
        if not self._room:
            self._grow()
        return True

    def _grow(self) -> None:
        codes = self._places[self._places > 0]
        self._places = np.zeros(2 * len(self._places), dtype=np.uint64)
        mask = np.uint64(len(self._places) - 1)
        place = codes & mask
        while len(codes):
            free = self._places[place] == 0
            self._places[place[free]] = codes[free]
            left = self._places[place] != codes  # another one was there, or came at once
            codes, place = codes[left], (place[left] + np.uint64(1)) & mask
        self._open()
