"""The small records that units are made of, and what can go wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar


class UnknownUnitError(ValueError):
    """A name that cannot be a unit; the message says which known units are near."""


class UnitFileError(ValueError):
    """A malformed unit file; the message names the file, the line, and the remedy."""


Value = TypeVar("Value")
_MOST_REMEMBERED: Final = 100_000


class UnitMatch(NamedTuple):
    """A unit found in a text.

    Attributes:
        unit: canonical name, compounds included ("dollar per barrel", "milligram per square metre").
        start, end: character span of the unit's words, blanks around them left out.
        confidence: 1.0 where the words can mean nothing else, lower where the context decided.
        scale: factor that the surface carries and the name drops ("bcf": 1e9 cubic foot); multiply the value by it.
        others: (unit, scale) of what the words may mean as well, where neither their case nor the context tells.
    """

    unit: str
    start: int
    end: int
    confidence: float = 1.0
    scale: float = 1.0
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class UnitDef:
    """A simple unit: its family and how to turn it into the family's reference (value * factor + offset)."""

    name: str
    family: str
    factor: float = 1.0
    offset: float = 0.0


class Remembered(dict[str, Value]):
    """What a function makes of texts, for as many of them as memory should hold."""

    def __init__(self, make: Callable[[str], Value]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> Value:
        made = self._make(text)
        if len(self) < _MOST_REMEMBERED:
            self[text] = made
        return made


class Surface(NamedTuple):
    """What a spelling means: unit, scale, confidence, the context rule to ask (a key, or ""), and its kind.

    listed: whether the case is that of the unit files, or what people make of it.
    rare: few people mean it where another unit has the same letters ("mHz").
    others: what the same letters mean in another case; who types small letters may mean any of them.
    """

    unit: str
    scale: float = 1.0
    confidence: float = 1.0
    rule: str = ""
    symbol: bool = False
    listed: bool = True
    rare: bool = False
    others: tuple[Surface, ...] = ()
