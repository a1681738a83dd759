"""The unit names of an index: in alphabetical order, with the rows of every word that occurs in them.

A huge corpus counts hundreds of thousands of different things. What a constraint's unit can meet is found by the words
that it shares with them; no query looks at all names, and none is decoded before it is needed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, overload
from zlib import crc32

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._ragged import ragged_ranges, starts_of
from pyterrier_quantity.english.stems import term_hash

Ints = npt.NDArray[np.int64]

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(e\d+)?")

ARRAYS: Final = ("unit_bytes", "unit_begin", "unit_words", "word_hash", "word_term", "word_begin", "word_rows")
"""The names, one behind the other, and where each begins; how many words each has; and for each distinct word, by its
hash: its term, where the rows begin that hold it, and those rows."""


def in_order(unit: npt.NDArray[np.integer[Any]], names: Sequence[str]) -> tuple[npt.NDArray[np.uint32], list[str]]:
    """Names in alphabetical order, and a column that points to them.

    Args:
        unit: positions in `names`.
        names: in any order.
    """
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), dtype=np.uint32)
    rank[order] = np.arange(len(names), dtype=np.uint32)
    return rank[unit] if len(unit) else unit.astype(np.uint32), [names[place] for place in order]


def words_of(name: str) -> list[int]:
    """A hash of each distinct word of a unit's name; all numbers count as one word."""
    return list(dict.fromkeys(map(_hash, _WORD.findall(name))))


@lru_cache(maxsize=8)
def hashes_of(words: frozenset[str]) -> frozenset[int]:
    """A hash of each word."""
    return frozenset(map(_hash, words))


@lru_cache(maxsize=1 << 16)
def _hash(word: str) -> int:
    return 0 if _NUMBER.fullmatch(word) else crc32(word.encode("utf-8", "surrogatepass")) or 1


def name_arrays(names: Sequence[str], known: Mapping[int, int] | None = None) -> dict[str, npt.NDArray[Any]]:
    """The `ARRAYS` of names in alphabetical order.

    Args:
        names: the names.
        known: terms of words that need not be stemmed again, by the words' hashes.
    """
    known = known or {}
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    rows: dict[int, list[int]] = defaultdict(list)
    terms: dict[int, int] = {}
    counts = []
    for row, name in enumerate(names):
        words = dict.fromkeys(_WORD.findall(name))
        codes = {_hash(word): word for word in words}
        counts.append(len(codes))
        for code, word in codes.items():
            rows[code].append(row)
            if code not in terms:
                terms[code] = known[code] if code in known else term_hash(word)
    hashes = sorted(rows)
    return {
        "unit_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "unit_begin": starts_of([len(raw) for raw in encoded]).astype(np.uint32),
        "unit_words": np.array(counts, dtype=np.uint32),
        "word_hash": np.array(hashes, dtype=np.uint32),
        "word_term": np.array([terms[code] for code in hashes], dtype=np.uint16),
        "word_begin": starts_of([len(rows[code]) for code in hashes]).astype(np.uint32),
        "word_rows": np.array([row for code in hashes for row in rows[code]], dtype=np.uint32),
    }


class UnitNames(Sequence[str]):
    """Unit names over their `ARRAYS`, which may be memory-mapped.

    Args:
        arrays: see `name_arrays`.

    Attributes:
        words: how many different words each name has.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._bytes, self._begin, self.words, *found = (arrays[name] for name in ARRAYS)
        self._hash, self._term, self._word_begin, self._rows = found

    @classmethod
    def of(cls, names: Iterable[str]) -> UnitNames:
        """Of names in alphabetical order."""
        return cls(name_arrays(list(names)))

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[place] for place in range(*row.indices(len(self)))]
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self._raw(row).decode("utf-8", "surrogatepass")

    def _raw(self, row: int) -> bytes:
        return bytes(self._bytes[int(self._begin[row]) : int(self._begin[row + 1])])

    @property
    def word_terms(self) -> dict[int, int]:
        """The term of each word, by its hash."""
        return dict(zip(self._hash.tolist(), self._term.tolist(), strict=True))

    def find(self, name: str) -> int:
        """The row of a name; -1 if it is none of them."""
        row = self._first_from(raw := name.encode("utf-8", "surrogatepass"))
        return row if row < len(self) and self._raw(row) == raw else -1

    def beginning_with(self, prefix: str) -> tuple[int, int]:
        """The first row of the names that begin so, and the row behind the last."""
        raw = prefix.encode("utf-8", "surrogatepass")
        return self._first_from(raw), self._first_from(raw + b"\xff")

    def _first_from(self, raw: bytes) -> int:
        return bisect_left(range(len(self)), raw, key=self._raw)

    def with_term(self, code: int) -> Ints:
        """The rows, ascending, of names with a word of this stem hash."""
        return np.unique(self._rows_of(np.flatnonzero(self._term == code)))

    @property
    def terms(self) -> npt.NDArray[np.bool_]:
        """For each of the 65,536 stem hashes, whether a name has such a word."""
        found = np.zeros(1 << 16, dtype=bool)
        found[self._term] = True
        return found

    def held(self, words: Iterable[int]) -> Ints:
        """How many of some words (see `words_of`) each name has."""
        asked = np.unique(np.fromiter(words, dtype=np.uint32))
        return np.bincount(self._rows_of(np.flatnonzero(np.isin(self._hash, asked))), minlength=len(self))

    def with_words(self, words: Collection[int]) -> Ints:
        """The rows, ascending, of names that have all of some words (see `words_of`), of at least one."""
        return np.flatnonzero(self.held(words) == len(set(words)))

    def _rows_of(self, places: Ints) -> Ints:
        """The rows of the names that hold the words at these places, word by word."""
        begin = self._word_begin.astype(np.int64)
        return self._rows[ragged_ranges(begin[places], begin[places + 1] - begin[places])].astype(np.int64)
