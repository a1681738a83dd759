"""Convert the words around quantities to the form that an index stores: 16-bit hashes of stems, in text order.

A clause boundary is stored as several zeros, which increase the distance between a quantity and the words after it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pyterrier_quantity.constants import BOUNDARY, CONCEPT_APART, NEGATED, TURNING
from pyterrier_quantity.english import set_of
from pyterrier_quantity.english.stems import MODIFIER, term_hash
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.flat_arrays import Array, Ints, starts_of
from pyterrier_quantity.index.modifiers import Modifiers
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

_TOKEN: Final = re.compile(r"\w+|(?<!\d)[,:]|,(?!\d)|[;?!()|–—]|(?:(?<=\w\w\w)|(?<=[\d%)]))\.(?=\s+\W?[^\W\da-z_])")

_NUMBER: Final = re.compile(r"\s?[\d$€£~<>≤≥±+-]")
_NEGATORS: Final = set_of("""
    not no never without neither nor cannot lacks lacking denies denied doesn don didn isn aren wasn weren hasn
    haven hadn
    """)
_WITHIN: Final = set_of("have has had having be been being a an any the of t yet currently")
_STAYING: Final = frozenset(("of", "in", "for", "on", "or", "a", "an", "the"))


class Negation:
    """Compute the hashes of a text's words, one after another. A negated word ("no disease") has a hash of its own."""

    def __init__(self) -> None:
        self._left = 0

    def code(self, word: str) -> int:
        """Return the hash of the stem of the next word, or 0 for stop words, numbers, negators and punctuation."""
        low = word.lower()
        if low in _NEGATORS:
            self._left = NEGATED
            return 0
        code = term_hash(word)
        if not self._left:
            return code
        if code:
            self._left -= 1
            return max(code ^ 0x5555, MODIFIER + 1)
        if low not in _WITHIN:
            self._left = 0
        return 0


@lru_cache(maxsize=1 << 16)
def is_count(unit: str) -> bool:
    """Return whether a unit is a counted noun, possibly per another unit ("room per floor"). Dates are not counts."""
    if unit == DATE_UNIT:
        return False
    registry = default_registry()
    noun = registry.parts(unit)[0] if unit != BARE else unit
    return registry.family(noun) in (noun, None)


def terms_around(text: str | None, quantities: Sequence[Quantity]) -> tuple[list[int], list[int]]:
    """Return the hashes of a document's words, and the position of each quantity among these words. Quantities without
    a span in the text come first. The words of their concepts are put before the words of the text."""
    placed = sum(1 for quantity in quantities if quantity.end) if text else 0
    terms, positions = concept_terms(quantities[: len(quantities) - placed])
    if placed:
        around, places = context_terms(text or "", quantities[len(quantities) - placed :])
        positions += [len(terms) + place for place in places]
        terms += around
    return terms, positions


def context_terms(text: str, quantities: Sequence[Quantity]) -> tuple[list[int], list[int]]:
    """Return the hashes of a text's words, and the position of each quantity among these hashes.

    Words of units of measurement are left out. Otherwise, 10.5 would be farther from "sales" in "sales rose to 11 pct
    from 10.5 pct". Counted nouns are kept.
    """
    measured = 0
    terms: list[int] = []
    positions: list[int] = []
    starts = [q.start for q in quantities]
    following = 0
    negation, modifiers = Negation(), Modifiers()
    for token in _TOKEN.finditer(text):
        while following < len(starts) and starts[following] < token.end():
            positions.append(len(terms))
            measured = max(measured, 0 if is_count(quantities[following].unit) else quantities[following].end)
            following += 1
        if token.start() < measured:
            continue
        word = token[0]
        code = negation.code(word)
        marks = modifiers.marks(text, token, code > 0)
        pad = BOUNDARY.get(word) or (not code and TURNING * _begins_phrase(word, token.start(), following, quantities))
        if pad and _is_boundary(text, token):
            terms.extend([0] * pad)
        elif code:
            terms += [MODIFIER] * marks + [code]
    positions.extend([len(terms)] * (len(starts) - len(positions)))
    while terms and not terms[-1] and len(terms) > max(positions, default=0):
        terms.pop()
    return terms, positions


def without_marks(terms: Array, *positions: Ints) -> tuple[Array, ...]:
    """Remove the codes that mark modifiers from an array of word hashes (`terms`). Return the shorter array, and the
    arrays in `positions`, converted from indexes of `terms` to indexes of the shorter array."""
    is_word = terms != MODIFIER
    return terms[is_word], *(starts_of(is_word)[place] for place in positions)


def _begins_phrase(word: str, start: int, following: int, quantities: Sequence[Quantity]) -> bool:
    """Return whether `word` begins another phrase directly after a quantity: true for "with" in "a rating of 3.6 with
    90 votes". `start` is the offset of the word, and `following` is the index of the first quantity after the word."""
    after = following > 0 and start - quantities[following - 1].end <= 1
    return after and word[0].isalpha() and word.lower() not in _STAYING


def _is_boundary(text: str, mark: re.Match[str]) -> bool:
    """Return whether a punctuation mark or word ends a clause: False for the colon in "weight: 3 kg"."""
    return not (mark[0] == ":" or mark[0].isalpha()) or _NUMBER.match(text, mark.end()) is None


def concept_terms(quantities: Sequence[Quantity]) -> tuple[list[int], list[int]]:
    """Return the hashes of the words in the quantities' concepts, separated by zeros, and each concept's end index."""
    terms: list[int] = []
    positions: list[int] = []
    for quantity in quantities:
        terms.extend(filter(None, map(term_hash, quantity.concept)))
        positions.append(len(terms))
        terms.extend([0] * CONCEPT_APART)
    return terms, positions


@lru_cache(maxsize=1 << 16)
def query_terms(query: str, without: frozenset[int] = frozenset()) -> tuple[int, ...]:
    """Return the distinct term hashes of a query. Stop words, numbers and the hashes in `without` are left out."""
    negation = Negation()
    hashes = (negation.code(token[0]) for token in _TOKEN.finditer(query))
    return tuple(dict.fromkeys(code for code in hashes if code and code not in without))


@lru_cache(maxsize=10_000)
def modifying_terms(query: str) -> frozenset[int]:
    """Return the term hashes of a query's words that only modify another word: "dog food" -> the hash of "dog"."""
    return frozenset(code for before, code in pairwise(context_terms(query, ())[0]) if before == MODIFIER != code)


def counted_noun(unit: str) -> str:
    """Return the noun that a unit counts, or "" for a unit of measurement."""
    return unit.split(" per ")[0] if unit != BARE and is_count(unit) else ""


@lru_cache(maxsize=10_000)
def noun_terms(unit: str) -> tuple[int, ...]:
    return query_terms(counted_noun(unit))
