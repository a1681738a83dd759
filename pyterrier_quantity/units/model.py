"""Data classes for units, and errors about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar


class UnknownUnitError(ValueError):
    """A name that cannot be a unit. The message lists known units with similar names."""


class UnitFileError(ValueError):
    """A malformed unit file; the message names the file, the line, and the remedy."""


Value = TypeVar("Value")
_MOST_REMEMBERED: Final = 100_000
_LONGEST_REMEMBERED: Final = 100


class UnitMatch(NamedTuple):
    """A unit found in a text.

    Attributes:
        unit: canonical name, also of a compound ("dollar per barrel", "milligram per square metre").
        start, end: character span of the unit's words, without the blanks around them.
        confidence: 1.0 if the words have no other meaning, lower if the context decided.
        scale: the factor of a spelling that includes one ("bcf": 1e9 cubic foot); the value must be multiplied by it.
        others: (unit, scale) of other meanings that fit the letters and the context equally well.
    """

    unit: str
    start: int
    end: int
    confidence: float = 1.0
    scale: float = 1.0
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class UnitDef:
    """A simple unit: its family (dimension), and its conversion to the family's reference (value * factor + offset)."""

    name: str
    family: str
    factor: float = 1.0
    offset: float = 0.0


class Remembered(dict[str, Value]):
    """A dictionary that computes missing values with a function of the key. It keeps a bounded number of short keys."""

    def __init__(self, make: Callable[[str], Value]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> Value:
        made = self._make(text)
        if len(self) < _MOST_REMEMBERED and len(text) <= _LONGEST_REMEMBERED:
            self[text] = made
        return made


class Surface(NamedTuple):
    """A meaning of a spelling: unit, scale, confidence, key of its context rule (or ""), and whether it is a symbol.

    listed: whether the unit files list the spelling in this case of letters, as opposed to a variant that people type.
    rare: whether people seldom mean it, because another unit has the same letters ("mHz").
    others: meanings of the same letters in another case; lower-case input may have any of them.
    """

    unit: str
    scale: float = 1.0
    confidence: float = 1.0
    rule: str = ""
    symbol: bool = False
    listed: bool = True
    rare: bool = False
    others: tuple[Surface, ...] = ()
