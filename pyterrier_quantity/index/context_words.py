"""The words around a quantity, as an index stores them: 16-bit hashes of stems, in text order.

A clause boundary is a run of zeros, so that the distance between two positions already includes what the
boundaries between them cost. Two bytes a word keep the evidence for "which of the sentence's quantities is the
query's" beside the values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from pyterrier_quantity.constants import BOUNDARY, CONCEPT_APART, NEGATED
from pyterrier_quantity.english import listed
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

_TOKEN: Final = re.compile(r"\w+|(?<!\d)[,:]|,(?!\d)|[;?!()|–—]|(?:(?<=\w\w\w)|(?<=[\d%)]))\.(?=\s+\W?[^\W\da-z_])")

_NUMBER: Final = re.compile(r"\s?[\d$€£~<>≤≥±+-]")
_NEGATORS: Final = listed("words that negate what follows")
_WITHIN: Final = listed("words within a negation")


class Negation:
    """Follows the words of a text, and says of each term whether it is negated."""

    def __init__(self) -> None:
        self._left = 0

    def code(self, word: str) -> int:
        """The word's term hash, another one where it is negated ("no heart disease"); 0 for what is no term."""
        low = word.lower()
        if low in _NEGATORS:
            self._left = NEGATED
            return 0
        code = term_hash(word)
        if not self._left:
            return code
        if code:
            self._left -= 1
            return (code ^ 0x5555) or 1
        if low not in _WITHIN:
            self._left = 0
        return 0


@lru_cache(maxsize=1 << 16)
def is_count(unit: str) -> bool:
    """Whether a unit is a counted noun, per whatever: what nothing else converts to; dates are counted by none."""
    if unit == DATE_UNIT:
        return False
    registry = default_registry()
    noun = registry.parts(unit)[0] if unit != BARE else unit
    return registry.family(noun) in (noun, None)


def terms_around(text: str | None, quantities: Sequence[Quantity]) -> tuple[list[int], list[int]]:
    """The term hashes of a document, and the position among them of each of its quantities: of those with a place in
    the text from the text, of those without one, which come first, from their concepts."""
    placed = sum(1 for quantity in quantities if quantity.end) if text else 0
    terms, positions = concept_terms(quantities[: len(quantities) - placed])
    if placed:
        around, places = context_terms(text or "", quantities[len(quantities) - placed :])
        positions += [len(terms) + place for place in places]
        terms += around
    return terms, positions


def context_terms(text: str, quantities: Sequence[Quantity]) -> tuple[list[int], list[int]]:
    """The text's term hashes, and the position among them at which each quantity stands.

    The words of a unit of measurement are left out: they say nothing of what is measured, and values that follow
    each other ("rose to 11 pct from 10.5 pct") stay equally near to what they share. Counted nouns do say it.
    """
    measured = 0
    terms: list[int] = []
    positions: list[int] = []
    starts = [q.start for q in quantities]
    following = 0
    negation = Negation()
    for token in _TOKEN.finditer(text):
        while following < len(starts) and starts[following] < token.end():
            positions.append(len(terms))
            measured = max(measured, 0 if is_count(quantities[following].unit) else quantities[following].end)
            following += 1
        if token.start() < measured:
            continue
        word = token[0]
        code = negation.code(word)
        pad = BOUNDARY.get(word)
        if pad and _parts(text, token, quantities[following - 1].end if following else -1):
            terms.extend([0] * pad)
        elif code:
            terms.append(code)
    positions.extend([len(terms)] * (len(starts) - len(positions)))
    while terms and not terms[-1] and len(terms) > max(positions, default=0):
        terms.pop()
    return terms, positions


def _parts(text: str, mark: re.Match[str], ended: int) -> bool:
    """Whether a mark or word is a boundary here: a colon is none between a label and its number, "and" is one only
    between a quantity, which ended there, and words of something else: "a rating of 3.6 and a score of 47"."""
    if mark[0] == ":":
        return _NUMBER.match(text, mark.end()) is None
    return mark[0] != "and" or (mark.start() - ended <= 1 and _NUMBER.match(text, mark.end()) is None)


def concept_terms(quantities: Sequence[Quantity]) -> tuple[list[int], list[int]]:
    """The same for quantities that come without a text: each stands behind the words of its concept."""
    terms: list[int] = []
    positions: list[int] = []
    for quantity in quantities:
        terms.extend(filter(None, map(term_hash, quantity.concept)))
        positions.append(len(terms))
        terms.extend([0] * CONCEPT_APART)
    return terms, positions


def query_terms(query: str, without: Collection[int] = ()) -> list[int]:
    """Term hashes of a query, each once, in order, without stop words, numbers and the hashes `without`."""
    negation = Negation()
    hashes = (negation.code(token[0]) for token in _TOKEN.finditer(query))
    return list(dict.fromkeys(code for code in hashes if code and code not in without))


def counted_noun(unit: str) -> str:
    """The noun that a unit counts; none of a unit of measurement."""
    return unit.split(" per ")[0] if unit != BARE and is_count(unit) else ""


@lru_cache(maxsize=10_000)
def noun_terms(unit: str) -> tuple[int, ...]:
    """The term hashes of the noun that a unit counts."""
    return tuple(query_terms(counted_noun(unit)))
