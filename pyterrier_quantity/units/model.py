"""Records for units, and errors about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar


class UnknownUnitError(ValueError):
    """A name cannot be a unit; the message lists known units with similar names."""


class UnitFileError(ValueError):
    """A malformed unit file; the message names the file, the line, and the remedy."""


Value = TypeVar("Value")
_MOST_REMEMBERED: Final = 100_000


class UnitMatch(NamedTuple):
    """A unit found in a text.

    Attributes:
        unit: canonical name, compounds included ("dollar per barrel", "milligram per square metre").
        start, end: character span of the unit's words, without the blanks around them.
        confidence: 1.0 if the words can mean nothing else, lower if the context decided.
        scale: factor of the surface form that the name lacks ("bcf": 1e9 cubic foot); multiply the value by it.
        others: (unit, scale) of further meanings that neither the words' case nor the context excludes.
    """

    unit: str
    start: int
    end: int
    confidence: float = 1.0
    scale: float = 1.0
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class UnitDef:
    """A simple unit: its family, and its conversion to the family's reference (value * factor + offset)."""

    name: str
    family: str
    factor: float = 1.0
    offset: float = 0.0


class Remembered(dict[str, Value]):
    """Results of a function of texts, cached for a bounded number of texts."""

    def __init__(self, make: Callable[[str], Value]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> Value:
        made = self._make(text)
        if len(self) < _MOST_REMEMBERED:
            self[text] = made
        return made


class Surface(NamedTuple):
    """Meaning of a spelling: unit, scale, confidence, the key of its context rule (or ""), and its kind.

    listed: whether the case is that of the unit files, and not a variant that people type.
    rare: few people mean it if another unit has the same letters ("mHz").
    others: meanings of the same letters in another case; lower-case input may mean any of them.
    """

    unit: str
    scale: float = 1.0
    confidence: float = 1.0
    rule: str = ""
    symbol: bool = False
    listed: bool = True
    rare: bool = False
    others: tuple[Surface, ...] = ()
