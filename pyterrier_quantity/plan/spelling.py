"""Units and bounds that are typed with a slip: "under 30 dolars", "2 kilogramms", "udner 300 euros"."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from pyterrier_quantity.english import in_order
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import default_registry

_SHORTEST: Final = 5
"""Letters: shorter nouns are one slip away from a unit by chance."""


@lru_cache(maxsize=10_000)
def meant_unit(unit: str) -> str | None:
    """The unit that something counted is a slip away from ("killogram"); None if none is, or if it is a word."""
    registry, noun = default_registry(), unit.split(" per ")[0]
    if len(noun) < _SHORTEST or unit == BARE or registry.family(noun) not in (noun, None):
        return None
    if _dictionary().known([noun, f"{noun}s", noun.removesuffix("s")]):
        return None
    near = (word for word in _dictionary().edit_distance_1(noun) if word[0] == noun[0] and word in _spellings())
    return _spellings().get(min(near, key=lambda word: (len(word) < _SHORTEST, word), default=""))


@lru_cache(maxsize=1)
def _spellings() -> dict[str, str]:
    """The words that mean a unit by themselves, also in the plural, and which one."""
    registry = default_registry()
    words = {word: name for name in registry.units() for word in (name, *registry.surfaces(name)) if word.isalpha()}
    return {f"{word}s": name for word, name in words.items()} | words


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    from spellchecker import SpellChecker

    return SpellChecker(language="en")


def respelled(text: str, words: str, at: int, unit: str) -> str:
    """A text with the unit of one quantity as it is spelled; the text itself if no slip stands in the words.

    Args:
        text: "rooms under 90 dolars per night".
        words: those of the quantity: "90 dolars per night".
        at: from where they stand in the text.
        unit: as it was read: "dolar per night".
    """
    noun, meant = unit.split(" per ")[0], meant_unit(unit)
    if meant is None or (begin := text.find(words, at)) < 0:
        return text
    spelled = re.sub(rf"(?<!\w){re.escape(noun)}s?(?!\w)", meant, words, count=1, flags=re.IGNORECASE)
    return text[:begin] + spelled + text[begin + len(words) :]


_BEFORE_NUMBER: Final = re.compile(r"\b[a-z]{4,9}(?= (?:than )?[$€£]?\d)", re.IGNORECASE)
_BOUNDS: Final = in_order("words of bounds that are typed with slips")
_NEAR: Final = 0.8
"""How alike, by difflib's ratio, a slip is at least to what is meant: five letters of which two are turned round."""


def with_bounds_spelled(text: str) -> str:
    """A text with the words of bounds before numbers as they are spelled: "udner 300 euros", "btween 5 and 8"."""
    return _BEFORE_NUMBER.sub(lambda found: _meant_bound(found.group()), text)


@lru_cache(maxsize=10_000)
def _meant_bound(word: str) -> str:
    near = [] if word.lower() in _BOUNDS else get_close_matches(word.lower(), _BOUNDS, 1, _NEAR)
    same = bool(near) and near[0][0] == word[0].lower()
    return near[0] if same and not _dictionary().known([word]) else word
