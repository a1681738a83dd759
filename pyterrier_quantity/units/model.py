"""Define the data classes for units, such as `UnitMatch` (a unit found in a text), and the exceptions about units."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar


class UnknownUnitError(ValueError):
    """Raised for a name that cannot be a unit. The message lists units with similar names."""


class UnitFileError(ValueError):
    """Raised for a malformed unit file. The message names the file and the line, and states what to correct."""


Value = TypeVar("Value")
_MOST_REMEMBERED: Final = 100_000
_LONGEST_REMEMBERED: Final = 100


class UnitMatch(NamedTuple):
    """A unit found in a text.

    Attributes:
        unit: the canonical name of the unit, which may be a compound ("dollar per barrel").
        start, end: the character span of the unit's words, without the spaces around them.
        confidence: 1.0 if the words can only be this unit; lower if the unit was chosen from the text around the words.
        scale: the factor by which the number must be multiplied: 1e9 for "bcf", a billion cubic feet.
        others: pairs (unit, scale) of other units that fit equally well: "12 kn" may be knots or kilonewtons.
    """

    unit: str
    start: int
    end: int
    confidence: float = 1.0
    scale: float = 1.0
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class UnitDef:
    """A unit that is not a compound, with its dimension (`family`) and the conversion to the reference unit."""

    name: str
    family: str
    factor: float = 1.0
    offset: float = 0.0


class Remembered(dict[str, Value]):
    """A dictionary that computes the value of a missing key with a function. It does not store values of long keys."""

    def __init__(self, make: Callable[[str], Value]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> Value:
        made = self._make(text)
        if len(self) < _MOST_REMEMBERED and len(text) <= _LONGEST_REMEMBERED:
            self[text] = made
        return made


class Surface(NamedTuple):
    """A unit that a spelling can mean: kilogram for "kg". `unit`, `scale` and `confidence` are as in `UnitMatch`.

    rule: the key of the rule that decides from the text around the spelling whether it is a unit, or "".
    symbol: whether the spelling is a symbol ("kg") rather than a word ("kilogram").
    listed: whether the unit files list the spelling in this letter case.
    rare: whether people rarely mean this unit, because another unit has the same letters: "mHz" is mostly megahertz.
    others: the units that the same letters mean in another letter case: megawatt for "mW".
    """

    unit: str
    scale: float = 1.0
    confidence: float = 1.0
    rule: str = ""
    symbol: bool = False
    listed: bool = True
    rare: bool = False
    others: "tuple[Surface, ...]" = ()
