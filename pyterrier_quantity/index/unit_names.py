"""Look up the unit names of an index, by row number, by prefix or by word ("room" -> "room", "room per floor").

Lookups do not scan all names, because a large corpus contains hundreds of thousands of different counted nouns.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final, overload
from zlib import crc32

import numpy as np

from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.flat_arrays import Array, Ints, ragged_ranges, starts_of

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(e\d+)?")


def words_of(name: str) -> list[int]:
    """Return the hashes of the distinct words in a unit name. All numbers share one hash."""
    return list(dict.fromkeys(map(_hash, _WORD.findall(name))))


@lru_cache(maxsize=8)
def hashes_of(words: frozenset[str]) -> frozenset[int]:
    return frozenset(map(_hash, words))


@lru_cache(maxsize=1 << 16)
def _hash(word: str) -> int:
    return 0 if _NUMBER.fullmatch(word) else crc32(word.encode("utf-8", "surrogatepass")) or 1


def name_arrays(names: Sequence[str]) -> dict[str, Array]:
    """Convert unit names in alphabetical order to a dictionary of arrays. One has the joined bytes of all names,
    another the start of each name. Three have an entry for each word of each name, sorted by stem hash: the hash of the
    word's stem, the hash of the word, and the row number of the name."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    words = ((row, {_hash(word): word for word in _WORD.findall(name)}) for row, name in enumerate(names))
    found = sorted((term_hash(word), code, row) for row, own in words for code, word in own.items())
    term, code, row = zip(*found, strict=True) if found else ((), (), ())
    return {
        "unit_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "unit_begin": starts_of([len(raw) for raw in encoded]).astype(np.uint32),
        "word_term": np.array(term, dtype=np.uint16),
        "word_hash": np.array(code, dtype=np.uint32),
        "word_row": np.array(row, dtype=np.uint32),
    }


class UnitNames(Sequence[str]):
    """A sequence of unit names, stored in arrays, which may be memory-mapped.

    Args:
        arrays: the result of `name_arrays`.
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._bytes, self._begin = arrays["unit_bytes"], arrays["unit_begin"]
        self._term, self._hash, self._row = arrays["word_term"], arrays["word_hash"], arrays["word_row"]

    @classmethod
    def of(cls, names: Iterable[str]) -> "UnitNames":
        """Return `UnitNames` for a sequence of names in alphabetical order."""
        return cls(name_arrays(list(names)))

    def __len__(self) -> int:
        return len(self._begin) - 1

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

    def find(self, name: str) -> int:
        """Return the row number of a name, or -1 for an unknown name."""
        row = self._first_from(raw := name.encode("utf-8", "surrogatepass"))
        return row if row < len(self) and self._raw(row) == raw else -1

    def beginning_with(self, prefix: str) -> tuple[int, int]:
        """Return the range (first, end) of the row numbers of names that begin with `prefix`."""
        raw = prefix.encode("utf-8", "surrogatepass")
        return self._first_from(raw), self._first_from(raw + b"\xff")

    def _first_from(self, raw: bytes) -> int:
        return bisect_left(range(len(self)), raw, key=self._raw)

    def with_term(self, code: int) -> Ints:
        """Return the ascending row numbers of the names with a word whose stem has the hash `code`."""
        first, end = (self._term.searchsorted(np.uint16(code), side) for side in ("left", "right"))
        return np.unique(self._row[first:end].astype(np.int64))

    @cached_property
    def terms(self) -> frozenset[int]:
        """The hashes of the stems of all words in the unit names."""
        return frozenset(np.unique(self._term).tolist())

    @cached_property
    def words(self) -> Ints:
        """The number of distinct words in each unit name."""
        return np.bincount(self._row, minlength=len(self))

    def held(self, words: Collection[int]) -> Ints:
        """Return how many of the given words (hashes, see `words_of`) each unit name contains."""
        asked = np.fromiter(words, dtype=np.uint32, count=len(words))
        return np.bincount(self._row[np.isin(self._hash, asked)], minlength=len(self))

    @cached_property
    def _by_hash(self) -> tuple[Ints, Array]:
        order = np.argsort(self._hash, kind="stable")
        return order, self._hash[order]

    def with_any(self, words: Collection[int]) -> Ints:
        """Return the ascending row numbers of unit names with any of the words (given as hashes, see `words_of`)."""
        order, hashes = self._by_hash
        asked = np.fromiter(words, dtype=np.uint32, count=len(words))
        first, end = (hashes.searchsorted(asked, side) for side in ("left", "right"))
        return np.unique(self._row[order[ragged_ranges(first, end - first)]].astype(np.int64))

    def with_words(self, words: Collection[int]) -> Ints:
        """Return the ascending row numbers of unit names with all of the words (given as hashes, see `words_of`)."""
        return np.flatnonzero(self.held(words) == len(set(words)))
