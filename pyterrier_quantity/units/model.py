"""The small records that units are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class UnitMatch(NamedTuple):
    """A unit found in a text.

    Attributes:
        unit: canonical name, compounds included ("dollar per barrel", "milligram per square metre").
        start, end: character span of the unit's words, blanks around them left out.
        confidence: 1.0 where the words can mean nothing else, lower where the context decided.
        scale: factor that the surface carries and the name drops ("bcf": 1e9 cubic foot); multiply the value by it.
    """

    unit: str
    start: int
    end: int
    confidence: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class UnitDef:
    """A simple unit: its family and how to turn it into the family's reference (value * factor + offset)."""

    name: str
    family: str
    factor: float = 1.0
    offset: float = 0.0


class Surface(NamedTuple):
    """What a spelling means: unit, scale, confidence, the context rule to ask (a key, or ""), and its kind."""

    unit: str
    scale: float = 1.0
    confidence: float = 1.0
    rule: str = ""
    symbol: bool = False
